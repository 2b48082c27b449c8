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
	"github.com/toolvet/toolvet/checks/internal/sqltext"
)

// findings runs the check over one value, and writes what it finds as case files do.
func findings(t testing.TB, o any, value any) string {
	t.Helper()
	run := new(check.Run).Init(Check, &call.Call{}, nil)
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
		"value": {&Options{Parameter: "literal"}, "x' OR '1'='1", []string{
			"error /sql: would change the statement around it: it adds a condition (AND, OR)",
			"→ send a value alone; the server should bind it as a parameter"}},
		"value, number":       {&Options{Parameter: "literal"}, json.Number("1"), nil},
		"value, null":         {&Options{Parameter: "string"}, nil, nil},
		"value, array":        {&Options{Parameter: "literal"}, []any{}, []string{"error /sql: must be a string, because it is SQL or put into SQL"}},
		"value, backslash":    {&Options{Parameter: "string", Dialect: "mysql"}, `a\`, []string{"warning /sql: ends with a backslash, which some databases take for an escape of the quote behind it", "→ double it, or leave it out"}},
		"value, no backslash": {&Options{Parameter: "string", Dialect: "postgres"}, `a\`, nil},
		"value for a number": {&Options{Parameter: "number"}, "1 OR 1", []string{
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

// TestExamples holds that the README shows the check's findings.
func TestExamples(t *testing.T) {
	t.Parallel()
	said := findings(t, new(Options), "SELECT 1;\nDROP TABLE orders") + findings(t, new(Options), "SELECT pg_read_file('/etc/passwd')") +
		findings(t, &Options{Parameter: "literal"}, "x' OR '1'='1")
	for line := range strings.Lines(said) {
		if !strings.Contains(doc, "    "+line) {
			t.Errorf("README.md does not show %q", line)
		}
	}
	for _, text := range []string{"SELECT name FROM orders WHERE note = 'a; DROP TABLE b' -- ok", "EXPLAIN (ANALYZE) SELECT 1"} {
		if got := findings(t, new(Options), text); got != "" || !strings.Contains(doc, text) {
			t.Errorf("README.md says that %q is fine: %s", text, got)
		}
	}
	for _, kind := range sqltext.Kinds {
		if !strings.Contains(doc, "`"+string(kind)+"`") {
			t.Errorf("README.md does not name the kind %s", kind)
		}
	}
}
