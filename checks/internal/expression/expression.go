// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package expression reads the regular expressions by which a policy finds more in results than the checks know. Go's
// expressions take time in proportion to the text. So a policy's author can slow toolvet down by length and number alone,
// and both have bounds.
package expression

import (
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Bounds of the expressions of a demand.
const (
	most     = 32  // expressions
	maxBytes = 500 // of one
	maxSteps = 500 // instructions of its program: a{1000} has a thousand
)

// Problem says what is wrong with expressions by name; "" for nothing. An expression may match anywhere in a text, and must
// not match the empty text.
func Problem(list map[string]*regexp.Regexp) string {
	if len(list) > most {
		return fmt.Sprintf("must be at most %d expressions", most)
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if !isName(name) {
			return "each name must be lower case letters, digits, dots, hyphens and underscores, at most 60"
		}
		if why := problem(list[name]); why != "" {
			return name + ": " + why
		}
	}
	return ""
}

func problem(re *regexp.Regexp) string {
	if re == nil || re.String() == "" || len(re.String()) > maxBytes {
		return fmt.Sprintf("must be a regular expression of 1 to %d bytes", maxBytes)
	}
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return err.Error()
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return err.Error()
	}
	if len(program.Inst) > maxSteps {
		return fmt.Sprintf("must have at most %d steps, and has %d: repeat less", maxSteps, len(program.Inst))
	}
	if re.MatchString("") {
		return "must not match the empty text"
	}
	return ""
}

// isName reports whether a name may stand in markers, findings and notes.
func isName(name string) bool {
	other := func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("._-", r))
	}
	return name != "" && len(name) <= 60 && !strings.ContainsRune("._-", rune(name[0])) && !strings.ContainsFunc(name, other)
}
