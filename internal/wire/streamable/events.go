// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Bounds of the messages that a stream holds for a client to read, or to resume.
const (
	maxHeld      = 4096 // waiting messages
	maxHeldBytes = 128 << 20
	keptEvents   = 256 // delivered messages
	keptBytes    = 1 << 20
)

// A stream holds the server's messages for one request, or its unsolicited ones. Readers follow it by
// position, so that a new connection can resume after a broken one.
type stream struct {
	name string

	mu      sync.Mutex
	events  [][]byte
	first   int  // position of events[0]
	read    int  // position of the first undelivered one
	bytes   int  // of events
	last    bool // no further messages
	left    int  // answers still missing before the last message
	readers int  // counts the connections; the newest reads
	reading bool
	changed chan struct{} // closed at each change
}

// newStream makes a stream that ends after a number of answers; with 0 it does not end.
func newStream(name string, answers int) *stream {
	return &stream{name: name, left: answers, changed: make(chan struct{})}
}

// answer adds an answer, and put any other message. A full stream without a reader loses its oldest
// messages.
func (s *stream) answer(line []byte) { s.add(line, 1) }
func (s *stream) put(line []byte)    { s.add(line, 0) }

func (s *stream) add(line []byte, answers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last {
		return
	}
	s.events = append(s.events, line)
	s.bytes += len(line)
	s.left -= answers
	s.last = answers > 0 && s.left <= 0
	for s.first < s.read && (len(s.events) > keptEvents || s.bytes > keptBytes) {
		s.drop()
	}
	for len(s.events) > 1 && (len(s.events) > maxHeld || s.bytes > maxHeldBytes) {
		s.drop()
	}
	s.signal()
}

func (s *stream) drop() {
	s.bytes -= len(s.events[0])
	s.events[0] = nil
	s.events = s.events[1:]
	s.first++
}

// forgo expects one answer less.
func (s *stream) forgo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	s.last = s.last || s.left <= 0
	s.signal()
}

// finish ends the stream.
func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = true
	s.signal()
}

func (s *stream) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// A view is the part of a stream from a position on.
type view struct {
	events  [][]byte
	last    bool // the stream ends after them
	current bool // no newer connection reads the stream
	changed <-chan struct{}
}

// from returns the view from a position on, or from the oldest message left.
func (s *stream) from(position, reader int) (view, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := view{last: s.last, current: s.readers == reader, changed: s.changed}
	position = max(position, s.first)
	if v.current {
		v.events = slices.Clone(s.events[position-s.first:])
		s.read = max(s.read, position+len(v.events))
	}
	return v, position
}

// join makes a new connection the reader of the stream. It resumes after a position; -1 stands for the
// previous reader's. False: the messages there are gone.
func (s *stream) join(after int) (position, reader int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	position = s.read
	if after >= 0 {
		position = after
	}
	if position < s.first || position > s.first+len(s.events) {
		return 0, 0, false
	}
	s.readers++
	s.reading = true
	s.signal()
	return position, s.readers, true
}

// leave ends the reading of a connection.
func (s *stream) leave(reader int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers == reader {
		s.reading = false
	}
}

// isRead reports whether a connection reads the stream, and isOver whether the stream has ended.
func (s *stream) isRead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reading
}

func (s *stream) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// size returns the size of the stream in bytes.
func (s *stream) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// eventID names the place after the message at position-1; cutID is its inverse.
func (s *stream) eventID(position int) string { return s.name + "-" + strconv.Itoa(position) }

func cutID(id string) (name string, position int, ok bool) {
	name, digits, ok := strings.Cut(id, "-")
	position, err := strconv.Atoi(digits)
	return name, position, ok && err == nil && position >= 0
}
