// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/calllog"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
)

// recordedTools are the tools that a log of calls has, as far as it is read.
type recordedTools struct {
	said     *call.Catalog            // overrides the log; may be nil
	listed   map[string]*call.Catalog // by server, the latest list; nil for an incomplete one
	byDigest map[string]*call.Catalog // each with one tool
}

// learn takes in a list of tools.
func (t *recordedTools) learn(record calllog.Record) {
	if t.listed == nil {
		t.listed, t.byDigest = map[string]*call.Catalog{}, map[string]*call.Catalog{}
	}
	var tools []*call.Tool
	whole := !record.Omitted
	for _, listed := range record.Tools {
		if listed.Definition == nil {
			whole = false
			continue
		}
		tool, err := call.DecodeTool(listed.Definition, call.Limits{})
		if err != nil {
			continue // as in the proxy
		}
		tools = append(tools, tool)
		if listed.Digest != "" && t.byDigest[listed.Digest] == nil {
			t.byDigest[listed.Digest] = call.NewCatalog([]*call.Tool{tool})
		}
	}
	t.listed[record.Server] = nil
	if whole {
		t.listed[record.Server] = call.NewCatalog(tools)
	}
}

// of returns the tools that a recorded call chose from, or the reason why they are unknown. A call
// without a definition was of a tool that the server did not list.
func (t *recordedTools) of(record calllog.Record) (tools *call.Catalog, why string) {
	switch {
	case t.said != nil:
		return t.said, ""
	case record.SchemaDigest != "":
		tools = t.byDigest[record.SchemaDigest]
	default:
		tools = t.listed[record.Server]
	}
	if tools == nil {
		why = "the tool's definition was not recorded (give --tools)"
	}
	return tools, why
}

// unrecorded matches values that rules may read and a replay does not have.
var unrecorded = lazyregexp.New(`\bsession\.(claims|transport|client_address|protocol_version|traceparent)\b`)

// readsMore names such values in the rules of a policy.
func readsMore(p *policy.Policy) []string {
	var names []string
	for _, r := range p.Rules {
		names = append(names, unrecorded.FindAllString(r.When, -1)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
