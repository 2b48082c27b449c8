// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package path judges arguments that name a file or a directory, by their text alone.
//
// A path must stay within the allowed directories however a server may come to read
// it: as it stands, percent-decoded, with its look-alike characters folded, with a
// backslash as a separator. Package pathstate asks the file system what the text
// cannot tell: where symbolic links lead, and whether there is such a file.
package path

import (
	_ "embed"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
)

//go:embed README.md
var doc string

// Demand is the demand of this check and of package pathstate.
var Demand = &check.Demand{Name: "path", Options: func() any { return new(Options) }, Problems: func(o any) []check.Problem { return o.(*Options).problems() }}

// Check reports paths out of the allowed directories, and paths of a forbidden form.
var Check = &check.Check{
	Name:    "path",
	Doc:     doc,
	Stage:   check.Semantic,
	Level:   check.SecurityLevel,
	Bounded: bounded.Promised(),
	Demand:  Demand,
	Run:     check.Each(judge),
}

func judge(pass *check.Pass, o *Options, value any) []check.Finding {
	path, ok := value.(string)
	if !ok {
		return []check.Finding{{Level: check.SyntaxLevel, Message: "must be a string: the path of a file or directory"}}
	}
	return o.judge(pass.World, path)
}
