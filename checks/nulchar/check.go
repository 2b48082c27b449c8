// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package nulchar finds the character at which programs written in C stop reading.
package nulchar

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
)

//go:embed README.md
var doc string

// Options of the demand.
type Options struct {
	Allow bool `policy:"allow" doc:"true: the argument, and everything below it, may hold NUL; default false"`
}

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "nul", Options: func() any { return new(Options) }, Everywhere: true}

// Check reports strings that hold a NUL.
var Check = &check.Check{
	Name:    "nul",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     run,
}

// maxReported bounds the strings that are reported one by one.
const maxReported = 20

// escape is the only spelling of NUL in the text of arguments.
var escape = []byte(`\u0000`)

func run(_ context.Context, pass *check.Pass) error {
	if pass.Call.Validation {
		return nil // it runs nothing, and the call that it describes is judged as its own
	}
	if raw := pass.Call.Raw; raw != nil && !bytes.Contains(raw, escape) {
		return nil
	}
	allowed := map[string]bool{}
	for _, t := range pass.Targets {
		o, err := check.OptionsOf[Options](t)
		if err != nil {
			return err
		}
		allowed[t.Pointer] = o.Allow
	}
	if allowed[""] {
		return nil
	}
	l := look{allowed: allowed}
	l.at(pass.Call.Arguments, "")
	for i, pointer := range l.found {
		if i == maxReported {
			pass.Reportf("", "%d more strings hold a NUL character", len(l.found)-i)
			break
		}
		pass.Report(check.Finding{Pointer: pointer, Message: "must not hold a NUL character: some programs stop reading there", Suggestion: "leave it out"})
	}
	return nil
}

// A look collects the places of strings with NUL.
type look struct {
	allowed map[string]bool // by pointer, with everything below
	found   []string
}

func (l *look) at(v any, pointer string) {
	if l.allowed[pointer] {
		return
	}
	switch v := v.(type) {
	case string:
		if strings.IndexByte(v, 0) >= 0 {
			l.found = append(l.found, pointer)
		}
	case []any:
		for i, e := range v {
			l.at(e, pointer+"/"+strconv.Itoa(i))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			l.at(v[key], pointer+"/"+check.EscapePointer(key))
		}
	}
}
