// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strconv"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A Condition says whether the version of a host heeds what toolvet writes.
type Condition struct {
	Text  string // what the user has to know, a sentence; "" if there is nothing
	Blind bool   // the host on this machine does not run the hooks at all
	Open  bool   // the host on this machine ignores the switch to fail closed
}

// Versions of Claude Code from which on it reads settings with events that it does not know, and heeds "onFailure".
var (
	readsSettings = []int{2, 1, 101}
	heedsSwitch   = []int{2, 1, 295}
)

// Condition looks at the version of a host, if its program is there and says it.
func (m *Machine) Condition(h *hook.Host) Condition {
	if h.Name != "claude-code" {
		return Condition{}
	}
	text := ""
	if m.Version != nil {
		if program, err := m.LookPath("claude"); err == nil {
			text = m.Version(program)
		}
	}
	words := versionNumber.FindStringSubmatch(text)
	if words == nil {
		return Condition{Text: "Claude Code before 2.1.295 ignores \"onFailure\", and runs the call when a hook fails; before 2.1.101 it ignores all of its settings.json. 'claude --version' tells yours, and 'claude update' brings a newer one."}
	}
	var version []int
	for _, word := range words[1:] {
		n, err := strconv.Atoi(word)
		if err != nil {
			return Condition{}
		}
		version = append(version, n)
	}
	switch {
	case slices.Compare(version, readsSettings) < 0:
		return Condition{"Claude Code here is " + words[0] + ": before 2.1.101 it ignores all of its settings.json, and so these hooks. Update it.", true, true}
	case slices.Compare(version, heedsSwitch) < 0:
		return Condition{"Claude Code here is " + words[0] + ": before 2.1.295 it ignores \"onFailure\", and runs the call when a hook fails. Update it.", false, true}
	}
	return Condition{}
}

// versionNumber matches what "claude --version" prints: 2.1.197 (Claude Code).
var versionNumber = lazyregexp.New(`^(\d{1,6})\.(\d{1,6})\.(\d{1,6})\b`)
