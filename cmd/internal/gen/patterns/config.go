// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"github.com/pelletier/go-toml/v2"

	"github.com/toolvet/toolvet/internal/secrets"
)

// A config is a file of rules of gitleaks or betterleaks. Other keys say nothing about a text:
// descriptions, paths, requests that ask an issuer whether a secret is valid.
type config struct {
	Filter    string    // betterleaks
	Allowlist allowlist // gitleaks
	Rules     []configRule
}

type configRule struct {
	ID          string
	Regex       string
	Path        string
	Keywords    []string
	SecretGroup int
	Entropy     float64
	Allowlists  []allowlist // gitleaks
	Filter      string      // betterleaks
	SkipReport  bool        // it finds what another rule requires
}

type allowlist struct {
	Condition   string
	RegexTarget string
	Regexes     []string
	StopWords   []string
	Paths       []string
}

func load(name string) (*config, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var c config
	if err := toml.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(c.Rules) < 200 {
		return nil, fmt.Errorf("%s has only %d rules: its form has changed", name, len(c.Rules))
	}
	return &c, nil
}

// rule turns one into our form.
func (r configRule) rule() (secrets.Pattern, error) {
	out := secrets.Pattern{
		ID: r.ID, Regex: r.Regex, Keywords: r.Keywords, SecretGroup: r.SecretGroup, Entropy: r.Entropy,
	}
	for _, a := range r.Allowlists {
		if ready, ok := a.allow(); ok {
			out.Allow = append(out.Allow, ready)
		}
	}
	conditions, err := parseFilter(r.Filter)
	if err != nil {
		return out, fmt.Errorf("rule %s: filter: %w", r.ID, err)
	}
	for _, c := range conditions {
		if c.entropy > 0 {
			out.Entropy = c.entropy
		} else {
			out.Allow = append(out.Allow, c.allow)
		}
	}
	return out, nil
}

// allow turns an allow-list into our form, unless it needs a path.
func (a allowlist) allow() (secrets.Allow, bool) {
	all := a.Condition == "AND"
	if all && len(a.Paths) > 0 || len(a.Regexes)+len(a.StopWords) == 0 {
		return secrets.Allow{}, false
	}
	return secrets.Allow{
		Target: a.RegexTarget, Regexes: a.Regexes, Words: a.StopWords,
		All: all && len(a.Regexes) > 0 && len(a.StopWords) > 0,
	}, true
}
