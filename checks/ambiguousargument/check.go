// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package ambiguousargument checks for arguments that some servers take for others.
package ambiguousargument

import (
	"context"
	_ "embed"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// Check reports undeclared properties that differ from a given, declared one in case
// alone.
var Check = &check.Check{
	Name:  "ambiguous-argument",
	Doc:   doc,
	Stage: check.Schema,
	Level: check.SecurityLevel,
	Run:   run,
}

func run(_ context.Context, pass *check.Pass) error {
	evaluation, err := pass.Evaluate()
	if err != nil {
		pass.Skipf("the arguments were not judged by the tool's schema")
		return nil
	}
	undeclared := make(map[string]bool, len(evaluation.Unknown))
	for _, v := range evaluation.Unknown {
		undeclared[v.Pointer] = true
	}
	for _, v := range evaluation.Unknown {
		parent, key := split(v.Pointer)
		object, _ := lookup(pass.Call.Arguments, parent).(map[string]any)
		for other := range object {
			declared := !undeclared[parent+"/"+check.EscapePointer(other)]
			if other != key && strings.EqualFold(other, key) && declared {
				pass.Report(check.Finding{
					Pointer:    v.Pointer,
					Message:    "differs from another argument in case alone, and some servers take the one for the other",
					Suggestion: "send only one of the two, as the tool declares it",
				})
			}
		}
	}
	return nil
}

// split cuts a JSON Pointer into that of the parent and the last step, unescaped.
func split(pointer string) (parent, key string) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", ""
	}
	return pointer[:i], check.UnescapePointer(pointer[i+1:])
}

// lookup returns what a JSON Pointer leads to, or nil.
func lookup(v any, pointer string) any {
	for pointer != "" && v != nil {
		step, rest, more := strings.Cut(pointer[1:], "/")
		v = child(v, check.UnescapePointer(step))
		if pointer = ""; more {
			pointer = "/" + rest
		}
	}
	return v
}

func child(v any, step string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}
