// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

//go:embed README.md
var doc string

// ticket reports values other than the key of a ticket of an allowed project.
var ticket = &check.Check{
	Name:  "ticket",
	Doc:   doc,
	Stage: check.Semantic,
	Level: check.SyntaxLevel,
	Demand: &check.Demand{
		Name: "ticket", Options: func() any { return new(options) },
		Problems: func(o any) []check.Problem { return o.(*options).problems() },
	},
	Run: check.EachText("must be a string: the key of a ticket, such as OPS-123", (*options).judge),
}

// options are those of the demand.
type options struct {
	Projects []string `policy:"projects" doc:"projects whose tickets are allowed; default: any"`
}

var (
	projectForm = regexp.MustCompile(`^[A-Z][A-Z0-9]+$`)
	keyForm     = regexp.MustCompile(`^([A-Z][A-Z0-9]+)-[1-9][0-9]{0,8}$`)
)

// problems refuses a policy with a project that no ticket can have.
func (o *options) problems() []check.Problem {
	if slices.ContainsFunc(o.Projects, func(p string) bool { return !projectForm.MatchString(p) }) {
		return []check.Problem{{Field: "projects", Message: "must be capital letters and digits, such as OPS"}}
	}
	return nil
}

// judge never repeats the text: findings reach models and logs.
func (o *options) judge(text string) []check.Finding {
	key := keyForm.FindStringSubmatch(text)
	switch {
	case key == nil:
		return []check.Finding{{Message: "must be the key of a ticket, such as OPS-123", Suggestion: "send the key alone, in capital letters"}}
	case len(o.Projects) > 0 && !slices.Contains(o.Projects, key[1]):
		return []check.Finding{{Message: "must be a ticket of one of these projects: " + strings.Join(o.Projects, ", ")}}
	}
	return nil
}
