// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// A walker goes through a JSON text and visits its scalars.
type walker struct {
	raw   []byte
	visit func(Token) (more bool)

	element func(start int) // called behind each element of an array; nil: not

	pos  int
	path []step
	done bool
}

// A step leads to the value that the walker is at.
type step struct {
	key   []byte // in its quotes; nil in an array
	index int
}

// anyIndex stands for every element of an array in [walker.at].
const anyIndex = "*"

// at reports whether the walker is at a path of names and indices.
func (w *walker) at(path ...string) bool {
	if len(path) != len(w.path) {
		return false
	}
	for i, name := range path {
		s := w.path[i]
		if name == anyIndex && s.key == nil {
			continue
		}
		if s.key == nil || string(s.key[1:len(s.key)-1]) != name && Unquote(s.key) != name {
			return false
		}
	}
	return true
}

// blocks are where the texts stand that a model reads one after the other (MCP, schema:
// CallToolResult, GetPromptResult, CreateMessageRequest, ReadResourceResult).
var blocks = [][]string{
	{"content", anyIndex, "text"},
	{"content", anyIndex, "resource", "text"},
	{"result", "content", anyIndex, "text"}, // of a task
	{"result", "content", anyIndex, "resource", "text"},
	{"messages", anyIndex, "content", "text"},
	{"messages", anyIndex, "content", anyIndex, "text"},
	{"messages", anyIndex, "content", "resource", "text"},
	{"contents", anyIndex, "text"},
}

// inBlock reports whether the walker is at the text of a block.
func (w *walker) inBlock() bool {
	return slices.ContainsFunc(blocks, func(path []string) bool { return w.at(path...) })
}

// escaper writes a name as a step of a JSON Pointer (RFC 6901, section 3).
var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// maxNameBytes bounds the names of a pointer, in bytes: longer ones nobody reads, and a hostile
// result could have one for each of its values.
const maxNameBytes = 4 << 10

func (w *walker) pointer() string {
	size := 0
	for _, s := range w.path {
		size += len(s.key)
	}
	if size > maxNameBytes {
		return ""
	}
	var b strings.Builder
	for _, s := range w.path {
		b.WriteByte('/')
		if s.key == nil {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(escaper.Replace(Unquote(s.key)))
		}
	}
	return b.String()
}

func (w *walker) run() error {
	w.path = make([]step, 0, 8) // deeper than most results
	if err := w.value(); err != nil || w.done {
		return err
	}
	if w.space(); w.pos != len(w.raw) {
		return errSyntax(w.pos)
	}
	return nil
}

func (w *walker) space() {
	for w.pos < len(w.raw) {
		switch w.raw[w.pos] {
		case ' ', '\t', '\r', '\n':
			w.pos++
		default:
			return
		}
	}
}

// next returns the next byte that is no space, and 0 at the end.
func (w *walker) next() byte {
	if w.space(); w.pos < len(w.raw) {
		return w.raw[w.pos]
	}
	return 0
}

func (w *walker) value() error {
	if len(w.path) > maxDepth {
		return errDepth
	}
	switch c := w.next(); {
	case c == '{':
		return w.object()
	case c == '[':
		return w.array()
	case c == '"':
		start := w.pos
		if err := w.quoted(); err != nil {
			return err
		}
		w.emit(Token{String, start, w.pos})
		return nil
	case c == '-' || '0' <= c && c <= '9':
		start := w.pos
		for w.pos < len(w.raw) && strings.IndexByte("+-.eE0123456789", w.raw[w.pos]) >= 0 {
			w.pos++
		}
		w.emit(Token{Number, start, w.pos})
		return nil
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(w.raw[w.pos:], []byte(word)) {
			w.pos += len(word)
			return nil
		}
	}
	return errSyntax(w.pos)
}

func (w *walker) emit(t Token) { w.done = w.done || !w.visit(t) }

// quoted moves behind a string.
func (w *walker) quoted() error {
	start := w.pos
	for i := w.pos + 1; ; {
		n := bytes.IndexByte(w.raw[i:], '"')
		if n < 0 {
			return errSyntax(start)
		}
		i += n
		slashes := 0
		for w.raw[i-1-slashes] == '\\' { // stops at the opening quote
			slashes++
		}
		if i++; slashes%2 == 0 {
			w.pos = i
			return nil
		}
	}
}

func (w *walker) object() error {
	return w.list('}', func(int) error {
		start := w.pos
		if w.next() != '"' {
			return errSyntax(w.pos)
		}
		if err := w.quoted(); err != nil {
			return err
		}
		w.path = append(w.path, step{key: w.raw[start:w.pos]})
		w.emit(Token{Key, start, w.pos})
		if w.next() != ':' {
			return errSyntax(w.pos)
		}
		w.pos++
		return w.value()
	})
}

func (w *walker) array() error {
	return w.list(']', func(i int) error {
		w.path = append(w.path, step{index: i})
		start := w.pos
		err := w.value()
		if err == nil && w.element != nil {
			w.element(start)
		}
		return err
	})
}

// list goes through what stands between brackets. Entry adds one step to the path.
func (w *walker) list(end byte, entry func(i int) error) error {
	w.pos++
	if w.next() == end {
		w.pos++
		return nil
	}
	depth := len(w.path)
	for i := 0; ; i++ {
		w.space()
		if err := entry(i); err != nil || w.done {
			return err
		}
		w.path = w.path[:depth]
		c := w.next()
		w.pos++
		switch c {
		case ',':
		case end:
			return nil
		default:
			return errSyntax(w.pos - 1)
		}
	}
}
