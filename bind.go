// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/policy"
)

// maxTargets bounds the places in one call that a check looks at. No honest call has as many,
// and a check gets through them within the time of a stage.
const maxTargets = 10_000

// bind returns the policy's demands on a call's tool, worked out once for each definition.
// A call without a tool has none, but the server's demands still apply to its result.
func (g *Gate) bind(c *call.Call, result bool) (b *policy.Binding, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	switch {
	case c.Tool == nil && result:
		return g.policy.Bind(c.Server, "", nil), nil
	case c.Tool == nil || g.policy == nil && g.tools == nil:
		return new(policy.Binding), nil
	}
	return c.Tool.Memo(g, c.Server, func() any { return g.policy.Bind(c.Server, c.Name, c.Tool, g.tools...) }).(*policy.Binding), nil
}
