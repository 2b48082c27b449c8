// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// canonical writes a decoded value as RFC 8785 (JSON Canonicalization Scheme) does, but
// that numbers keep their exact value instead of a double's. Values that are equal have
// the same text, and only these.
func canonical(v any) []byte {
	var w writer
	w.value(v, 0)
	return w.buf
}

// shown writes a value for people: indented, and with what they could not see as escapes.
// It ends with a line break. Below depth it is part of something else.
func shown(v any, depth int) []byte {
	w := writer{people: true}
	w.value(v, depth)
	return append(w.buf, '\n')
}

func digestOf(definition map[string]any) string {
	sum := sha256.Sum256(canonical(definition))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// equal reports whether two values mean the same. An absent member is not null.
func equal(a, b any) bool {
	return (a == absent{}) == (b == absent{}) && bytes.Equal(canonical(a), canonical(b))
}

// A writer writes values as package strictjson decodes them. Its text for people is JSON as well,
// of the same meaning.
type writer struct {
	buf    []byte
	people bool
	limit  int // in bytes; 0: none. Soon after more, nothing else is written
}

func (w *writer) value(v any, depth int) {
	if w.limit > 0 && len(w.buf) > w.limit {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		w.object(v, depth)
	case []any:
		w.list('[', ']', len(v), depth, func(i int) { w.value(v[i], depth+1) })
	case string:
		w.text(v)
	case json.Number:
		w.buf = appendNumber(w.buf, string(v))
	case bool:
		w.buf = strconv.AppendBool(w.buf, v)
	default:
		w.buf = append(w.buf, "null"...)
	}
}

func (w *writer) object(m map[string]any, depth int) {
	keys := sortedKeys(m)
	w.list('{', '}', len(keys), depth, func(i int) {
		w.text(keys[i])
		w.buf = append(w.buf, ':')
		if w.people {
			w.buf = append(w.buf, ' ')
		}
		w.value(m[keys[i]], depth+1)
	})
}

// list writes n members or elements between brackets.
func (w *writer) list(open, end byte, n, depth int, each func(i int)) {
	w.buf = append(w.buf, open)
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.line(depth + 1)
		each(i)
	}
	if n > 0 {
		w.line(depth)
	}
	w.buf = append(w.buf, end)
}

// maxIndent bounds the indentation, in levels: a definition that nests deep must not make
// a file many times its size.
const maxIndent = 16

func (w *writer) line(depth int) {
	if w.people {
		w.buf = append(w.buf, '\n')
		w.buf = append(w.buf, strings.Repeat("  ", min(depth, maxIndent))...)
	}
}

func (w *writer) text(s string) {
	w.buf = append(w.buf, '"')
	for _, r := range s {
		w.buf = appendRune(w.buf, r, w.people)
	}
	w.buf = append(w.buf, '"')
}

// sortedKeys are in the order of RFC 8785, section 3.2.3: by UTF-16 code units.
func sortedKeys(m map[string]any) []string {
	return slices.SortedFunc(maps.Keys(m), compareUTF16)
}

// compareUTF16 compares as UTF-16 does. That is the order of the bytes of UTF-8, except that
// characters beyond U+FFFF, which are surrogates there, come before U+E000 to U+FFFF.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		switch {
		case x == y:
			continue
		case x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0):
			return cmp.Compare(y, x)
		}
		return cmp.Compare(x, y)
	}
	return cmp.Compare(len(a), len(b))
}
