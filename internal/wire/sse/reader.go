// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// defaultLimit is the limit of an event in bytes.
const defaultLimit = 64 << 20

// maxRetry bounds a retry field, before its conversion to a duration.
const maxRetry = 24 * time.Hour

// ErrTooLarge reports an event over the limit. The Reader cannot go on.
var ErrTooLarge = errors.New("sse: an event is larger than the limit")

// A Reader reads events from a stream. It is not safe for concurrent use.
type Reader struct {
	// Lend is called before an event takes more memory than 64 KiB: with all bytes that it will then
	// have. An error ends the reading. Nil: nobody is asked.
	Lend func(bytes int) error

	r     *bufio.Reader
	limit int
	err   error

	raw     []byte // of the present event
	data    []span // of its data, in raw
	fields  bool   // it has a field
	begun   bool   // the first line was read; only it may have a byte order mark
	afterCR bool   // the last line ended with CR; an LF that follows belongs to it
	lastID  string
}

type span struct{ from, to int }

// NewReader reads events of at most limit bytes, their framing included, from r; a limit
// of 0 is 64 MiB.
func NewReader(r io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = defaultLimit
	}
	return &Reader{r: bufio.NewReader(r), limit: limit}
}

// LastID is the id of the last complete event with one; "" if there was none.
func (r *Reader) LastID() string { return r.lastID }

// Next returns the next event. Comments and blank lines before an event come as an Event with only Raw.
// The caller may keep the Event.
//
// At the end of the stream the error is [io.EOF], or [io.ErrUnexpectedEOF] in the middle of an event;
// its Event then has the remaining bytes in Raw. Further errors are [ErrTooLarge] and those of the
// stream.
func (r *Reader) Next() (Event, error) {
	var e Event
	if r.err != nil {
		return e, r.err
	}
	r.raw, r.data, r.fields = nil, r.data[:0], false
	for {
		from, to, err := r.line()
		if err != nil {
			if errors.Is(err, io.EOF) && (r.fields || from < to) {
				err = io.ErrUnexpectedEOF
			}
			r.err = err
			return Event{Raw: r.raw}, err
		}
		line := r.raw[from:to]
		if !r.begun {
			r.begun = true
			from += len(line) - len(trimBOM(line))
			line = r.raw[from:to]
		}
		comment := len(line) > 0 && line[0] == ':'
		switch {
		case len(line) == 0, comment && !r.fields:
			e.Data, e.Raw = r.joined(), r.raw
			if e.HasID {
				r.lastID = e.ID
			}
			return e, nil
		case !comment:
			r.fields = true
			r.field(&e, from, to)
		}
	}
}

// field takes the field at from..to of r.raw.
func (r *Reader) field(e *Event, from, to int) {
	name, value := cutField(r.raw[from:to])
	switch string(name) {
	case "data":
		r.data = append(r.data, span{to - len(value), to})
	case "event":
		e.Type = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			e.ID, e.HasID = string(value), true
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 64); err == nil {
			e.Retry, e.HasRetry = time.Duration(min(ms, uint64(maxRetry.Milliseconds())))*time.Millisecond, true
		}
	}
}

// joined returns the data of the event, without a copy if it is one line.
func (r *Reader) joined() []byte {
	switch len(r.data) {
	case 0:
		return nil
	case 1:
		s := r.data[0]
		return r.raw[s.from:s.to:s.to]
	}
	var data []byte
	for i, s := range r.data {
		if i > 0 {
			data = append(data, '\n')
		}
		data = append(data, r.raw[s.from:s.to]...)
	}
	return data
}

// line reads a line into r.raw and returns its place, without its end. On an error it returns the part
// before.
func (r *Reader) line() (from, to int, err error) {
	if err := r.restOfEnd(); err != nil {
		return len(r.raw), len(r.raw), err
	}
	from = len(r.raw)
	for {
		if _, err := r.r.Peek(1); err != nil {
			return from, len(r.raw), err
		}
		buffered, _ := r.r.Peek(r.r.Buffered()) // peeking at buffered bytes cannot fail
		i := lineEnd(buffered)
		n := len(buffered)
		if i >= 0 {
			n = i + endLen(buffered[i:])
		}
		if len(r.raw)+n > r.limit {
			return from, len(r.raw), ErrTooLarge
		}
		if err := r.grow(n); err != nil {
			return from, len(r.raw), err
		}
		r.raw = append(r.raw, buffered[:n]...)
		_, _ = r.r.Discard(n)
		if i >= 0 {
			// The LF may not have arrived yet, and the event need not wait for it.
			r.afterCR = buffered[n-1] == '\r'
			return from, len(r.raw) - (n - i), nil
		}
	}
}

// restOfEnd reads the LF after the CR of the previous line, if there is one.
func (r *Reader) restOfEnd() error {
	if !r.afterCR {
		return nil
	}
	next, err := r.r.Peek(1)
	if err != nil {
		return err
	}
	r.afterCR = false
	if next[0] == '\n' {
		r.raw = append(r.raw, '\n')
		_, _ = r.r.Discard(1)
	}
	return nil
}

// free is the largest event for which nobody is asked, in bytes.
const free = 64 << 10

// grow makes room for n more bytes of a large event.
func (r *Reader) grow(n int) error {
	if r.Lend == nil || len(r.raw)+n <= max(cap(r.raw), free) {
		return nil
	}
	size := min(2*(len(r.raw)+n), r.limit+free)
	if err := r.Lend(size); err != nil {
		return err
	}
	r.raw = append(make([]byte, 0, size), r.raw...)
	return nil
}
