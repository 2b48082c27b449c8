// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bufio"
	"io"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// writeBuffer is large enough for a typical message.
const writeBuffer = 64 << 10

// A lineWriter writes whole lines, and each is one line to every reader (see [strictjson.OneLine]). It
// is safe for concurrent use.
type lineWriter struct {
	mu      sync.Mutex
	w       *bufio.Writer
	err     error
	written atomic.Int64 // lines taken so far
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: bufio.NewWriterSize(w, writeBuffer)}
}

// write writes a line to the buffer, and flushes the buffer if flush is set. After an error it
// writes nothing more and returns the same error.
func (l *lineWriter) write(line []byte, flush bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	_, _ = l.w.Write(strictjson.OneLine(line))
	l.err = l.w.WriteByte('\n')
	if flush && l.err == nil {
		l.err = l.w.Flush()
	}
	l.written.Add(1)
	return l.err
}

// flush writes out the buffer. Its error is that of [lineWriter.write].
func (l *lineWriter) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = l.w.Flush()
	}
	return l.err
}
