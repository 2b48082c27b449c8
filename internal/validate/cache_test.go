// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/validate"
)

// counted is a check that counts its runs over targets.
func counted(runs *atomic.Int64, level check.Level, f func(pass *check.Pass) error) toolvet.Option {
	return custom("counted", level, func(_ context.Context, pass *check.Pass) error {
		if pass.Call.Validation {
			return nil
		}
		runs.Add(1)
		if f != nil {
			return f(pass)
		}
		return nil
	})
}

// apart is what may differ between a new verdict and one that was kept.
var apart = cmpopts.IgnoreFields(result{}, "Cached", "AgeMS", "TTLMS")

func TestVerdictsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		d := newDoor(t, validate.Config{}, newGate(t, "", counted(&runs, check.SemanticLevel, nil)))
		first := d.validate(`{"path":"a","n":7,"other":1}`)
		if first.Cached || first.AgeMS != 0 || first.TTLMS != 60_000 || runs.Load() != 1 {
			t.Errorf("the first: %+v after %d runs", first, runs.Load())
		}
		time.Sleep(20 * time.Second)
		again := d.validate(` { "other":1, "n" : 7,"path":"\u0061"} `) // the same in other words
		if !again.Cached || again.AgeMS != 20_000 || again.TTLMS != 40_000 || runs.Load() != 1 {
			t.Errorf("the second: %+v after %d runs", again, runs.Load())
		}
		if diff := cmp.Diff(first, again, apart); diff != "" {
			t.Errorf("a verdict that is kept differs (-new +kept):\n%s", diff)
		}
		time.Sleep(40 * time.Second)
		if late := d.validate(`{"path":"a","n":7,"other":1}`); late.Cached || runs.Load() != 2 {
			t.Errorf("the late one: %+v after %d runs", late, runs.Load())
		}
	})
}

// Whatever a verdict may depend on is told apart.
func TestWhatIsToldApart(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	gate := newGate(t, "", counted(&runs, check.SemanticLevel, nil))
	d := newDoor(t, validate.Config{}, gate)
	const arguments = `{"path":"a","n":1}`
	ask := func(more ...string) func() bool { return func() bool { return d.validate(arguments, more...).Cached } }
	session := func(change func(*call.Session)) func() bool {
		return func() bool {
			s := *d.request.Call.Session
			change(&s)
			c := *d.request.Call
			c.Session = &s
			d.request.Call = &c
			return d.validate(arguments).Cached
		}
	}
	for _, step := range []struct {
		what string
		ask  func() bool
	}{
		{"the first", ask()},
		{"a value", func() bool { return d.validate(`{"path":"b","n":1}`).Cached }},
		{"a number spelt otherwise", func() bool { return d.validate(`{"path":"a","n":1.0}`).Cached }},
		{"levels", ask(`,"levels":["syntax"]`)},
		{"the subject", session(func(s *call.Session) { s.Subject = "bob" })},
		{"a claim", session(func(s *call.Session) { s.Claims = map[string]any{"team": "x"} })},
		{"a root", session(func(s *call.Session) { s.Roots = []string{"/r"} })},
		{"the transport", session(func(s *call.Session) { s.Transport = "http" })},
		{"the address", session(func(s *call.Session) { s.ClientAddress = "10.0.0.1" })},
		{"the revision", session(func(s *call.Session) { s.ProtocolVersion = "2025-06-18" })},
		{"a trace", session(func(s *call.Session) { s.Traceparent = "00-1-1-00" })},
		{"no session", func() bool { d.request.Call.Session = nil; return ask()() }},
		{"the server", func() bool {
			c := *d.request.Call
			c.Server = "other"
			d.request.Call = &c
			return ask()()
		}},
		{"the tool's definition", func() bool {
			d.request.Tools = catalogOf(t, strings.Replace(readTool, `{"name"`, `{"title":"Read","name"`, 1))
			return ask()()
		}},
		{"the gate", func() bool { d.request.Gate = newGate(t, "", counted(&runs, check.SemanticLevel, nil)); return ask()() }},
	} {
		before := runs.Load()
		if cached := step.ask(); cached || runs.Load() == before && step.what != "levels" {
			t.Errorf("%s: the verdict of another request is given", step.what)
		}
	}
	if !ask()() {
		t.Error("the same again: not kept")
	}
	second := d.request.Gate
	for range 2 { // as the servers of a gateway take turns
		for _, g := range []*toolvet.Gate{gate, second} {
			if d.request.Gate = g; !ask()() {
				t.Error("one gate's verdicts are forgotten for another's")
			}
		}
	}
	if d.request.Call.Session = (&call.Session{ClientName: "x", ClientVersion: "1"}); ask()() {
		t.Error("a session: taken for none")
	}
	if d.request.Call.Session = (&call.Session{ClientName: "y", ClientVersion: "2"}); !ask()() {
		t.Error("what the client calls itself makes a difference")
	}
}

func TestWhatIsNotKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		policy string
		check  func(pass *check.Pass) error
		tools  string
		config validate.Config
	}{
		"the time":                  {check: func(pass *check.Pass) error { pass.Fleeting(); return nil }},
		"a date by a rule":          {policy: "servers: {s: {tools: {read: {arguments: {at: {time: {future: true}}}}}}}\n"},
		"a schedule":                {policy: "servers: {s: {tools: {read: {arguments: {at: {cron: {}}}}}}}\n"},
		"a rule that asks the time": {policy: "rules: [{name: hours, effect: allow, when: 'now.getFullYear() > 1'}]\n"},
		"a check that breaks":       {check: func(*check.Pass) error { return errors.New("broken") }},
		"a check that panics":       {check: func(*check.Pass) error { panic("broken") }},
		"an unknown tool":           {tools: `{"name":"write"}`},
		"a tool listed twice":       {tools: strings.Replace(readTool, `{"name"`, `{"title":"x","name"`, 1) + "\n" + readTool},
		"nothing, as is configured": {config: validate.Config{TTL: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int64
			d := newDoor(t, tt.config, newGate(t, tt.policy, counted(&runs, check.SemanticLevel, tt.check)))
			if tt.tools != "" {
				d.request.Tools = catalogOf(t, strings.Split(tt.tools, "\n")...)
			}
			for range 2 {
				if r := d.validate(`{"path":"a","at":"0 9 * * 1"}`); r.Cached || r.TTLMS != 0 {
					t.Errorf("kept: %+v", r)
				}
			}
			if runs.Load() != 2 {
				t.Errorf("the check ran %d times", runs.Load())
			}
		})
	}
	// A rule that does not ask the time is no such thing.
	d := newDoor(t, validate.Config{}, newGate(t, "rules: [{name: all, effect: allow, when: 'session.subject == \"ann\" || now.getFullYear() > 1'}]\n"))
	d.validate(`{"path":"a"}`)
	if r := d.validate(`{"path":"a"}`); !r.Cached || !r.Valid {
		t.Errorf("a rule that was decided without the time: %+v", r)
	}
}

// Limits are asked each time, and what they say is not kept.
func TestLimitsAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		gate := newGate(t, "limits: [{name: calls, rate: 2/min}]\n", counted(&runs, check.SemanticLevel, nil))
		d := newDoor(t, validate.Config{}, gate)
		take := func() toolvet.Verdict {
			c := &call.Call{Server: "s", Name: "read", Arguments: map[string]any{"path": "a"}, Raw: []byte(`{"path":"a"}`), Session: d.request.Call.Session}
			c.Resolve(d.request.Tools)
			return gate.Judge(t.Context(), c, toolvet.PointProxy)
		}
		if r := d.validate(`{"path":"a"}`); !r.Valid || r.Limits[0]["remaining"] != 2.0 {
			t.Errorf("got %+v", r)
		}
		take()
		take()
		before := runs.Load()
		r := d.validate(`{"path":"a"}`)
		if r.Valid || !r.Cached || r.TTLMS != 0 || runs.Load() != before || r.Findings[0].Code != "RATE_LIMIT" {
			t.Errorf("the limit is spent: %+v", r)
		}
		// Validating has a limit of its own, which a kept verdict spends, too.
		if text := d.refused("validate", `{"tool":"read","arguments":{"path":"a"}}`); !strings.Contains(text, "too many calls") {
			t.Errorf("the third dry run in a minute: %s", text)
		}
		time.Sleep(time.Minute)
		if r := d.validate(`{"path":"a"}`); !r.Valid {
			t.Errorf("a minute later: %+v", r)
		}
	})
}

func TestRuntimeVerdictsEndSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		d := newDoor(t, validate.Config{}, newGate(t, "", counted(&runs, check.RuntimeLevel, nil)))
		if r := d.validate(`{"path":"a"}`); r.TTLMS != 5000 {
			t.Errorf("got %+v", r)
		}
		time.Sleep(4999 * time.Millisecond)
		if r := d.validate(`{"path":"a"}`); !r.Cached || runs.Load() != 1 {
			t.Errorf("after 5 s less a bit: %+v", r)
		}
		time.Sleep(time.Millisecond)
		if r := d.validate(`{"path":"a"}`); r.Cached || runs.Load() != 2 {
			t.Errorf("after 5 s: %+v", r)
		}
		d.v.ResourcesChanged()
		if r := d.validate(`{"path":"a"}`); r.Cached || runs.Load() != 3 {
			t.Errorf("after a change of the resources: %+v", r)
		}
		// Without a look at the world nothing changes with the resources.
		d.validate(`{"path":"a"}`, `,"levels":["semantic"]`)
		d.v.ResourcesChanged()
		if r := d.validate(`{"path":"a"}`, `,"levels":["semantic"]`); !r.Cached {
			t.Errorf("a verdict that rests on nothing else: %+v", r)
		}
		// What did not finish is no verdict to keep.
		slow := newGate(t, "", custom("slow", check.RuntimeLevel, func(ctx context.Context, pass *check.Pass) error {
			if !pass.Call.Validation {
				<-ctx.Done()
			}
			return ctx.Err()
		}))
		d.request.Gate = slow
		for range 2 {
			if r := d.validate(`{"path":"a"}`); r.Cached || r.TTLMS != 0 || len(r.Skipped) != 1 {
				t.Errorf("a check that hangs: %+v", r)
			}
		}
	})
}

// TestFilesEndVerdicts changes files that verdicts rest on, with the real checks.
func TestFilesEndVerdicts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	policy := fmt.Sprintf("servers: {s: {roots: [%q], tools: {read: {arguments: {path: {path: {exists: true, readable: true}}}}}}}\n", dir)
	d := newDoor(t, validate.Config{RuntimeTTL: time.Hour, TTL: time.Hour}, newGate(t, policy))
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	file, sub := filepath.Join(dir, "sub", "file"), filepath.Join(dir, "sub")
	other := t.TempDir()
	do(os.WriteFile(filepath.Join(other, "file"), nil, 0o600))
	steps := []struct {
		what  string
		do    func()
		valid bool
	}{
		{"nothing is there", func() {}, false},
		{"the directory", func() { do(os.Mkdir(sub, 0o700)) }, false},
		{"the file", func() { do(os.WriteFile(file, nil, 0o600)) }, true},
		{"another size", func() { do(os.WriteFile(file, []byte("x"), 0o600)) }, true},
		{"another file in its place", func() {
			do(os.WriteFile(file+"2", []byte("x"), 0o600))
			do(os.Rename(file+"2", file))
		}, true},
		{"gone", func() { do(os.Remove(file)) }, false},
		{"back", func() { do(os.WriteFile(file, nil, 0o600)) }, true},
		{"the directory a link to the outside", func() {
			do(os.RemoveAll(sub))
			do(os.Symlink(other, sub))
		}, false},
	}
	if runtime.GOOS == "windows" { // where not every user may make links
		steps = steps[:len(steps)-1]
	}
	arguments := fmt.Sprintf(`{"path":%q}`, file)
	for _, step := range steps {
		step.do()
		r := d.validate(arguments)
		if r.Valid != step.valid || r.Cached && step.what != "nothing is there" {
			t.Errorf("%s: got %+v, want valid %t", step.what, r, step.valid)
		}
		if r := d.validate(arguments); r.Valid != step.valid || !r.Cached {
			t.Errorf("%s, again: got %+v", step.what, r)
		}
	}
	do(os.WriteFile(filepath.Join(dir, "unrelated"), nil, 0o600))
	if r := d.validate(arguments); !r.Cached {
		t.Errorf("a file beside it: %+v", r)
	}
}

// A file is told apart from how it was before the check looked, not after.
func TestFileChangesWhileItIsLookedAt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	var runs atomic.Int64
	d := newDoor(t, validate.Config{}, newGate(t, "", counted(&runs, check.RuntimeLevel, func(pass *check.Pass) error {
		pass.Depends(file)
		if _, err := os.Lstat(file); err != nil {
			pass.Reportf("", "is not there")
		}
		return os.WriteFile(file, nil, 0o600)
	})))
	if r := d.validate(`{"path":"a"}`); r.Valid {
		t.Errorf("got %+v", r)
	}
	if r := d.validate(`{"path":"a"}`); !r.Valid || r.Cached {
		t.Errorf("got %+v", r)
	}
}

// What is kept is bounded, and a verdict that is handed out is nobody else's.
func TestKeptIsBounded(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{TTL: time.Hour}, newGate(t, ""))
	for i := range 5000 {
		d.ask(t.Context(), "validate", fmt.Sprintf(`{"tool":"read","arguments":{"path":"%d"}}`, i))
	}
	if r := d.validate(`{"path":"0"}`); r.Cached {
		t.Error("the first of 5000 is still kept")
	}
	if r := d.validate(`{"path":"4999"}`); !r.Cached {
		t.Error("the last of 5000 is not kept")
	}
	large := fmt.Sprintf(`{"path":%q}`, strings.Repeat("x", 300<<10))
	d.validate(large)
	if r := d.validate(large); r.Cached {
		t.Error("a verdict on 300 KiB is kept")
	}
}

// What a log refuses is refused, and the verdict that is kept stays what it was.
func TestJudgedMayRefuse(t *testing.T) {
	t.Parallel()
	d := newDoor(t, validate.Config{}, newGate(t, ""))
	refuse := true
	var seen []string
	d.request.Judged = func(_ context.Context, target *call.Call, v toolvet.Verdict, _ time.Duration) toolvet.Verdict {
		seen = append(seen, fmt.Sprintf("%s %t", target.Name, v.Go))
		if refuse {
			return toolvet.Verdict{Findings: []check.Finding{{Check: "log", Stage: check.Policy, Level: check.SecurityLevel, Message: "cannot be recorded"}}}
		}
		return v
	}
	if r := d.validate(`{"path":"a"}`); r.Valid || r.TTLMS != 0 || r.Errors[0] != "cannot be recorded" {
		t.Errorf("got %+v", r)
	}
	refuse = false
	if r := d.validate(`{"path":"a"}`); !r.Valid || !r.Cached || r.TTLMS == 0 {
		t.Errorf("got %+v", r)
	}
	if diff := cmp.Diff([]string{"read true", "read true"}, seen); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
