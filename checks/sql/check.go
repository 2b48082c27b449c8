// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package sql judges SQL, and values for SQL, by their text alone.
//
// Its statements are counted, and each must be of an allowed kind, with all its parts: SELECT alone does not make a
// statement read-only. Where the database is not known, the text must pass as any would read it. Package sqlstate asks
// the real database what the text cannot tell.
package sql

import (
	_ "embed"
	"encoding/json"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

//go:embed README.md
var doc string

// Demand is the demand of this check and of package sqlstate.
var Demand = &check.Demand{Name: "sql", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports SQL of a forbidden kind, and values that would change the statement around them.
var Check = &check.Check{
	Name:   "sql",
	Doc:    doc,
	Stage:  check.Semantic,
	Level:  check.SecurityLevel,
	Demand: Demand,
	Run:    check.Each(judge),
}

func judge(_ *check.Pass, o *Options, value any) []check.Finding {
	text, ok := value.(string)
	switch {
	case ok:
		return (*sqltext.Options)(o).Judge(text)
	case o.Parameter != "" && scalar(value):
		return nil
	}
	return []check.Finding{{Message: "must be a string, because it is SQL or put into SQL"}}
}

// scalar reports whether a value that is no string can be put into SQL as it is.
func scalar(value any) bool {
	switch value.(type) {
	case nil, bool, json.Number:
		return true
	}
	return false
}
