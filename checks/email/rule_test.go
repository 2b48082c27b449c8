// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package email

import (
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// find runs the check over one value, and returns what it finds: "severity level: message"
// and "→ suggestion". It fails if a text repeats the value.
func find(t *testing.T, c *check.Check, world check.World, options, value any) []string {
	t.Helper()
	pass := check.NewPass(c, &call.Call{}, nil)
	pass.World = world
	pass.Targets = []check.Target{{Pointer: "/a", Value: value, Options: options}}
	if err := c.Run(t.Context(), pass); err != nil {
		t.Fatalf("the check broke: %v", err)
	}
	var list []string
	add := func(text string) {
		if s, ok := value.(string); ok && len(s) > 3 && strings.Contains(text, s) {
			t.Errorf("%q repeats the value %q", text, s)
		}
		list = append(list, text)
	}
	for _, f := range pass.Findings() {
		if f.Pointer != "/a" {
			t.Errorf("the finding is at %q, want /a", f.Pointer)
		}
		add(f.Severity.String() + " " + f.Level.String() + ": " + f.Message)
		if f.Suggestion != "" {
			add("→ " + f.Suggestion)
		}
	}
	if skip := pass.Skipped(); skip != nil {
		add("skip: " + skip.Why)
	}
	return list
}

// testDoc holds the documentation to what it must have, and its example to what the check
// finds in a value.
func testDoc(t *testing.T, c *check.Check, options, value any) {
	t.Helper()
	if err := check.Validate([]*check.Check{c}); err != nil {
		t.Error(err)
	}
	for _, section := range []string{"\n## Options\n", "\n## Why", "\n## Example\n", "\n## How to mend it\n"} {
		if !strings.Contains(c.Doc, section) {
			t.Errorf("the README lacks the section %q", strings.TrimSpace(section))
		}
	}
	_, example, _ := strings.Cut(c.Doc, "\n## Example\n")
	example, _, _ = strings.Cut(example, "\n## ")
	var shown []string
	for line := range strings.Lines(example) {
		if text, indented := strings.CutPrefix(line, "    "); indented {
			shown = append(shown, strings.TrimSpace(text))
		}
	}
	found := find(t, c, check.World{}, options, value)
	if len(shown) == 0 || len(shown) != len(found) {
		t.Fatalf("the README shows %q, the check finds %q", shown, found)
	}
	for i, text := range found {
		_, message, _ := strings.Cut(text, ": ")
		_, want, placed := strings.Cut(shown[i], ": ")
		if shown[i] != text && shown[i] != message && (!placed || want != message) {
			t.Errorf("the README shows %q, the check finds %q", shown[i], text)
		}
	}
}
