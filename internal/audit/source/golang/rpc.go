// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/ast"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// A server without an SDK reads JSON-RPC itself: functions that know the method "tools/call" get
// such a request, and decode one.

const (
	styleRPC   = "rpc"
	callMethod = "tools/call"
)

// decodeRequest is the decoding of something unknown, which is taken to be a request.
func (g *lang) decodeRequest(c *flow.CallSite) bool {
	from, to := c.Arg(0), c.Arg(1)
	switch c.Name {
	case "encoding/json.Unmarshal":
	case "encoding/json.Decoder.Decode":
		from, to = c.Recv, c.Arg(0)
	default:
		return false
	}
	if from.Tainted() || from.HasObject() {
		return false
	}
	c.In.SetTarget(to, rpcRequest(c.In))
	return true
}

// answers reports whether a function names the method of tool calls.
func answers(fd *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fd.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.Trim(lit.Value, "`\"") == callMethod {
			found = true
		}
		return !found
	})
	return found
}

// rpcRequest is a call of a tool, as JSON-RPC has it. Its parameters are in it twice, for
// functions that decode only these.
func rpcRequest(in *flow.Interp) flow.Value {
	args := in.Arguments("")
	params := in.Record("Name", flow.ToolName(), "Arguments", args, "Args", args)
	return in.Merged(params, in.Record("Method", flow.ConstStr(callMethod), "Params", params))
}

func (g *lang) handleRPC(in *flow.Interp, r flow.Registration) {
	g.rpc = true
	defer func() { g.rpc = false }()
	var vals []flow.Value
	for i := range r.Handler.Func().Params {
		if i == 0 && strings.Contains(r.Handler.Func().Name, ".") { // the receiver
			vals = append(vals, flow.Value{})
			continue
		}
		vals = append(vals, rpcRequest(in))
	}
	in.Invoke(r.Handler, vals, r.Pos)
}
