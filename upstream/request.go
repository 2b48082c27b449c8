// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Request is one request to a server.
type Request struct {
	Method string
	// Params are a JSON object, or nil for none. They are sent as they are, except for _meta. The
	// connection sets its own protocol version and progress token there, and describes the
	// client unless the request does.
	Params json.RawMessage
	// Progress is called with the params of each notifications/progress of the request, in
	// order, before Do returns. It runs in the goroutine that reads the connection, so it must
	// return soon. If it is nil, the request asks for no progress.
	Progress func(params json.RawMessage)
	// Handler answers the server's requests while the server works on this one. MCP does not
	// tell the request that such a question belongs to. If others are in flight as well, the
	// connection's own handler answers, because a question must not reach the wrong person. It
	// always answers if Handler is nil.
	Handler *Handler

	own     bool // made by the client itself: the server's questions do not belong to it
	patient bool // not bounded by the CallTimeout of the server
	// abandoned is called if do returns without an answer while the server may work on the request, and over when the
	// server no longer does, if the connection learns of that. Nil: nobody wants to know.
	abandoned, over func()
	caller          *call.Session // for the policy, if the server asks the caller something; may be nil
}

// A Handler handles the requests and notifications of a server. The zero Handler ignores
// notifications and refuses requests. The connection answers ping itself.
type Handler struct {
	// Request answers sampling/createMessage, elicitation/create, roots/list and the like
	// with a JSON value. An error becomes the error of the answer, with the code of a
	// *[RefusedError]. Request runs in a goroutine of its own. Ctx is done when the connection
	// ends or the server cancels the request.
	Request func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify receives notifications, except for progress of a request and for notifications to
	// the connection itself. It runs in the goroutine that reads the connection, so it must
	// return soon.
	Notify func(method string, params json.RawMessage)
}

// Keys of _meta since 2026-07-28 (basic/index, _meta).
const (
	serverInfoKey = "io.modelcontextprotocol/serverInfo"
	progressKey   = "progressToken"
)

// callParams returns the given params of a tools/call with this name and these arguments.
func callParams(given json.RawMessage, tool string, arguments json.RawMessage, limits call.Limits) (json.RawMessage, error) {
	name, err := json.Marshal(tool)
	if err != nil {
		return nil, err
	}
	return withMembers(given, limits, strictjson.Member{Key: "name", Raw: name}, strictjson.Member{Key: "arguments", Raw: arguments})
}

// withMembers replaces or adds members of an object; nil is {}. The others stay as written.
func withMembers(object json.RawMessage, limits call.Limits, set ...strictjson.Member) (json.RawMessage, error) {
	var members []strictjson.Member
	if object != nil {
		var err error
		if members, err = strictjson.Members(object, limits); err != nil {
			return nil, err
		}
	}
	for _, m := range set {
		members = slices.DeleteFunc(members, func(other strictjson.Member) bool { return other.Key == m.Key })
		if m.Raw != nil {
			members = append(members, m)
		}
	}
	return encodeMembers(members)
}

func encodeMembers(members []strictjson.Member) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		key, err := json.Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(m.Raw)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// line encodes the request as one line. Meta holds the connection's members of _meta.
func (r *Request) line(id string, meta map[string]json.RawMessage, limits call.Limits) ([]byte, error) {
	params, err := r.params(id, meta, limits)
	if err != nil {
		return nil, fmt.Errorf("encoding the request %s: %w", r.Method, err)
	}
	return encodeLine(id, r.Method, params)
}

func encodeLine(id, method string, params json.RawMessage) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	if id != "" {
		b.WriteString(`,"id":` + id)
	}
	fmt.Fprintf(&b, `,"method":%q`, method)
	if params != nil {
		b.WriteString(`,"params":`)
		b.Write(params)
	}
	b.WriteByte('}')
	return framed(b.Bytes())
}

// framed makes one line of a message. Its white space may contain line ends.
func framed(message []byte) ([]byte, error) {
	if bytes.ContainsAny(message, "\r\n") {
		var b bytes.Buffer
		if err := json.Compact(&b, message); err != nil {
			return nil, err
		}
		message = b.Bytes()
	}
	return append(message, '\n'), nil
}

func (r *Request) params(id string, meta map[string]json.RawMessage, limits call.Limits) (json.RawMessage, error) {
	given, err := metaOf(r.Params, limits)
	if err != nil {
		return nil, err
	}
	said := maps.Clone(meta)
	if said == nil {
		said = map[string]json.RawMessage{}
	}
	for _, m := range given {
		if m.Key != jsonrpc.RevisionKey && m.Key != progressKey {
			said[m.Key] = m.Raw
		}
	}
	if r.Progress != nil {
		said[progressKey] = json.RawMessage(id)
	}
	if len(said) == 0 && given == nil {
		if r.Params == nil {
			return json.RawMessage("{}"), nil
		}
		return r.Params, nil
	}
	var members []strictjson.Member
	for _, key := range slices.Sorted(maps.Keys(said)) {
		members = append(members, strictjson.Member{Key: key, Raw: said[key]})
	}
	object, err := encodeMembers(members)
	if err != nil {
		return nil, err
	}
	return withMembers(r.Params, limits, strictjson.Member{Key: "_meta", Raw: object})
}

// metaOf returns the members of _meta; nil if params have none.
func metaOf(params json.RawMessage, limits call.Limits) ([]strictjson.Member, error) {
	if params == nil {
		return nil, nil
	}
	members, err := strictjson.Members(params, limits)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.Key == "_meta" {
			inner, err := strictjson.Members(m.Raw, limits)
			if inner == nil {
				inner = []strictjson.Member{}
			}
			return inner, err
		}
	}
	return nil, nil
}
