// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// TestFacts holds that what is known on both ways is what both know, and on one way what it learns.
func TestFacts(t *testing.T) {
	t.Parallel()
	none, one, two := facts{}, known(1, bitDots), known(2, bitAbs|bitSibling)
	for _, c := range []struct {
		name    string
		a, b    facts
		and, or facts
	}{
		{"nothing", none, none, none, none},
		{"one side", one, none, one, none},
		{"the same", two, two, two, two},
		{"of others", one, two, factsOf([]fact{{1, bitDots}, {2, bitAbs | bitSibling}}), none},
		{"a part", known(2, bitAbs), two, two, known(2, bitAbs)},
		{"in order", factsOf([]fact{{1, bitDots}, {3, bitAbs}}), factsOf([]fact{{2, bitAbs}, {3, bitAbs}}), factsOf([]fact{{1, bitDots}, {2, bitAbs}, {3, bitAbs}}), known(3, bitAbs)},
	} {
		for _, pair := range [][2]facts{{c.a, c.b}, {c.b, c.a}} { // neither has a side
			if d := cmp.Diff(c.and.all(), pair[0].and(pair[1]).all(), cmp.AllowUnexported(fact{})); d != "" {
				t.Errorf("%s: and (-want +got):\n%s", c.name, d)
			}
			if d := cmp.Diff(c.or.all(), pair[0].or(pair[1]).all(), cmp.AllowUnexported(fact{})); d != "" {
				t.Errorf("%s: or (-want +got):\n%s", c.name, d)
			}
		}
	}
}

// TestJoin holds that alternatives are not lost, told once, and known to be what both sides know.
func TestJoin(t *testing.T) {
	t.Parallel()
	a, b := constant("a"), constant("b")
	if got := join(join(a, b), a); len(got) != 2 {
		t.Errorf("an alternative is told %d times", len(got))
	}
	checked := a.given(known(1, bitDots|bitAbs), false)
	if got := join(checked, a.given(known(1, bitDots), false)); len(got) != 1 || got[0].under.of(1) != bitDots {
		t.Errorf("joined: %v", got)
	}
	if checked[0].under.of(1) != bitDots|bitAbs {
		t.Error("join wrote to what it was given")
	}
	many := Value{}
	for i := range 3 * maxAtoms {
		many = join(many, constant(strconv.Itoa(i)))
	}
	sent := Value{{kind: isText, text: []part{{hole: &hole{origin: &origin{id: 1}}}}}}
	if got := join(many, sent); len(got) > maxAtoms || len(got.tainted()) != 1 {
		t.Errorf("of %d alternatives, %d hold the argument", len(got), len(got.tainted()))
	}
}

// TestWays holds what is known where ways meet, in loops, and of aliases. Each body is that of a
// handler with an argument p, behind "inside", a guard.
func TestWays(t *testing.T) {
	t.Parallel()
	const (
		traced  = "traced"
		guarded = "guarded"
	)
	for name, c := range map[string]struct{ body, want string }{
		"nothing":              {"read(p)", traced},
		"both branches":        {"if (x) { inside(p) } else { inside(p) } read(p)", guarded},
		"one branch":           {"if (p.length > 3) { inside(p) } read(p)", traced},
		"too late":             {"read(p); inside(p)", traced},
		"of another":           {"inside(q); read(p)", traced},
		"negated":              {"if (!ok(p)) return; read(p)", guarded},
		"the wrong way":        {"if (ok(p)) return; read(p)", traced},
		"and":                  {"if (p && ok(p)) read(p)", guarded},
		"or":                   {"if (q || ok(p)) read(p)", traced},
		"switch":               {"switch (q) { case 'a': inside(p); break; default: return } read(p)", guarded},
		"switch, a way past":   {"switch (q) { case 'a': inside(p); break } read(p)", traced},
		"alias before":         {"const r = p; inside(p); read(r)", guarded},
		"alias of the checked": {"const r = p; inside(r); read(p)", guarded},
		"field":                {"const o = { p }; inside(o.p); read(p)", guarded},
		"overwritten":          {"let r = '/srv/a'; inside(r); r = p; read(r)", traced},
		"loop, checked":        {"for (const e of p) { inside(e) } for (const e of p) read(e)", guarded},
		"loop, carried":        {"let r = '/srv/a'; for (const e of list) { read(r); r = p }", traced},
		"loop, carried twice":  {"let r = '/srv/a', s = '/srv/b'; for (const e of list) { r = s; s = p } read(r)", traced},
		"while, carried":       {"let r = '/srv/a'; while (more()) { read(r); r = p }", traced},
		"break before":         {"for (const e of list) { if (q) break; inside(p) } read(p)", traced},
		"continue before":      {"for (const e of list) { if (q) continue; inside(p); read(p) }", guarded},
		"try, handled":         {"try { inside(p) } catch { return } read(p)", guarded},
		"try, swallowed":       {"try { inside(p) } catch { } read(p)", traced},
		"try, finally":         {"try { inside(p) } finally { more() } read(p)", guarded},
		"conditional value":    {"read(ok(p) ? p : '/srv/a')", guarded},
		"returned early":       {"const f = () => { const o = { p }; if (x) return o; o.p = '/srv/a'; return o }; read(f().p)", traced},
		"closure":              {"let r = '/srv/a'; const set = () => { r = p }; set(); read(r)", traced},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := verdictOf(t, c.body)
			if got != c.want {
				t.Errorf("%s: %q, want %q", c.body, got, c.want)
			}
		})
	}
}

// verdictOf is what is said of the argument p of a handler with a body.
func verdictOf(t *testing.T, body string) string {
	t.Helper()
	f, err := parse.Parse("server.js", []byte(`import fs from "fs"; import path from "path"; import { x, list, more } from "other";
const ok = (s) => fs.realpathSync(path.resolve(s)).startsWith("/srv/");
const inside = (s) => { if (!ok(s)) throw new Error("outside"); };
const read = (s) => fs.readFileSync(s);
server.tool("t", {}, async ({ p, q }) => { `+body+` });`))
	if err != nil {
		t.Fatal(err)
	}
	none := func(string, string) (*parse.File, bool) { return nil, false }
	program := New(t.Context(), none, func() Loader { return none }, Limits{StepsFile: 100_000, StepsHandler: 100_000, Steps: 1_000_000, Depth: 40, Handlers: 10})
	program.Run(f)
	var said []string
	for _, x := range program.Finish().Arrivals {
		if x.Cell.Param == "/p" && x.Cell.Class == audit.Path && x.Kind != "nothing" {
			if x.Confidence != "" {
				said = append(said, string(x.Confidence))
			} else {
				said = append(said, string(x.Verdict))
			}
		}
	}
	return strings.Join(said, ",")
}

// TestAtMost holds that of too many values none is lost.
func TestAtMost(t *testing.T) {
	t.Parallel()
	var list []Value
	for i := range 20 {
		list = append(list, number(float64(i)))
	}
	got := atMost(list, 8)
	if len(got) != 8 || len(got[7]) != 13 || len(atMost(list, 20)) != 20 {
		t.Errorf("%d values, %d alternatives of the last", len(got), len(got[len(got)-1]))
	}
}
