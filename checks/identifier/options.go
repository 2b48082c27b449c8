// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package identifier

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// Options are what a policy demands of an identifier. They need a kind or a pattern. They
// are safe for concurrent use.
type Options struct {
	Kinds     []string `policy:"kind" doc:"uuid, slug, sql, env, docker_image, git_ref, hostname or semver, or a list of which one must fit"`
	Pattern   Pattern  `policy:"pattern" doc:"regular expression (RE2) that must match the whole"`
	MaxLength int      `policy:"max_length" doc:"maximum number of characters; default 255"`
}

// defaultLength is how many characters an identifier may have where the policy does not say.
const defaultLength = 255

// Problems reports what is wrong with the options.
func (o *Options) Problems() []check.Problem {
	var list []check.Problem
	if len(o.Kinds) == 0 && o.Pattern.re == nil {
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

// A Pattern is a regular expression in the syntax of package regexp that must match a whole
// text. It never takes more than linear time. The zero Pattern matches everything.
type Pattern struct {
	text string
	re   *regexp.Regexp
}

// UnmarshalText compiles a pattern.
func (p *Pattern) UnmarshalText(text []byte) error {
	if _, err := regexp.Compile(string(text)); err != nil {
		return fmt.Errorf("must be a regular expression in RE2's syntax: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	re, err := regexp.Compile(`\A(?:` + string(text) + `)\z`)
	if err != nil {
		return fmt.Errorf("must be a regular expression that can be a part of another: %w", err)
	}
	p.text, p.re = string(text), re
	return nil
}

// String is the pattern's text.
func (p Pattern) String() string { return p.text }
