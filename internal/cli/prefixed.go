// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxLine is how much of a line of a server's standard error is kept together, in bytes.
const maxLine = 64 << 10

// A prefixed writes each line with the name of the server that it is of. Half a line waits
// for the other half.
type prefixed struct {
	name string
	w    io.Writer

	mu   sync.Mutex
	half []byte
}

func (p *prefixed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.half = append(p.half, text...)
	for {
		end := bytes.IndexByte(p.half, '\n')
		if end < 0 && len(p.half) < maxLine {
			return len(text), nil
		}
		line := p.half
		if end >= 0 {
			line = p.half[:end]
		}
		// What cannot be written is lost: there is no other place to say it.
		fmt.Fprintf(p.w, "[%s] %s\n", p.name, bytes.TrimRight(line, "\r"))
		p.half = append(p.half[:0], p.half[min(len(line)+1, len(p.half)):]...)
	}
}
