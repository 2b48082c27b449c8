// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package glob

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	testDoc(t, Check, &Options{}, "{..,src}/*.ts")
}

func TestFine(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"*", "*.go", "**/*.{ts,tsx}", "src/**/test_*.py", "[a-z]*", "[!a]?", "[]a]", "[^]]", "a/b/c", ".github/**", "...", "..a/b", "a..b/*",
		`\*literal`, `a\{b`, "{1..9}.txt", "{a..e}", "v{1.0,2.0}", "file[0-9][0-9]", "!*.log", "@(a|b).js", "*.[ch]", "{}", "[[:alpha:]]*",
		"größe*", "C++/*.h", "ab:c", "a,b}",
	} {
		if got := find(t, Check, check.World{}, &Options{}, s); got != nil {
			t.Errorf("%q: got %q, want nothing", s, got)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	const (
		relative = "error security: must be relative to the directory that is searched"
		below    = "error security: must stay below the directory that is searched, without .."
		syntax   = "error syntax: must be a pattern of file names: "
		many     = "error security: must not stand for more than 1000 patterns by its braces"
	)
	for s, want := range map[string]string{
		"":                    "error syntax: must not be empty",
		"/etc/*":              relative,
		"!/etc/*":             relative,
		"~/x":                 relative,
		"$HOME/*":             relative,
		"%TEMP%/*":            relative,
		"file:///etc/*":       relative,
		`C:\*`:                relative,
		"c:/*":                relative,
		`\\server\share`:      relative,
		`\windows\*`:          relative,
		"{/etc,src}/*":        relative,
		"{a,{b,/c}}":          relative,
		"../*":                below,
		"a/../b":              below,
		"..":                  below,
		`..\x`:                below,
		`a\..\b`:              below,
		`.\./x`:               below,
		"{..,a}/*":            below,
		".{.,a}/*":            below,
		"{.,a}{.,b}/x":        below,
		"[.][.]/x":            below,
		".[.]/x":              below,
		"@(..)/x":             below,
		"@(..|a)/x":           below,
		"@(.).":               below,
		"a/{..}/b":            below,
		"[a":                  syntax + "a class of characters that is not closed",
		"[]":                  syntax + "a class of characters that is not closed",
		"[z-a]":               syntax + "a range of characters that is out of order",
		"[a/b]":               syntax + "a class of characters that holds a separator",
		"{a,b":                syntax + "a brace that is not closed",
		"{":                   syntax + "a brace that is not closed",
		`a\`:                  syntax + "a backslash at the end",
		"a\x00b":              "error security: must hold no control characters",
		"a\nb":                "error security: must hold no control characters",
		"**/**/**":            "error security: must hold ** at most 2 times: each searches whole trees",
		"{1..1001}":           many,
		"{1..99999999999999}": many,
		"{-9223372036854775808..9223372036854775807}":       many,
		strings.Repeat("{a,b}", 10):                         many,
		strings.Repeat("{a,b}", 200):                        many,
		strings.Repeat("{1..1}", 160):                       many,
		strings.Repeat("{a,", 21) + strings.Repeat("}", 21): syntax + "braces are nested more than 20 deep",
		strings.Repeat("a", 1001):                           "error syntax: must have at most 1000 characters",
	} {
		if got := append(find(t, Check, check.World{}, &Options{}, s), "")[0]; got != want {
			t.Errorf("%.30q: got %q, want %q", s, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	no, zero, ten := false, 0, 10
	for name, tt := range map[string]struct {
		options any
		value   any
		want    string
	}{
		"no options":   {nil, "../x", "error security: must stay below the directory that is searched, without .."},
		"number":       {&Options{}, 1.0, "error security: must be a string: a pattern of file names"},
		"absolute":     {&Options{Absolute: true}, "/srv/*", ""},
		"parent":       {&Options{Parent: true}, "../*", ""},
		"hidden":       {&Options{Hidden: &no}, ".git/*", "error security: must not ask for names that begin with a dot"},
		"hidden later": {&Options{Hidden: &no}, "a/{b,.c}", "error security: must not ask for names that begin with a dot"},
		"not hidden":   {&Options{Hidden: &no}, "./a.b/*", ""},
		"no **":        {&Options{Deep: &zero}, "**/a", "error security: must hold ** at most 0 times: each searches whole trees"},
		"no braces":    {&Options{Braces: &zero}, "{a,b}", "error security: must not stand for more than 0 patterns by its braces"},
		"none there":   {&Options{Braces: &zero}, "ab", ""},
		"few braces":   {&Options{Braces: &ten}, "{1..11}", "error security: must not stand for more than 10 patterns by its braces"},
		"short":        {&Options{MaxLength: 2}, "abc", "error syntax: must have at most 2 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := append(find(t, Check, check.World{}, tt.options, tt.value), "")[0]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	minus, many := -1, maxExpansions+1
	var got []string
	for _, p := range (&Options{Deep: &minus, Braces: &many, MaxLength: -1}).Problems() {
		got = append(got, p.Field)
	}
	if diff := cmp.Diff([]string{"deep", "braces", "max_length"}, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got := (&Options{}).Problems(); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

// FuzzJudge holds that no spelling of an accepted pattern is absolute or holds "..", and
// that there are no more spellings than allowed.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"*.go", "{a,b}/**", "{..,a}/x", "[.][.]", `\..\`, "{1..9}", "a{,/}b", "{a,{b,c}}", "[a-z]/{.,b}."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len((&Options{}).judge(s)) > 0 {
			return
		}
		tree, why := parse(s)
		if why != "" {
			t.Fatalf("%q is accepted, and does not parse: %s", s, why)
		}
		ways := tree.spell()
		if len(ways) > DefaultBraces {
			t.Errorf("%q stands for %d patterns", s, len(ways))
		}
		for _, w := range ways {
			bare := strings.ReplaceAll(w, `\`, "/")
			if strings.HasPrefix(w, "/") || strings.Contains("/"+bare+"/", "/../") {
				t.Errorf("%q stands for %q", s, w)
			}
		}
	})
}
