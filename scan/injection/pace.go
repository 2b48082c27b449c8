// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import "context"

// A pace tells the loops of a scan when to end. A nil pace never does.
type pace struct {
	ctx   context.Context
	count uint
	ended bool
}

// paceSteps is how many steps are taken between two looks at the context. A step is a
// character, a word, or what takes a little more, such as a link.
const paceSteps = 4096

// over reports whether the scan is to end.
func (p *pace) over() bool {
	if p == nil {
		return false
	}
	if p.count++; p.count%paceSteps == 0 && !p.ended {
		p.ended = p.ctx.Err() != nil
	}
	return p.ended
}
