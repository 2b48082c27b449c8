// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
)

// An example is a block of docs/protocol.md: "```json", then what parts of it must
// conform to, as "SCHEMA [POINTER]" joined by semicolons.
type example struct {
	claims []string
	text   string
}

func examples(t *testing.T) []example {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	for block := range strings.SplitSeq(string(page), "\n```json") {
		head, rest, _ := strings.Cut(block, "\n")
		text, _, closed := strings.Cut(rest, "\n```\n")
		if len(all) == 0 && strings.HasPrefix(block, "# ") { // what stands before the first
			all = append(all, example{})
			continue
		}
		if !closed || strings.TrimSpace(head) == "" {
			t.Fatalf("the block that begins with %.60q is not closed, or says not what it is", block)
		}
		all = append(all, example{strings.Split(head, ";"), text})
	}
	if len(all) < 2 {
		t.Fatal("no examples")
	}
	return all[1:]
}

// TestExamplesConform holds the examples of the protocol's text against its grammar.
func TestExamplesConform(t *testing.T) {
	t.Parallel()
	g := newGrammar(t)
	var shown []string
	for _, e := range examples(t) {
		for _, claim := range e.claims {
			name, pointer, _ := strings.Cut(strings.TrimSpace(claim), " ")
			if g[name] == nil {
				t.Fatalf("an example is said to be %q, which no schema here is", name)
			}
			g.conforms(t, name, part(t, e.text, pointer))
			shown = append(shown, name)
		}
	}
	for _, name := range schemaNames {
		if !slices.Contains(shown, name) {
			t.Errorf("docs/protocol.md has no example of %s", name)
		}
	}
}

// part returns the part of an example at a JSON Pointer.
func part(t *testing.T, text, pointer string) json.RawMessage {
	t.Helper()
	raw := json.RawMessage(text)
	for _, step := range strings.Split(pointer, "/")[1:] {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(raw, &object); err != nil {
			t.Fatalf("example at %s: %v", pointer, err)
		}
		raw = object[strings.ReplaceAll(step, "~1", "/")]
	}
	if raw == nil {
		t.Fatalf("an example has nothing at %s:\n%s", pointer, text)
	}
	return raw
}

// TestExamplesAreOurs: the page shows what toolvet sends, to the word.
func TestExamplesAreOurs(t *testing.T) {
	t.Parallel()
	rename := `rename "pth" to "path"`
	r := protocol.NewResult("schedule_backup", toolvet.Verdict{Findings: []check.Finding{
		{Check: "input-schema", Stage: check.Schema, Level: check.SyntaxLevel, Pointer: "/path",
			Message: "required property is missing; expected string", Suggestion: rename},
		{Check: "input-schema", Stage: check.Schema, Level: check.SyntaxLevel, Pointer: "/pth",
			Message: `property is not allowed; allowed: "path" and "time"`, Suggestion: rename},
	}})
	want := decodeResult(t, r.Refusal(true), true)
	wantCore := core(t, want.Meta[protocol.VerdictKey])
	var dryRun, refused bool
	for _, e := range examples(t) {
		switch {
		case e.claims[0] == " refused-call /result":
			refused = true
			got := decodeResult(t, part(t, e.text, "/result"), true)
			if got.Content[0].Text != want.Content[0].Text {
				t.Errorf("the page says\n%s\ntoolvet says\n%s", got.Content[0].Text, want.Content[0].Text)
			}
			if got := core(t, got.Meta[protocol.VerdictKey]); got != wantCore {
				t.Errorf("the page says\n%s\ntoolvet says\n%s", got, wantCore)
			}
		case e.claims[0] == " validate-result /result/structuredContent":
			dryRun = true
			got := decodeResult(t, part(t, e.text, "/result"), false)
			for _, raw := range []json.RawMessage{got.Structured, json.RawMessage(got.Content[0].Text)} {
				if got := core(t, raw); got != wantCore {
					t.Errorf("the page says\n%s\ntoolvet says\n%s", got, wantCore)
				}
			}
		}
	}
	if !dryRun || !refused {
		t.Errorf("the page shows a dry run: %t, a refused call: %t", dryRun, refused)
	}
}

// core is a result without what a plain client ignores.
func core(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var r struct {
		Valid       bool     `json:"valid"`
		Errors      []string `json:"errors"`
		Warnings    []string `json:"warnings"`
		Suggestions []string `json:"suggestions"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
