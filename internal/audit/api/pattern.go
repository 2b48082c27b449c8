// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Bounds of the texts made for patterns, which are untrusted.
const (
	maxPattern = 1000 // bytes
	maxMatch   = 200
)

// matching is a short text that matches a pattern of a schema. There is none for patterns unknown to Go.
func matching(pattern string) (string, bool) {
	if len(pattern) > maxPattern {
		return "", false
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return "", false
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	shortest(&b, tree)
	return b.String(), b.Len() <= maxMatch && expression.MatchString(b.String())
}

// shortest writes a text that matches an expression, without optional parts.
func shortest(b *strings.Builder, e *syntax.Regexp) {
	if b.Len() > maxMatch {
		return
	}
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		b.WriteRune(member(e.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpAlternate:
		shortest(b, e.Sub[0])
	case syntax.OpCapture, syntax.OpConcat, syntax.OpPlus:
		for _, sub := range e.Sub {
			shortest(b, sub)
		}
	case syntax.OpRepeat:
		for range min(e.Min, maxMatch) {
			shortest(b, e.Sub[0])
		}
	}
}

// member is a character of a class of ranges: a plain one, if there is any.
func member(ranges []rune) rune {
	for _, r := range "a1A_" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= r && r <= ranges[i+1] {
				return r
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
