// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
)

// TestGuards holds which parts of a condition are looked up rather than evaluated.
func TestGuards(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		when    string
		guarded bool
	}{
		{`args.path == "a"`, true},
		{`"a" == args.path`, true},
		{`args["path"] == "a"`, true},
		{`args.path in ["a", "b"]`, true},
		{`args.path.startsWith("/a/")`, true},
		{`args.path.endsWith(".key") && size(args.path) > 3`, true},
		{`args.path.contains("a") || args.path == "b"`, true},
		{`session.subject == "ann" && within(args.path, "/srv")`, true},
		{`session.claims.role == "admin"`, true},
		{`args.filter.owner == "ann"`, true},
		{`args.path == "a" || size(args.path) > 3`, false},
		{`!(args.path == "a")`, false},
		{`args.path != "a"`, false},
		{`args.path == session.subject`, false},
		{`args.path in []`, false},
		{`args.count == 3`, false},
		{`args.path == "a" ? true : false`, false},
		{`has(args.path)`, false},
		{`args.tags.exists(t, t == "a")`, false},
		{`tool.name == "read"`, false},
	} {
		s := mustCompile(t, Rule{Name: "r", When: test.when, Tools: []string{"files:read"}})
		p := s.ForTool("files", wideTool(t))
		if len(p.Errors()) > 0 {
			t.Errorf("%s: %v", test.when, p.Errors())
		}
		if got := p.enforced.list[0].guard != nil; got != test.guarded {
			t.Errorf("%s: guarded %t, want %t", test.when, got, test.guarded)
		}
	}
}

// TestIndexChangesNothing holds that a call gets the same decision, with the same reasons, whether rules
// are left out by their guards or all are evaluated.
func TestIndexChangesNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	literal := func() string {
		return pick(`"a"`, `"ab"`, `"/srv/"`, `"ann"`, `""`, `"x"`, `"/etc/"`, `"admin"`, `"bob"`)
	}
	var condition func(depth int) string
	condition = func(depth int) string {
		of := pick("args.path", "args.path", `args["path"]`, "args.any", "args.any", "args.filter.owner", "session.subject", "session.claims.role", "session.traceparent", "args.k.l")
		if depth > 0 && random.IntN(3) > 0 {
			return fmt.Sprintf(pick("(%s && %s)", "(%s || %s)", "(%s ? false : %s)"), condition(depth-1), condition(depth-1))
		}
		switch random.IntN(8) {
		case 0:
			return of + " == " + literal()
		case 1:
			return literal() + " == " + of
		case 2:
			return of + " in [" + literal() + ", " + literal() + "]"
		case 3:
			return "!(" + of + " == " + literal() + ")"
		case 4:
			return "1 / size(string(" + of + ")) > 0" // an error for ""
		default:
			return of + "." + pick("startsWith", "endsWith", "contains") + "(" + literal() + ")"
		}
	}
	arguments := []string{
		`{}`, `{"path": "a"}`, `{"path": "ann", "any": "a", "filter": {"owner": "x"}, "k": {"l": "ab"}}`, `{"path": "/srv/ab", "any": "x"}`, `{"path": 5}`, `{"path": null}`, `{"any": {"a": 1}, "path": ""}`,
		`{"path": "ab", "any": 5, "filter": {"owner": "ann"}}`, `{"filter": {"owner": 5}, "path": "ann"}`, `{"filter": [], "k": {"l": "a"}}`, `{"k": "a", "path": "x"}`,
		`{"path": "` + strings.Repeat("ab", maxSearched) + `"}`,
	}
	tools := []*call.Tool{wideTool(t), tool(t, `{"name": "read", "inputSchema": {"type": "object", "additionalProperties": true}}`)}
	skipped, asked := 0, 0
	for range 40 {
		var rules []Rule
		for i := range 1 + random.IntN(100) {
			r := Rule{Name: fmt.Sprint(i), When: condition(random.IntN(2)), Tools: []string{pick("files:*", "files:read")}, Observe: random.IntN(5) == 0}
			if random.IntN(3) == 0 {
				r.Effect = Allow
			}
			if _, err := Compile([]Rule{r}, Limits{}); err == nil {
				rules = append(rules, r)
			}
		}
		set := mustCompile(t, rules...)
		for _, tool := range tools {
			p := set.ForTool("files", tool)
			every := *p
			for _, s := range []*sequence{&every.enforced, &every.observed} {
				all := &index{unguarded: newBits(len(s.list))}
				for i := range s.list {
					all.unguarded.set(i)
				}
				s.index = all
			}
			for _, text := range arguments {
				session := ann
				if random.IntN(4) == 0 {
					session = nil
				}
				in := Input{Session: session, Server: "files", Tool: "read", Args: decode(t, text)}
				want, got := every.Evaluate(t.Context(), in), p.Evaluate(t.Context(), in)
				if diff := cmp.Diff(want, got, cmp.Comparer(sameText)); diff != "" {
					t.Fatalf("%.100s with %v (-all rules +indexed):\n%s", text, rules, diff)
				}
				candidates := p.enforced.index.candidates(in.text)
				for i := range p.enforced.list {
					asked++
					if !candidates.has(i) {
						skipped++
					}
				}
			}
		}
	}
	if skipped*5 < asked {
		t.Errorf("%d of %d rules are left out: the test shows little", skipped, asked)
	}
}

func sameText(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
}
