// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"
)

// A Program is the rules that hold for one tool, or for the requests of one method. It is safe for concurrent use.
type Program struct {
	enforced sequence // in the order of the policy
	observed sequence // likewise; what they say decides nothing
	// A call that no enforced rule allows is refused; what no observed rule allows would be.
	defaultDeny, wouldDeny bool
	errs                   Errors
	what                   string // "tool" or "request", for reasons
}

// A sequence holds rules in their order, and the index that says which of them have to be evaluated.
type sequence struct {
	list  []planned
	index *index
	texts []textOf
	loops bool // one of them does
}

// A textOf is an argument that a rule compares as text.
type textOf struct {
	address string
	rule    int // the first that does
}

// A planned rule is a rule that holds for the tool.
type planned struct {
	*compiled
	condition
	stale bool // the condition does not fit the tool's definition
}

func (s *Set) newProgram(of programKey) *Program {
	p := &Program{what: "tool"}
	if of.kind != ofTool {
		p.what = "request"
	}
	var env *environment // made for the first rule that needs it
	for _, c := range s.rules {
		if of.kind != ofImplied {
			p.defaultDeny = p.defaultDeny || c.Effect == Allow && !c.Observe
			p.wouldDeny = p.wouldDeny || c.Effect == Allow && c.Observe
		}
		if !c.covers(of) {
			continue
		}
		r := planned{compiled: c, condition: c.untyped}
		if c.When != "" && !c.Dynamic() {
			var faults []fault
			r.condition, faults = s.plan(&env, of.inputSchema, c)
			r.stale = len(faults) > 0
			p.errs = append(p.errs, c.errors(faults)...)
		}
		if c.Observe {
			p.observed.list = append(p.observed.list, r)
		} else {
			p.enforced.list = append(p.enforced.list, r)
		}
	}
	p.enforced.prepare()
	p.observed.prepare()
	return p
}

func (s *sequence) prepare() {
	s.index = newIndex(s.list)
	for i, r := range s.list {
		for _, address := range r.texts {
			if !slices.ContainsFunc(s.texts, func(t textOf) bool { return t.address == address }) {
				s.texts = append(s.texts, textOf{address, i})
			}
		}
	}
	s.loops = slices.ContainsFunc(s.list, func(r planned) bool { return r.loops })
}

// plan checks a condition against a tool's definition. A malformed definition, or one that breaks
// the reader, is a fault of the condition: it cannot be known to fit.
func (s *Set) plan(env **environment, inputSchema string, c *compiled) (made condition, faults []fault) {
	defer func() {
		if r := recover(); r != nil {
			made, faults = condition{}, []fault{{line: 1, column: 1, message: fmt.Sprintf("cannot be checked against the tool's input schema: panic: %v", r)}}
		}
	}()
	if *env == nil {
		e, err := s.env.typed(inputSchema)
		if err != nil {
			return condition{}, []fault{{line: 1, column: 1, message: err.Error()}}
		}
		*env = e
	}
	return (*env).condition(c.When, s.limits.Cost, false)
}

// Errors are the conditions that do not fit the tool's definition, nil if all do. Until
// that is mended, such a rule denies every call of the tool.
func (p *Program) Errors() Errors { return p.errs }
