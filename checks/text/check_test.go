// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, Check, &Options{SingleLine: true, MaxLength: 80}, "first\nsecond")
}

func pattern(t *testing.T, text string) (p Pattern) {
	t.Helper()
	if err := p.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDemands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options *Options
		value   any
		want    string // the first line found; "" for none
	}{
		"any":               {&Options{}, "Grüße, 世界", ""},
		"no options":        {nil, "fine", ""},
		"number":            {&Options{}, 7.0, "error syntax: must be a string"},
		"empty":             {&Options{MinLength: 1}, "", "error syntax: must not be empty"},
		"short":             {&Options{MinLength: 4}, "äöü", "error syntax: must have at least 4 characters"},
		"long enough":       {&Options{MinLength: 3, MaxLength: 3}, "äöü", ""},
		"long":              {&Options{MaxLength: 3}, "äöüß", "error syntax: must have at most 3 characters"},
		"two lines":         {&Options{SingleLine: true}, "a\nb", "error syntax: must be a single line"},
		"next line":         {&Options{SingleLine: true}, "a\u0085b", "error syntax: must be a single line"},
		"lines allowed":     {&Options{}, "a\r\n\tb", ""},
		"blank at end":      {&Options{Trim: true}, "a ", "error syntax: must not begin or end with white space"},
		"blank within":      {&Options{Trim: true}, "a b", ""},
		"ascii":             {&Options{Charset: "ascii"}, "naïve", "error syntax: must hold no characters beyond ASCII"},
		"latin1":            {&Options{Charset: "latin1"}, "naïve", ""},
		"beyond latin1":     {&Options{Charset: "latin1"}, "naive™", "error syntax: must hold no characters beyond Latin-1 (ISO 8859-1)"},
		"script":            {&Options{Scripts: []string{"Latin"}}, "pаypal", "error syntax: must hold no letters but those of the scripts Latin"},
		"scripts":           {&Options{Scripts: []string{"Latin", "Greek"}}, "π = 3.14 é!", ""},
		"pattern":           {&Options{Pattern: pattern(t, `^[A-Z]{2}$`)}, "ABC", "error syntax: must match the pattern ^[A-Z]{2}$"},
		"pattern somewhere": {&Options{Pattern: pattern(t, `[A-Z]{2}`)}, "xABCx", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var options any
			if tt.options != nil {
				options = tt.options
			}
			if got := first(find(t, Check, check.World{}, options, tt.value)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func TestUnseen(t *testing.T) {
	t.Parallel()
	refused := func(k kind) string { return "error security: " + faults[k].message }
	warned := "warning security: " + faults[hint].message
	for name, tt := range map[string]struct{ value, want string }{
		"family emoji":            {"👨‍👩‍👧", ""},
		"flag of Scotland":        {"🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", ""},
		"heart":                   {"❤️ and ☎︎", ""},
		"Devanagari joiner":       {"क्\u200dष", ""},
		"Persian non-joiner":      {"می\u200cخواهم", ""},
		"ideographic variant":     {"葛\U000E0100城", ""},
		"Arabic number sign":      {"\u0600١", ""},
		"not assigned yet":        {"\U0001FADF", ""},
		"NUL":                     {"a\x00b", refused(control)},
		"escape":                  {"\x1b[31mred", refused(control)},
		"C1":                      {"a\u009bb", refused(control)},
		"delete":                  {"a\x7f", refused(control)},
		"override":                {"a\u202eb", refused(bidi)},
		"isolate":                 {"a\u2066b\u2069", refused(bidi)},
		"tags":                    {"hi\U000E0068\U000E0069", refused(tag)},
		"tags behind a flag":      {"🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E0061\U000E0062\U000E007F", refused(tag)},
		"flag without end":        {"🏴\U000E0067\U000E0062", refused(tag)},
		"language tag":            {"a\U000E0001", refused(tag)},
		"run of selectors":        {"a\ufe0f\ufe01\ufe02", refused(smuggled)},
		"selector at the start":   {"\ufe0fa", refused(smuggled)},
		"late selector on letter": {"a\U000E0100", refused(smuggled)},
		"Hangul filler":           {"a\u3164", refused(filler)},
		"invisible times":         {"a\u2062b", refused(filler)},
		"line separator":          {"a\u2028b", refused(filler)},
		"noncharacter":            {"a\uffffb", refused(filler)},
		"zero-width space":        {"a\u200bb", warned},
		"joiner in Latin":         {"pass\u200dword", warned},
		"direction mark":          {"a\u200f", warned},
		"soft hyphen":             {"co\u00adop", warned},
		"byte order mark":         {"\ufeffa", warned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := first(find(t, Check, check.World{}, &Options{}, tt.value)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := find(t, Check, check.World{}, &Options{Control: true, Invisible: true}, tt.value); got != nil {
				t.Errorf("allowed: got %q, want nothing", got)
			}
		})
	}
}

func TestEachKindIsToldOnce(t *testing.T) {
	t.Parallel()
	got := find(t, Check, check.World{}, &Options{}, "\x00\x01\u202e\u202e\x02")
	if want := 4; len(got) != want { // two findings with a suggestion each
		t.Errorf("got %q, want %d lines", got, want)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	o := &Options{MinLength: -1, MaxLength: -1, Charset: "utf8", Scripts: []string{"Latin", "Klingon"}}
	var got []string
	for _, p := range append(o.Problems(), (&Options{MinLength: 3, MaxLength: 2}).Problems()...) {
		got = append(got, p.Field)
	}
	if diff := cmp.Diff([]string{"min_length", "max_length", "charset", "scripts", "min_length"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got := Rule.Options().(*Options).Problems(); got != nil {
		t.Errorf("the defaults have problems: %v", got)
	}
}

func TestPatternFault(t *testing.T) {
	t.Parallel()
	var p Pattern
	want := "must be a regular expression in RE2's syntax: missing closing ): `(a`"
	if err := p.UnmarshalText([]byte("(a")); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
