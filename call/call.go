// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Call is one tools/call, or another request of a client to a server (see [DecodeRequest]). It
// is read-only once it is judged.
type Call struct {
	Server    string          // name of the server, "" if there is only one
	Method    string          // of the request; "" means [jsonrpc.ToolsCall]
	Name      string          // name of the tool, as the request gives it
	Tool      *Tool           // its definition; nil if the server lists no such tool
	Known     *Catalog        // the tools that the server lists, for suggestions; may be nil
	Arguments map[string]any  // decoded strictly; numbers are json.Number; never nil
	Raw       json.RawMessage // the text of the arguments, which is what is forwarded
	Meta      map[string]any  // the request's _meta; nil if it has none
	Inputs    map[string]any  // the request's inputResponses: values that the server asked for; nil if it has none
	Unknown   []string        // members of a tools/call's params that MCP does not know
	Extra     map[string]any  // their values
	Session   *Session        // the caller; nil if nothing is known
	// Listed is what the server lists now, by the method of the list, of a request that names a prompt
	// or a resource. A list that nobody asked for, or that cannot be read, is missing.
	Listed map[string]*Catalog
	List   string // of an entry of a list (see package internal/listed): the method of the list; else ""
	Behind *Call  // of a request for a task: the caller's own admitted call that started it; else nil

	// Unread is why the arguments could not be read; nil: they have been read. A gate
	// refuses such a call. Its Raw holds the text, and Arguments is empty.
	Unread error

	// Validation marks a call of the validate tool, which runs nothing.
	Validation bool
	// FromServer marks a request of the server to the client; see [DecodeAsked].
	FromServer bool
	// Answering marks the client's answer to such a request. Rules and limits have judged the request.
	Answering bool
}

// NewCall returns a call of a tool with arguments that are a Go value: a struct, a map, a
// [json.RawMessage], or anything else that encoding/json writes as an object. Nil stands for no
// arguments. Numbers are exact. The call shares no memory with arguments. Its Session, Server and
// Known are the caller's to set. The arguments are held to the rules of [DecodeParams]. The error
// says which they break, or that encoding/json cannot write them.
func NewCall(tool *Tool, arguments any) (*Call, error) {
	if tool == nil {
		return nil, errors.New("a call needs a tool: decode its definition with DecodeTool")
	}
	c := &Call{Name: tool.Name, Tool: tool, Arguments: map[string]any{}, Raw: json.RawMessage("{}")}
	if arguments == nil {
		return c, nil
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("the arguments of %s cannot be written as JSON: %w", jsonrpc.QuoteKey(tool.Name), err)
	}
	if c.Arguments, err = DecodeArguments(raw, Limits{}); err != nil {
		return nil, err
	}
	c.Raw = raw
	return c, nil
}

// Resolve finds the tool that c names in catalog.
func (c *Call) Resolve(catalog *Catalog) {
	c.Known = catalog
	c.Tool = catalog.Tool(c.Name)
}

// Know adds what the server lists to c.
func (c *Call) Know(method string, entries *Catalog) {
	if c.Listed == nil {
		c.Listed = map[string]*Catalog{}
	}
	c.Listed[method] = entries
}

// DecodeParams reads the params of a tools/call strictly, at every depth. Absent
// arguments are an empty object. Raw is a part of params, not a copy: who uses
// the buffer again forwards other bytes than were judged. The other fields share
// no memory with params. The error says that the request is no CallToolRequest (MCP, server/tools, Error
// Handling), that it could be read in two ways, or that it is no JSON.
//
// Arguments are named "arguments" in the message, and a byte offset counts from their first byte, as in
// [DecodeArguments]. If they alone are at fault, the call comes beside the error, which is its Unread.
// Otherwise the call is nil.
func DecodeParams(params []byte, limits Limits) (*Call, error) {
	if params == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"params" is missing: send {"name": …, "arguments": {…}}`}
	}
	members, whole := strictjson.Members(params, limits.Below(paramsLevel))
	if whole != nil {
		var err error
		if members, err = strictjson.Outline(params, limits); err != nil { // to tell which member is at fault
			return nil, jsonrpc.NewError(paramsCode(whole), `"params"`, whole)
		}
	}
	c := &Call{Arguments: map[string]any{}, Raw: json.RawMessage("{}")}
	forms := formsOf(params, limits.Below(argumentsLevel))
	for _, m := range members {
		if err := c.set(m, forms); err != nil {
			return nil, err
		}
	}
	switch {
	case c.Name == "":
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"params.name" is missing: name the tool to call`}
	case c.Unread != nil:
		return c, c.Unread
	case whole != nil:
		return nil, jsonrpc.NewError(paramsCode(whole), `"params"`, whole)
	}
	return c, nil
}

// Bounds of members of a tools/call that only the server understands, in bytes.
const (
	maxTask  = 4 << 10
	maxState = 1 << 20
)

func (c *Call) set(m strictjson.Member, forms *forms) error {
	if err := jsonrpc.VariantError(m.Key, paramsKeys, jsonrpc.InvalidParams, `"params"`); err != nil {
		return err
	}
	v, err := forms.parse(m.Raw)
	if err != nil && m.Key == "arguments" {
		c.Raw, c.Unread = m.Raw, memberError(m.Key, err)
		return nil
	}
	if err != nil {
		return memberError(m.Key, err)
	}
	if err := checkNames(m.Key, v); err != nil {
		return err
	}
	ok := true
	switch m.Key {
	case "name":
		if c.Name, ok = v.(string); !ok || c.Name == "" {
			return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"params.name" must be a string that is not empty`}
		}
	case "arguments":
		c.Raw = m.Raw
		if c.Arguments, ok = v.(map[string]any); !ok {
			c.Arguments, c.Unread = map[string]any{}, errNoObject
		}
	case "_meta", "inputResponses":
		return c.setAside(m.Key, v)
	case "task":
		task, ok := v.(map[string]any)
		if !ok || len(m.Raw) > maxTask {
			return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: fmt.Sprintf(`"params.task" must be an object of at most %d bytes`, maxTask)}
		}
		for _, key := range slices.Sorted(maps.Keys(task)) {
			if key != "ttl" {
				c.extra("task."+key, task[key])
			}
		}
	case "requestState":
		if _, ok = v.(string); !ok || len(m.Raw) > maxState {
			return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: fmt.Sprintf(`"params.requestState" must be a string of at most %d bytes`, maxState)}
		}
	default:
		c.extra(m.Key, v)
	}
	return nil
}

// extra adds a member of params that MCP does not know.
func (c *Call) extra(name string, value any) {
	c.Unknown = append(c.Unknown, name)
	if c.Extra == nil {
		c.Extra = map[string]any{}
	}
	c.Extra[name] = value
}

// Read reads the arguments of c: it sets Arguments and Raw, and Unread to the error of [DecodeArguments],
// which it returns.
func (c *Call) Read(arguments []byte, limits Limits) error {
	c.Raw = arguments
	if c.Arguments, c.Unread = DecodeArguments(arguments, limits); c.Unread != nil {
		c.Arguments = map[string]any{}
	}
	return c.Unread
}

// DecodeArguments reads the arguments of a call on their own, strictly at every
// depth. They share no memory with raw. The error is that of [DecodeParams] for such arguments: they may nest as deep as in a message
// of the greatest depth, which is two levels less.
func DecodeArguments(raw []byte, limits Limits) (map[string]any, error) {
	v, err := strictjson.Parse(raw, limits.Below(argumentsLevel))
	if err != nil {
		return nil, argumentsError(err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	return object, nil
}
