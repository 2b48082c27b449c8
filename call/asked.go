// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// asked are the requests of servers to clients, and their params (schema.ts: ServerRequest). A server
// may ask unless a rule denies it: allow rules speak of clients.
var asked = describe([]described{
	{method: "ping", implied: true},
	{method: "roots/list", implied: true},
	{method: "sampling/createMessage", implied: true, properties: `"messages":{},"modelPreferences":{},"systemPrompt":{},"includeContext":{},"temperature":{},` +
		`"maxTokens":{},"stopSequences":{},"metadata":{},"tools":{},"toolChoice":{},"task":{}`},
	{method: "elicitation/create", implied: true, properties: `"mode":{"type":"string"},"message":{"type":"string"},"requestedSchema":{},"url":{"type":"string"},` +
		`"elicitationId":{"type":"string"},"task":{}`},
})

// DecodeAsked is [DecodeRequest] for a request of the server to the client.
func DecodeAsked(method string, params []byte, limits Limits) (*Call, error) {
	c := &Call{Method: method, Name: method, FromServer: true}
	if c.described() == nil && KnownAsk(method) {
		c.Arguments, c.Raw, c.Tool = map[string]any{}, json.RawMessage("{}"), madeUp(method, anything)
		return c, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "some readers take the method for one of MCP: write it in the letters of MCP"}
	}
	return decodeRequest(c, params, limits)
}

// DecodeAnswer reads the client's answer to a request of the server strictly, at every depth. The
// values that a user gave to elicitation/create are the call's Inputs. The call shares no memory with
// result.
func (c *Call) DecodeAnswer(result []byte, limits Limits) (*Call, error) {
	v, err := strictjson.Parse(result, limits)
	if err != nil {
		return nil, jsonrpc.NewError(jsonrpc.InvalidParams, `"result"`, err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"result" must be an object`}
	}
	a := &Call{Server: c.Server, Method: c.Method, Name: c.Name, Tool: c.Tool, Session: c.Session, FromServer: true, Answering: true,
		Arguments: map[string]any{}, Raw: json.RawMessage("{}")}
	content, given := object["content"]
	if c.Method != "elicitation/create" || !given || content == nil {
		return a, nil
	}
	if a.Inputs, ok = content.(map[string]any); !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"result.content" must be an object`}
	}
	return a, nil
}

// KnownAsk reports whether MCP has such a request of servers to clients, in any case of its letters.
func KnownAsk(method string) bool {
	for known := range asked() {
		if strings.EqualFold(method, known) {
			return true
		}
	}
	return false
}
