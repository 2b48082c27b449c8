// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocumentSentences(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"paragraph over lines", "One two three four five.\nSix seven\neight nine ten", []string{
			"f:1: One two three four five.", "f:2: Six seven eight nine ten"}},
		{"short ones", "Too short. Also: too short! This one has words enough.", []string{"f:1: This one has words enough."}},
		{"marks behind the stop", `He said "one two three." (Four five six seven eight.) *Nine ten eleven twelve thirteen!* x`, []string{
			`f:1: He said "one two three."`, "f:1: (Four five six seven eight.)", "f:1: *Nine ten eleven twelve thirteen!*"}},
		{"no end", "A file a.go or 1.5 e.g. this; and: that", []string{"f:1: A file a.go or 1.5 e.g. this; and: that"}},
		{"code in a line", "Call `what. Who that` of [a page](x/what.md) now.", []string{"f:1: Call … of [a page] now."}},
		{"code over lines", "Call `one\ntwo` here and now.\nThe next has its own line.", []string{
			"f:1: Call … here and now.", "f:3: The next has its own line."}},
		{"blocks", "# A heading that nobody counts here\n\n| a | table that is not read |\n\n```text\nwhat which who whom whose\n```\n" +
			"~~~\nwhat\n```\nwhich who whom whose what\n~~~\n<!-- a comment that is not read -->\n    indented code is no prose\n\nOne two three four five\n",
			[]string{"f:16: One two three four five"}},
		{"list", "* One two three four five\n  six\n* Seven eight nine ten eleven\n1. a b c d e\n\n    still of the list here\n\nNo list any more here\n\n    and this is code again",
			[]string{"f:1: One two three four five six", "f:3: Seven eight nine ten eleven", "f:4: a b c d e", "f:6: still of the list here", "f:8: No list any more here"}},
		{"quote", "> One two three four five.", []string{"f:1: One two three four five."}},
	} {
		var got []string
		for _, p := range documentParagraphs("f", test.text) {
			for _, s := range p.sentences(".!?") {
				got = append(got, s.String())
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestCommentSentences(t *testing.T) {
	t.Parallel()
	const text = licence + `// Package p does one thing: it has five words or six.
//
//	code that is what it is
//
//   - an item of a list
//     that goes on here
//
// # A heading that is no sentence
package p

//go:generate what that which who whom
var x = "// a string that is no comment" // one two three four five

/* This block comment has six words.
The second line has its own. */
func f() {
	// Inside a function; also a comment counts.
	_ = x
}
`
	file, err := parser.ParseFile(token.NewFileSet(), "p/p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	units := commentSentences([]*source{{"p/p.go", text, file}, {"p/p_test.go", text, file}})
	var got []string
	for _, s := range units["p"] {
		got = append(got, s.String())
	}
	want := []string{
		"p/p.go:4: Package p does one thing:", "p/p.go:4: it has five words or six.", "p/p.go:8: an item of a list that goes on here",
		"p/p.go:15: one two three four five", "p/p.go:17: This block comment has six words.", "p/p.go:18: The second line has its own.",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(units) != 1 {
		t.Errorf("%d units; sentences of p (-want +got):\n%s", len(units), diff)
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		relatives int
		opens     bool
	}{
		"A gate keeps a call from the server.":                    {},
		"The call that the server refuses is logged.":             {relatives: 1},
		"That which nobody knows, whoever they are, stays.":       {relatives: 3},
		"WHAT Who whom whose which whatever that.":                {relatives: 7},
		"Somewhat thatched whichever whole words are none.":       {},
		"What is known stays with the caller.":                    {1, true},
		"(Who asks is told by the caller.)":                       {1, true},
		"*Whoever* asks again is told again.":                     {1, true},
		"Of what is known, nothing stays here.":                   {1, true},
		"Where what is known stays is open.":                      {1, true},
		"Where a call stays, nothing is known.":                   {},
		"Whatsoever the case, it is not counted.":                 {},
		"the beginning of a sentence is capital, what else":       {relatives: 1},
		"what begins in the middle of a sentence opens none here": {relatives: 1},
	} {
		s := sentence{words: strings.Fields(text)}
		if got := s.relatives(); got != want.relatives {
			t.Errorf("%q has %d relative words, want %d", text, got, want.relatives)
		}
		if got := s.opens(); got != want.opens {
			t.Errorf("%q opens with a relative word: %t, want %t", text, got, want.opens)
		}
	}
}

func TestOverBudget(t *testing.T) {
	t.Parallel()
	unit := func(file string, plain, nested int) []sentence {
		return slices.Concat(
			slices.Repeat([]sentence{{file, 1, strings.Fields("a plain sentence of six words")}}, plain),
			slices.Repeat([]sentence{{file, 2, strings.Fields("one that is what it is")}}, nested))
	}
	for name, test := range map[string]struct {
		units map[string][]sentence
		want  []string // how the failures begin
	}{
		"nothing":          {},
		"at the budget":    {units: map[string][]sentence{"a": unit("a", 47, 3), "b": unit("b", 50, 0)}},
		"a unit over it":   {map[string][]sentence{"a": unit("a", 27, 3), "b": unit("b", 99, 0)}, []string{"a: 3 of 30 sentences (10.0 %, more than 6 %)"}},
		"a small unit":     {units: map[string][]sentence{"a": unit("a", 16, 3), "b": unit("b", 99, 0)}},
		"the tree over it": {map[string][]sentence{"a": unit("a", 19, 1), "b": unit("b", 19, 1)}, []string{"the tree: 2 of 40 sentences (5.0 %, more than 4 %)"}},
		"one that opens": {map[string][]sentence{"a": {{"a", 7, strings.Fields("What opens a sentence is counted.")}}},
			[]string{"1 sentences open with a relative word:\n\ta:7: What opens"}},
	} {
		got := overBudget(test.units)
		if len(got) != len(test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], test.want[i]) {
				t.Errorf("%s: got %q, want %q", name, got[i], test.want[i])
			}
		}
	}
	got := overBudget(map[string][]sentence{"a": append(unit("a", 0, 99),
		sentence{"z", 9, strings.Fields("which is worse than what that is")})})
	lines := strings.Split(got[0], "\n\t")
	if len(lines) != 1+mostShown || !strings.HasPrefix(lines[1], "z:9: ") {
		t.Errorf("%d lines, the first sentence is %q; want %d, the worst first", len(lines), lines[1], 1+mostShown)
	}
}
