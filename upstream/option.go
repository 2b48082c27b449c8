// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"encoding/json"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
)

// A CallOption says more of a call than its tool and arguments.
type CallOption interface{ apply(*callOptions) }

type callOptions struct {
	session *call.Session
	id      string
	text    func(error) string
	Request // Method is not used, Params are those beside name and arguments
}

type callOptionFunc func(*callOptions)

func (f callOptionFunc) apply(o *callOptions) { f(o) }

// WithSession says who makes the call, for the policy. The default is that nothing is known.
func WithSession(s *call.Session) CallOption {
	return callOptionFunc(func(o *callOptions) { o.session = s })
}

// SessionOf is who makes a call with these options, for those who take the place of a [Set]; nil:
// nothing is known.
func SessionOf(options ...CallOption) *call.Session {
	var o callOptions
	for _, option := range options {
		option.apply(&o)
	}
	return o.session
}

// WithRequestID says by which id whoever makes the call knows it, for logs.
func WithRequestID(id string) CallOption {
	return callOptionFunc(func(o *callOptions) { o.id = id })
}

// WithParams gives members of the params beside name and arguments, a JSON object: _meta, or
// the inputResponses and requestState of a call that was answered with resultType
// "input_required" (2026-07-28, basic/patterns/mrtr). A name and arguments in it do not count.
func WithParams(params json.RawMessage) CallOption {
	return callOptionFunc(func(o *callOptions) { o.Params = params })
}

// WithProgress asks for progress; see [Request].
func WithProgress(f func(params json.RawMessage)) CallOption {
	return callOptionFunc(func(o *callOptions) { o.Progress = f })
}

// WithHandler answers what the server asks for because of the call; see [Request].
func WithHandler(h Handler) CallOption {
	return callOptionFunc(func(o *callOptions) { o.Handler = &h })
}

// WithoutTimeout lets only the context bound the call, and not the CallTimeout of its server.
func WithoutTimeout() CallOption {
	return callOptionFunc(func(o *callOptions) { o.patient = true })
}

// WithErrorText says how answers describe an error for which there is no result. Default: its
// Error method.
func WithErrorText(text func(error) string) CallOption {
	return callOptionFunc(func(o *callOptions) { o.text = text })
}

// request identifies the call for its passage through the door.
func (o *callOptions) request(meta map[string]any) door.Request {
	return door.Request{ID: o.id, Modern: call.IsModern(meta)}
}

func optionsOf(list []CallOption) callOptions {
	o := callOptions{text: error.Error}
	for _, option := range list {
		option.apply(&o)
	}
	return o
}
