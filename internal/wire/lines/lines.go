// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package lines reads messages of one line each within a limit, and finds the ids even of longer ones.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/toolvet/toolvet/call"
)

const (
	// readBuffer is large enough to read most messages without a copy.
	readBuffer = 64 << 10
	// keptBuffer is the largest buffer that a Reader keeps for the next long line.
	keptBuffer = 1 << 20
)

// A Reader reads messages: lines of at most limit bytes.
type Reader struct {
	r     *bufio.Reader
	limit int
	long  []byte // a line longer than the buffer, reused
}

// NewReader reads lines of at most limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// A TooLongError reports a line over the limit. The Reader skips it.
type TooLongError struct{ call.Remnant }

func (*TooLongError) Error() string { return "a message is longer than the limit" }

// Next returns the next line without its line feed, valid until the next call. The last line may lack
// the line feed. The error is io.EOF at the end, or a *TooLongError; Next can go on after the latter.
func (l *Reader) Next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return l.nextLong(line)
	}
	if err != nil && len(line) == 0 {
		return nil, err
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) > l.limit {
		return nil, &TooLongError{call.Recover(bytes.NewReader(line))}
	}
	return line, nil
}

func (l *Reader) nextLong(head []byte) ([]byte, error) {
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
			return nil, &TooLongError{remnant}
		}
		l.long = append(l.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(l.long, []byte("\n")), nil
		}
	}
}

// Ready reports whether another whole line can be read without waiting.
func (l *Reader) Ready() bool {
	buffered, _ := l.r.Peek(l.r.Buffered())
	return bytes.IndexByte(buffered, '\n') >= 0
}

// restOfLine reads up to and including the next line feed.
type restOfLine struct {
	r     *bufio.Reader
	part  []byte // read from r, but not returned yet
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
