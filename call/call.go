// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"fmt"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Call is one tools/call. It is read-only once it is judged.
type Call struct {
	Server    string          // name of the server, "" if there is only one
	Name      string          // name of the tool, as the request gives it
	Tool      *Tool           // its definition; nil if the server lists no such tool
	Known     *Catalog        // the tools that the server lists, for suggestions; may be nil
	Arguments map[string]any  // decoded strictly; numbers are json.Number; never nil
	Raw       json.RawMessage // the text of the arguments, which is what is forwarded
	Meta      map[string]any  // the request's _meta; nil if it has none
	Session   *Session        // the caller; nil if nothing is known

	// Validation marks a call of the validate tool, which runs nothing.
	Validation bool
}

// Resolve finds the tool that c names in catalog.
func (c *Call) Resolve(catalog *Catalog) {
	c.Known = catalog
	c.Tool = catalog.Tool(c.Name)
}

// DecodeParams reads the params of a tools/call strictly, at every depth. Absent
// arguments are an empty object. The error is an *[Error] with the code
// [InvalidParams]: the request is not a CallToolRequest (MCP, server/tools, Error
// Handling), or it could be read in two ways.
func DecodeParams(params []byte, limits Limits) (*Call, error) {
	if params == nil {
		return nil, &Error{Code: InvalidParams, Message: `"params" is missing: send {"name": …, "arguments": {…}}`}
	}
	members, err := strictjson.Members(params, limits)
	if err != nil {
		return nil, jsonError(InvalidParams, `"params"`, err)
	}
	c := &Call{Arguments: map[string]any{}, Raw: json.RawMessage("{}")}
	for _, m := range members {
		if err := c.set(m, limits); err != nil {
			return nil, err
		}
	}
	if c.Name == "" {
		return nil, &Error{Code: InvalidParams, Message: `"params.name" is missing: name the tool to call`}
	}
	return c, nil
}

func (c *Call) set(m strictjson.Member, limits Limits) error {
	if err := variantError(m.Key, paramsKeys, InvalidParams, `"params"`); err != nil {
		return err
	}
	v, err := strictjson.Parse(m.Raw, limits)
	if err != nil {
		return jsonError(InvalidParams, fmt.Sprintf(`"params.%s"`, strictjson.Printable(m.Key, 64)), err)
	}
	ok := true
	switch m.Key {
	case "name":
		if c.Name, ok = v.(string); !ok || c.Name == "" {
			return &Error{Code: InvalidParams, Message: `"params.name" must be a string that is not empty`}
		}
	case "arguments":
		c.Raw = m.Raw
		if c.Arguments, ok = v.(map[string]any); !ok {
			return &Error{Code: InvalidParams, Message: `"params.arguments" must be an object`}
		}
	case "_meta":
		if c.Meta, ok = v.(map[string]any); !ok {
			return &Error{Code: InvalidParams, Message: `"params._meta" must be an object`}
		}
	}
	return nil
}

// DecodeArguments reads the arguments of a call on their own, strictly at every
// depth. The error is an *[Error].
func DecodeArguments(raw []byte, limits Limits) (map[string]any, error) {
	v, err := strictjson.Parse(raw, limits)
	if err != nil {
		return nil, jsonError(InvalidParams, `"arguments"`, err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, &Error{Code: InvalidParams, Message: `"arguments" must be an object`}
	}
	return object, nil
}
