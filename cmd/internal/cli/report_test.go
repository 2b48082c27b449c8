// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
)

func Example_writeReport() {
	verdict := toolvet.Verdict{Findings: []check.Finding{{
		Check: "input-schema", Stage: check.Schema, Level: check.SyntaxLevel,
		Pointer: "/mode", Message: `expected one of "create", "append"`, Suggestion: `send "append"`,
	}}}
	result := protocol.NewResult("write_text_file", verdict)
	_ = writeReport(os.Stdout, "call.json", &result)
	// Output:
	// call.json: write_text_file: no-go
	//   error: /mode: expected one of "create", "append" [input-schema]
	//     fix: send "append"
}

func TestWriteReport(t *testing.T) {
	t.Parallel()
	finding := func(f check.Finding) check.Finding {
		f.Check, f.Stage, f.Level = "c", check.Semantic, check.SemanticLevel
		return f
	}
	for name, test := range map[string]struct {
		verdict toolvet.Verdict
		want    string
	}{
		"go":   {toolvet.Verdict{Go: true}, "tool: go\n"},
		"zero": {toolvet.Verdict{}, "tool: no-go\n  error: the call was not judged\n"},
		"warning": {
			toolvet.Verdict{Go: true, Findings: []check.Finding{finding(check.Finding{Message: "odd", Severity: check.Warning})}},
			"tool: go\n  warning: odd [c]\n",
		},
		"observed": {
			toolvet.Verdict{Go: true, Findings: []check.Finding{finding(check.Finding{Pointer: "/a", Message: "bad", Observed: true})}},
			"tool: go\n  warning (only observed): /a: bad [c]\n",
		},
		"skipped": {
			toolvet.Verdict{Go: true, Skipped: []check.Skip{{Check: "c", Level: check.RuntimeLevel, Why: "the server is remote"}}},
			"tool: go\n  not looked: the server is remote [c]\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			result := protocol.NewResult("tool", test.verdict)
			if err := writeReport(&b, "", &result); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestTextWriteError(t *testing.T) {
	t.Parallel()
	want := errors.New("closed")
	if got := writeReport(brokenWriter{want}, "", &protocol.Result{}); !errors.Is(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
