// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bufio"
	"encoding/json"
	"io"
)

// A Remnant holds the readable parts of a message that is refused as a whole: too large, or not
// JSON somewhere.
type Remnant struct {
	ID     json.RawMessage // its id, if it has just one before the fault; else nil
	Method bool            // it has a method: it is a request or a notification, no response
	Call   bool            // the method is tools/call
}

// Envelope returns a message with what is readable.
func (m Remnant) Envelope() Envelope {
	e := Envelope{ID: m.ID}
	if m.Call {
		e.Method = ToolsCall
	}
	return e
}

// Recover reads the parts of a refused message that its answer needs. It reads r to its end but
// keeps only an id.
func Recover(r io.Reader) Remnant {
	s := idScanner{r: bufio.NewReaderSize(r, 32<<10)}
	s.scan()
	_, _ = io.Copy(io.Discard, s.r)
	m := Remnant{Method: s.method, Call: s.call}
	if id, ok := canonicalID(s.id); ok && s.found == 1 {
		m.ID = id
	}
	return m
}

// idScanner walks a JSON text a byte at a time. It knows only depth and strings.
type idScanner struct {
	r      *bufio.Reader
	id     []byte
	found  int
	method bool
	call   bool
}

func (s *idScanner) scan() {
	depth, atKey := 0, false
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return
		}
		switch c {
		case '{', '[':
			depth++
			atKey = depth == 1 && c == '{'
		case '}', ']':
			depth--
		case ',':
			atKey = depth == 1
		case '"':
			text, ok := s.string()
			if !ok {
				return
			}
			if depth == 1 && atKey {
				s.key(string(text))
			}
			atKey = false
		}
		if depth <= 0 {
			return
		}
	}
}

// string reads to the end of a string and returns it, or its beginning if it is longer
// than an id may be.
func (s *idScanner) string() ([]byte, bool) {
	text := []byte{'"'}
	for escaped := false; ; {
		c, err := s.r.ReadByte()
		if err != nil {
			return nil, false
		}
		if len(text) <= maxID {
			text = append(text, c)
		}
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			return text, true
		}
	}
}

func (s *idScanner) key(text string) {
	switch text {
	case `"id"`:
		s.found++
		s.id = s.value()
	case `"method"`:
		method, _ := String(s.value())
		s.method, s.call = true, method == "tools/call"
	}
}

// value reads the colon and a string or number behind it.
func (s *idScanner) value() (text []byte) {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			return text
		}
		switch c {
		case ' ', '\t', '\r', '\n', ':':
			if len(text) > 0 {
				return text
			}
		case '"':
			text, _ = s.string()
			return text
		case ',', '}', '{', '[':
			_ = s.r.UnreadByte()
			return text
		default:
			if len(text) <= maxID {
				text = append(text, c)
			}
		}
	}
}
