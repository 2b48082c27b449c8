// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package redactionmarker refuses arguments that hold what toolvet has put in the place of a
// secret.
package redactionmarker

import (
	"bytes"
	"context"
	_ "embed"
	"maps"
	"slices"
	"strconv"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/secret"
)

//go:embed README.md
var doc string

// Check refuses a marker that comes back as an argument.
var Check = &check.Check{
	Name:    "redaction-marker",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: true,
	Run:     run,
}

func run(_ context.Context, pass *check.Pass) error {
	// Without the word, or an escape that could be one of its letters, there is no marker.
	if raw := pass.Call.Raw; raw != nil && !bytes.Contains(raw, []byte("redacted:")) && !bytes.Contains(raw, []byte(`\u`)) {
		return nil
	}
	look(pass, pass.Call.Arguments, "")
	return nil
}

func look(pass *check.Pass, v any, pointer string) {
	switch v := v.(type) {
	case string:
		if secret.ContainsMarker(v) {
			tell(pass, pointer)
		}
	case []any:
		for i, e := range v {
			look(pass, e, pointer+"/"+strconv.Itoa(i))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if secret.ContainsMarker(key) {
				tell(pass, pointer)
			}
			look(pass, v[key], pointer+"/"+check.EscapePointer(key))
		}
	}
}

func tell(pass *check.Pass, pointer string) {
	pass.Report(check.Finding{Pointer: pointer, Message: "holds a marker that stands for a secret which was withheld: the server would take the marker itself",
		Suggestion: "leave it out, or ask the user for the value; the secret cannot be had from toolvet"})
}
