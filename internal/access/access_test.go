// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package access_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/policy"
)

func parse(t *testing.T, yaml string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse(filepath.Join(t.TempDir(), "toolvet.yaml"), []byte("version: 1\n"+yaml), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func gate(t *testing.T, e *access.Enforcer, yaml string) *toolvet.Gate {
	t.Helper()
	p := parse(t, yaml)
	options, err := e.Options(p)
	if err != nil {
		t.Fatal(err)
	}
	g, err := toolvet.New(append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func callBy(subject string) *call.Call {
	return &call.Call{Server: "s", Name: "read", Tool: &call.Tool{Name: "read", InputSchema: json.RawMessage(`{"type":"object"}`)},
		Arguments: map[string]any{}, Raw: json.RawMessage("{}"), Session: &call.Session{Subject: subject}}
}

func code(v toolvet.Verdict) string {
	for _, f := range v.Errors() {
		return f.Code
	}
	return ""
}

// TestLimits holds that calls are counted by identity, also after a reload of the policy, and
// that a dry run spends nothing.
func TestLimits(t *testing.T) {
	t.Parallel()
	e := &access.Enforcer{Server: "s"}
	const yaml = "limits: [{name: calls, quota: 2/day}, {name: slots, concurrency: 1}]\n"
	g := gate(t, e, yaml)
	for range 5 {
		if v := g.Judge(t.Context(), callBy("ann"), toolvet.PointValidate); !v.Go || len(v.Allowances) != 2 || v.Allowances[0].Remaining != 2 {
			t.Fatalf("a dry run: %v %+v", v, v.Allowances)
		}
	}
	v, ticket := inside.Of(g).Admit(t.Context(), callBy("ann"), toolvet.PointProxy)
	if !v.Go {
		t.Fatalf("the first call: %v", v)
	}
	if second, _ := inside.Of(g).Admit(t.Context(), callBy("ann"), toolvet.PointProxy); second.Go || code(second) != engine.CodeRateLimit {
		t.Errorf("a second call beside it: %v", second)
	}
	if other := g.Judge(t.Context(), callBy("bob"), toolvet.PointProxy); !other.Go {
		t.Errorf("another's call: %v", other)
	}
	ticket.Release()
	ticket.Rollback() // says nothing any more
	if v := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); !v.Go {
		t.Errorf("the second call: %v", v)
	}
	again := gate(t, e, yaml)
	v = again.Judge(t.Context(), callBy("ann"), toolvet.PointProxy)
	if v.Go || !strings.Contains(v.String(), "retry in") {
		t.Errorf("the third call, after the policy was read again: %v", v)
	}
	if v := again.Judge(t.Context(), callBy("ann"), toolvet.PointValidate); v.Go || code(v) != engine.CodeRateLimit {
		t.Errorf("a dry run is greener than the call: %v", v)
	}
	refused := callBy("eve")
	refused.Tool.Fault = os.ErrInvalid
	for range 3 {
		again.Judge(t.Context(), refused, toolvet.PointProxy)
	}
	if v := again.Judge(t.Context(), callBy("eve"), toolvet.PointProxy); !v.Go {
		t.Errorf("calls that were refused count: %v", v)
	}
}

// TestPerSession holds that each session is counted apart, and that calls of an identity without
// a session count as one.
func TestPerSession(t *testing.T) {
	t.Parallel()
	g := gate(t, &access.Enforcer{Server: "s"}, "limits: [{name: calls, per: [session], quota: 1/month}]\n")
	for _, s := range []call.Session{
		{Subject: "ann", ID: "1"}, {Subject: "ann", ID: "2"}, {Subject: "ann"}, {Subject: "bob"}, {}, {ID: "identity ann"}, {Subject: "1"},
	} {
		for n := range 2 {
			c := callBy("")
			c.Session = &s
			if v := g.Judge(t.Context(), c, toolvet.PointProxy); v.Go != (n == 0) {
				t.Errorf("%+v, call %d: %v", s, n+1, v)
			}
		}
	}
}

// TestRollback holds that an admitted call that is not made gives back all that it spent, in
// every counter. Package driver/redis has a test of this name.
func TestRollback(t *testing.T) {
	t.Parallel()
	g := gate(t, &access.Enforcer{Server: "s"}, "limits: [{name: calls, rate: 1/h, concurrency: 1, quota: 1/month}]\n")
	for range 3 {
		v, ticket := inside.Of(g).Admit(t.Context(), callBy("ann"), toolvet.PointProxy)
		if !v.Go {
			t.Fatalf("nothing has been called yet: %v", v)
		}
		if beside := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); beside.Go {
			t.Errorf("a second call: %v", beside)
		}
		ticket.Rollback()
	}
	v, ticket := inside.Of(g).Admit(t.Context(), callBy("ann"), toolvet.PointProxy)
	ticket.Release()
	ticket.Rollback()
	if after := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); !v.Go || after.Go {
		t.Errorf("the one call: %v; and after it: %v", v, after)
	}
}

// judged is the verdict on ann's call of read with no arguments, if a Gate can be made.
func judged(t *testing.T, yaml string) toolvet.Verdict {
	t.Helper()
	return gate(t, &access.Enforcer{Server: "s"}, yaml).Judge(t.Context(), callBy("ann"), toolvet.PointProxy)
}

// TestFailsClosed holds that a limit or rule that cannot be enforced refuses calls, or prevents
// the Gate. Package toolvet has a test of this name for checks, driver/redis for Redis, and cmd/internal/cli for the log.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	t.Run("limits of several processes without a store", func(t *testing.T) {
		_, err := new(access.Enforcer).Options(parse(t, `limits: [{name: calls, rate: 10/s}]
shared: {url: "redis://127.0.0.1:1"}
`))
		if err == nil || !strings.Contains(err.Error(), "policyfile.Options.Shared") {
			t.Errorf("got %v", err)
		}
	})
	for name, yaml := range map[string]string{
		"rules":  "rules: [{name: a, effect: deny}]\n",
		"limits": "limits: [{name: a, rate: 1/s}]\n",
		"lock":   "pinning: {lock: toolvet.lock}\n",
	} {
		t.Run(name+" without this package", func(t *testing.T) {
			if _, err := toolvet.New(toolvet.WithPolicy(policy.Seal(parse(t, yaml)))); err == nil || !strings.Contains(err.Error(), "package policyfile") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a lock that cannot be read", func(t *testing.T) {
		if _, err := new(access.Enforcer).Options(parse(t, "pinning: {lock: absent.lock}\n")); err == nil {
			t.Error("no error")
		}
	})
	t.Run("a rule that errs", func(t *testing.T) {
		if v := judged(t, `rules: [{name: a, effect: allow, when: 'session.claims.team == "x"'}]`+"\n"); v.Go {
			t.Errorf("allow: got %v", v)
		}
		if v := judged(t, `rules: [{name: all, effect: allow}, {name: a, effect: deny, when: 'session.claims.team == "x"'}]`+"\n"); v.Go {
			t.Errorf("deny: got %v", v)
		}
	})
	t.Run("a rule that no longer compiles", func(t *testing.T) {
		for effect, when := range map[string]string{"allow": `args.path == "x" || true`, "deny": `args.path == "y"`} {
			yaml := "rules: [{name: all, effect: allow}, {name: a, effect: " + effect + `, tools: "s:read", when: '` + when + "'}]\n"
			g := gate(t, &access.Enforcer{Server: "s"}, yaml)
			before := callBy("ann")
			before.Tool.InputSchema = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)
			before.Arguments, before.Raw = map[string]any{"path": "x"}, json.RawMessage(`{"path":"x"}`)
			if v := g.Judge(t.Context(), before, toolvet.PointProxy); !v.Go {
				t.Errorf("%s, before the list changed: got %v", effect, v)
			}
			// After list_changed the same tool has a definition without the argument.
			if v := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); v.Go || !strings.Contains(v.String(), "no longer fits") {
				t.Errorf("%s, after it: got %v", effect, v)
			}
			own := callBy("ann")
			own.Validation = true
			if v := g.Judge(t.Context(), own, toolvet.PointProxy); !v.Go {
				t.Errorf("%s: the validate tool itself: %v", effect, v)
			}
		}
	})
}
