// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"
)

// An Error is one thing that is wrong with a policy.
type Error struct {
	File    string // as it was named to Parse; "" for a policy that was made in Go
	Line    int    // from 1; 0 for a policy that was made in Go
	Column  int    // in characters, from 1
	Message string
	Source  string // the line of the file, without its end
}

// Error is "file:line:col: message", and below it the line with a caret.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	head := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
	if e.Source == "" {
		return head
	}
	line, indent := excerpt([]rune(e.Source), e.Column-1)
	number := fmt.Sprintf("%5d", e.Line)
	return fmt.Sprintf("%s\n%s | %s\n%*s | %s^", head, number, line, len(number), "", indent)
}

// maxExcerpt bounds the part of a long line that is shown on each side of the caret.
const maxExcerpt = 60

// excerpt returns the part of a line around a column, and the white space that
// leads to the column below it.
func excerpt(line []rune, column int) (shown, indent string) {
	column = min(column, len(line))
	from, to := max(0, column-maxExcerpt), min(len(line), column+maxExcerpt)
	prefix, suffix := "", ""
	if from > 0 {
		prefix = "…"
	}
	if to < len(line) {
		suffix = "…"
	}
	blank := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, prefix+string(line[from:column]))
	return prefix + string(line[from:to]) + suffix, blank
}

// Errors is everything that is wrong with a policy, in the order of the file.
type Errors []*Error

// Error is one error below the other.
func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i, err := range e {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns each error, for errors.As.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, err := range e {
		errs[i] = err
	}
	return errs
}
