// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package env asks for environment variables that a tool needs.
package env

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

//go:embed README.md
var doc string

// Demand is the demand that the check answers.
var Demand = &check.Demand{Name: "env", Options: func() any { return new(Options) }}

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
	Name    string  `policy:"name" doc:"the variable that must be set, and not be empty"`
	Pattern Pattern `policy:"pattern" doc:"regular expression (RE2) that must match its value somewhere; use ^ and $ for the whole value"`
}

// Problems reports what is wrong with the options.
func (o *Options) Problems() []check.Problem {
	if !name(o.Name) {
		return []check.Problem{{Field: "name", Message: "must be the name of an environment variable, such as API_TOKEN"}}
	}
	return nil
}

var name = lazyregexp.New(`\A[A-Za-z_][A-Za-z0-9_]*\z`).MatchString

// A Pattern is a regular expression in the syntax of package regexp. The zero Pattern matches
// everything.
type Pattern struct{ re *regexp.Regexp }

// UnmarshalText compiles a pattern.
func (p *Pattern) UnmarshalText(text []byte) error {
	re, err := regexp.Compile(string(text))
	if err != nil {
		return fmt.Errorf("must be a regular expression in RE2's syntax: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	p.re = re
	return nil
}

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
		case o.Pattern.re != nil && !o.Pattern.re.MatchString(value):
			pass.Reportf(t.Pointer, "needs the environment variable %s to have another form: the policy's pattern does not match it", o.Name)
		}
	}
	return nil
}
