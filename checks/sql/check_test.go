// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// findings runs the check over one value, and writes what it finds as case files do.
func findings(t testing.TB, o any, value any) string {
	t.Helper()
	run := check.NewRun(Check, &call.Call{}, nil)
	run.Targets = []check.Target{{Pointer: "/sql", Value: value, Options: o}}
	if err := run.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range run.Findings {
		b.WriteString(f.Severity.String() + " " + f.String() + "\n")
		if f.Suggestion != "" {
			b.WriteString("→ " + f.Suggestion + "\n")
		}
	}
	return b.String()
}

// TestMessages holds the words of the messages, those of README.md among them.
func TestMessages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options any
		value   any
		want    []string
	}{
		"fine":       {new(Options), "SELECT 1", nil},
		"no options": {nil, "SELECT 1", nil},
		"kind": {new(Options), "DELETE FROM orders", []string{
			"error /sql: holds a statement of the kind delete at character 1; allowed are statements of the kind select",
			"→ send only what is allowed"}},
		"two": {new(Options), "SELECT 1;\nDROP TABLE orders", []string{
			"error /sql: holds 2 statements, and 1 may be sent",
			"→ send one statement a call",
			"error /sql: holds a statement of the kind drop at line 2, character 1; allowed are statements of the kind select",
			"→ send only what is allowed"}},
		"function": {new(Options), "SELECT pg_read_file('/etc/passwd')", []string{
			"error /sql: calls a function at character 8 that reads files of the database's host",
			"→ leave it out; a policy can allow it in allow_functions"}},
		"none": {new(Options), " -- nothing", []string{
			"error /sql: holds no statement",
			"→ send a statement of a kind that is allowed: select"}},
		"secret table": {new(Options), "SELECT * FROM pg_shadow", []string{
			"warning /sql: reads a table at character 15 that holds passwords or keys of the database itself",
			"→ leave it out, and let the tool's role have no right to read it"}},
		"open quote": {new(Options), "SELECT 'a", []string{
			"error /sql: has a quote or a comment that is not closed, which begins at character 8",
			"→ close it"}},
		"long": {&Options{MaxLength: 5}, "SELECT 1", []string{
			"error /sql: is 8 bytes long, and 5 are allowed",
			"→ send a shorter text"}},
		"NUL": {new(Options), "SELECT '\x00'", []string{
			"error /sql: has a NUL character at character 9, at which some databases stop reading",
			"→ remove it"}},
		"command of a client": {new(Options), ".dump", []string{
			"error /sql: holds a statement that toolvet does not know at character 1; allowed are statements of the kind select",
			"→ send only what is allowed"}},
		"no text": {new(Options), json.Number("1"), []string{
			"error /sql: must be a string, because it is SQL or put into SQL"}},
		"value": {&Options{Parameter: Literal}, "x' OR '1'='1", []string{
			"error /sql: would change the statement around it: it adds a condition (AND, OR)",
			"→ send a value alone; the server should bind it as a parameter"}},
		"value, number":       {&Options{Parameter: Literal}, json.Number("1"), nil},
		"value, null":         {&Options{Parameter: String}, nil, nil},
		"value, array":        {&Options{Parameter: Literal}, []any{}, []string{"error /sql: must be a string, because it is SQL or put into SQL"}},
		"value, backslash":    {&Options{Parameter: String, Dialect: "mysql"}, `a\`, []string{"warning /sql: ends with a backslash, which some databases take for an escape of the quote behind it", "→ double it, or leave it out"}},
		"value, no backslash": {&Options{Parameter: String, Dialect: "postgres"}, `a\`, nil},
		"value for a number": {&Options{Parameter: Number}, "1 OR 1", []string{
			"error /sql: must be a number such as 12 or -0.5, because it is put into a statement as it is",
			"→ send a number"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := ""
			if len(tt.want) > 0 {
				want = strings.Join(tt.want, "\n") + "\n"
			}
			if diff := cmp.Diff(want, findings(t, tt.options, tt.value)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlace holds that places are counted in characters.
func TestPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		at   int
		want string
	}{
		{"abc", 0, "character 1"},
		{"éb", 2, "character 2"},
		{"a\nb", 0, "line 1, character 1"},
		{"a\nb", 2, "line 2, character 1"},
		{"abc", 99, "character 4"},
		{"abc", -1, "character 1"},
	} {
		if got := Place(tt.text, tt.at); got != tt.want {
			t.Errorf("Place(%q, %d) = %q, want %q", tt.text, tt.at, got, tt.want)
		}
	}
}
