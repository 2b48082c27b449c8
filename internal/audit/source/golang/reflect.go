// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package golang

import "github.com/toolvet/toolvet/internal/audit/source/internal/flow"

// reflection is for programs that turn any function into a tool: a value of reflect stands for
// the value in it.
func (t *table) reflection() {
	t.define(func(c *flow.CallSite) flow.Value { return c.Arg(0) }, "reflect.ValueOf", "reflect.Indirect")
	t.define(func(c *flow.CallSite) flow.Value { return c.Recv }, "reflect.Value.Elem", "reflect.Value.Interface", "reflect.Value.Addr", "reflect.Value.Convert")
	t.define(func(c *flow.CallSite) flow.Value { return c.In.Record() }, "reflect.New")
	t.define(func(c *flow.CallSite) flow.Value {
		args, _ := c.In.Elems(c.Arg(0))
		return c.In.Invoke(c.Recv, args, c.Pos)
	}, "reflect.Value.Call")
}
