// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"testing"

	"github.com/toolvet/toolvet/call"
)

// fixed are rules of all kinds, whose last would allow every call.
var fixed = []Rule{
	{Name: "typed", Tools: []string{"files:read"}, When: `has(args.path) && args.path.startsWith("/etc")`},
	{Name: "numbers", Tools: []string{"files:read"}, When: `has(args.count) && args.count > 10 || has(args.ratio) && args.ratio > 0.5`},
	{Name: "lists", Tools: []string{"files:read"}, When: `has(args.tags) && args.tags.exists(t, t == "secret")`},
	{Name: "deep", When: `has(args.filter) && has(args.filter.owner) && args.filter.owner != session.subject`},
	{Name: "dynamic", When: `has(args.any) && args.any > 5`},
	{Name: "functions", When: `has(args.url) && (host(args.url) == "localhost" || glob(args.url, "*://10.*"))`},
	{Name: "within", When: `has(args.path) && !within(args.path, "/srv")`},
	{Name: "each", When: `has(args.any) && args.any.exists(x, x in args.any)`},
	{Name: "index", When: `"k" in args && args["k"]["l"][0] == 1`},
	{Name: "observed", Observe: true, When: `args.path == args.pth`},
	{Name: "all", Effect: Allow},
}

// FuzzEvaluate holds that no arguments break the rules, and that a call is allowed only if no
// enforced rule fails or refuses it. Whether it did is found out by asking each alone.
func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"path": "/srv/x", "count": 3}`, `{"path": 5}`, `{"count": 1e400}`, `{"count": 99999999999999999999}`, `{"ratio": "x"}`,
		`{"tags": ["a", 5, null]}`, `{"filter": {"owner": "ann"}}`, `{"filter": []}`, `{"any": [1, [2], {"a": {}}]}`, `{"any": null}`,
		`{"url": "http://10.0.0.1"}`, `{"url": "%zz"}`, `{"k": {"l": [1]}}`, `{"k": {"l": {}}}`, `{"max-size": -0.0}`, `{"limit": null}`,
	} {
		f.Add(s)
	}
	set := mustCompile(f, fixed...)
	wide := wideTool(f)
	bare := tool(f, `{"name": "read", "inputSchema": {"type": "object", "additionalProperties": true}}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		args, err := call.DecodeArguments([]byte(arguments), call.Limits{})
		if err != nil {
			return
		}
		in := Input{Session: ann, Server: "files", Tool: "read", Args: args}
		for _, tool := range []*call.Tool{wide, bare} {
			p := set.ForTool("files", tool)
			d := p.Evaluate(t.Context(), in)
			want := true
			for i := range p.enforced.list {
				matched, err := alone(t, &p.enforced.list[i], in)
				want = want && err == nil && matched == (p.enforced.list[i].Effect == Allow)
			}
			if d.Allowed != want {
				t.Errorf("%s: allowed %t, reasons %+v", arguments, d.Allowed, d.Reasons)
			}
			if !d.Allowed && len(d.Reasons) == 0 {
				t.Errorf("%s: refused without a reason", arguments)
			}
		}
	})
}

// alone evaluates a rule by itself, whatever its guard says.
func alone(tb testing.TB, r *planned, in Input) (matched bool, err error) {
	tb.Helper()
	e, err := newEvaluation(tb.Context(), r.loops, newVariables(tb.Context(), in))
	if err != nil {
		tb.Fatal(err)
	}
	defer e.close()
	return e.evaluate(r)
}
