// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
)

// TestCalled holds that the tool that a finding suggests gets the caller's name for it, and that other suggestions stay.
func TestCalled(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]check.Finding{
		"did you mean the tool s__read?": {Check: "known-tool", Suggestion: "did you mean the tool read?", Source: "read"},
		"did you mean the tool read?":    {Check: "known-tool", Suggestion: "did you mean the tool read?"},
		"ask ann":                        {Check: "rule", Suggestion: "ask ann", Source: "ann"},
	} {
		r := protocol.NewResult("raed", toolvet.Verdict{Findings: []check.Finding{f}})
		r.Called("s__raed", func(own string) string { return "s__" + own })
		if got := r.Findings[0].Suggestion; got != want || r.Tool != "s__raed" {
			t.Errorf("%q of %s, want %q", got, r.Tool, want)
		}
	}
}

// TestNewResultKeepsFindings: whatever the verdict, no finding is lost on the way to a
// client, and the call is valid only if nothing refuses it.
func TestNewResultKeepsFindings(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		v := randomVerdict(r)
		result := protocol.NewResult("read", v)
		if want := v.Go && len(v.Errors()) == 0; result.Valid != want {
			t.Fatalf("valid = %t, want %t: %+v", result.Valid, want, v)
		}
		if result.Valid != (len(result.Errors) == 0) {
			t.Fatalf("valid = %t beside the errors %q", result.Valid, result.Errors)
		}
		if diff := cmp.Diff(texts(v.Errors()), withoutNotJudged(result.Errors)); diff != "" {
			t.Fatalf("errors (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(texts(v.Warnings()), result.Warnings); diff != "" {
			t.Fatalf("warnings (-want +got):\n%s", diff)
		}
		sameFindings(t, v, result)
		tellsAll(t, v, result)
	}
}

func sameFindings(t *testing.T, v toolvet.Verdict, r protocol.Result) {
	t.Helper()
	got := make([]check.Finding, len(r.Findings))
	for i, f := range r.Findings {
		if f.Code != v.Findings[i].Stage.Code() {
			t.Fatalf("finding %d has the code %q, not that of stage %v", i, f.Code, v.Findings[i].Stage)
		}
		got[i] = check.Finding{Check: f.Check, Stage: v.Findings[i].Stage, Level: f.Level, Severity: f.Severity, Pointer: f.Pointer,
			Message: f.Message, Suggestion: f.Suggestion, Value: f.Value, Observed: f.Observed}
	}
	if !cmp.Equal(v.Findings, got) && len(v.Findings)+len(got) > 0 {
		t.Fatalf("findings (-want +got):\n%s", cmp.Diff(v.Findings, got))
	}
}

// tellsAll looks for every message, place and suggestion in what models and plain
// clients read.
func tellsAll(t *testing.T, v toolvet.Verdict, r protocol.Result) {
	t.Helper()
	text := r.Text()
	refusal := decodeResult(t, r.Refusal(false), false).Content[0].Text
	for _, f := range v.Findings {
		mark := "warning"
		if f.Blocks() {
			mark = f.Severity.String()
		}
		if line := "- " + mark + ": " + f.String(); !slices.Contains(strings.Split(text, "\n"), line) {
			t.Fatalf("the text lacks the line %q:\n%s", line, text)
		}
		if f.Suggestion == "" {
			continue
		}
		told := slices.ContainsFunc(r.Suggestions, func(s string) bool {
			places, isSuggestion := strings.CutSuffix(s, f.Suggestion)
			return isSuggestion && (f.Pointer == "" || strings.Contains(places, f.Pointer))
		})
		if !told {
			t.Fatalf("the suggestions lack %q for %s: %q", f.Suggestion, f.Pointer, r.Suggestions)
		}
		if n := strings.Count(text, "fix: "+f.Suggestion+"\n") + strings.Count(text+"\n", "fix: "+f.Suggestion+" (for"); n > 1 {
			t.Fatalf("the text tells %q %d times:\n%s", f.Suggestion, n, text)
		}
	}
	for _, e := range r.Errors {
		if !strings.Contains(text, e) {
			t.Fatalf("the text lacks the error %q:\n%s", e, text)
		}
	}
	if !strings.Contains(refusal, text) || !strings.Contains(refusal, "Nothing was executed.") {
		t.Fatalf("the refusal lacks the text:\n%s", refusal)
	}
}

func texts(findings []check.Finding) []string {
	out := []string{}
	for _, f := range findings {
		out = append(out, f.String())
	}
	return out
}

func withoutNotJudged(errors []string) []string {
	return slices.DeleteFunc(slices.Clone(errors), func(e string) bool { return e == "the call was not judged" })
}

func randomVerdict(r *rand.Rand) toolvet.Verdict {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	v := toolvet.Verdict{Go: r.IntN(2) == 0, Levels: []check.Level{check.SyntaxLevel}}
	for i := range r.IntN(6) {
		v.Findings = append(v.Findings, check.Finding{
			Check: pick("one", "two"), Stage: check.Stage(1 + r.IntN(4)), Level: check.Level(1 + r.IntN(4)),
			Severity: check.Severity(r.IntN(3)), Pointer: pick("", "/a", "/a/0", "/b~1c"),
			Message:    fmt.Sprintf("message %d %s", i, pick(`"q"`, "<&>", "ä", "\\n")),
			Suggestion: pick("", `use "x"`, "remove it"), Observed: r.IntN(3) == 0,
		})
	}
	return v
}

func TestSuggestionsAreToldOnce(t *testing.T) {
	t.Parallel()
	finding := func(pointer, suggestion string) check.Finding {
		return check.Finding{Check: "x", Stage: check.Schema, Level: check.SyntaxLevel, Pointer: pointer, Message: "m", Suggestion: suggestion}
	}
	r := protocol.NewResult("read", toolvet.Verdict{Findings: []check.Finding{
		finding("/mode", "use 1"),
		finding("", "call another"),
		finding("/path", `rename "pth" to "path"`),
		finding("/path", `rename "pth" to "path"`),
		finding("/pth", `rename "pth" to "path"`),
		finding("/z", ""),
		finding("/other", "use 1"),
	}})
	want := []string{"/mode, /other: use 1", "call another", `/path, /pth: rename "pth" to "path"`}
	if diff := cmp.Diff(want, r.Suggestions); diff != "" {
		t.Errorf("suggestions (-want +got):\n%s", diff)
	}
	wantText := strings.TrimSpace(`
- error: /mode: m
  fix: use 1 (for /other, too)
- error: m
  fix: call another
- error: /path: m
  fix: rename "pth" to "path" (for /pth, too)
- error: /path: m
- error: /pth: m
- error: /z: m
- error: /other: m`)
	if diff := cmp.Diff(wantText, r.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestNotJudged: a no-go that no finding explains is explained all the same.
func TestNotJudged(t *testing.T) {
	t.Parallel()
	warning := check.Finding{Check: "x", Stage: check.Schema, Level: check.SyntaxLevel, Severity: check.Warning, Message: "odd"}
	for name, v := range map[string]toolvet.Verdict{"zero": {}, "only a warning": {Findings: []check.Finding{warning}}} {
		r := protocol.NewResult("read", v)
		if diff := cmp.Diff([]string{"the call was not judged"}, r.Errors); diff != "" || r.Valid {
			t.Errorf("%s: valid %t, errors (-want +got):\n%s", name, r.Valid, diff)
		}
		if !strings.Contains(r.Text(), "- error: the call was not judged") {
			t.Errorf("%s: the text does not say that the call was not judged:\n%s", name, r.Text())
		}
	}
}

// TestNameIsBounded: the name of a tool comes from the request, and reaches a model.
func TestNameIsBounded(t *testing.T) {
	t.Parallel()
	r := protocol.NewResult(strings.Repeat("x", 1000)+"\x1b[2J\u202e", toolvet.Verdict{})
	if n := len([]rune(r.Tool)); n > 129 {
		t.Errorf("a name of %d characters is repeated", n)
	}
	r = protocol.NewResult("a\x1b[2J\u202eb\nc", toolvet.Verdict{})
	if got, want := r.Tool, "a\ufffd[2J\ufffdb\ufffdc"; got != want {
		t.Errorf("tool = %q, want %q", got, want)
	}
	if !json.Valid(r.Answer(true)) {
		t.Errorf("the answer is no JSON: %s", r.Answer(true))
	}
}
