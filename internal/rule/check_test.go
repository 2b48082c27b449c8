// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/check/checktest"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/rule"
)

// readers are the rules of the README, and some more.
var readers = []rule.Rule{
	{
		Name: "readers-read", Effect: rule.Allow, Tools: []string{"files:read"},
		When:       `within(args.path, "/srv/data/" + session.subject)`,
		Message:    "only your own directory",
		Suggestion: "use a path below /srv/data/ and your name",
	},
	{Name: "private", Effect: rule.Deny, Tools: []string{"files:*"}, When: `args.path.contains("/private/")`},
	{
		Name: "hidden", Effect: rule.Deny, When: `glob(args.path, "**/.*")`, Observe: true,
		Message: "hidden files hold secrets",
	},
}

func TestCheck(t *testing.T) {
	t.Parallel()
	c := *rule.NewCheck(compile(t, readers...), rule.Options{})
	run := c.Run
	c.Run = func(ctx context.Context, pass *check.Pass) error { // the cases know no session
		judged := *pass.Call
		judged.Server, judged.Session = "files", &call.Session{Subject: "ann"}
		pass.Call = &judged
		return run(ctx, pass)
	}
	checktest.Run(t, &c, "testdata")
}

func compile(tb testing.TB, rules ...rule.Rule) *rule.Set {
	tb.Helper()
	set, err := rule.Compile(rules, rule.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

const readTool = `{"name": "read", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}`

// newCall is a call of the tool "read" of the server "files".
func newCall(tb testing.TB, session *call.Session, arguments string) *call.Call {
	tb.Helper()
	c, err := call.DecodeParams([]byte(`{"name": "read", "arguments": `+arguments+`}`), call.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	tool, err := call.DecodeTool([]byte(readTool), call.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	c.Server, c.Session = "files", session
	c.Resolve(call.NewCatalog([]*call.Tool{tool}))
	return c
}

// TestGate holds that a Gate refuses calls by the rules, that rules in observe mode only warn,
// and that only the log repeats values.
func TestGate(t *testing.T) {
	t.Parallel()
	rules := append(readers[:len(readers):len(readers)],
		rule.Rule{Name: "count", Effect: rule.Deny, When: `args.path.contains("hunter") && cidr(args.path).isMask()`})
	var log bytes.Buffer
	c := rule.NewCheck(compile(t, rules...), rule.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	gate, err := toolvet.New(toolvet.WithChecks(append(suite.Default(), c)...))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		session   *call.Session
		arguments string
		errors    []string // parts of the findings
		warnings  []string
		logged    string
	}{
		{name: "go", session: &call.Session{Subject: "ann"}, arguments: `{"path": "/srv/data/ann/a-1"}`},
		{name: "another", session: &call.Session{Subject: "bob"}, arguments: `{"path": "/srv/data/ann/a-1"}`, errors: []string{"only your own directory"}},
		{name: "observed", session: &call.Session{Subject: "ann"}, arguments: `{"path": "/srv/data/ann/.a-1"}`, warnings: []string{`"hidden" would refuse the call, and only observes: hidden files hold secrets`}},
		{name: "nobody", session: nil, arguments: `{"path": "/srv/data/ann/a-1"}`, errors: []string{`"readers-read" could not be evaluated`}, logged: "subject of the session is not known"},
		{name: "no subject", session: &call.Session{}, arguments: `{"path": "/srv/data/ann/a-1"}`, errors: []string{`"readers-read" could not be evaluated`}, logged: "subject of the session is not known"},
		{name: "value", session: &call.Session{Subject: "ann"}, arguments: `{"path": "/srv/data/ann/a-hunter2"}`, errors: []string{`"count" could not be evaluated`}, logged: "hunter2"},
	} {
		log.Reset()
		v := gate.Judge(t.Context(), newCall(t, tt.session, tt.arguments), toolvet.PointLibrary)
		if v.Go != (len(tt.errors) == 0) || !contain(v.Errors(), tt.errors) || !contain(v.Warnings(), tt.warnings) {
			t.Errorf("%s: %v", tt.name, v)
		}
		if got := log.String(); !strings.Contains(got, tt.logged) || (got == "") != (tt.logged == "") {
			t.Errorf("%s: the log holds %q, want %q", tt.name, got, tt.logged)
		}
		if strings.Contains(v.String(), "hunter2") {
			t.Errorf("%s: the verdict repeats a value: %v", tt.name, v)
		}
	}
}

// contain reports whether each finding has the part in its place, and there is no other.
func contain(findings []check.Finding, parts []string) bool {
	if len(findings) != len(parts) {
		return false
	}
	for i, part := range parts {
		if !strings.Contains(findings[i].Message, part) {
			return false
		}
	}
	return true
}

// TestCancelled holds that a cancelled judgement refuses the call.
func TestCancelled(t *testing.T) {
	t.Parallel()
	gate, err := toolvet.New(toolvet.WithChecks(rule.NewCheck(compile(t, readers...), rule.Options{})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v := gate.Judge(ctx, newCall(t, &call.Session{Subject: "ann"}, `{"path": "/srv/data/ann/a"}`), toolvet.PointLibrary); v.Go {
		t.Errorf("a call that nobody judged is a go: %v", v)
	}
}
