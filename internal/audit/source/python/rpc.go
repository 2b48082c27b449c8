// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python

import "github.com/toolvet/toolvet/internal/audit/source/internal/flow"

// A server without an SDK reads JSON-RPC itself: functions that know the method "tools/call" get
// such a request, in place of their usual arguments.

const callMethod = "tools/call"

// byHand registers the functions that answer requests themselves.
func (a *analysis) byHand(m *module) {
	for _, f := range functions(m.body) {
		if a.in.Reached(f.fn) || !f.fn.Mentions(func(e *flow.Expr) bool { return e.Op == flow.Str && e.S == callMethod }) {
			continue
		}
		err := a.in.Run(a.opts.Steps, func() {
			a.in.AtStart(func() {
				v := a.in.Eval(m.value, f.ref)
				if f.self != nil {
					inst := a.in.InvokeKw(a.in.Eval(m.value, f.self), nil, nil, flow.Value{}, f.fn.Pos)
					v = a.in.Attr(inst, &flow.Expr{Op: flow.Attr, S: f.fn.Name, Pos: f.fn.Pos})
				}
				if v.Callable() && v.Func() == f.fn {
					a.in.Register(flow.Registration{Handler: v, Style: styleRPC, Pos: f.fn.Pos})
				}
			})
		})
		if err != nil {
			a.unread(m.file+": "+f.fn.Name, err.Error())
		}
	}
}

// rpcRequest is a call of a tool, as JSON-RPC has it. Its parameters are in it twice, for functions
// that take only these.
func rpcRequest(in *flow.Interp) flow.Value {
	params := in.NewDict()
	in.SetIndex(params, flow.ConstStr("name"), flow.ToolName())
	in.SetIndex(params, flow.ConstStr("arguments"), in.Arguments(""))
	req := in.NewDict()
	in.Merge(req, params)
	in.SetIndex(req, flow.ConstStr("method"), flow.ConstStr(callMethod))
	in.SetIndex(req, flow.ConstStr("params"), params)
	return req
}
