// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package secret finds keys, tokens and passwords in what tools send back, and puts markers in
// their place before a model reads them. Package github.com/toolvet/toolvet/scan/secret defines
// secrets.
package secret

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "secrets", Options: func() any { return new(Options) }, Results: true, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check redacts the secrets of a result, or withholds it, or tells of them.
var Check = &check.Check{
	Name:    "secret",
	Doc:     doc,
	Stage:   check.Output,
	Level:   check.SecurityLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     run,
}

// maxBytes bounds what is looked at.
const maxBytes = 64 << 20

func run(ctx context.Context, pass *check.Pass) error {
	for _, t := range pass.Targets {
		o, ok := t.Options.(*Options)
		if !ok {
			o = new(Options)
		}
		scanner, err := o.load()
		if err != nil {
			return err
		}
		if len(pass.Result.Raw) > maxBytes {
			pass.Report(check.Finding{Message: "the result is larger than 64 MiB, too large to check", Suggestion: "ask for less at once"})
			continue
		}
		s := &search{ctx: ctx, result: pass.Result, scanner: scanner, options: o}
		s.all()
		if s.tooMany {
			pass.Report(check.Finding{Message: fmt.Sprintf("the result holds more than %d secrets, too many to replace", maxSeen), Suggestion: "ask for less at once"})
			continue
		}
		s.settle()
		if err := ctx.Err(); err != nil {
			return err // it may have ended each of these
		}
		o.report(pass, s.found)
	}
	return nil
}

// A hit is a secret in a result.
type hit struct {
	pattern string
	place   string
	edits   []result.Edit
}

// maxTold bounds the findings of one result.
const maxTold = 100

// report tells of the secrets, and has them replaced.
func (o *Options) report(pass *check.Pass, hits []hit) {
	for i, h := range hits {
		if o.Action == "" || o.Action == redact {
			pass.Change(h.edits...)
		} else {
			pass.Hide(h.edits...)
		}
		if i < maxTold {
			pass.Report(o.finding(h))
		}
	}
	if left := len(hits) - maxTold; left > 0 {
		f := o.finding(hits[maxTold])
		f.Message = fmt.Sprintf("and %d more secrets", left)
		pass.Report(f)
	}
}

func (o *Options) finding(h hit) check.Finding {
	f := check.Finding{Pointer: h.place, Source: h.pattern, Severity: check.Warning, Message: "held a secret (" + h.pattern + "), which was replaced"}
	switch o.Action {
	case report:
		f.Message = "holds a secret (" + h.pattern + "), which the policy only reports"
	case withhold:
		f.Severity, f.Message = check.Error, "holds a secret ("+h.pattern+")"
		f.Suggestion = "ask for something without secrets; the policy withholds such results"
	}
	return f
}

// allows reports whether secrets may stand at a place.
func (o *Options) allows(place string) bool {
	return slices.ContainsFunc(o.AllowPaths, func(pattern string) bool { return matches(pattern, place) })
}

// matches reports whether a JSON Pointer is one that a pattern stands for; * is any step.
func matches(pattern, pointer string) bool {
	return slices.EqualFunc(strings.Split(pattern, "/"), strings.Split(pointer, "/"), func(a, b string) bool { return a == "*" || a == b })
}
