// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

var errLineEnd = errors.New("a line ends inside a string: this is not JSON")

// oneLine puts a JSON text on one line: line ends between its tokens become spaces. A line end inside a
// string is an error, because a space would make invalid JSON valid.
func oneLine(text []byte) ([]byte, error) {
	text = bytes.Trim(text, " \t\r\n")
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text, nil
	}
	line := bytes.Clone(text)
	inString := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			inString = !inString
		case c == '\\' && inString:
			i++
			if i < len(line) && (line[i] == '\n' || line[i] == '\r') {
				return nil, errLineEnd
			}
		case c == '\n' || c == '\r':
			if inString {
				return nil, errLineEnd
			}
			line[i] = ' '
		}
	}
	return line, nil
}

// A cutter cuts its input into lines.
type cutter struct {
	limit int // of a line, in bytes; 0: none
	take  func(line []byte) error

	mu   sync.Mutex
	part []byte // of a line
}

func (c *cutter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if c.limit > 0 && len(c.part)+len(line) > c.limit {
			c.part = nil
			return 0, errors.New("the message is larger than the limit")
		}
		c.part = append(c.part, line...)
		if rest = after; !ended {
			break
		}
		line, c.part = c.part, nil // the receiver keeps it
		if err := c.take(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// messages returns the messages of a line: itself, or the elements of a batch.
func messages(line []byte, limits call.Limits) ([][]byte, error) {
	if len(line) == 0 || line[0] != '[' {
		return [][]byte{line}, nil
	}
	elements, err := strictjson.Elements(line, limits)
	if err == nil && len(elements) == 0 {
		err = errors.New("the batch is empty")
	}
	return elements, err
}

// find returns the member of an object at path, or nil.
func find(object []byte, limits call.Limits, path ...string) []byte {
	from, to := place(object, limits, path...)
	if to == 0 {
		return nil
	}
	return object[from:to]
}

// place returns the place of the member of an object at path; 0, 0 if there is none.
func place(object []byte, limits call.Limits, path ...string) (from, to int) {
	to = len(object)
	for _, key := range path {
		if from == to || object[from] != '{' {
			return 0, 0
		}
		m, ok := strictjson.Find(object[from:to], limits, key)
		if !ok {
			return 0, 0
		}
		from += m.Offset
		to = from + len(m.Raw)
	}
	return from, to
}

// textAt returns the string at path, or "".
func textAt(object []byte, limits call.Limits, path ...string) string {
	var s string
	_ = json.Unmarshal(find(object, limits, path...), &s) // "" for another value
	return s
}
