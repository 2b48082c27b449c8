// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var explosive = []string{
	`(a+)+$`, `(a*)*$`, `(a|a)*$`, `(a|aa)+$`, `(.*a)*$`, `(a?b?)*$`, `([a-c]|b)+$`, `(a+b?)+$`, `(\w+\s?)*$`,
	`(?:a+){10,}$`, `^(([a-z])+.)+[A-Z]([a-z])+$`, `(x+x+)+y`, `(\d{1,3},?)+$`, `^(.*?,){11}P`,
	`(?:(?:a)*)*$`, `(?=(a+)+$)b`, `((a|b)*(a|b)*)*$`, `(\d+|[0-9a-f]+)*$`, `(ab|a|b)*c`, `(a(|))*$`, `((b?)?a)*$`, `^(a|a?)+$`,
	// without an endless loop
	`(?:a?){40}a{40}!`, `(?:|a){40}!`, `(?:[ab]?){40}!`, `(?:.?){40}!`, `(?:a?){20,}!`, `(?:a{0,8}){8}!`, `((?:a?){6}){6}!`, strings.Repeat(`a?`, 40) + `!`,
	strings.Repeat(`(?:a|a)`, 40) + `!`, strings.Repeat(`(?:ab|a[bc])`, 20), `(?:x(?:a|a)){8}(?:x(?:a|a)){8}(?:x(?:a|a)){8}`,
}

var harmless = []string{
	``, `a`, `a+`, `a*b*c*`, `(a+b)+`, `(ab)*`, `(a|b)*`, `^[a-z0-9]+(-[a-z0-9]+)*$`, `(.*\n)*`, `(\w+\s)*`,
	`^\d{4}-\d{2}-\d{2}$`, `(\d{1,3}\.){3}\d{1,3}`, `^[^@\s]+@[^@\s]+\.[^@\s]+$`, `.*error.*timeout.*`,
	`(?:"[^"\\]*(?:\\.[^"\\]*)*")`, `(foo|bar|baz)+`, `(["']).*?\1`, `^(?!.*\.\.)[a-z.]+$`, `(a?b)*`,
	`https?://[^/\s]+(/[^?\s]*)?(\?\S*)?`, `^(?:[a-z]+,)*[a-z]+$`, `(?:a|ab)(?:c|bcd)`, `((a+)b)+c`,
	`(a?){8}b`, strings.Repeat(`a?b?c?d?`, 10), strings.Repeat(`(?:jan|jun|jul)-?`, 30), `^(\+?\d{1,3})?[-. ]?\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4}$`, `(?:\d{0,3},){30}`,
}

func TestExplosive(t *testing.T) {
	t.Parallel()
	for _, text := range explosive {
		tree, err := parse(text, ecma)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := assess(tree); got != exponential {
			t.Errorf("%q: risk %d, want exponential", text, got)
		}
	}
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	for _, text := range harmless {
		tree, err := parse(text, ecma)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := assess(tree); got != linear {
			t.Errorf("%q: risk %d, want linear", text, got)
		}
	}
}

func TestApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]risk{
		`(a++)+$`:           linear,
		`(?>a+)+$`:          linear,
		`(?:a+)++$`:         linear,
		`(?>(a+)+b)`:        exponential,
		`((?>a|ab)*)*$`:     exponential,
		`(?:(a+)+b)*+$`:     exponential,
		`a*+a*+a*+a*+b`:     linear,
		`(?i)(a|A)*$`:       exponential,
		`(a|A)*$`:           linear,
		`(?s)(.*\n)*$`:      exponential,
		`(?x)( a + ) + $`:   exponential,
		`\Qa+\E+`:           linear,
		`(?R)*a`:            linear,
		`[[:digit:]]+\d+`:   linear,
		`([[:alpha:]]|a)*$`: exponential,
	} {
		tree, err := parse(text, pcre)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := assess(tree); got != want {
			t.Errorf("%q: risk %d, want %d", text, got, want)
		}
	}
}

// TestBounded holds that an expression with too many steps counts as unknown, not as fine.
func TestBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("a{8}", 100),
		"(" + strings.Repeat("[a-z]?", 120) + "x)*",
		"(" + strings.Repeat("(|)(", 90) + "a" + strings.Repeat(")", 90) + ")*",
		strings.Repeat("(", 30) + "a" + strings.Repeat("){8}", 30),
	} {
		tree, err := parse(text, ecma)
		if err != nil {
			t.Fatal(err)
		}
		if got := assess(tree); got < exponential {
			t.Errorf("%.20q…: risk %d, want unknown or exponential", text, got)
		}
	}
}

// A backtracker matches as a backtracking engine does, and counts its steps.
type backtracker struct {
	text  string
	steps int
}

const stepLimit = 300_000

// match calls rest wherever n may end.
func (b *backtracker) match(n *node, at int, rest func(int) bool) bool {
	if b.steps++; b.steps > stepLimit {
		return true // enough
	}
	switch n.op {
	case opChar:
		if at == len(b.text) {
			return false
		}
		r := rune(b.text[at])
		return len(n.set.and(set{r, r})) > 0 && rest(at+1)
	case opCat:
		if len(n.subs) == 0 {
			return rest(at)
		}
		tail := &node{op: opCat, subs: n.subs[1:]}
		return b.match(n.subs[0], at, func(end int) bool { return b.match(tail, end, rest) })
	case opAlt:
		for _, sub := range n.subs {
			if b.match(sub, at, rest) {
				return true
			}
		}
		return false
	case opRepeat:
		return b.repeat(n, 0, at, rest)
	}
	return rest(at)
}

func (b *backtracker) repeat(n *node, done, at int, rest func(int) bool) bool {
	if n.max < 0 || done < n.max {
		again := func(end int) bool {
			return (end > at || done < n.min) && b.repeat(n, done+1, end, rest)
		}
		if b.match(n.subs[0], at, again) {
			return true
		}
	}
	return done >= n.min && rest(at)
}

// worst is the greatest number of steps for texts that do not match.
func worst(n *node) int {
	most := 0
	for _, pump := range []string{"a", "b", "ab", "ba", "aab", "abb"} {
		b := &backtracker{text: strings.Repeat(pump, 30/len(pump))}
		b.match(n, 0, func(int) bool { return false })
		most = max(most, b.steps)
	}
	return most
}

// TestTheTablesAreTrue runs what the tables say of expressions over a and b.
func TestTheTablesAreTrue(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, text := range append([]string{`(a+)+`, `(a|a)*`, `(a?b?)*`, `(a|aa)+`, `(ab|a|b)*`, `((a|b)*(a|b)*)*`}, harmless...) {
		if strings.ContainsAny(text, `\[.?!^$`) && text != `(a?b?)*` || strings.ContainsAny(text, "cdefghijklmnopqrstuvwxyz") {
			continue
		}
		tree, err := parse(text, ecma)
		if err != nil {
			t.Fatal(err)
		}
		ran++
		if got, want := worst(tree) > stepLimit, assess(tree) == exponential; got != want {
			t.Errorf("%q: explodes %v, is said to %v", text, got, want)
		}
	}
	if ran < 10 {
		t.Errorf("only %d expressions ran", ran)
	}
}

// FuzzAssess holds that a backtracking engine takes few steps for a harmless expression over a
// and b.
func FuzzAssess(f *testing.F) {
	for _, text := range []string{`(a+)+`, `(a|b)*a`, `(a?b)*`, `(ab|ba)*`, `a*b*a*`, `((a*)b)*`, `(a{1,3}b?){2,}`, `(a|ba*)*`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune("ab()|*+?{123,}", r) {
				return r
			}
			return -1
		}, text)
		if len(text) > 14 {
			t.Skip()
		}
		tree, err := parse(text, ecma)
		if err != nil {
			return
		}
		if r := assess(tree); r == linear && worst(tree) > stepLimit {
			t.Errorf("%q explodes, and is said not to", text)
		}
	})
}

// FuzzParse holds that no expression breaks a parser, that a fault lies within the expression,
// and that parsed and refused expressions are told apart.
func FuzzParse(f *testing.F) {
	for _, text := range append(explosive, harmless...) {
		f.Add(text)
	}
	for _, text := range []string{`(?P<n>a)(?P=n)`, `[\w-a]`, `\Qa`, `(?(1)a|b)`, `(?x)a#b`, `\p{^L}`, `[[:alpha:]-z]`, `a{,3}`, "\xff(", `\k<`, `(?<`, `[^`, `\c`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			t.Skip()
		}
		for _, e := range []engine{ecma, python, pcre} {
			tree, err := parse(text, e)
			if (tree == nil) == (err == nil) {
				t.Fatalf("%s: tree %v and fault %v", e.title(), tree, err)
			}
			if err != nil && (err.at < 0 || err.at > utf8.RuneCountInString(text)) {
				t.Fatalf("%s: a fault at %d", e.title(), err.at)
			}
			if tree != nil {
				assess(tree)
			}
		}
	})
}
