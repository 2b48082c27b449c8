// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"encoding/json"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// A CallOption adds to the tool and arguments of a call.
type CallOption interface{ apply(*callOptions) }

type callOptions struct {
	session *call.Session
	id      string
	text    func(error) string
	Request // Method is not used; Params hold no name or arguments
}

type callOptionFunc func(*callOptions)

func (f callOptionFunc) apply(o *callOptions) { f(o) }

// WithSession identifies the caller to the policy. By default the caller is unknown.
func WithSession(s *call.Session) CallOption {
	return callOptionFunc(func(o *callOptions) { o.session = s })
}

// SessionOf returns the caller in these options, or nil if the caller is unknown. It is for
// types that stand in for a [Set].
func SessionOf(options ...CallOption) *call.Session {
	var o callOptions
	for _, option := range options {
		option.apply(&o)
	}
	return o.session
}

// WithRequestID gives the caller's own id for the call, for logs.
func WithRequestID(id string) CallOption {
	return callOptionFunc(func(o *callOptions) { o.id = id })
}

// WithParams gives other members of the params as a JSON object: _meta, or the inputResponses
// and requestState that follow a result of resultType "input_required" (2026-07-28,
// basic/patterns/mrtr). A name and arguments in it are ignored.
func WithParams(params json.RawMessage) CallOption {
	return callOptionFunc(func(o *callOptions) { o.Params = params })
}

// WithProgress asks for progress; see [Request].
func WithProgress(f func(params json.RawMessage)) CallOption {
	return callOptionFunc(func(o *callOptions) { o.Progress = f })
}

// WithHandler answers the server's requests during the call; see [Request].
func WithHandler(h Handler) CallOption {
	return callOptionFunc(func(o *callOptions) { o.Handler = &h })
}

// request identifies the call for its passage through the door.
func (o *callOptions) request(meta map[string]any) door.Request {
	return door.Request{ID: o.id, Modern: jsonrpc.IsModern(meta)}
}

func optionsOf(list []CallOption) callOptions {
	o := callOptions{text: error.Error}
	for _, option := range list {
		option.apply(&o)
	}
	return o
}
