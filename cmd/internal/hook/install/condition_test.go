// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/hook"
)

func TestCondition(t *testing.T) {
	t.Parallel()
	claude, _ := hook.Lookup("claude-code")
	codex, _ := hook.Lookup("codex")
	found := func(string) (string, error) { return "/bin/claude", nil }
	const unknown = "Claude Code before 2.1.295 ignores \"onFailure\", and runs the call when a hook fails; before 2.1.101 it ignores all of its settings.json. 'claude --version' tells yours, and 'claude update' brings a newer one."
	for said, want := range map[string]Condition{
		"2.1.100 (Claude Code)": {"Claude Code here is 2.1.100: before 2.1.101 it ignores all of its settings.json, and so these hooks. Update it.", true, true},
		"1.9.999":               {"Claude Code here is 1.9.999: before 2.1.101 it ignores all of its settings.json, and so these hooks. Update it.", true, true},
		"2.1.101":               {"Claude Code here is 2.1.101: before 2.1.295 it ignores \"onFailure\", and runs the call when a hook fails. Update it.", false, true},
		"2.1.294 (Claude Code)": {"Claude Code here is 2.1.294: before 2.1.295 it ignores \"onFailure\", and runs the call when a hook fails. Update it.", false, true},
		"2.1.295 (Claude Code)": {},
		"2.2.0":                 {},
		"10.0.0":                {},
		"":                      {Text: unknown},
		"Claude Code 2":         {Text: unknown},
		"2.1":                   {Text: unknown},
	} {
		m := &Machine{LookPath: found, Version: func(string) string { return said }}
		if got := m.Condition(claude); got != want {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
		if got := m.Condition(codex); got != (Condition{}) {
			t.Errorf("Codex has %+v", got)
		}
	}
	missing := &Machine{LookPath: func(string) (string, error) { return "", errors.New("none") }, Version: func(string) string { return "2.1.300" }}
	if got := missing.Condition(claude); got.Text != unknown {
		t.Errorf("without the program: %+v", got)
	}
}
