// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// IsTool reports whether c calls a tool, rather than making another request.
func (c *Call) IsTool() bool { return c.Method == "" || c.Method == jsonrpc.ToolsCall }

// Implied reports whether c needs no permission of its own: clients make such requests to find
// their way (the handshake, pings, lists, log levels), or c asks for a task that an admitted call
// started. Only rules and limits that name the method hold for it.
func (c *Call) Implied() bool {
	if c.IsTool() {
		return false
	}
	r := c.described()
	return c.Behind != nil || r != nil && r.Implied
}

// KnownMethod reports whether MCP has the request or notification that c is.
func (c *Call) KnownMethod() bool {
	return c.IsTool() || c.described() != nil || jsonrpc.KnownNotification(c.Method) || c.FromServer && jsonrpc.KnownFromServer(c.Method)
}

// described returns the description of c's method in the direction of c, or nil.
func (c *Call) described() *Request {
	if c.FromServer {
		return asked()[c.Method]
	}
	return requests()[c.Method]
}

// A Request describes a method other than tools/call.
type Request struct {
	// Tool is a definition made up for the method: its name is the method, and its input schema
	// describes the params without _meta. So checks, demands and rules read the params as they read
	// the arguments of a tool.
	Tool *Tool
	// Implied is set for requests that clients make to find their way; see [Call.Implied].
	Implied bool

	properties []string // of the params
}

// requests are the requests of the revisions up to 2026-07-28, and their params
// (schema.ts: ClientRequest). Params that clients send as null pass as such.
var requests = describe([]described{
	{method: "initialize", implied: true, properties: `"protocolVersion":{"type":"string"},"capabilities":{},"clientInfo":{}`},
	{method: "server/discover", implied: true},
	{method: "ping", implied: true},
	{method: "logging/setLevel", implied: true, properties: `"level":{"type":"string"}`},
	{method: "tools/list", implied: true, properties: cursor},
	{method: "prompts/list", implied: true, properties: cursor},
	{method: "resources/list", implied: true, properties: cursor},
	{method: "resources/templates/list", implied: true, properties: cursor},
	{method: "resources/read", properties: uri + rounds, required: `"uri"`},
	{method: "resources/subscribe", properties: uri}, // 2026-07-28 has it no more, and its servers say so themselves
	{method: "resources/unsubscribe", implied: true, properties: uri},
	{method: "subscriptions/listen", properties: `"notifications":{"type":"object","properties":{"toolsListChanged":{},"promptsListChanged":{},"resourcesListChanged":{},` +
		`"resourceSubscriptions":{"type":"array","items":{"type":"string"}}}}`},
	{method: "prompts/get", properties: `"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}` + rounds, required: `"name"`},
	{method: "completion/complete", properties: `"ref":{"type":"object","properties":{"type":{"type":"string"},"name":{"type":"string"},"title":{"type":"string"},"uri":{"type":"string"}}},` +
		`"argument":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}}},` +
		`"context":{"type":"object","properties":{"arguments":{"type":"object","additionalProperties":{"type":"string"}}}}`, required: `"ref","argument"`},
	{method: "tasks/get", properties: task, required: `"taskId"`},
	{method: "tasks/result", properties: task, required: `"taskId"`},
	{method: "tasks/cancel", properties: task, required: `"taskId"`},
	{method: "tasks/update", properties: task + rounds, required: `"taskId"`},
	{method: "tasks/list", properties: cursor},
})

const (
	cursor = `"cursor":{"type":["string","null"]}`
	uri    = `"uri":{"type":"string"}`
	task   = `"taskId":{"type":"string"}`
	rounds = `,"requestState":{"type":"string"}` // 2026-07-28, basic/patterns/mrtr
)

type described struct {
	method               string
	implied              bool
	properties, required string
}

// describe makes the requests of a table when they are first asked for.
func describe(table []described) func() map[string]*Request {
	return lazy.Value(func() map[string]*Request {
		made := make(map[string]*Request, len(table))
		for _, d := range table {
			made[d.method] = &Request{Implied: d.implied, properties: namesIn(d.properties), Tool: madeUp(d.method, fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s]}`, d.properties, d.required))}
		}
		return made
	})
}

// namesIn returns the names of the properties in a part of a schema.
func namesIn(properties string) []string {
	var schema map[string]json.RawMessage
	_ = json.Unmarshal([]byte("{"+properties+"}"), &schema) // our own
	return slices.Sorted(maps.Keys(schema))
}

// madeUp makes the definition of a method, or of another part of a request.
func madeUp(name, schema string) *Tool {
	raw, err := json.Marshal(map[string]any{"name": name, "inputSchema": json.RawMessage(schema)})
	if err != nil { // impossible: the schema is JSON
		return &Tool{Name: name, Fault: err}
	}
	return &Tool{Name: name, InputSchema: json.RawMessage(schema), Raw: raw}
}

// anything describes params of an unknown method.
const anything = `{"type":"object","additionalProperties":true}`

// RequestOf returns the description of a method, of a client or of a server, or nil if MCP has no such
// request or it is tools/call.
func RequestOf(method string) *Request {
	if r := requests()[method]; r != nil {
		return r
	}
	return asked()[method]
}

// RequestMethods are the methods that [RequestOf] knows, in order.
func RequestMethods() []string {
	methods := slices.AppendSeq(slices.Collect(maps.Keys(requests())), maps.Keys(asked()))
	slices.Sort(methods)
	return slices.Compact(methods)
}

// DecodeRequest reads a request other than tools/call strictly, at every depth. The call's name is the
// method. Its arguments are the params without _meta and inputResponses, and Raw is params itself, not
// a copy. The other fields share no memory with params. Absent params are an empty object.
// Beside an error, the call names the method alone.
func DecodeRequest(method string, params []byte, limits Limits) (*Call, error) {
	return decodeRequest(&Call{Method: method, Name: method}, params, limits)
}

func decodeRequest(c *Call, params []byte, limits Limits) (*Call, error) {
	c.Arguments, c.Raw = map[string]any{}, json.RawMessage("{}")
	if known := c.methodVariant(); known != "" {
		return c, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: fmt.Sprintf("some readers take the method for %q: spell it so", known)}
	}
	if r := c.described(); r != nil {
		c.Tool = r.Tool
	} else {
		c.Tool = madeUp(c.Method, anything)
	}
	if params == nil || string(params) == "null" {
		return c, nil
	}
	members, err := strictjson.Members(params, limits)
	if err != nil {
		return c, jsonrpc.NewError(jsonrpc.InvalidParams, `"params"`, err)
	}
	known, forms := c.properties(), formsOf(params, limits)
	arguments := make(map[string]any, len(members))
	for _, m := range members {
		if err := jsonrpc.VariantError(m.Key, known, jsonrpc.InvalidParams, `"params"`); err != nil {
			return c, err
		}
		v, err := forms.parse(m.Raw)
		if err != nil {
			return c, memberError(m.Key, err)
		}
		if err := checkNames(m.Key, v); err != nil {
			return c, err
		}
		if !slices.Contains(aside, m.Key) {
			arguments[m.Key] = v
			continue
		}
		if err := c.setAside(m.Key, v); err != nil {
			return c, err
		}
	}
	c.Raw, c.Arguments = params, arguments
	return c, nil
}

// methodVariant returns the method of MCP from which an unknown one differs only in case, or by spaces
// around it; else "".
func (c *Call) methodVariant() string {
	if c.KnownMethod() {
		return ""
	}
	bare := strings.TrimFunc(c.Method, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	for _, known := range slices.Concat([]string{jsonrpc.ToolsCall}, RequestMethods(), jsonrpc.Notifications) {
		if c.Method != known && strings.EqualFold(bare, known) {
			return known
		}
	}
	return ""
}

// properties are the members of a method's params that have a meaning.
func (c *Call) properties() []string {
	known := slices.Clone(aside)
	if r := c.described(); r != nil {
		known = append(known, r.properties...)
	}
	return known
}

// aside are the members of params that are not arguments.
var aside = []string{"_meta", "inputResponses"}

// setAside sets _meta or inputResponses.
func (c *Call) setAside(key string, v any) error {
	object, ok := v.(map[string]any)
	if !ok {
		return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: fmt.Sprintf(`"params.%s" must be an object`, key)}
	}
	if key == "_meta" {
		c.Meta = object
	} else {
		c.Inputs = object
	}
	return nil
}

// A Part is a part of a request beside its arguments that servers read: values that a server
// asked for, _meta of clients' own, or members of params that MCP does not know.
type Part struct {
	*Call         // the part as a call of its own, for the checks of arguments
	Member string // of params; "" if the part is members of params themselves
}

// Shape returns a definition that describes the values for guesses at their meaning. The error is [ErrShape].
func (p Part) Shape() (*Tool, error) { return shaped(p.Name, p.Arguments) }

// Parts returns the parts of c beside its arguments that servers act on, without what MCP itself
// defines in _meta.
func (c *Call) Parts() []Part {
	var parts []Part
	add := func(member string, values map[string]any) {
		if len(values) == 0 {
			return
		}
		raw, err := json.Marshal(values)
		if err != nil { // impossible: the values were decoded from JSON
			raw = nil
		} else if foreign(values) { // an SDK decodes the numbers of _meta so
			if strict, err := DecodeArguments(raw, Limits{Bytes: len(raw)}); err == nil {
				values = strict
			}
		}
		part := *c
		part.Tool, part.Arguments, part.Raw = madeUp(c.Name, anything), values, raw
		part.Inputs, part.Meta, part.Unknown, part.Extra = nil, nil, nil, nil
		parts = append(parts, Part{&part, member})
	}
	add("inputResponses", withoutRoots(c.Inputs))
	own := map[string]any{}
	for key, v := range c.Meta {
		if !metaKey(key) {
			own[key] = v
		}
	}
	add("_meta", own)
	add("", c.unknownMembers())
	return parts
}

// foreign reports whether v holds a value of a type that strict decoding does not make.
func foreign(v any) bool {
	switch v := v.(type) {
	case nil, bool, string, json.Number:
		return false
	case []any:
		return slices.ContainsFunc(v, foreign)
	case map[string]any:
		for _, member := range v {
			if foreign(member) {
				return true
			}
		}
		return false
	}
	return true
}

// unknownMembers returns the members of params that MCP does not know.
func (c *Call) unknownMembers() map[string]any {
	if c.IsTool() {
		return c.Extra
	}
	var unknown map[string]any
	known := c.described()
	if known == nil {
		return nil // all its params are judged as arguments
	}
	for name, v := range c.Arguments {
		if !slices.Contains(known.properties, name) {
			if unknown == nil {
				unknown = map[string]any{}
			}
			unknown[name] = v
		}
	}
	return unknown
}

// withoutRoots returns the values that a server asked for without lists of roots: these are the
// client's own directories, and not values for a tool.
func withoutRoots(inputs map[string]any) map[string]any {
	kept := make(map[string]any, len(inputs))
	for key, v := range inputs {
		response, ok := v.(map[string]any)
		if _, lists := response["roots"].([]any); ok && lists {
			response = maps.Clone(response)
			delete(response, "roots")
			v = response
		}
		kept[key] = v
	}
	return kept
}

// metaKey reports whether MCP defines a key of _meta (basic/index, _meta; SEP-414).
func metaKey(key string) bool { return slices.Contains(metaKeys, key) }

var metaKeys = []string{
	"progressToken", "traceparent", "tracestate", "baggage", jsonrpc.RevisionKey, jsonrpc.CapabilitiesKey,
	"io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/logLevel", "io.modelcontextprotocol/related-task", "io.modelcontextprotocol/subscriptionId",
}

// Shape returns a definition that describes c's params for guesses at their meaning. It has the arguments
// that a prompt gets as properties below "arguments", and the argument to complete, under its own
// name, below "argument". The definition of a method with params of its own is that of MCP. The error is
// [ErrShape].
func (c *Call) Shape() (*Tool, error) {
	values := map[string]any{}
	switch c.Method {
	case "prompts/get":
		values["arguments"] = c.Arguments["arguments"]
	case "completion/complete":
		values["context"] = c.Arguments["context"]
		if argument, _ := c.Arguments["argument"].(map[string]any); argument != nil {
			if name, ok := argument["name"].(string); ok {
				values["argument"] = map[string]any{name: argument["value"]}
			}
		}
	default:
		if c.KnownMethod() {
			return c.Tool, nil
		}
		values = c.Arguments
	}
	return shaped(c.Name, values)
}
