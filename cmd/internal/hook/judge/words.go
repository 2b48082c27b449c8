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
// allow of these checks does. A policy permits a kind by that name, and 'toolvet explain' tells what it is. Earlier is the reading of the session
// behind a question, if one is: then a policy would not help.
func said(tool string, v toolvet.Verdict, earlier string) string {
	r := protocol.NewResult(tool, v)
	for i := range r.Findings { // copies of the verdict's
		f := &r.Findings[i]
		on, kind := strings.TrimSuffix(f.Check, "-state"), f.Source
		switch {
		case kind != "" && (on == "command" || on == "path"):
			f.Message += " [" + on + ": " + kind + "]"
		case on == "path":
			kind = place
		case on == "url":
			kind = "network"
		}
		f.Suggestion = strings.TrimSuffix(f.Suggestion, ", or have the policy list this one under programs") // a list would take the place of all that the preset says
		if !f.Asks() || kind == "guard" {                                                                    // which no policy of an agent should let pass
			continue
		}
		if how := instead[kind]; how != "" && (f.Source != "" || f.Suggestion == "") {
			f.Suggestion = how
		}
		if kind == "key" {
			kind = "credential" // the policy's name for both
		}
		if earlier == "" && f.Suggestion != "" && slices.Contains(policy.Consentable(), kind) {
			f.Suggestion += "; 'toolvet explain " + kind + "' shows how a policy lets it pass"
		}
	}
	return r.Text() + earlier
}

// place is the kind of a path that leads out of the directories.
const place = "\x00place"

// instead says how to do without what is asked about, by kinds. The check's own fixes are for a server without a person to ask.
var instead = map[string]string{
	"wipe":        "leave what others use alone, and name only what this work has made",
	"deleting":    "name the files that are to go",
	"setting":     "leave that option or setting out",
	"environment": "leave that variable out",
	"later":       "run it now",
	"elsewhere":   "run it on this machine",
	"privilege":   "run it as the user that you are",
	"project":     "run the program itself, as its own command",
	"network":     "use what this machine or a listed host has",
	"sending":     "keep the work on this machine, and let the user send it",
	"steering":    "let the user make this change",
	"startup":     "name another file of the work at hand",
	"key":         "leave keys, and variables with secrets, to the programs that need them",
	place:         "name a place in the directories of the work at hand, or have a policy for the hook list that one under unasked: {directories: […]}",
}
