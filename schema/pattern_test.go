// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"strings"
	"testing"
	"time"
)

func TestPatternMatches(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern string
		linear  bool
		yes, no []string
	}{
		{`^[a-z]+$`, true, []string{"abc"}, []string{"", "a\n", "A"}},
		{`b`, true, []string{"abc"}, []string{"ac"}},
		{`^.$`, true, []string{"a", "😀"}, []string{"\n", "\r", "\u2028", "\u2029", "ab"}},
		{`^[.]$`, true, []string{"."}, []string{"a"}},
		{`^\.$`, true, []string{"."}, []string{"a"}},
		{`^(?s).$`, true, []string{"\n"}, nil},
		{`^\s$`, true, []string{" ", "\t", "\v", "\u00a0", "\ufeff", "\u2003", "\u2029"}, []string{"a", "\u200b", "\x00"}},
		{`^\S$`, true, []string{"a", "\u200b", "😀"}, []string{" ", "\v", "\u00a0", "\ufeff"}},
		{`^[\s,]$`, true, []string{",", "\u00a0"}, []string{"a"}},
		{`^[^\s]$`, true, []string{"a"}, []string{"\u00a0"}},
		{`^[\S]$`, true, []string{"a", "~", "!"}, []string{"\u00a0", " "}},
		{`^[\S\n]$`, true, []string{"a", "\n"}, []string{"\u00a0"}},
		{`^\u00e9\u{1F600}$`, true, []string{"é😀"}, []string{"e"}},
		{`^\ud83d\ude00$`, true, []string{"😀"}, []string{"é"}},
		{`^[\u0041-\u0043]$`, true, []string{"B"}, []string{"D"}},
		{`^\d+\/\w+\-x$`, true, []string{"1/a-x"}, []string{"٣/a-x"}},
		{`^\p{L}+$`, true, []string{"äß"}, []string{"1"}},
		{`^(?<year>\d{4})$`, true, []string{"2026"}, []string{"26"}},
		{`^[a-z\"]$`, true, []string{`"`}, []string{"A"}},
		{`^x{1001}$`, false, []string{strings.Repeat("x", 1001)}, []string{"x"}},
		{`^(a{1000}){2}$`, false, []string{strings.Repeat("a", 2000)}, []string{"a"}},
		{`^(?=.*\d)[a-z\d]{2,}$`, false, []string{"a1"}, []string{"ab", "a1\n"}},
		{`^(?!admin$)`, false, []string{"adm", "administrator"}, []string{"admin"}},
		{`^(a|b)\1$`, false, []string{"aa"}, []string{"ab"}},
		{`(?<!\$)\d`, false, []string{"5"}, []string{"$5"}},
		{`^[^]$`, false, []string{"\n", "a"}, []string{""}},
		{`[]`, false, nil, []string{"", "a", "]"}},
		{`^\p{Script=Greek}$`, false, []string{"α"}, []string{"a"}},
		{`^\cJ$`, false, []string{"\n"}, []string{"J"}},
		{`^(?=[\w-.])`, false, []string{"-"}, []string{"!"}},
	} {
		p, err := compilePattern(tc.pattern, time.Second)
		if err != nil {
			t.Errorf("%s: %v", tc.pattern, err)
			continue
		}
		if got := p.linear != nil; got != tc.linear {
			t.Errorf("%s: linear %v, want %v", tc.pattern, got, tc.linear)
		}
		e := evaluator{schema: &Schema{limits: DefaultLimits()}, left: stepsPerLook}
		for _, s := range tc.yes {
			if !e.matches(p, s) || !p.MatchString(s) {
				t.Errorf("%s does not match %q", tc.pattern, s)
			}
		}
		for _, s := range tc.no {
			if e.matches(p, s) || p.MatchString(s) {
				t.Errorf("%s matches %q", tc.pattern, s)
			}
		}
	}
}

func TestPatternRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"(", "a{2,1}", "[b-a]", `a++`, `(?P<x`, `^a\Z`, `\Aa(?=b)`, `(?=\e)`, "*",
		strings.Repeat("x{1000}", 300), strings.Repeat(`\p{L}`, 1500), strings.Repeat("(", 9000),
	} {
		if p, err := compilePattern(text, time.Second); err == nil {
			t.Errorf("%.40q: got %v, want an error", text, p)
		}
	}
}

// TestLongTextsAreClocked checks that both ways to run a linear pattern agree.
func TestLongTextsAreClocked(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 2*maxDirectWork/50)
	p, err := compilePattern("^(a{49}|b{50})*a*$", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if p.size*len(text) <= maxDirectWork {
		t.Fatalf("size %d is too small for the test", p.size)
	}
	e := evaluator{schema: &Schema{limits: DefaultLimits()}, left: stepsPerLook}
	if !e.matches(p, text) || e.matches(p, text+"c") {
		t.Error("a clocked match differs from a direct one")
	}
}

var patternSeeds = [][2]string{{`^\s.\S$`, "a b"}, {`[\s\S]`, "\n"}, {`\u00e9`, "é"}, {`^(?=a)`, "a"}, {`[]`, ""}, {`\`, `\`}}

// FuzzPattern checks that Go accepts every translated pattern, and that matching never panics.
func FuzzPattern(f *testing.F) {
	if len(patternSeeds) == 0 {
		f.Fatal("no seeds")
	}
	for _, seed := range patternSeeds {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, s string) {
		p, err := compilePattern(text, 10*time.Millisecond)
		if err != nil {
			return
		}
		if p.String() != text {
			t.Errorf("got text %q, want %q", p.String(), text)
		}
		p.MatchString(s)
	})
}
