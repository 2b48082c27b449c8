// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"strings"
)

// An Error is one thing that is wrong with a rule.
type Error struct {
	Rule  string // its name
	Index int    // its place in the list given to Compile
	// Field is the part of the rule: "name", "effect", "tools", "when".
	Field string
	// Item is the index of the pattern in Tools, if Field is "tools".
	Item int
	// Line and Column are the place in the text of the field, in characters, from 1.
	Line, Column int
	Message      string
	Excerpt      string // the line and a caret below it; "" if there is nothing to show
}

// Error is "rule "name": field:line:column: message", and below it the line with a caret.
func (e *Error) Error() string {
	s := fmt.Sprintf("rule %q: %s:%d:%d: %s", e.Rule, e.Field, e.Line, e.Column, e.Message)
	if e.Excerpt != "" {
		s += "\n" + e.Excerpt
	}
	return s
}

// Errors is everything that is wrong with some rules, in their order.
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
