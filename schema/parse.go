// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSchemaNumber bounds the digits and the exponent of the numbers in a
// schema. The library expands numbers to all their digits.
const maxSchemaNumber = 1000

// parse reads the text of a schema: one JSON object without duplicate keys, or
// a boolean, in valid UTF-8 and within the limits.
func parse(raw []byte, limits Limits) (any, error) {
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, &CompileError{Reason: "the tool has no inputSchema"}
	case len(raw) > limits.Bytes:
		return nil, &CompileError{Reason: fmt.Sprintf("it is longer than %d bytes", limits.Bytes)}
	case !utf8.Valid(raw):
		return nil, &CompileError{Reason: "it is not valid UTF-8"}
	}
	r := reader{dec: json.NewDecoder(bytes.NewReader(raw)), limits: limits}
	r.dec.UseNumber()
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	if r.dec.InputOffset() < int64(len(bytes.TrimRight(raw, " \t\r\n"))) {
		return nil, &CompileError{Reason: "there is more text after the schema"}
	}
	return v, nil
}

// A reader is a recursive walk over a decoder's tokens.
type reader struct {
	dec    *json.Decoder
	limits Limits
	path   []string
	count  int // objects, arrays and booleans
}

func (r *reader) fault(format string, args ...any) error {
	return &CompileError{Pointer: pointerOf(r.path), Reason: fmt.Sprintf(format, args...)}
}

func (r *reader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err != nil {
		return nil, &CompileError{Reason: fmt.Sprintf("it is not JSON: %v", err)}
	}
	return t, nil
}

func (r *reader) value() (any, error) {
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if len(r.path) >= r.limits.Depth {
			return nil, r.fault("it is nested deeper than %d levels", r.limits.Depth)
		}
		if err := r.counted(); err != nil {
			return nil, err
		}
		if t == '[' {
			return r.array()
		}
		return r.object()
	case bool:
		return t, r.counted()
	case json.Number:
		if !sensible(t) {
			return nil, r.fault("the number is too large or too long")
		}
	}
	return t, nil
}

func (r *reader) counted() error {
	if r.count++; r.count > r.limits.Subschemas {
		return r.fault("it has more than %d parts", r.limits.Subschemas)
	}
	return nil
}

func (r *reader) object() (any, error) {
	obj := map[string]any{}
	for r.dec.More() {
		t, err := r.token()
		if err != nil {
			return nil, err
		}
		name := t.(string) // the decoder accepts nothing else as a key
		r.path = append(r.path, name)
		if _, ok := obj[name]; ok {
			return nil, r.fault("the key appears twice")
		}
		if obj[name], err = r.value(); err != nil {
			return nil, err
		}
		r.path = r.path[:len(r.path)-1]
	}
	_, err := r.token()
	return obj, err
}

func (r *reader) array() (any, error) {
	arr := []any{}
	for r.dec.More() {
		r.path = append(r.path, strconv.Itoa(len(arr)))
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		arr = append(arr, v)
		r.path = r.path[:len(r.path)-1]
	}
	_, err := r.token()
	return arr, err
}

// sensible reports whether a number is one that the library can expand.
func sensible(n json.Number) bool {
	if len(n) > maxSchemaNumber {
		return false
	}
	i := strings.IndexAny(string(n), "eE")
	if i < 0 {
		return true
	}
	exp, ok := parseExponent(string(n[i+1:]))
	return ok && -maxSchemaNumber <= exp && exp <= maxSchemaNumber
}

// pointerOf returns the JSON Pointer with the given reference tokens.
func pointerOf(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		pointerEscaper.WriteString(&b, name)
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")
