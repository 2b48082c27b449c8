// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Calls tells that a tool makes the call of another tool of the same server, which its arguments
// describe: a meta-tool, such as call_tool of servers with progressive discovery. A Gate judges the
// inner call, too, by its own name.
type Calls struct {
	Tool      string // JSON Pointer to the name of the inner tool
	Arguments string // JSON Pointer to its arguments: an object, or a JSON text of one; absent stands for {}
	// Definitions is a file with definitions of inner tools, {"tools": [...]}, as "toolvet tools --json"
	// writes it. "": the server's own list has them.
	Definitions string
	// Unknown lets in calls of inner tools without a definition, if rules, limits and the lock do. By
	// default they are refused, as nothing is known of their arguments.
	Unknown bool
}

// Calls returns the settings of p for a tool that calls others, or nil. Of several patterns, the first
// with settings counts.
func (p *Policy) Calls(server, tool string) *Calls {
	s := p.Server(server)
	if s == nil {
		return nil
	}
	for i := range s.Tools {
		if t := &s.Tools[i]; t.Calls != nil && t.Matches(tool) {
			return t.Calls
		}
	}
	return nil
}

// FillsDefaults reports whether a tool gets the defaults of its schema for what the arguments of a call lack.
func (p *Policy) FillsDefaults(server, tool string) bool {
	s := p.Server(server)
	return s != nil && slices.ContainsFunc(s.Tools, func(t Tool) bool { return t.FillDefaults && t.Matches(tool) })
}

func readCalls(d *decoder, n ast.Node) *Calls {
	c := new(Calls)
	d.object(n, "the call within the arguments",
		field{key: "tool", required: true, read: func(n ast.Node) { c.Tool = d.innerPlace(n) }},
		field{key: "arguments", required: true, read: func(n ast.Node) { c.Arguments = d.innerPlace(n) }},
		field{key: "definitions", read: func(n ast.Node) { c.Definitions = d.beside(n) }},
		field{key: "unknown", read: func(n ast.Node) {
			c.Unknown = oneOf(d, n, choice[bool]{"refuse", false}, choice[bool]{"allow", true})
		}},
	)
	return c
}

// innerPlace reads the place of one value: the name of an argument, or a JSON Pointer.
func (d *decoder) innerPlace(n ast.Node) string {
	s, ok := d.text(n)
	if ok && (s == "" || strings.Contains(s, "*")) {
		d.errorf(positionOf(n), "must be the name of an argument, or the JSON Pointer of one value")
	}
	return Address(s)
}

func callsSchema() object {
	s := closed(object{
		"tool":        textSchema("name or JSON Pointer of the argument that names the inner tool"),
		"arguments":   textSchema("name or JSON Pointer of the argument that holds its arguments, as an object or as a JSON text"),
		"definitions": textSchema(`file with definitions of the inner tools, {"tools": [...]}, beside the policy; default: the server's own list`),
		"unknown":     words("inner tools without a definition; default: refuse", "refuse", "allow"),
	}, "where the arguments of a meta-tool describe the call of another tool of the server")
	s["required"] = []string{"tool", "arguments"}
	return s
}
