// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A file is the text of a policy, or of its tests, for messages that show it.
type file struct {
	name  string
	kind  string // the kind of the text: "policy"
	lines []line
}

// A line is prepared once, because there may be many errors in a long one.
type line struct {
	text  string // as it is
	shown string // without what a terminal should not meet
	width int    // in characters
}

// A position is a place in a file, both counted from 1, columns in characters.
type position struct{ line, column int }

func newFile(name, kind, text string) *file {
	f := &file{name: name, kind: kind}
	for text := range strings.SplitSeq(text, "\n") {
		f.lines = append(f.lines, line{text, strings.Map(visible, text), utf8.RuneCountInString(text)})
	}
	return f
}

func (f *file) errorf(at position, format string, args ...any) *Error {
	e := &Error{File: f.name, Line: at.line, Column: at.column, Message: fmt.Sprintf(format, args...)}
	if at.line <= len(f.lines) {
		line := f.lines[at.line-1]
		e.Source, e.Column = line.shown, min(at.column, line.width+1) // the lexer puts an absent value behind a blank
	}
	return e
}

// visible replaces what a terminal should not meet.
func visible(r rune) rune {
	if r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return utf8.RuneError
}

// characters reports the first invisible or forbidden character of each line: the text on a
// screen must be the policy in force.
func (f *file) characters() Errors {
	var errs Errors
	for i, line := range f.lines {
		column := 0
		for offset, r := range line.text {
			column++
			at := position{i + 1, column}
			if r == utf8.RuneError && !strings.HasPrefix(line.text[offset:], "\uFFFD") {
				errs = append(errs, f.errorf(at, "not UTF-8: byte 0x%02X", line.text[offset]))
				break
			}
			if r != '\t' && !unicode.IsPrint(r) {
				errs = append(errs, f.errorf(at, "the invisible character %U: remove it, or write it as an escape in a double-quoted string", r))
				break
			}
		}
	}
	return errs
}
