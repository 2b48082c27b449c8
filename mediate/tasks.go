// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mediate

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/toolvet/toolvet/call"
)

// task answers a request about a task of the proxy's own: a validation that has outlasted its
// request.
func (p *Exchange) task(m call.Envelope) {
	var meta map[string]any
	if fields, err := call.DecodeArguments(m.Params, p.limits); err == nil {
		meta, _ = fields["_meta"].(map[string]any)
	}
	result, e := p.validator.Task(m.Method, m.Params, p.caller.session(meta))
	answer := response{ID: bytes.Clone(m.ID), Result: result}
	if e != nil {
		answer.Error = &responseError{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	p.answer(answer)
}

// A Notifier is a [Link] that can give the client a notification of toolvet's own at any
// time. Only such a link is told of progress, and of tasks.
type Notifier interface {
	// Notify gives the client a line. It may keep it only until it returns.
	Notify(line []byte)
}

func (p *Exchange) notifies() bool {
	_, ok := p.link.(Notifier)
	return ok
}

// notify sends the client a notification of the proxy's own, unless ctx is done.
func (p *Exchange) notify(ctx context.Context, method string, params any) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if n, ok := p.link.(Notifier); ok && err == nil && ctx.Err() == nil {
		n.Notify(line)
	}
}
