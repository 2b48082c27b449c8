// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

// A Tool is a tool's definition as its server lists it. It is shared by pointer
// and must not be copied.
type Tool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage // nil if the definition has none
	OutputSchema json.RawMessage // nil if the definition has none
	Raw          json.RawMessage // the whole definition
	Fault        error           // why the definition cannot be used; nil if it can

	// Sent is the whole definition as the server sent it, where something was taken out of Raw
	// that a model must not read; nil: they are the same. It is for comparison alone.
	Sent json.RawMessage

	compiled atomic.Pointer[compiled]
	memo     atomic.Pointer[memo]
}

// A memo is what an owner has worked out from a definition.
type memo struct {
	owner any
	key   string
	value any
}

// Memo returns the result of derive for this definition, owner and key. It calls derive only once
// for them. It keeps one value: several owners of one tool make theirs again and again. Memo may
// be called concurrently.
func (t *Tool) Memo(owner any, key string, derive func() any) any {
	if m := t.memo.Load(); m != nil && m.owner == owner && m.key == key {
		return m.value
	}
	v := derive()
	t.memo.Store(&memo{owner, key, v})
	return v
}

// compiled remembers a schema, so that judging a call does not hash it again.
type compiled struct {
	cache  *schema.Cache
	schema *schema.Schema
	err    error
}

// Schema returns the tool's compiled input schema, from cache or from the last
// call with the same cache. The error is a *[schema.CompileError], or the fault of
// the whole definition. Schema may be called concurrently.
func (t *Tool) Schema(cache *schema.Cache) (*schema.Schema, error) {
	if t.Fault != nil {
		return nil, t.Fault
	}
	if c := t.compiled.Load(); c != nil && c.cache == cache {
		return c.schema, c.err
	}
	s, err := cache.Get(t.InputSchema)
	t.compiled.Store(&compiled{cache, s, err})
	return s, err
}

// AsSent is the whole definition as the server sent it.
func (t *Tool) AsSent() json.RawMessage {
	if t.Sent != nil {
		return t.Sent
	}
	return t.Raw
}

// DecodeTool reads one tool's definition. The tool shares no memory with raw. A definition
// with a key given twice or in another case, or without a name, is an error.
func DecodeTool(raw []byte, limits Limits) (*Tool, error) {
	return decodeTool(bytes.Clone(raw), limits)
}

// decodeTool is DecodeTool, but keeps parts of raw.
func decodeTool(raw []byte, limits Limits) (*Tool, error) {
	members, err := strictjson.Members(raw, limits)
	if err != nil {
		return nil, fmt.Errorf("the definition of a tool is refused: %w", err)
	}
	t := &Tool{Raw: raw}
	for _, m := range members {
		if err := jsonrpc.VariantError(m.Key, toolKeys, jsonrpc.InvalidRequest, "the definition of a tool"); err != nil {
			return nil, err
		}
		t.set(m)
	}
	if jsonrpc.HoldsNUL(t.Name) {
		return nil, jsonrpc.NULError(jsonrpc.InvalidRequest, "the name of a tool")
	}
	if t.Name == "" {
		return nil, errors.New(`the definition of a tool has no "name"`)
	}
	return t, nil
}

func (t *Tool) set(m strictjson.Member) {
	switch m.Key {
	case "name":
		t.Name, _ = jsonrpc.String(m.Raw)
	case "title":
		t.Title, _ = jsonrpc.String(m.Raw)
	case "description":
		t.Description, _ = jsonrpc.String(m.Raw)
	case "inputSchema":
		t.InputSchema = m.Raw
	case "outputSchema":
		t.OutputSchema = m.Raw
	}
}

// DecodeTools reads the result of tools/list: one page of definitions and the
// cursor of the next page, "" on the last. A definition that cannot be read is left
// out and named in faults; err says that there is no list of tools at all. The tools
// do not share memory with result.
func DecodeTools(result []byte, limits Limits) (tools []*Tool, nextCursor string, faults []error, err error) {
	members, err := strictjson.Members(bytes.Clone(result), limits)
	if err != nil {
		return nil, "", nil, fmt.Errorf("the tools/list result is malformed: %w", err)
	}
	var list [][]byte
	for _, m := range members {
		if err := jsonrpc.VariantError(m.Key, listKeys, jsonrpc.InvalidRequest, "the tools/list result"); err != nil {
			return nil, "", nil, err
		}
		switch m.Key {
		case "tools":
			if list, err = strictjson.Elements(m.Raw, limits); err != nil {
				return nil, "", nil, fmt.Errorf(`"tools" of the tools/list result is malformed: %w`, err)
			}
			if list == nil {
				list = [][]byte{}
			}
		case "nextCursor":
			nextCursor, _ = jsonrpc.String(m.Raw)
		}
	}
	if list == nil {
		return nil, "", nil, errors.New(`the tools/list result has no "tools"`)
	}
	for _, raw := range list {
		t, err := decodeTool(raw, limits)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		tools = append(tools, t)
	}
	return tools, nextCursor, faults, nil
}

// listKeys are the members of a tools/list result that are read here. A client that matches keys
// in any case would read other tools than these.
var listKeys = []string{"tools", "nextCursor"}

// toolKeys are the members of a definition that are read here.
var toolKeys = []string{"name", "title", "description", "inputSchema", "outputSchema"}

// A Catalog is the set of tools that a server lists. It is immutable.
type Catalog struct {
	names  []string // in the order of the list
	byName map[string]*Tool
}

// NewCatalog makes a catalog of tools. A name that is listed twice with different
// definitions names no tool for certain: its calls are refused.
func NewCatalog(tools []*Tool) *Catalog {
	c := &Catalog{byName: make(map[string]*Tool, len(tools))}
	for _, t := range tools {
		first, dup := c.byName[t.Name]
		switch {
		case !dup:
			c.names = append(c.names, t.Name)
			c.byName[t.Name] = t
		case !bytes.Equal(first.AsSent(), t.AsSent()):
			c.byName[t.Name] = &Tool{Name: t.Name, Raw: t.Raw, Sent: t.Sent,
				Fault: errors.New("the server lists the tool twice, with different definitions")}
		}
	}
	return c
}

// Tool returns the tool called name, or nil. A nil catalog holds no tool.
func (c *Catalog) Tool(name string) *Tool {
	if c == nil {
		return nil
	}
	return c.byName[name]
}

// Names returns the tools' names in the order of the list.
func (c *Catalog) Names() []string {
	if c == nil {
		return nil
	}
	return slices.Clone(c.names)
}
