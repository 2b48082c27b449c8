// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import (
	"go/ast"
	"strings"

	"github.com/toolvet/toolvet/internal/audit/source/internal/flow"
)

// A server without an SDK reads JSON-RPC itself: the function that knows the method "tools/call" is
// given such a request, and what it decodes is one.

const (
	styleRPC   = "rpc"
	callMethod = "tools/call"
)

// decodeRequest is the decoding of something of which nothing is known: it is a request.
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

// answers reports that a function knows the method by which tools are called.
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

// rpcRequest is a call of a tool, as JSON-RPC has it. Its parameters are in it twice, for what
// decodes these alone.
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
