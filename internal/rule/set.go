// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/lazy"
)

// Limits bounds what deciding about one call may cost. A zero field means its default.
type Limits struct {
	// Cost is the budget of all rules together, in CEL's units: about one for each step, and one
	// for every ten characters read. A rule that is about to use as much alone is stopped.
	// Default 1,000,000, some tenths of a second.
	Cost uint64
}

const defaultCost = 1_000_000

// A Set is some rules, ready to decide. It is safe for concurrent use.
type Set struct {
	limits  Limits
	rules   []*compiled // in the order that they were given
	env     *environment
	dynamic *environment

	mu       sync.RWMutex
	programs map[programKey]func() *Program
}

// A compiled rule is a rule that was found to be sound.
type compiled struct {
	Rule
	index    int
	tools    []pattern
	requests []pattern
	untyped  condition // of a dynamic rule
	texts    []string  // the arguments that the condition compares as text
}

// Compile reads rules. The error is an [Errors] with every fault, except for faults that only
// show in the tools' definitions; see [Program.Errors].
func Compile(rules []Rule, limits Limits) (*Set, error) {
	return compile(rules, limits)
}

func compile(rules []Rule, limits Limits, more ...cel.EnvOption) (*Set, error) {
	if limits.Cost == 0 {
		limits.Cost = defaultCost
	}
	env, err := newEnvironment(more...)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	untyped, err := env.untyped()
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	s := &Set{limits: limits, env: env, dynamic: untyped, programs: map[programKey]func() *Program{}}
	var errs Errors
	names := map[string]bool{}
	for i, r := range rules {
		c := &compiled{Rule: r, index: i}
		errs = append(errs, c.read(names)...)
		errs = append(errs, s.condition(c)...)
		names[r.Name] = true
		s.rules = append(s.rules, c)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// asksFiles reports whether a rule may ask the file system where a path leads.
func (s *Set) asksFiles() bool {
	return s != nil && slices.ContainsFunc(s.rules, func(c *compiled) bool {
		return strings.Contains(c.When, withinFunction) || strings.Contains(c.When, resolveFunction)
	})
}

// read reads everything of a rule but its condition.
func (c *compiled) read(names map[string]bool) Errors {
	var errs Errors
	fail := func(field string, item int, message string) {
		errs = append(errs, &Error{Rule: c.Name, Index: c.index, Field: field, Item: item, Line: 1, Column: 1, Message: message})
	}
	switch {
	case c.Name == "":
		fail("name", 0, "is missing: reasons and logs name the rule")
	case names[c.Name]:
		fail("name", 0, "is given to two rules")
	}
	if c.Effect < Deny || c.Effect > Allow {
		fail("effect", 0, "must be allow, ask or deny")
	}
	read := func(field string, texts []string) (patterns []pattern) {
		for i, text := range texts {
			p, why := parsePattern(text)
			if why != "" {
				fail(field, i, "the pattern "+why)
				continue
			}
			patterns = append(patterns, p)
		}
		return patterns
	}
	c.tools, c.requests = read("tools", c.Tools), read("requests", c.Requests)
	return errs
}

// condition reads a rule's condition, with args of any type. Errors that the type of args shows
// are found where a tool is known; everything else is found here, whatever the rule is over.
func (s *Set) condition(c *compiled) Errors {
	if c.When == "" {
		return nil
	}
	made, faults := s.dynamic.condition(c.When, s.limits.Cost, !c.Dynamic())
	c.untyped = made
	for _, use := range s.env.textUses(c.When) {
		if !slices.Contains(c.texts, use.Address) {
			c.texts = append(c.texts, use.Address)
		}
	}
	return c.errors(faults)
}

func (c *compiled) errors(faults []fault) Errors {
	var errs Errors
	for _, f := range faults {
		errs = append(errs, &Error{Rule: c.Name, Index: c.index, Field: "when", Line: f.line, Column: f.column, Message: f.message, Excerpt: f.excerpt})
	}
	return errs
}

// covers reports whether c holds for a tool, or for a request.
func (c *compiled) covers(of programKey) bool {
	patterns := c.tools
	if of.kind != ofTool {
		patterns = c.requests
	}
	return c.everything() && of.kind != ofImplied ||
		slices.ContainsFunc(patterns, func(p pattern) bool { return p.covers(c.Effect, of.server, of.tool) })
}

// A programKey is what a program depends on.
type programKey struct {
	server, tool, inputSchema string // tool is the method of a request
	kind                      subject
}

// A subject is what a program decides about.
type subject byte

const (
	ofTool    subject = iota
	ofRequest         // other than tools/call
	ofImplied         // a request that needs no allow rule
)

// maxPrograms bounds the programs that a set keeps: more than the tools of the largest
// servers known. When they are too many, all are made again.
const maxPrograms = 4096

// ForTool returns the rules that hold for a tool of a server, compiled for its definition.
// They are made once for each definition, so a changed definition makes them anew; rules
// over other tools cost nothing afterwards.
func (s *Set) ForTool(server string, tool *call.Tool) *Program {
	return s.program(programKey{server, tool.Name, string(tool.InputSchema), ofTool})
}

// For is ForTool for any call: a request other than tools/call has the rules that hold for its
// method. For an unknown method nothing is remembered: clients can make up any number of them.
func (s *Set) For(c *call.Call) *Program {
	if c.IsTool() {
		return s.ForTool(c.Server, c.Tool)
	}
	key := programKey{c.Server, c.Method, string(c.Tool.InputSchema), ofRequest}
	switch {
	case !c.KnownMethod():
		return s.newProgram(key)
	case c.Implied():
		key.kind = ofImplied
	}
	return s.program(key)
}

func (s *Set) program(key programKey) *Program {
	s.mu.RLock()
	program := s.programs[key]
	s.mu.RUnlock()
	if program == nil {
		program = s.remember(key)
	}
	return program()
}

// remember makes room for the program of a tool. Callers that ask at the same time share
// one compilation.
func (s *Set) remember(key programKey) func() *Program {
	s.mu.Lock()
	defer s.mu.Unlock()
	if program := s.programs[key]; program != nil {
		return program
	}
	if len(s.programs) >= maxPrograms {
		clear(s.programs)
	}
	program := lazy.Value(func() *Program { return s.newProgram(key) })
	s.programs[key] = program
	return program
}
