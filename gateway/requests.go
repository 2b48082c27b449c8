// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// maxReplaced bounds the retries of a request whose server is replaced, by a change of the
// policy, before the request reaches it.
const maxReplaced = 5

// serve works on a request.
func (s *session) serve(ctx context.Context, r *request) (result json.RawMessage, err error) {
	for range maxReplaced {
		if result, err = s.try(ctx, r); !errors.Is(err, errRetired) {
			return result, err
		}
	}
	if r.method != "tools/call" {
		return nil, err
	}
	c, unread := s.decode(ctx, r)
	if unread != nil {
		return nil, unread
	}
	return s.unmade(ctx, r, c, err), nil
}

func (s *session) try(ctx context.Context, r *request) (json.RawMessage, error) {
	switch r.method {
	case "initialize":
		return s.initialize(ctx, r)
	case "server/discover":
		return s.discover(ctx)
	case "ping":
		return json.RawMessage("{}"), nil
	case "tools/call":
		return s.callTool(ctx, r)
	case string(servers.Tools), string(servers.Prompts), string(servers.Resources), string(servers.ResourceTemplates):
		return s.list(ctx, r, servers.List(r.method))
	case "prompts/get":
		return s.getPrompt(ctx, r)
	case "resources/read":
		return s.readResource(ctx, r)
	case "resources/subscribe", "resources/unsubscribe":
		return s.subscribe(ctx, r)
	case "completion/complete":
		return s.completeArgument(ctx, r)
	case "logging/setLevel":
		return s.setLevel(ctx, r)
	case "subscriptions/listen":
		return s.listen(ctx, r)
	}
	if s.g.validator.OwnsTask(r.method, r.params.Text()) {
		return s.task(r)
	}
	return nil, &jsonrpc.Error{Code: methodNotFound, Message: "the gateway does not offer this method"}
}

const (
	methodNotFound   = -32601
	resourceNotFound = -32002 // up to 2025-11-25
)

// getPrompt asks the server of a prompt.
func (s *session) getPrompt(ctx context.Context, r *request) (json.RawMessage, error) {
	p, err := s.connections()
	if err != nil {
		return nil, err
	}
	t, unknown := s.resolve(ctx, p, servers.Prompts, textOf(r.params.Get("name")))
	if unknown != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: unknown.Error()}
	}
	return s.ask(ctx, r, p, t, "name")
}

// readResource asks the server of a resource.
func (s *session) readResource(ctx context.Context, r *request) (json.RawMessage, error) {
	p, t, err := s.resource(ctx, r)
	if err != nil {
		return nil, err
	}
	return s.ask(ctx, r, p, t, "uri")
}

// resource finds the server of the resource in a request.
func (s *session) resource(ctx context.Context, r *request) (*pool, target, error) {
	p, err := s.connections()
	if err != nil {
		return nil, target{}, err
	}
	t, err := p.locate(ctx, textOf(r.params.Get("uri")))
	if err != nil {
		code := resourceNotFound
		if r.modern {
			code = jsonrpc.InvalidParams
		}
		return nil, target{}, &jsonrpc.Error{Code: code, Message: err.Error()}
	}
	return p, t, nil
}

// completeArgument asks the server of the argument's prompt or resource template.
func (s *session) completeArgument(ctx context.Context, r *request) (json.RawMessage, error) {
	p, err := s.connections()
	if err != nil {
		return nil, err
	}
	switch textOf(r.params.Get("ref", "type")) {
	case "ref/prompt":
		t, unknown := s.resolve(ctx, p, servers.Prompts, textOf(r.params.Get("ref", "name")))
		if unknown != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: unknown.Error()}
		}
		return s.ask(ctx, r, p, t, "ref", "name")
	case "ref/resource":
		uri := textOf(r.params.Get("ref", "uri"))
		t, err := p.locateTemplate(ctx, uri)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: err.Error()}
		}
		return s.ask(ctx, r, p, t, "ref", "uri")
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"ref" must be a ref/prompt or a ref/resource`}
}

// ask passes a request on to its server, and writes the server's own name at path. In the
// result it turns the server's URIs back into the client's.
func (s *session) ask(ctx context.Context, r *request, p *pool, t target, path ...string) (json.RawMessage, error) {
	params := r.params.Clone()
	err := params.Set(quoted(t.own), path...)
	if err == nil {
		err = s.sent(params)
	}
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "params cannot be read: " + err.Error()}
	}
	handler := s.handler()
	raw, err := t.ask(ctx, s, r, upstream.Request{Method: r.method, Params: params.Text(), Progress: s.progress(r), Handler: &handler})
	if err != nil {
		return nil, t.of(err)
	}
	answer := splice.New(raw, wide)
	if err := p.linked(ctx, t.peer, answer); err != nil {
		return nil, t.of(err)
	}
	return s.complete(r, answer, "resources/read")
}

// sent removes the client's tasks extension from the params of a request: the gateway does not
// pass on tasks of servers.
func (s *session) sent(params *splice.Document) error {
	return params.Edit(func(offered []byte) ([]byte, error) {
		if splice.Get(offered, s.limits, protocol.TasksExtension) == nil {
			return nil, nil
		}
		members, err := strictjson.Members(offered, s.limits)
		if err != nil {
			return nil, err
		}
		var kept [][]byte
		for _, m := range members {
			if m.Key != protocol.TasksExtension {
				kept = append(kept, slices.Concat(quoted(m.Key), []byte(":"), m.Raw))
			}
		}
		return slices.Concat([]byte("{"), bytes.Join(kept, []byte(",")), []byte("}")), nil
	}, "_meta", jsonrpc.CapabilitiesKey, "extensions")
}
