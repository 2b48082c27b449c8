// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// maxLine bounds how much of a line is kept together, in bytes.
const maxLine = 64 << 10

// A prefixed puts the server's name before each line of its standard error. Half a line waits for the rest.
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
		// A failed write has no other place to be reported.
		fmt.Fprintf(p.w, "[%s] %s\n", p.name, bytes.TrimRight(line, "\r"))
		p.half = append(p.half[:0], p.half[min(len(line)+1, len(p.half)):]...)
	}
}
