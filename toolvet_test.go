// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/policy"
)

// points are all points where a verdict is applied.
var points = []toolvet.Point{toolvet.PointLibrary, toolvet.PointProxy, toolvet.PointValidate}

func newGate(tb testing.TB, opts ...toolvet.Option) *toolvet.Gate {
	tb.Helper()
	g, err := toolvet.New(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// newCheck makes a check of the schema stage and the syntax level.
func newCheck(name string, run func(context.Context, *check.Pass) error) *check.Check {
	return &check.Check{
		Name: name, Doc: "# " + name + "\n\nA test.\n", Stage: check.Schema, Level: check.SyntaxLevel, Run: run,
	}
}

// finding returns the body of a check that always finds something.
func finding(message string) func(context.Context, *check.Pass) error {
	return func(_ context.Context, pass *check.Pass) error {
		pass.Reportf("", "%s", message)
		return nil
	}
}

func fine(context.Context, *check.Pass) error { return nil }

const fileTool = `{
	"name": "read_text_file",
	"inputSchema": {
		"type": "object",
		"properties": {"path": {"type": "string"}, "head": {"type": "integer", "minimum": 1}},
		"required": ["path"]
	}
}`

// newCall decodes a call against the tools whose definitions are given.
func newCall(tb testing.TB, params string, definitions ...string) *call.Call {
	tb.Helper()
	c, err := call.DecodeParams([]byte(params), call.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	var tools []*call.Tool
	for _, definition := range definitions {
		tool, err := call.DecodeTool([]byte(definition), call.Limits{})
		if err != nil {
			tb.Fatal(err)
		}
		tools = append(tools, tool)
	}
	c.Resolve(call.NewCatalog(tools))
	return c
}

func goodCall(tb testing.TB) *call.Call {
	tb.Helper()
	return newCall(tb, `{"name": "read_text_file", "arguments": {"path": "notes.txt"}}`, fileTool)
}

func TestZeroVerdict(t *testing.T) {
	t.Parallel()
	var v toolvet.Verdict
	if v.Go {
		t.Error("the zero verdict is a go")
	}
	if got, want := v.String(), "no-go\n - not judged"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	var denied *toolvet.DeniedError
	if err := v.Err("echo"); !errors.As(err, &denied) || denied.Tool != "echo" {
		t.Errorf("Err() = %v, want a DeniedError for echo", err)
	}
}

func TestVerdictErr(t *testing.T) {
	t.Parallel()
	v := toolvet.Verdict{Findings: []check.Finding{
		{Check: "one", Pointer: "/a", Message: "is odd"},
		{Check: "two", Message: "is dear", Severity: check.Warning},
		{Check: "three", Message: "is observed", Observed: true},
		{Check: "four", Message: "is late"},
	}}
	if got, want := v.Err("buy").Error(), "call to \"buy\" refused\n - /a: is odd [one]\n - is late [four]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := messages(v.Warnings()), []string{"is dear", "is observed"}; !cmp.Equal(got, want) {
		t.Errorf("Warnings() = %q, want %q", got, want)
	}
	good := toolvet.Verdict{Go: true, Findings: v.Findings[1:3]}
	if err := good.Err("buy"); err != nil {
		t.Errorf("a go has the error %v", err)
	}
	if got, want := good.String(), "go\n - is dear [two]\n - is observed [three]"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

func messages(findings []check.Finding) []string {
	var list []string
	for _, f := range findings {
		list = append(list, f.Message)
	}
	return list
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	nameless := newCheck("nameless", fine)
	nameless.Name = ""
	read, err := policy.Parse("toolvet.yaml", []byte("version: 1\nchecks:\n  input-schma: off\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		opts []toolvet.Option
		want string
	}{
		"nil check":       {[]toolvet.Option{toolvet.WithChecks(nil)}, "check 0 is nil"},
		"invalid check":   {[]toolvet.Option{toolvet.WithChecks(nameless)}, "needs a name"},
		"duplicate check": {[]toolvet.Option{toolvet.WithChecks(newCheck("a", fine), newCheck("a", fine))}, "is listed twice"},
		"unknown name":    {[]toolvet.Option{toolvet.WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"b": {}}}))}, `unknown check "b"`},
		"unknown in file": {[]toolvet.Option{toolvet.WithPolicy(policy.Seal(read)), toolvet.WithElsewhere("preset")}, "toolvet.yaml:3:3: the policy names the unknown check \"input-schma\": did you mean \"input-schema\"?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := toolvet.New(tt.opts...)
			if g != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v, want an error with %q", g, err, tt.want)
			}
		})
	}
}

func TestJudgeDefault(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	for name, tt := range map[string]struct {
		params string
		goes   bool
		want   string // check of the first finding
	}{
		"good":                   {`{"name": "read_text_file", "arguments": {"path": "notes.txt", "head": 3}}`, true, ""},
		"undeclared argument":    {`{"name": "read_text_file", "arguments": {"path": "notes.txt", "tail": 3}}`, true, "unknown-argument"},
		"smuggled argument":      {`{"name": "read_text_file", "arguments": {"path": "notes.txt", "Path": "/etc/passwd"}}`, false, "ambiguous-argument"},
		"missing argument":       {`{"name": "read_text_file", "arguments": {"head": 3}}`, false, "input-schema"},
		"no arguments":           {`{"name": "read_text_file"}`, false, "input-schema"},
		"unknown tool":           {`{"name": "read_textfile", "arguments": {"path": "notes.txt"}}`, false, "known-tool"},
		"number that is rounded": {`{"name": "read_text_file", "arguments": {"path": "notes.txt", "head": 9007199254740993}}`, true, "number-precision"},
	} {
		for _, at := range points {
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				t.Parallel()
				v := g.Judge(t.Context(), newCall(t, tt.params, fileTool), at)
				first := ""
				if len(v.Findings) > 0 {
					first = v.Findings[0].Check
				}
				if v.Go != tt.goes || first != tt.want {
					t.Errorf("got %v\nwant go %v, first finding of %q", v, tt.goes, tt.want)
				}
			})
		}
	}
}

// TestNothingLookedAt holds that a call of which nothing is known is not fine.
func TestNothingLookedAt(t *testing.T) {
	t.Parallel()
	off := map[string]policy.Check{}
	for _, c := range suite.Default() {
		off[c.Name] = policy.Check{Off: true}
	}
	skips := newCheck("skips", func(_ context.Context, pass *check.Pass) error {
		pass.Skipf("it is dark")
		return nil
	})
	for name, opts := range map[string][]toolvet.Option{
		"empty suite":      {toolvet.WithChecks()},
		"all checks off":   {toolvet.WithPolicy(policy.Seal(&policy.Policy{Checks: off}))},
		"all checks skip":  {toolvet.WithChecks(skips)},
		"nothing but skip": {toolvet.WithChecks(skips, newCheck("off", fine)), toolvet.WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"off": {Off: true}}}))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t, opts...)
			unknown := newCall(t, `{"name": "other"}`, fileTool)
			for _, at := range points {
				for _, c := range []*call.Call{goodCall(t), unknown} {
					if v := g.Judge(t.Context(), c, at); v.Go {
						t.Errorf("point %d: %s of %s", at, v, c.Name)
					}
				}
			}
		})
	}
}

func TestJudgeOfNil(t *testing.T) {
	t.Parallel()
	if v := newGate(t).Judge(t.Context(), nil, toolvet.PointValidate); v.Go || len(v.Findings) > 0 {
		t.Errorf("a nil call: %v, want the zero verdict", v)
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	at := func(name string, l check.Level) *check.Check {
		c := newCheck(name, fine)
		c.Level = l
		return c
	}
	checks := []*check.Check{at("a", check.SecurityLevel), at("b", check.RuntimeLevel), at("c", check.SyntaxLevel), at("d", check.SecurityLevel)}
	g := newGate(t, toolvet.WithChecks(checks...), toolvet.WithPolicy(policy.Seal(&policy.Policy{Checks: map[string]policy.Check{"b": {Off: true}}})))
	want := []check.Level{check.SyntaxLevel, check.SecurityLevel}
	if diff := cmp.Diff(want, inside.Of(g).Levels()); diff != "" {
		t.Errorf("Levels() (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, g.Judge(t.Context(), goodCall(t), toolvet.PointProxy).Levels); diff != "" {
		t.Errorf("levels of the verdict (-want +got):\n%s", diff)
	}
}

// TestOrder holds that findings come in the order of the stages and of the suite,
// whoever finishes first.
func TestOrder(t *testing.T) {
	t.Parallel()
	var checks []*check.Check
	var want []string
	for _, stage := range []check.Stage{check.Policy, check.Schema, check.Semantic} { // not their order
		for i := range 4 {
			name := fmt.Sprintf("%s-%d", stage, i)
			c := newCheck(name, finding(name))
			c.Stage, c.Severity = stage, check.Warning
			if i%2 == 0 {
				c.Level = check.RuntimeLevel
			}
			checks = append(checks, c)
		}
	}
	for _, stage := range []check.Stage{check.Schema, check.Semantic, check.Policy} {
		for i := range 4 {
			want = append(want, fmt.Sprintf("%s-%d", stage, i))
		}
	}
	g := newGate(t, toolvet.WithChecks(checks...))
	c := goodCall(t)
	for range 50 {
		if diff := cmp.Diff(want, messages(g.Judge(t.Context(), c, toolvet.PointProxy).Findings)); diff != "" {
			t.Fatalf("order (-want +got):\n%s", diff)
		}
	}
}

// TestConcurrentJudge is for the race detector: one Gate, one tool, many calls.
func TestConcurrentJudge(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	shared := goodCall(t)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			if v := g.Judge(t.Context(), shared, points[i%len(points)]); !v.Go {
				t.Errorf("the shared call: %v", v)
			}
			own := newCall(t, fmt.Sprintf(`{"name": "read_text_file", "arguments": {"path": "a", "head": %d}}`, i-16), fileTool)
			if v := g.Judge(t.Context(), own, toolvet.PointProxy); v.Go != (i > 16) {
				t.Errorf("head %d: %v", i-16, v)
			}
		})
	}
	wg.Wait()
}
