// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package env asks for environment variables that a tool needs.
package env

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"regexp"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "env", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports environment variables that are not set as the policy demands. Their values are
// never shown.
var Check = newCheck(os.LookupEnv)

// newCheck makes the check for an environment.
func newCheck(lookup func(name string) (value string, found bool)) *check.Check {
	return &check.Check{
		Name:   "env",
		Doc:    doc,
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: Demand,
		Run:    func(_ context.Context, pass *check.Pass) error { return run(pass, lookup) },
	}
}

// Options are what a policy demands of the environment. They are safe for concurrent use.
type Options struct {
	Name    string         `policy:"name" variable:"true" doc:"the variable that must be set, and not be empty"`
	Pattern *regexp.Regexp `policy:"pattern" doc:"regular expression (RE2) that must match its value somewhere; use ^ and $ for the whole value"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	if !name(o.Name) {
		return []check.Problem{{Field: "name", Message: "must be the name of an environment variable, such as API_TOKEN"}}
	}
	return nil
}

var name = lazyregexp.New(`\A[A-Za-z_][A-Za-z0-9_]*\z`).MatchString

func run(pass *check.Pass, lookup func(name string) (string, bool)) error {
	if pass.World.Remote {
		pass.Skipf("not looked: the server's environment is not on this machine")
		return nil
	}
	for _, t := range pass.Targets {
		o, ok := t.Options.(*Options)
		if !ok || o.Name == "" {
			return errors.New("the demand env needs the name of a variable")
		}
		value, found := lookup(o.Name)
		switch {
		case !found:
			pass.Reportf(t.Pointer, "needs the environment variable %s, which is not set", o.Name)
		case value == "":
			pass.Reportf(t.Pointer, "needs the environment variable %s, which is empty", o.Name)
		case o.Pattern != nil && !o.Pattern.MatchString(value):
			pass.Reportf(t.Pointer, "needs the environment variable %s to have another form: the policy's pattern does not match it", o.Name)
		}
	}
	return nil
}
