// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/expression"
	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/secrets"
)

// The actions on a secret.
const (
	redact   = "redact"
	withhold = "withhold"
	report   = "report"
)

// Options are what a policy says of secrets in results.
type Options struct {
	Action        string                    `policy:"action" doc:"redact: a marker stands in the place of a secret; withhold: a result that holds one is not shown; report: it is only told; default: redact"`
	AllowPaths    []string                  `policy:"allow_paths" doc:"JSON Pointers into the result where secrets may stand, such as /structuredContent/token; * is any step"`
	Allow         []string                  `policy:"allow" doc:"SHA-256 digests, in hexadecimal, of values that are no secrets"`
	Disable       []string                  `policy:"disable" doc:"ids of patterns that are not looked for, such as generic-api-key"`
	Patterns      map[string]*regexp.Regexp `policy:"patterns" doc:"more secrets: names, each with a regular expression (RE2), of which the first group, or else the whole match, is the secret; at most 32, of 500 bytes each"`
	PresignedURLs bool                      `policy:"presigned_urls" doc:"true: the signatures in presigned URLs are secrets, too; default: false, so that these URLs work"`

	scanner *secrets.Scanner // nil: the common one
}

// problems readies the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	switch o.Action {
	case "", redact, withhold, report:
	default:
		list = append(list, check.Problem{Field: "action", Message: "must be redact, withhold or report"})
	}
	for _, p := range o.AllowPaths {
		if !strings.HasPrefix(p, "/") {
			list = append(list, check.Problem{Field: "allow_paths", Message: "must be JSON Pointers, which begin with /"})
			break
		}
	}
	if problem := expression.Problem(o.Patterns); problem != "" {
		return append(list, check.Problem{Field: "patterns", Message: problem})
	}
	if len(o.Allow)+len(o.Disable)+len(o.Patterns) == 0 && !o.PresignedURLs {
		return list
	}
	var patterns []secrets.Pattern
	for _, name := range slices.Sorted(maps.Keys(o.Patterns)) {
		patterns = append(patterns, secrets.Pattern{ID: name, Regex: o.Patterns[name].String()})
	}
	scanner, err := secrets.New(secrets.Options{Allow: o.Allow, Disable: o.Disable, Patterns: patterns, PresignedURLs: o.PresignedURLs})
	if err != nil {
		return append(list, check.Problem{Message: err.Error()})
	}
	o.scanner = scanner
	return list
}

// common is the scanner of all options that change nothing of it. Making one takes some
// milliseconds, so it is made when it is needed.
var common = lazy.Pair(func() (*secrets.Scanner, error) { return secrets.New(secrets.Options{}) })

func (o *Options) load() (*secrets.Scanner, error) {
	if o.scanner != nil {
		return o.scanner, nil
	}
	return common()
}
