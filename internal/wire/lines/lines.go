// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package lines reads messages of one line each within a limit, and finds the ids even of longer ones.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
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
	ends  bool   // a line over the limit ends the reading
	owner string // takes loans from budget.Held; "": nobody
	loan  *budget.Loan
}

// NewReader reads lines of at most limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// ForOwner makes the Reader take a loan from [budget.Held] for each long line: for the line, and as
// much again for its way. The loan ends with the next line.
func (l *Reader) ForOwner(owner string) *Reader {
	l.owner, l.loan = owner, budget.Held.Open(owner)
	return l
}

// EndAtLimit makes Next return at the limit, and not at the end of a longer line. The caller must not go
// on then.
func (l *Reader) EndAtLimit() *Reader {
	l.ends = true
	return l
}

// copies is the number of times that a long line is in memory on its way.
const copies = 2

// A TooLongError reports a line over the limit, or one for which there is no loan. The Reader skips it.
type TooLongError struct {
	jsonrpc.Remnant
	Full error // there is no loan; nil: the line is over the limit
}

func (e *TooLongError) Error() string {
	if e.Full != nil {
		return e.Full.Error()
	}
	return "a message is longer than the limit"
}

// Unwrap returns [budget.ErrFull] if there was no loan.
func (e *TooLongError) Unwrap() error { return e.Full }

// Keep returns a line in memory of its own. The loan of a long line then lasts as long as its memory.
func (l *Reader) Keep(line []byte) []byte {
	if len(line) == 0 || len(l.long) == 0 || &line[0] != &l.long[0] {
		return bytes.Clone(line)
	}
	if l.owner != "" {
		budget.Until(l.loan, &line[0])
		l.loan = budget.Held.Open(l.owner)
	}
	l.long = nil
	return line
}

// Next returns the next line without its line feed, valid until the next call. The last line may lack
// the line feed. The error is io.EOF at the end, or a *TooLongError; Next can go on after the latter.
func (l *Reader) Next() ([]byte, error) {
	l.loan.Return()
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return l.nextLong(line)
	}
	if err != nil && len(line) == 0 {
		return nil, err
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) > l.limit {
		return nil, &TooLongError{Remnant: jsonrpc.Recover(bytes.NewReader(line))}
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
		full := error(nil)
		if len(l.long)+len(bytes.TrimSuffix(part, []byte("\n"))) <= l.limit {
			full = l.grow(len(part))
		}
		if full != nil || len(l.long)+len(bytes.TrimSuffix(part, []byte("\n"))) > l.limit {
			if full == nil && l.ends {
				return nil, &TooLongError{}
			}
			rest := &restOfLine{r: l.r, ended: !errors.Is(err, bufio.ErrBufferFull), ends: l.ends, most: l.limit}
			remnant := jsonrpc.Recover(io.MultiReader(bytes.NewReader(l.long), bytes.NewReader(bytes.Clone(part)), rest))
			l.long = nil
			l.loan.Return()
			if l.ends && rest.most < 0 {
				return nil, &TooLongError{}
			}
			return nil, &TooLongError{remnant, full}
		}
		l.long = append(l.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.loan.Shrink(copies * len(l.long))
			return bytes.TrimSuffix(l.long, []byte("\n")), nil
		}
	}
}

// grow makes room for more bytes of a long line, and takes a loan for them.
func (l *Reader) grow(more int) error {
	if len(l.long)+more <= cap(l.long) {
		return nil
	}
	size := min(2*cap(l.long), l.limit) + readBuffer
	if err := l.loan.Grow(context.Background(), copies*size, budget.Brief); err != nil {
		return err
	}
	l.long = append(make([]byte, 0, size), l.long...)
	return nil
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
	ends  bool
	most  int // bytes that are still within the limit; if ends is set, no more are read
}

func (r *restOfLine) Read(p []byte) (int, error) {
	for len(r.part) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		part, err := r.r.ReadSlice('\n')
		r.part, r.most = part, r.most-len(part)
		r.ended = !errors.Is(err, bufio.ErrBufferFull) || r.ends && r.most < 0
	}
	n := copy(p, r.part)
	r.part = r.part[n:]
	return n, nil
}
