// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"path"
	"path/filepath"

	"github.com/goccy/go-yaml/ast"

	"github.com/toolvet/toolvet/check"
)

// A Server is what a policy says about one server.
type Server struct {
	Name    string
	Command []string // how to start it; nil if the policy does not say
	World   check.World
	Tools   []Tool // in the order of the file
}

// A Tool is what a policy says about the tools of a server whose names match.
type Tool struct {
	Pattern   string // a name, or one with * for any characters
	Arguments []Argument
	Requires  []Demand // of the tool as a whole
}

// Matches reports whether t speaks of the tool called name.
func (t *Tool) Matches(name string) bool {
	ok, err := path.Match(t.Pattern, name)
	return ok && err == nil
}

// An Argument is a place in a tool's arguments, and what is demanded of it.
type Argument struct {
	// Address is a JSON Pointer in which a step * stands for every element or
	// property; "" is the arguments as a whole.
	Address  string
	Demands  []Demand
	Inferred string // why toolvet takes the place for one of this kind; "" if the policy says so
}

// A Demand is one rule with its options.
type Demand struct {
	Rule    *check.Rule
	Options any // what Rule.Options made, filled in
}

// Server returns what p says about the server called name: by its name, or, for a
// proxy of one server that was not named, the only one in the policy. It returns nil
// if p says nothing.
func (p *Policy) Server(name string) *Server {
	if p == nil {
		return nil
	}
	if name == "" && len(p.Servers) == 1 {
		return p.Servers[0]
	}
	for _, s := range p.Servers {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func (p *Policy) readServers(d *decoder, n ast.Node) {
	entries, _ := d.entries(n, "servers by name")
	for _, e := range entries {
		p.Servers = append(p.Servers, readServer(d, e))
	}
}

func readServer(d *decoder, e entry) *Server {
	s := &Server{Name: e.key}
	d.object(e.value, "the server",
		field{key: "command", read: func(n ast.Node) { s.Command = d.texts(n) }},
		field{key: "location", read: func(n ast.Node) {
			s.World.Remote = oneOf(d, n, choice[bool]{"local", false}, choice[bool]{"remote", true})
		}},
		field{key: "base", read: func(n ast.Node) { s.World.Base = d.directory(n) }},
		field{key: "roots", read: func(n ast.Node) {
			d.list(n, "directories", func(n ast.Node) { s.World.Roots = append(s.World.Roots, d.directory(n)) })
		}},
		field{key: "tools", read: func(n ast.Node) {
			tools, _ := d.entries(n, "tools by name")
			for _, t := range tools {
				s.Tools = append(s.Tools, readTool(d, t))
			}
		}},
	)
	return s
}

func readTool(d *decoder, e entry) Tool {
	t := Tool{Pattern: e.key}
	if _, err := path.Match(t.Pattern, ""); err != nil {
		d.errorf(e.at, "%s is no pattern of names: use letters, digits, _ - . and *", quote(e.key))
	}
	d.object(e.value, "the tool",
		field{key: "arguments", read: func(n ast.Node) {
			arguments, _ := d.entries(n, "arguments by name or JSON Pointer")
			for _, a := range arguments {
				t.Arguments = append(t.Arguments, Argument{Address: d.address(a), Demands: d.demands(a.value)})
			}
		}},
		field{key: "requires", read: func(n ast.Node) {
			d.list(n, "demands such as {env: {name: TOKEN}}", func(n ast.Node) { t.Requires = append(t.Requires, d.demands(n)...) })
		}},
	)
	return t
}

// address reads the name of an argument, or a JSON Pointer.
func (d *decoder) address(e entry) string {
	if e.key == "" || e.key[0] == '/' {
		return e.key
	}
	return "/" + check.EscapePointer(e.key)
}

// demands reads rules by name, with their options.
func (d *decoder) demands(n ast.Node) []Demand {
	entries, _ := d.entries(n, "rules by name")
	var demands []Demand
	for _, e := range entries {
		rule := d.rule(e)
		if rule == nil {
			continue
		}
		options := rule.Options()
		d.options(e.value, "the rule "+rule.Name, options)
		demands = append(demands, Demand{rule, options})
	}
	return demands
}

func (d *decoder) rule(e entry) *check.Rule {
	names := make([]string, len(d.rules))
	for i, r := range d.rules {
		if r.Name == e.key {
			return r
		}
		names[i] = r.Name
	}
	d.errorf(e.at, "unknown rule %s: %s", quote(e.key), hint(e.key, names))
	return nil
}

// directory reads an absolute path.
func (d *decoder) directory(n ast.Node) string {
	dir, ok := d.text(n)
	if ok && !filepath.IsAbs(dir) {
		d.errorf(positionOf(n), "must be an absolute path")
		return ""
	}
	return filepath.Clean(dir)
}
