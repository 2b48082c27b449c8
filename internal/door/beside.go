// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
)

// Beside holds the tools of a server whose program this is part of, and the validate tool beside them. It is
// immutable.
type Beside struct {
	Method  string          // name of the validate tool; no tool of the server has it
	Own     []protocol.Tool // the validate tool, and the batch tool
	Servers *call.Catalog   // the server's own tools
	Catalog *call.Catalog   // all tools, those of Own last
}

// NewBeside puts the tools of a Validator beside those of the server. Name is the preferred name of the validate tool. Hidden
// reports names of tools that the list does not show; nil: there are none.
func NewBeside(servers []*call.Tool, by *validate.Validator, name string, hidden func(name string) bool, limits call.Limits) *Beside {
	taken := make(map[string]bool, len(servers))
	for _, t := range servers {
		taken[t.Name] = true
	}
	b := &Beside{Servers: call.NewCatalog(servers)}
	b.Method = protocol.FreeName(name, func(name string) bool { return taken[name] || hidden != nil && hidden(name) })
	b.Own = by.Definitions(b.Method)
	all := servers[:len(servers):len(servers)]
	for _, own := range b.Own {
		all = append(all, Define(own.Name, own, limits))
	}
	b.Catalog = call.NewCatalog(all)
	return b
}

// Define reads a tool's definition from an SDK's value, in the form that clients get. A json.RawMessage schema keeps
// the order of its keys and the digits of its numbers. An unreadable definition becomes a tool with a fault, so
// the gate refuses only calls of that tool.
func Define(name string, definition any, limits call.Limits) *call.Tool {
	raw, err := json.Marshal(definition)
	if err != nil {
		return &call.Tool{Name: name, Fault: errors.New("its definition cannot be written as JSON")}
	}
	tool, err := call.DecodeTool(raw, limits)
	if err != nil {
		return &call.Tool{Name: name, Raw: raw, Fault: err}
	}
	return tool
}

// Announced remembers the names of the validate tool that handshakes have announced. The zero value is ready, and
// safe for concurrent use.
type Announced struct{ names sync.Map }

// Add remembers a name.
func (a *Announced) Add(method string) { a.names.Store(method, true) }

// Method returns the name of the validate tool of which c is a call, or of whose batch tool, and "" for a call of another
// tool. The name in force is method. If a tool of the server has taken an announced name since, a call that describes
// other calls is a dry run all the same.
func (a *Announced) Method(c *call.Call, by *validate.Validator, method string) string {
	if by.Answers(c.Name, method) {
		return method
	}
	for _, announced := range []string{c.Name, strings.TrimSuffix(c.Name, protocol.BatchName(""))} {
		if _, ok := a.names.Load(announced); ok && by.Answers(c.Name, announced) && (c.Unread != nil || protocol.DescribesCalls(c.Arguments)) {
			return announced
		}
	}
	return ""
}
