// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"context"

	"cel.dev/cel-go/cel"
)

// Visible reports whether a session may call the tool at all, with some arguments. A rule that
// has to see the arguments may go either way. Of a request other than tools/call, the arguments in
// the input are known, and others may be added. A tool whose rules fail is visible, so that its
// caller gets the reason.
func (p *Program) Visible(ctx context.Context, in Input) bool {
	allowed := !p.defaultDeny
	vars := &withoutArgs{variables: *newVariables(ctx, in), some: in.Method != "" && in.Args != nil}
	e, err := newEvaluation(ctx, p.enforced.loops, vars)
	if err != nil {
		return allowed || len(p.enforced.list) > 0
	}
	defer e.close()
	for i := range p.enforced.list {
		r := &p.enforced.list[i]
		vars.asked = false
		matched, err := e.evaluate(r)
		switch {
		case vars.asked, err != nil:
			allowed = true
		case matched && r.Effect == Deny:
			return false
		case matched:
			allowed = true
		}
	}
	return allowed
}

// withoutArgs are variables of a call whose arguments are not known. It remembers whether
// they were asked for.
type withoutArgs struct {
	variables
	some  bool // the arguments in the input are known
	asked bool
}

// ResolveName implements cel.Activation.
func (v *withoutArgs) ResolveName(name string) (any, bool) {
	if name == "args" && !v.some {
		v.asked = true
		return nil, false
	}
	return v.variables.ResolveName(name)
}

var _ cel.Activation = (*withoutArgs)(nil)
