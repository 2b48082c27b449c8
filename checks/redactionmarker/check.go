// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package redactionmarker refuses arguments with markers that toolvet put in the place of
// secrets.
package redactionmarker

import (
	"bytes"
	"context"
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/secrets"
)

//go:embed README.md
var doc string

// Check refuses a marker that comes back as an argument.
var Check = &check.Check{
	Name:     "redaction-marker",
	Doc:      doc,
	Stage:    check.Semantic,
	Level:    check.SecurityLevel,
	Bounded:  bounded.Promised(),
	Requests: true,
	Run:      run,
}

func run(_ context.Context, pass *check.Pass) error {
	// Without the word, or an escape that could be one of its letters, there is no marker.
	holds := func(word string) bool { return bytes.Contains(pass.Call.Raw, []byte(word)) }
	if pass.Call.Raw != nil && !holds("redacted:") && !holds(`\u`) && !slices.ContainsFunc(encoded, holds) {
		return nil
	}
	look(pass, pass.Call.Arguments, "")
	return nil
}

// encoded are the begins of a marker in base64, by the byte of a group at which it begins: a
// secret in base64 is replaced there.
var encoded = []string{"W3JlZGFjdGVkO", "tyZWRhY3RlZD", "bcmVkYWN0ZWQ6"}

func holdsMarker(s string) bool {
	return secrets.ContainsMarker(s) || slices.ContainsFunc(encoded, func(begin string) bool { return strings.Contains(s, begin) })
}

func look(pass *check.Pass, v any, pointer string) {
	switch v := v.(type) {
	case string:
		if holdsMarker(v) {
			tell(pass, pointer)
		}
	case []any:
		for i, e := range v {
			look(pass, e, pointer+"/"+strconv.Itoa(i))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if holdsMarker(key) {
				tell(pass, pointer)
			}
			look(pass, v[key], pointer+"/"+check.EscapePointer(key))
		}
	}
}

func tell(pass *check.Pass, pointer string) {
	pass.Report(check.Finding{Pointer: pointer, Message: "holds a marker in the place of a withheld secret: the server would get the marker itself",
		Suggestion: "leave it out, or ask the user for the value; the secret cannot be had from toolvet"})
}
