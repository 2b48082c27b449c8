// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet/call"
)

const (
	// readBuffer holds a usual message, so that it is read without a copy.
	readBuffer = 64 << 10
	// keptBuffer is the largest buffer that is kept for the next long line.
	keptBuffer = 1 << 20
)

// A lineReader reads messages: lines of at most limit bytes.
type lineReader struct {
	r     *bufio.Reader
	limit int
	long  []byte // a line longer than the buffer, reused
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// A tooLongError says that a line was longer than the limit. The line is read past.
type tooLongError struct{ call.Remnant }

func (*tooLongError) Error() string { return "a message is longer than the limit" }

// next returns the next line without its line feed, valid until the next call. The
// last line may lack the line feed. The error is io.EOF at the end, or a
// *tooLongError, after which the next line can be read.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return l.nextLong(line)
	}
	if err != nil && len(line) == 0 {
		return nil, err
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) > l.limit {
		return nil, &tooLongError{call.Recover(bytes.NewReader(line))}
	}
	return line, nil
}

func (l *lineReader) nextLong(head []byte) ([]byte, error) {
	if cap(l.long) > keptBuffer {
		l.long = nil
	}
	l.long = append(l.long[:0], head...)
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.long)+len(bytes.TrimSuffix(part, []byte("\n"))) > l.limit {
			rest := &restOfLine{r: l.r, ended: !errors.Is(err, bufio.ErrBufferFull)}
			remnant := call.Recover(io.MultiReader(bytes.NewReader(l.long), bytes.NewReader(bytes.Clone(part)), rest))
			l.long = nil
			return nil, &tooLongError{remnant}
		}
		l.long = append(l.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(l.long, []byte("\n")), nil
		}
	}
}

// ready reports whether another whole line can be read without waiting.
func (l *lineReader) ready() bool {
	buffered, _ := l.r.Peek(l.r.Buffered())
	return bytes.IndexByte(buffered, '\n') >= 0
}

// restOfLine reads up to and including the next line feed.
type restOfLine struct {
	r     *bufio.Reader
	part  []byte // read from r and not yet handed out
	ended bool
}

func (r *restOfLine) Read(p []byte) (int, error) {
	for len(r.part) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		part, err := r.r.ReadSlice('\n')
		r.ended = !errors.Is(err, bufio.ErrBufferFull)
		r.part = part
	}
	n := copy(p, r.part)
	r.part = r.part[n:]
	return n, nil
}

// A lineWriter writes whole lines; it may be used concurrently.
type lineWriter struct {
	mu      sync.Mutex
	w       *bufio.Writer
	err     error
	written atomic.Int64 // lines that were taken
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: bufio.NewWriterSize(w, readBuffer)}
}

// write writes a line, and with flush everything written so far. After an error it
// writes nothing more and returns that error again.
func (l *lineWriter) write(line []byte, flush bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	_, _ = l.w.Write(line)
	l.err = l.w.WriteByte('\n')
	if flush && l.err == nil {
		l.err = l.w.Flush()
	}
	l.written.Add(1)
	return l.err
}
