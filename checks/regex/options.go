// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/toolvet/toolvet/check"
)

// defaultLength is how many characters an expression may have where the policy does not
// say. The longest pattern in the schemas of real tools has 288.
const defaultLength = 1000

// maxLength bounds max_length, and with it what parsing costs.
const maxLength = 4000

// Options are what a policy demands of a regular expression. The zero Options demand that
// JavaScript compiles it, and that it cannot take exponential time. They are safe for concurrent
// use.
type Options struct {
	Engine    string `policy:"engine" doc:"who runs it: go (RE2), ecma (JavaScript), python (re) or pcre; default ecma"`
	Explosive string `policy:"explosive" doc:"what an expression that can take exponential time brings: refuse, warn or allow; default refuse; Go's engine has none"`
	MaxLength int    `policy:"max_length" doc:"maximum number of characters, up to 4000; default 1000"`
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	switch o.Engine {
	case "", "go", "ecma", "python", "pcre":
	default:
		list = append(list, check.Problem{Field: "engine", Message: "must be go, ecma, python or pcre"})
	}
	switch o.Explosive {
	case "", "refuse", "warn", "allow":
	default:
		list = append(list, check.Problem{Field: "explosive", Message: "must be refuse, warn or allow"})
	}
	if o.MaxLength < 0 || o.MaxLength > maxLength {
		list = append(list, check.Problem{Field: "max_length", Message: fmt.Sprintf("must be from 1 to %d", maxLength)})
	}
	return list
}

// judge says what is wrong with an expression, the most important thing alone.
func (o *Options) judge(s string) (f check.Finding, bad bool) {
	limit := o.MaxLength
	if limit <= 0 {
		limit = defaultLength
	}
	if utf8.RuneCountInString(s) > min(limit, maxLength) {
		return check.Finding{Message: fmt.Sprintf("must have at most %d characters", min(limit, maxLength))}, true
	}
	if o.Engine == "go" {
		return judgeGo(s)
	}
	e := engineOf(o.Engine)
	tree, fault := parse(s, e)
	if fault != nil {
		return check.Finding{Message: "must be a regular expression that " + e.title() + " compiles: " + fault.Error()}, true
	}
	if o.Explosive == "allow" {
		return check.Finding{}, false
	}
	return o.judgeRisk(assess(tree))
}

func (o *Options) judgeRisk(r risk) (f check.Finding, bad bool) {
	f = check.Finding{Level: check.SecurityLevel, Message: r.message(), Suggestion: r.mend()}
	if r != exponential && r != unknown || o.Explosive == "warn" {
		f.Severity = check.Warning
	}
	return f, r != linear
}

// judgeGo: Go's engine takes linear time, whatever the expression.
func judgeGo(s string) (f check.Finding, bad bool) {
	_, err := syntax.Parse(s, syntax.Perl)
	if err == nil {
		return check.Finding{}, false
	}
	why := "it is not in RE2's syntax"
	if fault, ok := errors.AsType[*syntax.Error](err); ok {
		why = fault.Code.String() // without fault.Expr, which is the sender's
	}
	return check.Finding{Message: "must be a regular expression that Go's package regexp (RE2) compiles: " + why}, true
}

// An engine is a backtracking engine whose syntax is known.
type engine int

const (
	ecma engine = iota
	python
	pcre
)

func engineOf(name string) engine {
	switch name {
	case "python":
		return python
	case "pcre":
		return pcre
	}
	return ecma
}

func (e engine) title() string {
	return [...]string{"JavaScript", "Python's module re", "PCRE2"}[e]
}
