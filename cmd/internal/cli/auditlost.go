// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/probe"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A demandAt is a demand of a policy on an argument.
type demandAt struct {
	tool, address string
	kind          infer.Kind
}

// elementOf matches the end of a pointer to an element of an array.
var elementOf = lazyregexp.New(`(/[0-9]+)+$`)

// demandsIn are the demands by which a policy refused a call of a tool.
func demandsIn(checks enforce.Checks, tool string, refusal probe.Refusal) (list []demandAt) {
	for _, f := range refusal.Findings {
		d := demandAt{tool, elementOf.ReplaceAllString(f.Pointer, ""), infer.Kind(strings.TrimSuffix(f.Check, "-state"))}
		if d.address != "" && isRule(checks, d.kind) && !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// protective are the kinds of demands that close holes. They stay although they refuse harmless calls. Others hold the form of a text.
var protective = []infer.Kind{infer.Path, infer.URL, infer.Command, infer.SQL, infer.Glob, "text"}

// loosen leaves out demands on the form of a text that refuse harmless calls: these show that the guess is wrong. It reports whether there are any.
func (d *drafting) loosen(alone, behind *probe.Result) (changed bool) {
	for _, c := range alone.Controls {
		if slices.Contains(behind.Controls, c) {
			continue
		}
		for _, at := range demandsIn(d.checks, c.Tool, behind.Refused[c]) {
			if !slices.Contains(protective, at.kind) && !slices.Contains(d.loose, at) {
				d.loose, changed = append(d.loose, at), true
			}
		}
	}
	return changed
}

// explainLost says of each harmless call that is lost why it does not work, and what lets it pass.
func (p *proxied) explainLost(lost []audit.Lost, refused map[audit.Cell]probe.Refusal, walled bool) {
	file := p.flags.policy
	if p.flags.writePolicy != "" {
		file = p.flags.writePolicy
	}
	for i := range lost {
		one := &lost[i]
		refusal := refused[one.Cell]
		if one.Why = refusal.Lines; len(one.Why) == 0 {
			one.Why = []string{"the call is answered, and its effect is not seen any more"}
		}
		demands := demandsIn(p.checks, one.Tool, refusal)
		for _, d := range demands {
			change := fmt.Sprintf("write a policy in which %s.arguments.%s has no %s, or a looser one: --write-policy FILE drafts a policy", key(d.tool), key(argument(d.address)), d.kind)
			if file != "" {
				change = fmt.Sprintf("in %s, delete %s from servers.%s.tools.%s.arguments.%s, or loosen its options", file, d.kind, key(p.name), key(d.tool), key(argument(d.address)))
			}
			one.Change = append(one.Change, change)
		}
		if len(demands) == 0 && walled && refusal.Findings == nil {
			change := "no demand refused it: under contain, name what it needs in read, write or network.allow (docs/contain.md)"
			if refusal.Ended { // of itself, as far as anybody knows
				change = "none, if the server ends in this call without toolvet, too: call it so; if it does not, name what it needs under contain (docs/contain.md)"
			}
			one.Change = append(one.Change, change)
		}
	}
}
