// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
)

// A Rule permits or refuses calls, or has a person decide. The zero Effect, Deny, is the safe one.
type Rule struct {
	Name   string // unique; shown to callers
	Effect Effect
	// Tools are patterns, each SERVER:TOOL, or TOOL for any server. * stands for any
	// characters.
	Tools []string
	// Requests are patterns of the methods of other requests, SERVER:METHOD or METHOD. Without Tools
	// and Requests, the rule holds for all tools and all requests, but for those that clients make to
	// find their way ([call.Call.Implied]).
	Requests []string
	// When is a CEL expression whose result is a bool. "": always.
	When string
	// Message and Suggestion are shown to a refused caller. They may be "".
	Message    string
	Suggestion string
	// Observe makes the rule report its decision without enforcing it.
	Observe bool
}

// An Effect is a rule's decision on a matching call.
type Effect int

// The effects.
const (
	Deny  Effect = iota // refuses it, whatever others allow
	Ask                 // permits it if a person consents, whatever others allow
	Allow               // permits it
)

// Dynamic reports whether r speaks of several tools, so that its arguments are not typed:
// a misspelt argument is then found only when a call is refused for it.
func (r *Rule) Dynamic() bool {
	one := slices.Concat(r.Tools, r.Requests)
	return len(one) != 1 || strings.Contains(one[0], "*")
}

// Covers reports whether r holds for a tool of a server. A pattern that cannot be read covers
// none.
func (r *Rule) Covers(server, tool string) bool {
	return r.everything() || r.matches(r.Tools, server, tool)
}

// CoversRequest reports whether r holds for the requests of a method.
func (r *Rule) CoversRequest(server, method string) bool {
	known := call.RequestOf(method)
	return r.everything() && (known == nil || !known.Implied) || r.matches(r.Requests, server, method)
}

// everything reports whether r names neither tools nor requests.
func (r *Rule) everything() bool { return len(r.Tools) == 0 && len(r.Requests) == 0 }

func (r *Rule) matches(patterns []string, server, name string) bool {
	return slices.ContainsFunc(patterns, func(text string) bool {
		p, fault := parsePattern(text)
		return fault == "" && p.covers(r.Effect, server, name)
	})
}

// A pattern is one entry of Rule.Tools or Rule.Requests.
type pattern struct {
	server, tool []string // the texts between the *; a nil server is any
}

// parsePattern reads a pattern, or says what is wrong with it.
func parsePattern(s string) (p pattern, fault string) {
	switch {
	case s == "":
		return p, "is empty: give SERVER:TOOL, or * for every tool"
	case strings.ContainsAny(s, `?[]{}\`):
		return p, `holds one of ? [ ] { } \: only * is special in a pattern`
	}
	server, tool, found := strings.Cut(s, ":")
	if !found {
		return pattern{tool: strings.Split(s, "*")}, ""
	}
	if server == "" || tool == "" {
		return p, "has nothing on one side of the colon: give SERVER:TOOL"
	}
	return pattern{server: strings.Split(server, "*"), tool: strings.Split(tool, "*")}, ""
}

// covers reports whether a rule with the pattern holds for a tool. A server without a name may be
// any: deny rules of any server hold for it, and allow rules of one server do not.
func (p pattern) covers(effect Effect, server, tool string) bool {
	if p.server != nil && !like(p.server, server) && (server != "" || effect == Allow) {
		return false
	}
	return like(p.tool, tool)
}

// like reports whether s consists of the parts with anything between them.
func like(parts []string, s string) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return s == first
	}
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}
