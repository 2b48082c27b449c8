// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/toolvet/toolvet/call"
)

// injected are functions for tests: one panics, and one returns something other than a bool.
func injected() []cel.EnvOption {
	return []cel.EnvOption{
		cel.Function("explode", cel.Overload("explode", nil, cel.BoolType,
			cel.FunctionBinding(func(...ref.Val) ref.Val { panic("boom") }))),
		cel.Function("lie", cel.Overload("lie", nil, cel.BoolType,
			cel.FunctionBinding(func(...ref.Val) ref.Val { return types.String("true") }))),
	}
}

// TestFailuresDeny holds that a failing rule denies, be it an allow rule, a deny rule, or an
// allow rule beside another that allows; and that it does not if it only observes.
func TestFailuresDeny(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	bomb := "true"
	for range 7 {
		bomb = fmt.Sprintf("[0,1,2,3,4,5,6,7,8,9].all(x, %s)", bomb)
	}
	for _, tt := range []struct {
		name, tools, arguments, when string
		ctx                          context.Context
		session                      *call.Session
		want                         string // in the error
	}{
		{name: "evaluation", when: `1 / int(args.count) == 1`, arguments: `{"count": 0}`, want: "division by zero"},
		{name: "overflow", when: `args.count + 1 > 0`, arguments: `{"count": 9223372036854775807}`, want: "overflow"},
		{name: "missing, typed", when: `args.path == "x"`, want: `does not give the argument "path"`},
		{name: "missing, dynamic", tools: "files:*", when: `args.path == "x"`, want: "no such key"},
		{name: "missing, by index", when: `args["pth"] == "x"`, want: "no such key"},
		{name: "missing below", when: `args.filter.owner == "x"`, arguments: `{"filter": {}}`, want: `does not give the argument "owner"`},
		{name: "missing element", when: `args.tags[0] == "x"`, arguments: `{"tags": []}`, want: "index out of bounds"},
		{name: "misspelt, dynamic", tools: "files:*", when: `args.pth == "x"`, arguments: `{"path": "x"}`, want: "no such key"},
		{name: "other type than the schema's", when: `args.path != "x"`, arguments: `{"path": 5}`, want: errType.Error()},
		{name: "null where none is allowed", when: `args.path != "x"`, arguments: `{"path": null}`, want: errType.Error()},
		{name: "other type in a list", when: `args.tags.all(t, t != "x")`, arguments: `{"tags": [5]}`, want: errType.Error()},
		{name: "no object", when: `args.filter.owner != "x"`, arguments: `{"filter": "x"}`, want: errType.Error()},
		{name: "other type, in a walk", when: `nested(args.tags, "x").size() == 0`, arguments: `{"tags": [5]}`, want: errType.Error()},
		{name: "number out of range, in a walk", when: `nested(args.filter, "x").size() == 0`, arguments: `{"filter": {"owner": "x", "n": 99999999999999999999999}}`, want: errRange.Error()},
		{name: "no list", when: `size(args.tags) == 0`, arguments: `{"tags": "x"}`, want: errType.Error()},
		{name: "other type, dynamic", tools: "files:*", when: `args.path.startsWith("x")`, arguments: `{"path": 5}`, want: "no such overload"},
		{name: "null, nullable", when: `args.name.startsWith("x")`, arguments: `{"name": null}`, want: "no such overload"},
		{name: "fraction for an integer", when: `args.count != 1`, arguments: `{"count": 1.5}`, want: errRange.Error()},
		{name: "integer beyond 64 bits", when: `args.count != 1`, arguments: `{"count": 9223372036854775808}`, want: errRange.Error()},
		{name: "integer beyond 64 bits, dynamic", tools: "files:*", when: `args.count != 1`, arguments: `{"count": 18446744073709551616}`, want: errRange.Error()},
		{name: "integer that no double is", when: `args.ratio <= 9007199254740992.0`, arguments: `{"ratio": 9007199254740993}`, want: errRange.Error()},
		{name: "no session", when: `session.subject != "eve"`, session: nil, want: "subject of the session is not known"},
		{name: "no subject", when: `session.subject != "eve"`, session: &call.Session{}, want: "subject of the session is not known"},
		{name: "no roots", when: `session.roots.all(r, false)`, session: &call.Session{}, want: "roots of the session is not known"},
		{name: "no claims", when: `session.claims.role != "x"`, session: &call.Session{}, want: "claims of the session is not known"},
		{name: "no claim", when: `session.claims.team != "x"`, session: ann, want: "no such key"},
		{name: "the session as a value", when: `dyn(session) != 5`, session: ann, want: "unsupported"},
		{name: "root made of a session's words", when: `within(args.path, "/srv/" + session.subject)`, session: &call.Session{Subject: "ann/../bob"}, arguments: `{"path": "x"}`, want: errRoot.Error()},
		{name: "host of no URL", when: `host(args.path) != "evil.example"`, arguments: `{"path": "//evil.example"}`, want: errHost.Error()},
		{name: "too many parts", when: `size(args.path.split(",")) < 5`, arguments: `{"path": "` + strings.Repeat(",", maxParts) + `"}`, want: errSplit.Error()},
		{name: "long text for a pattern", when: `args.path.matches("a{900}b")`, arguments: `{"path": "` + strings.Repeat("a", 40_000) + `"}`, want: errLong.Error()},
		{name: "unknown zone", when: `now.getHours("Nowhere/None") < 24`, want: "unknown time zone"},
		{name: "cost", when: bomb, want: "cost limit exceeded"},
		{name: "context", when: "true", ctx: cancelled, want: "context canceled"},
		{name: "panic", when: "explode()", want: "boom"},
		{name: "no bool after all", when: "lie()", want: errBool.Error()},
		{name: "stale", when: `args.no_longer == "x"`, want: errStale.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.tools == "" {
				tt.tools = "files:read"
			}
			if tt.arguments == "" {
				tt.arguments = "{}"
			}
			if tt.ctx == nil {
				tt.ctx = t.Context()
			}
			in := inputOf(t, tt.arguments)
			in.Session = tt.session
			r := Rule{Name: "r", Tools: []string{tt.tools}, When: tt.when}
			for effect, others := range map[Effect][]Rule{Deny: nil, Allow: {{Name: "other", Effect: Allow}}} {
				r.Effect = effect
				r.Observe = false
				d := evaluate(tt.ctx, t, in, append([]Rule{r}, others...)...)
				if err := failed(d); d.Allowed || err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v: allowed %t, error %v", effect, d.Allowed, err)
				}
				noValues(t, in.Args, d)
				r.Observe = true
				if d := evaluate(tt.ctx, t, in, r); !d.Allowed || !d.Reasons[0].Observed {
					t.Errorf("%v, observed: %+v", effect, d)
				}
			}
		})
	}
}

func evaluate(ctx context.Context, tb testing.TB, in Input, rules ...Rule) Decision {
	tb.Helper()
	s, err := compile(rules, Limits{}, injected()...)
	if err != nil {
		tb.Fatal(err)
	}
	return s.ForTool("files", wideTool(tb)).Evaluate(ctx, in)
}

// noValues holds that no reason repeats a text or a number of the arguments.
func noValues(tb testing.TB, v any, d Decision) {
	tb.Helper()
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			noValues(tb, e, d)
		}
	case []any:
		for _, e := range v {
			noValues(tb, e, d)
		}
	case string, json.Number:
		text := fmt.Sprint(v)
		for _, r := range d.Reasons {
			if len(text) > 3 && strings.Contains(r.Message+r.Suggestion, text) {
				tb.Errorf("the reason %q repeats the value %q", r.Message, text)
			}
		}
	}
}

// TestEmptyInput holds that missing input denies only if a rule reads it.
func TestEmptyInput(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, Rule{Name: "a", Effect: Allow, When: `!has(args.path)`})
	p := s.ForTool("", &call.Tool{Name: "bare"})
	if d := p.Evaluate(t.Context(), Input{}); !d.Allowed {
		t.Errorf("a call without arguments, to a rule that wants none: %+v", d)
	}
	var none Decision
	if none.Allowed {
		t.Error("the zero decision allows")
	}
}

// TestUnreadableSchemas holds that a typed rule denies where it cannot be checked.
func TestUnreadableSchemas(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, Rule{Name: "d", Tools: []string{"files:read"}, When: `args.path == "x"`})
	for _, schema := range []string{`{`, `{"properties": {"path": {}, "path": {}}}`, `{"x": "` + strings.Repeat("x", maxSchema) + `"}`} {
		p := s.ForTool("files", &call.Tool{Name: "read", InputSchema: []byte(schema)})
		if d := p.Evaluate(t.Context(), Input{Args: map[string]any{"path": "y"}}); d.Allowed || len(p.Errors()) != 1 {
			t.Errorf("%.20s: allowed %t, errors %v", schema, d.Allowed, p.Errors())
		}
	}
}

// TestHostile evaluates conditions over arguments that are made to cost as much as they
// can. Each must be stopped by its cost, long before it would be by a deadline.
func TestHostile(t *testing.T) {
	t.Parallel()
	many := "[" + strings.TrimSuffix(strings.Repeat("1,", 100_000), ",") + "]"
	long := `"` + strings.Repeat("a", 1<<20) + `"`
	longer := `"` + strings.Repeat("a", 7<<20) + `"`
	for _, tt := range []struct{ name, arguments, when string }{
		{"nested comprehensions", `{"any": ` + many + `}`, `args.any.all(x, args.any.all(y, args.any.all(z, x == z)))`},
		{"membership for each", `{"any": ` + many + `}`, `args.any.all(x, !(x + 1 in args.any))`},
		{"lists for each", `{"any": ` + many + `}`, `args.any.map(x, args.any.map(y, args.any)).size() > 0`},
		{"concatenation", `{"any": ` + many + `, "path": ` + long + `}`, `args.any.map(x, args.path + args.path + args.path).size() > 0`},
		{"equality for each", `{"any": ` + many + `, "free": {"x": [` + many + `]}}`, `args.any.all(x, args.free == args.free)`},
		{"pattern for each", `{"any": ` + many + `, "path": ` + long + `}`, `args.any.all(x, !args.path.matches("^[ab]+c"))`},
		{"long text for a pattern", `{"path": ` + longer + `}`, `args.path.matches("^(a?){100}b$")`},
		{"long text for a glob", `{"path": ` + longer + `}`, `glob(args.path, "*a*a*a*a*a*a*a*b")`},
		{"substring of equal length", `{"path": ` + longer + `, "kind": ` + longer + `}`, `args.path.contains(args.kind + "b")`},
		{"equality of all", `{"any": [` + many + `], "free": {"x": ` + longer + `}}`, `[1,2,3,4,5,6,7,8,9,10,11].all(x, [args.any] == [args.any] && args.free == args.free)`},
		{"a walk for each", `{"any": ` + many + `, "free": {"x": [` + many + `]}}`, `args.any.all(x, nested(args.free, "y").size() == 0)`},
		{"conversions", `{"path": ` + longer + `}`, `string(bytes(args.path)) == args.path + "b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // so that a failure does not hang
			defer cancel()
			for _, tools := range [][]string{{"files:read"}, {"files:*"}} {
				d := evaluate(ctx, t, inputOf(t, tt.arguments), Rule{Name: "a", Effect: Allow, Tools: tools, When: tt.when})
				err := failed(d)
				if d.Allowed || err == nil || !strings.Contains(err.Error(), "cost limit exceeded") {
					t.Errorf("%s: allowed %t, error %v", tools, d.Allowed, err)
				}
			}
		})
	}
}

// TestCostOfAll holds that rules are bounded together, not only each.
func TestCostOfAll(t *testing.T) {
	t.Parallel()
	rules := make([]Rule, 100)
	for i := range rules {
		rules[i] = Rule{Name: fmt.Sprint(i), When: `[1,2,3,4,5,6,7,8,9].exists(x, x > 9)`}
	}
	s, err := Compile(rules, Limits{Cost: 1000})
	if err != nil {
		t.Fatal(err)
	}
	d := s.ForTool("files", readTool(t)).Evaluate(t.Context(), inputOf(t, `{}`))
	if len(d.Reasons) != 1 || !errors.Is(d.Reasons[0].Err, errCost) {
		t.Errorf("reasons: %+v", d.Reasons)
	}
	s, err = Compile(rules[:2], Limits{Cost: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.ForTool("files", readTool(t)).Evaluate(t.Context(), inputOf(t, `{}`)); !d.Allowed {
		t.Errorf("two rules cost too much: %+v", d)
	}
}

// TestCancelledBetween holds that the rules evaluated before the end of the context do not allow
// a call.
func TestCancelledBetween(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stop := cel.Function("stop", cel.Overload("stop", nil, cel.BoolType,
		cel.FunctionBinding(func(...ref.Val) ref.Val { cancel(); return types.True })))
	rules := []Rule{{Name: "a", Effect: Allow, When: "stop()"}, {Name: "d", When: "true"}, {Name: "e", When: "true"}}
	s, err := compile(rules, Limits{}, stop)
	if err != nil {
		t.Fatal(err)
	}
	d := s.ForTool("files", readTool(t)).Evaluate(ctx, inputOf(t, `{}`))
	if d.Allowed || len(d.Reasons) != 1 || d.Reasons[0].Rule != "d" || !errors.Is(d.Reasons[0].Err, context.Canceled) {
		t.Errorf("%+v", d)
	}
}

// TestObservedCost holds that observing rules take nothing from the budget of deciding rules.
func TestObservedCost(t *testing.T) {
	t.Parallel()
	costly := Rule{Name: "o", When: `[1,2,3,4,5,6,7,8,9].all(x, [1,2,3,4,5,6,7,8,9].all(y, x < 10))`, Observe: true}
	s, err := Compile([]Rule{costly, {Name: "a", Effect: Allow, When: `[1,2,3].all(x, x < 4)`}}, Limits{Cost: 100})
	if err != nil {
		t.Fatal(err)
	}
	d := s.ForTool("files", readTool(t)).Evaluate(t.Context(), inputOf(t, `{}`))
	if got := inShort(d.Reasons); !d.Allowed || got != "o (broken)" {
		t.Errorf("allowed %t, reasons %s", d.Allowed, got)
	}
}
