// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// verbatim reads a string in which nothing is expanded.
func (d *decoder) verbatim(n ast.Node) (string, bool) {
	switch v := bare(n).(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	}
	d.mismatch(n, "a string: quote it")
	return "", false
}

// filled is verbatim for a string that says nothing when it is empty.
func (d *decoder) filled(n ast.Node) string {
	s, ok := d.verbatim(n)
	if ok && s == "" {
		d.errorf(positionOf(n), "must not be empty")
	}
	return s
}

// maxEscape is the growth of a character that JSON escapes: one byte becomes \u0000.
const maxEscape = 6

// jsonNumber is a number by RFC 8259, section 6.
var jsonNumber = lazyregexp.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// json writes any value as JSON, members in the order of the file and numbers with their own
// digits. A number that JSON writes otherwise, such as 0x1F, is an error.
func (d *decoder) json(n ast.Node) json.RawMessage { return d.appendJSON(nil, n) }

func (d *decoder) appendJSON(b []byte, n ast.Node) []byte {
	switch v := bare(n).(type) {
	case *ast.StringNode:
		if v.Token.Type == token.StringType && jsonNumber.MatchString(v.Value) {
			return append(b, v.Value...) // not quoted, and beyond 64 bits
		}
		return appendString(b, v.Value)
	case *ast.LiteralNode:
		return appendString(b, v.Value.Value)
	case *ast.BoolNode:
		return strconv.AppendBool(b, v.Value)
	case *ast.NullNode:
		return append(b, "null"...)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		text := v.GetToken().Value
		if !jsonNumber.MatchString(text) {
			d.errorf(positionOf(n), "must be written as JSON writes numbers; a string must be quoted")
			return append(b, '0')
		}
		return append(b, text...)
	case *ast.SequenceNode:
		b = append(b, '[')
		for i, e := range v.Values {
			if i > 0 {
				b = append(b, ',')
			}
			b = d.appendJSON(b, e)
		}
		return append(b, ']')
	case ast.MapNode:
		return d.appendObject(b, n)
	}
	d.mismatch(n, "a value")
	return append(b, "null"...)
}

func (d *decoder) appendObject(b []byte, n ast.Node) []byte {
	b = append(b, '{')
	entries, _ := d.entries(n, "values by name")
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, e.key), ':')
		b = d.appendJSON(b, e.value)
	}
	return append(b, '}')
}

func appendString(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // a string always can be
	return append(b, text...)
}
