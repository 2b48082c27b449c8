// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind is the rule that a text breaks.
type Kind int

// The kinds of [Error]. The zero Kind is not used.
const (
	_             Kind = iota
	Syntax             // not JSON (RFC 8259)
	TrailingData       // something follows the value
	InvalidUTF8        // bytes that are not UTF-8, or a byte order mark
	LoneSurrogate      // \ud800 … \udfff without its other half
	DuplicateKey       // a name given twice in one object
	NULKey             // a name with U+0000
	NumberRange        // a number that a double cannot hold, or with too many digits
	TooDeep            // Limits.Depth
	TooLarge           // Limits.Bytes
	NotObject          // Members got another value
	NotArray           // Elements got another value
)

// An Error describes a fault of a text and its place. Its message names places and rules, never a
// value.
type Error struct {
	Kind    Kind
	Pointer string // JSON Pointer (RFC 6901) to the place; "" stands for the whole text. A long one lacks its middle
	Offset  int    // bytes from the start of the text
	Rule    string // the fault as a predicate: "is given twice"

	steps []string // to the place, the last first; nil once Pointer is set
}

func (e *Error) Error() string { return e.place() + " " + e.Fault() }

// Fault is the message without the place.
func (e *Error) Fault() string { return fmt.Sprintf("%s (at byte %d)", e.Rule, e.Offset) }

func (e *Error) place() string {
	if e.Pointer == "" {
		return "the JSON text"
	}
	return strconv.Quote(e.Pointer)
}

// in adds the step from an object or array to the place of e.
func (e *Error) in(step string) *Error {
	e.steps = append(e.steps, "/"+pointerEscaper.Replace(Printable(step, maxStep)))
	return e
}

// placed sets the Pointer of e. A long one keeps its first step, its last, and as many of both ends as
// there is room for.
func (e *Error) placed() *Error {
	steps := e.steps
	slices.Reverse(steps)
	e.steps = nil
	if e.Pointer = strings.Join(steps, ""); len(e.Pointer) <= maxPointer || len(steps) < 3 {
		return e
	}
	head, tail := steps[0], steps[len(steps)-1]
	for i, j := 1, len(steps)-2; i < j; i, j = i+1, j-1 {
		if len(head)+len(steps[i])+len(steps[j])+len(tail) > maxPointer {
			break
		}
		head, tail = head+steps[i], steps[j]+tail
	}
	e.Pointer = head + "/…" + tail
	return e
}

// Bounds of an error message: of a key in runes, of a pointer in bytes.
const (
	maxStep    = 64
	maxPointer = 200
)

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// Printable shortens s to at most limit runes, and replaces characters that could harm a terminal or
// mislead a model (controls, invisible and bidirectional ones) by U+FFFD.
func Printable(s string, limit int) string {
	var b strings.Builder
	for _, r := range s {
		if limit == 0 {
			b.WriteRune('…')
			break
		}
		limit--
		if !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fail is not inlined: its copies weigh more than they save.
//
//go:noinline
func (d *decoder) fail(kind Kind, rule string, args ...any) *Error {
	return &Error{Kind: kind, Offset: min(d.pos, len(d.data)), Rule: fmt.Sprintf(rule, args...)}
}

// here names the character at the current position, for messages about syntax.
func (d *decoder) here() string {
	if d.pos >= len(d.data) {
		return "its end"
	}
	r, _ := utf8.DecodeRune(d.data[d.pos:])
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return fmt.Sprintf("byte 0x%02X", d.data[d.pos])
	}
	return strconv.QuoteRune(r)
}
