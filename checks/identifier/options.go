// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package identifier

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// Options are what a policy demands of an identifier. They need a kind or a pattern. They
// are safe for concurrent use.
type Options struct {
	Kinds     []string       `policy:"kind" doc:"uuid, slug, sql, env, docker_image, git_ref, hostname, semver or name, or a list of which one must fit"`
	Pattern   *regexp.Regexp `policy:"pattern" doc:"regular expression (RE2) that must match the whole"`
	MaxLength int            `policy:"max_length" doc:"maximum number of characters; default 255"`
}

// defaultLength is how many characters an identifier may have where the policy does not say.
const defaultLength = 255

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	if len(o.Kinds) == 0 && o.Pattern == nil {
		list = append(list, check.Problem{Message: "needs a kind or a pattern"})
	}
	for _, k := range o.Kinds {
		if _, known := kinds[k]; !known {
			list = append(list, check.Problem{Field: "kind", Message: "must be one or more of " + strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")})
			break
		}
	}
	if o.MaxLength < 0 {
		list = append(list, check.Problem{Field: "max_length", Message: "must not be negative"})
	}
	return list
}
