// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package glob

import (
	"fmt"

	"github.com/toolvet/toolvet/check"
)

// Defaults of [Options].
const (
	defaultLength = 1000 // characters
	defaultDeep   = 2    // times **
	defaultBraces = 1000 // patterns
)

// maxExpansions bounds braces, and with it what judging a pattern costs.
const maxExpansions = 10_000

// maxLength bounds what a policy may allow: each spelling is as long.
const maxLength = 4000

// Options are what a policy demands of a pattern. The zero Options demand that it stays below its
// starting directory and does not stand for too many patterns. They are safe for concurrent use.
type Options struct {
	Absolute  bool  `policy:"absolute" doc:"true allows patterns that start at the root, at a drive or at a home directory; default false"`
	Parent    bool  `policy:"parent" doc:"true allows .. as a directory; default false"`
	Hidden    *bool `policy:"hidden" doc:"false: no part of it begins with a dot; default true"`
	Deep      *int  `policy:"deep" doc:"how often ** may stand in it; default 2"`
	Braces    *int  `policy:"braces" doc:"how many patterns its braces may stand for, up to 10000; 0 is no braces; default 1000"`
	MaxLength int   `policy:"max_length" doc:"maximum number of characters, up to 4000; default 1000"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	if o.Deep != nil && *o.Deep < 0 {
		list = append(list, check.Problem{Field: "deep", Message: "must not be negative"})
	}
	if o.Braces != nil && (*o.Braces < 0 || *o.Braces > maxExpansions) {
		list = append(list, check.Problem{Field: "braces", Message: fmt.Sprintf("must be from 0 to %d", maxExpansions)})
	}
	if o.MaxLength < 0 || o.MaxLength > maxLength {
		list = append(list, check.Problem{Field: "max_length", Message: fmt.Sprintf("must be from 0 to %d", maxLength)})
	}
	return list
}

func orDefault(value *int, otherwise int) int {
	if value == nil {
		return otherwise
	}
	return *value
}
