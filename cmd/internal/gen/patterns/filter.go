// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/internal/secrets"
)

// A condition is one of those that a filter of betterleaks joins by "or": under it, a match
// is no secret.
type condition struct {
	entropy float64 // not above it, if it is not 0
	allow   secrets.Allow
}

// token finds the parts of a filter: comments, strings, names, numbers, operators.
var token = regexp.MustCompile(`(?s)//[^\n]*|` + "`[^`]*`" + `|r""".*?"""|"(?:[^"\\]|\\.)*"|[\w.]+|\|\||<=|\?\?|\S`)

// A filterParser reads the few forms of expression that the rule sets have. Anything else in them
// is an error: it would change what a rule means.
type filterParser struct{ tokens []string }

func parseFilter(text string) ([]condition, error) {
	p := &filterParser{}
	for _, t := range token.FindAllString(text, -1) {
		if !strings.HasPrefix(t, "//") {
			p.tokens = append(p.tokens, t)
		}
	}
	if len(p.tokens) == 0 {
		return nil, nil
	}
	list, err := p.or()
	if err == nil && len(p.tokens) > 0 {
		err = p.unexpected()
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

func (p *filterParser) unexpected() error {
	if len(p.tokens) == 0 {
		return fmt.Errorf("it ends early")
	}
	return fmt.Errorf("%q is not understood here", strings.Join(p.tokens[:min(len(p.tokens), 8)], " "))
}

// take takes the next tokens if they are these.
func (p *filterParser) take(want ...string) bool {
	if len(p.tokens) < len(want) {
		return false
	}
	for i := range want {
		if p.tokens[i] != want[i] {
			return false
		}
	}
	p.tokens = p.tokens[len(want):]
	return true
}

func (p *filterParser) or() ([]condition, error) {
	var all []condition
	for {
		list, err := p.operand()
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if !p.take("||") {
			return all, nil
		}
	}
}

func (p *filterParser) operand() ([]condition, error) {
	if p.take("(") {
		list, err := p.or()
		if err == nil && !p.take(")") {
			err = p.unexpected()
		}
		return list, err
	}
	not := p.take("!")
	switch {
	case p.take("matchesAny", "(") || p.take("filter.matchesAny", "("):
		return p.list(not, func(a *secrets.Allow, list []string) { a.Regexes = list })
	case !not && p.take("containsAny", "("):
		return p.list(false, func(a *secrets.Allow, list []string) { a.Words = list })
	case !not && (p.take("entropy", "(") || p.take("filter.entropy", "(")):
		return p.entropy()
	}
	return nil, p.unexpected()
}

// target reads what a function is applied to; "path" is the path of a file; results of tools have
// none.
func (p *filterParser) target() (string, bool) {
	if p.take("(", "attributes", "[", `"path"`, "]", "??", `""`, ")") {
		return "path", true
	}
	for _, name := range []string{"secret", "match", "line"} {
		if p.take("finding", "[", strconv.Quote(name), "]") {
			return name, true
		}
	}
	return "", false
}

func (p *filterParser) list(not bool, set func(*secrets.Allow, []string)) ([]condition, error) {
	target, ok := p.target()
	if !ok || !p.take(",", "[") {
		return nil, p.unexpected()
	}
	var list []string
	for !p.take("]") {
		text, err := p.text()
		if err != nil {
			return nil, err
		}
		list = append(list, text)
		p.take(",")
	}
	if !p.take(")") {
		return nil, p.unexpected()
	}
	if target == "path" {
		return nil, nil
	}
	a := secrets.Allow{Not: not}
	if target != "secret" {
		a.Target = target
	}
	set(&a, list)
	return []condition{{allow: a}}, nil
}

func (p *filterParser) text() (string, error) {
	if len(p.tokens) == 0 {
		return "", p.unexpected()
	}
	t := p.tokens[0]
	switch {
	case strings.HasPrefix(t, `r"""`):
		t = t[4 : len(t)-3]
	case t[0] == '"' || t[0] == '`':
		var err error
		if t, err = strconv.Unquote(t); err != nil {
			return "", fmt.Errorf("%s: %w", p.tokens[0], err)
		}
	default:
		return "", p.unexpected()
	}
	p.tokens = p.tokens[1:]
	return t, nil
}

// entropy reads a bound. Whether it is one of those allowed makes no difference that matters.
func (p *filterParser) entropy() ([]condition, error) {
	target, ok := p.target()
	if !ok || target != "secret" || !p.take(")") || !p.take("<=") && !p.take("<") || len(p.tokens) == 0 {
		return nil, p.unexpected()
	}
	bound, err := strconv.ParseFloat(p.tokens[0], 64)
	if err != nil {
		return nil, p.unexpected()
	}
	p.tokens = p.tokens[1:]
	return []condition{{entropy: bound}}, nil
}
