// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
)

// said is a verdict for the people at a host and for their model. Findings of the checks on commands and paths name their kind, as the option
// allow of these checks does. A policy permits a kind by that name, and 'toolvet explain' tells what it is.
func said(tool string, v toolvet.Verdict) string {
	r := protocol.NewResult(tool, v)
	for i := range r.Findings { // copies of the verdict's
		f := &r.Findings[i]
		if on := strings.TrimSuffix(f.Check, "-state"); f.Source != "" && (on == "command" || on == "path") {
			f.Message += " [" + on + ": " + f.Source + "]"
			if own, ok := strings.CutSuffix(f.Suggestion, ", or have the policy list this one under programs"); ok {
				f.Suggestion = own // a list of programs would take the place of all that the preset says
				if f.Asks() && slices.Contains(policy.Consentable(), f.Source) {
					f.Suggestion += ", or have a policy for the hook name this kind under unasked: 'toolvet explain " + f.Source + "' shows how"
				}
			}
		}
	}
	return r.Text()
}
