// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"errors"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/policy"
)

// maxTargets bounds the places in one call that a check looks at. No honest call has as many,
// and a check gets through them within the time of a stage.
const maxTargets = 10_000

// bind returns the policy's demands on a call's tool, worked out once for each definition.
// A call without a tool has none, but the server's demands still apply to its result.
func (g *Gate) bind(c *call.Call, result bool) (b *policy.Binding, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	switch {
	case !c.IsTool():
		return g.policy.BindRequest(c)
	case c.Tool == nil && result:
		return g.policy.Bind(c.Server, "", nil), nil
	case c.Tool == nil || g.policy == nil && g.tools == nil:
		return new(policy.Binding), nil
	}
	return c.Tool.Memo(g, c.Server, func() any { return g.policy.Bind(c.Server, c.Name, c.Tool, g.tools...) }).(*policy.Binding), nil
}

// unbound returns the finding for a call, or a part of one, of which the policy's demands are unknown.
func unbound(err error) check.Finding {
	why := "what the policy demands of the call could not be worked out; the reason is in toolvet's log"
	if errors.Is(err, call.ErrShape) {
		why = call.ErrShape.Error()
	}
	return check.Finding{Check: "policy", Stage: check.Semantic, Level: check.SemanticLevel, Message: why}
}
