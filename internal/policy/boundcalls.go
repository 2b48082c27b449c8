// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/limit"
)

// BoundCalls selects the calls that need the token of a dry run (docs/protocol.md, section 5.8). The zero
// BoundCalls selects none.
type BoundCalls struct {
	Before []string `policy:"before" doc:"calls that are refused without the token of a dry run, as server:tool, such as bank:transfer; * stands for any characters"`
}

// Covers reports whether calls of a server's tool need a token.
func (d *BoundCalls) Covers(server, tool string) bool { return limit.Match(d.Before, server, tool) }

// Problems says what is wrong, by the names of the fields in a policy.
func (d *BoundCalls) Problems() []check.Problem {
	var list []check.Problem
	for _, text := range d.Before {
		if err := limit.CheckPattern(text); err != nil {
			list = append(list, check.Problem{Field: "before", Message: err.Error()})
		}
	}
	if len(d.Before) == 0 {
		list = append(list, check.Problem{Field: "before", Message: "is missing: name the calls that need a dry run, such as bank:transfer"})
	}
	return list
}
