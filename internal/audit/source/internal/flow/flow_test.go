// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"strings"
	"testing"
)

// testLang has a sink, a guard, and ways to make a value of another.
type testLang struct{}

func (testLang) Call(c *CallSite) (Value, bool) {
	switch c.Name {
	case "sink":
		c.In.PathSink(c.Pos, "sink", c.Arg(0))
		return Value{}, true
	case "guard":
		return c.In.Check(c.Arg(0), ContainReal, 0), true
	case "whole":
		return c.In.Derive(Whole, 0, c.Pos, "", c.Arg(0)), true
	case "record":
		return c.In.Module("T"), true
	case "part":
		return c.In.Derive(Part, 0, c.Pos, "", c.Arg(0)), true
	}
	return Value{}, false
}

func (testLang) Attr(*Interp, string, string, Value, Pos) (Value, bool) { return Value{}, false }
func (testLang) Name(_ *Interp, e *Expr) (Value, bool)                  { return Value{}, false }
func (testLang) Import(*Interp, *Stmt) []Value                          { return nil }
func (testLang) Construct(*CallSite, Value) (Value, bool)               { return Value{}, false }

func v(name string) *Expr { return &Expr{Op: Name, S: name} }
func native(f string, args ...*Expr) *Expr {
	return &Expr{Op: Call, X: &Expr{Op: Native, S: f}, List: args}
}
func call(f *Func, args ...*Expr) *Expr {
	return &Expr{Op: Call, X: &Expr{Op: Lambda, Fn: f}, List: args}
}
func not(x *Expr) *Expr                { return &Expr{Op: Not, X: x} }
func and(x, y *Expr) *Expr             { return &Expr{Op: And, X: x, Y: y} }
func field(x *Expr, name string) *Expr { return &Expr{Op: Attr, X: x, S: name} }
func do(x *Expr) *Stmt                 { return &Stmt{Op: Eval, X: x} }
func set(to, x *Expr) *Stmt            { return &Stmt{Op: Assign, Targets: []*Expr{to}, X: x} }
func ret(x *Expr) *Stmt                { return &Stmt{Op: Return, X: x} }
func when(x *Expr, yes []*Stmt, no ...*Stmt) *Stmt {
	return &Stmt{Op: If, X: x, Body: yes, Else: no}
}
func block(s ...*Stmt) []*Stmt { return s }

func fn(name string, params []string, body ...*Stmt) *Func {
	f := &Func{Name: name, Body: body}
	for _, p := range params {
		f.Params = append(f.Params, Param{Name: p})
	}
	return f
}

// run is what becomes of the argument x of a tool with this body: a kind, "guarded" or "".
func run(t *testing.T, steps int, body ...*Stmt) (string, error) {
	t.Helper()
	in := New(context.Background(), testLang{}, 40)
	err := in.Run(steps, func() {
		in.Apart(func() {
			in.Read("t", "x", Pos{})
			in.Invoke(in.FuncValue(fn("handler", []string{"x"}, body...)), []Value{in.argument("t", "x", Pos{})}, Pos{})
		})
	})
	var out []string
	for _, f := range in.Facts(nil) {
		if f.Class != "path" {
			continue
		}
		switch {
		case f.Kind != "":
			out = append(out, f.Kind)
		case f.Verdict != "no-evidence":
			out = append(out, string(f.Verdict))
		}
	}
	return strings.Join(out, " "), err
}

func TestLattice(t *testing.T) {
	x, y, ok, o := v("x"), v("y"), v("ok"), v("o")
	yes, no := &Expr{Op: True}, &Expr{Op: False}
	record := native("record")
	sink := func(e *Expr) *Stmt { return do(native("sink", e)) }
	guard := func(e *Expr) *Expr { return native("guard", e) }
	setting := native("unknown")
	leave := block(ret(nil))
	for _, c := range []struct {
		name string
		want string
		body []*Stmt
	}{
		{"nothing on the way", "traversal", block(sink(x))},
		{"in the branch where it holds", "guarded", block(when(guard(x), block(sink(x))))},
		{"the other branch left", "guarded", block(when(not(guard(x)), leave), sink(x))},
		{"its outcome is ignored", "traversal", block(do(guard(x)), sink(x))},
		{"it holds in one of two branches", "traversal", block(when(guard(x), block(set(y, yes)), set(y, no)), sink(x))},
		{"it comes too late", "traversal", block(sink(x), when(not(guard(x)), leave))},
		{"another value is guarded", "traversal", block(set(y, native("part", x)), when(not(guard(y)), leave), sink(x))},
		{"the whole is guarded", "guarded", block(set(y, native("whole", x)), when(not(guard(y)), leave), sink(x))},
		{"what was made of it before", "guarded", block(when(not(guard(x)), leave), set(y, native("whole", x)), sink(y))},
		{"an alias", "guarded", block(set(y, x), when(not(guard(y)), leave), sink(x))},
		{"assigned where it holds", "guarded", block(when(guard(x), block(set(y, x)), set(y, &Expr{Op: Str, S: "a"})), sink(y))},
		{"assigned where it does not", "traversal", block(when(guard(x), block(set(y, &Expr{Op: Str, S: "a"})), set(y, x)), sink(y))},
		{"a variable stands for it", "guarded", block(set(ok, no), when(guard(x), block(set(ok, yes))), when(ok, block(sink(x))))},
		{"a variable that is true anyway", "traversal", block(set(ok, yes), when(guard(x), block(set(ok, yes))), when(ok, block(sink(x))))},
		{"empty or guarded", "guarded", block(when(and(x, not(guard(x))), leave), sink(x))},
		{"if the server is set up so", "optional-guard", block(when(setting, block(when(not(guard(x)), leave))), sink(x))},
		{"the next round of a loop", "traversal", block(set(y, &Expr{Op: Str, S: "a"}), &Stmt{Op: While, X: setting, Body: block(sink(y), set(y, x))})},
		{"guarded in a loop that may not run", "traversal", block(&Stmt{Op: While, X: native("unknown", x), Body: block(when(not(guard(x)), leave))}, sink(x))},
		{"each element of a list", "guarded", block(set(y, &Expr{Op: List, List: []*Expr{x, x}}), &Stmt{Op: For, X: y, Targets: []*Expr{v("e")}, Body: block(when(not(guard(v("e"))), leave))}, sink(x))},
		{"a function that returns it", "traversal", block(sink(call(fn("f", []string{"a"}, ret(v("a"))), x)))},
		{"a function that leaves or not", "guarded", block(sink(call(fn("f", []string{"a"}, when(not(guard(v("a"))), block(&Stmt{Op: Raise})), ret(v("a"))), x)))},
		{"a field of what a function made", "traversal", block(set(o, call(fn("f", []string{"a"}, set(v("r"), record), set(field(v("r"), "p"), v("a")), ret(v("r"))), x)), sink(field(o, "p")))},
		{"a field that a function sets", "traversal", block(set(o, record), do(call(fn("f", []string{"r", "a"}, set(field(v("r"), "p"), v("a"))), o, x)), sink(field(o, "p")))},
		{"what a function made and dropped", "", block(do(call(fn("f", []string{"a"}, set(v("r"), record), set(field(v("r"), "p"), v("a"))), x)), set(o, record), sink(field(o, "p")))},
		{"variables around a closure", "traversal", block(set(o, call(fn("f", []string{"a"}, ret(&Expr{Op: Lambda, Fn: fn("g", nil, ret(v("a")))})), x)), sink(&Expr{Op: Call, X: o}))},
	} {
		got, err := run(t, 10_000, c.body...)
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// What does not end, or takes too long, ends with the budget and says so.
func TestBudget(t *testing.T) {
	twice := fn("f", []string{"a"})
	twice.Body = block(do(call(twice, v("a"))), do(call(twice, v("a"))))
	var wide []*Stmt
	deep := v("x")
	for range 5_000 {
		deep = native("whole", deep)
		wide = append(wide, when(native("unknown", v("x")), block(ret(v("x")))))
	}
	for name, body := range map[string][]*Stmt{
		"depth":    block(do(native("sink", deep))),
		"outcomes": wide,
		"steps":    block(&Stmt{Op: While, X: &Expr{Op: True}, Body: wide}),
	} {
		if _, err := run(t, 10_000, body...); err == nil || !strings.Contains(err.Error(), "budget") {
			t.Errorf("%s: got %v, want the budget", name, err)
		}
	}
	if _, err := run(t, 10_000, do(call(twice, v("x")))); err != nil {
		t.Errorf("a function that calls itself: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := New(ctx, testLang{}, 40)
	err := in.Run(1_000_000, func() {
		for range 1000 {
			in.step()
		}
	})
	if err == nil || !strings.Contains(err.Error(), "time") {
		t.Errorf("out of time: got %v", err)
	}
}

// What the places of calls that have ended hold is forgotten.
func TestSweep(t *testing.T) {
	in := New(context.Background(), testLang{}, 40)
	f := fn("f", []string{"a"}, set(v("b"), v("a")), set(v("c"), v("b")), ret(v("c")))
	err := in.Run(100_000, func() {
		in.Apart(func() {
			for range 100 {
				in.Invoke(in.FuncValue(f), []Value{in.argument("t", "x", Pos{})}, Pos{})
			}
			if n := len(in.st.vals); n > 150 {
				t.Errorf("%d places are kept of 100 calls, each of which leaves its result", n)
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
