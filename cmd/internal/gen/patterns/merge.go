// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/secrets"
)

// leftOut are rules that are not taken, with the reason.
var leftOut = map[string]string{
	"pkcs12-file":                         "it knows files by their names alone",
	"gcp-service-account":                 "its secret is a whole JSON object; private-key finds what is one in it",
	"gcp-application-default-credentials": "its secret is a whole JSON object; rules of our own find what is one in it",
	"hashicorp-tf-password":               "without the name of a file, it takes every quoted word behind \"password\"; the rule password takes more care",
	"kubernetes-secret-yaml":              "it finds the first value only; the rule kubernetes-secret finds all",
}

// promoted are rules for parts of other rules in betterleaks, whose matches are secrets by
// themselves.
var promoted = []string{
	"alibaba-sts-security-token", "aws-secret-access-key", "exoscale-api-secret", "polymarket-api-secret", "polymarket-passphrase",
}

// fromGitleaks are rules that are taken as gitleaks has them, with the reason.
var fromGitleaks = map[string]string{
	"generic-api-key": "betterleaks decides it by a program with a dictionary of word pieces (1.7 MB)",
}

// amended are allow-lists that rules get, with the reason.
var amended = map[string]secrets.Allow{
	// Documents tell two headers of keys in one breath; what is between them is no key.
	"private-key": {Target: "match", Not: true, Regexes: []string{`[A-Za-z0-9+/]{24}`}},
}

// generic are rules that know no issuer.
var generic = []string{"generic-api-key"}

// merge makes one set of two: the rules of betterleaks, and those of gitleaks that it has not.
func merge(first, second *config) (output, error) {
	var out output
	global, err := parseFilter(first.Filter)
	if err != nil {
		return out, fmt.Errorf("filter of all rules: %w", err)
	}
	for _, c := range global {
		out.Allow = append(out.Allow, c.allow)
	}
	seen := map[string]bool{}
	taken := 0
	for i, r := range slices.Concat(first.Rules, second.Rules) {
		old := i >= len(first.Rules)
		component := r.SkipReport && !slices.Contains(promoted, r.ID)
		if seen[r.ID] || component || leftOut[r.ID] != "" || !old && fromGitleaks[r.ID] != "" {
			continue
		}
		seen[r.ID] = true
		ready, err := r.rule()
		if err != nil {
			return out, err
		}
		ready.Generic = slices.Contains(generic, r.ID)
		ready.Regex = widen(ready.Regex)
		if a, ok := amended[r.ID]; ok {
			ready.Allow = append(ready.Allow, a)
		}
		out.Patterns = append(out.Patterns, ready)
		if old {
			taken++
		}
	}
	fmt.Fprintf(os.Stderr, "update: %d rules, %d of them as gitleaks has them\n", len(out.Patterns), taken)
	return out, out.check()
}

// Ends of expressions that have to be followed by white space, a quote or nothing. They
// were written for source code. In results of tools, secrets also stand in markup, in lists,
// at the end of sentences and in query strings.
const (
	endOfBetterleaks = `(?:\\?['"\x60]|[\s;]|\\[nr]|$)`
	endOfGitleaks    = `(?:[\x60'"\s;]|\\[nr]|$)`
	widerEnd         = `(?:\\?['"\x60]|[\s;,<>&|*)\]}]|[.:!?](?:\s|$)|\\[nrt]|$)`
)

func widen(expr string) string {
	return strings.NewReplacer(endOfBetterleaks, widerEnd, endOfGitleaks, widerEnd).Replace(expr)
}

// check holds that the package takes the rules.
func (o output) check() error {
	for _, r := range o.Patterns {
		r.ID = "checked-" + r.ID
		r.Require = nil
		if _, err := secrets.New(secrets.Options{Patterns: []secrets.Pattern{r}}); err != nil {
			return err
		}
	}
	return nil
}
