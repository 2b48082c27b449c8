// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A check by pattern is tried on the needs of each kind of attack: if none of them passes, it is
// a guard against that kind.
var (
	climbing  = []string{"..", "../x", "../../etc/passwd", "a/../../b", `..\x`, `a\..\..\b`, "a/..", "./../x"}
	absolute  = []string{"/etc/passwd", `C:\x`, "/", "//host/x"}
	dashes    = []string{"-x", "--output=x", "-"}
	elsewhere = []string{
		"http://127.0.0.1/", "http://169.254.169.254/latest", "https://evil.test/", "https://evil.test/x?y=1", "file:///etc/passwd",
		"http://localhost:8080/", "http://[::1]/", "127.0.0.1", "localhost", "169.254.169.254", "evil.test", "10.0.0.1", "::1",
	}
	breaking = func() []string {
		var out []string
		for _, m := range shellMeta + "'\"" {
			out = append(out, "a"+string(m)+"b", string(m), "a"+string(m), string(m)+"a")
		}
		return append(out, "a $(b)", "a; b", "a && b")
	}()
)

// PatternLabels are the labels of a value with a match of a pattern, and of one without. whole: the
// pattern must match all of the text; start: it must match at its start.
func PatternLabels(pattern string, whole, start bool) (yes, no Label) {
	known := fixed(pattern, whole, start)
	pattern = strings.NewReplacer(`\Z`, `\z`, `(?<`, `(?P<`, `(?P<=`, `(?<=`, `(?P<!`, `(?<!`).Replace(pattern)
	if whole {
		pattern = `\A(?:` + pattern + `)\z`
	} else if start {
		pattern = `\A(?:` + pattern + `)`
	}
	if len(pattern) > 1000 {
		return 0, 0
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return 0, 0
	}
	matches := func(list []string) (n int) {
		for _, s := range list {
			if re.MatchString(s) {
				n++
			}
		}
		return n
	}
	for _, kind := range []struct {
		tries []string
		label Label
	}{
		{climbing, NoDotDot}, {absolute, Relative}, {dashes, NoDash}, {elsewhere, HostAllow}, {breaking, NoMeta},
	} {
		switch matches(kind.tries) {
		case 0:
			yes |= kind.label & known
		case len(kind.tries):
			if kind.label != HostAllow {
				no |= kind.label
			}
		}
	}
	if yes&NoDotDot != 0 && yes&Relative != 0 {
		yes |= Contain | ContainReal
	}
	if no&NoMeta == 0 && re.MatchString(";") && re.MatchString("|") {
		no |= MetaWeak
	}
	return yes, no
}

var flags = lazyregexp.New(`^\(\?[a-zA-Z]+\)`)

// fixed are the labels that a match can give. Of a text with open ends only the beginning is known, or not
// even that.
func fixed(pattern string, whole, start bool) Label {
	pattern = flags.ReplaceAllString(pattern, "")
	start = whole || start || strings.HasPrefix(strings.TrimLeft(pattern, "("), "^") || strings.HasPrefix(pattern, `\A`)
	end := whole || strings.HasSuffix(strings.TrimRight(pattern, ")"), "$") || strings.HasSuffix(strings.ToLower(pattern), `\z`)
	switch {
	case start && end:
		return ^Label(0)
	case start:
		return Relative | NoDash | HostAllow
	}
	return 0
}

// SubstituteLabels are the labels of a text after a replacement of all matches.
func SubstituteLabels(pattern, with string) Label {
	re, err := regexp.Compile(pattern)
	if err != nil || len(pattern) > 1000 || strings.ContainsAny(with, `\$`) {
		return 0
	}
	clean := func(tries []string, bad func(string) bool) bool {
		for _, s := range tries {
			if bad(re.ReplaceAllString(s, with)) {
				return false
			}
		}
		return true
	}
	var out Label
	slashes := func(s string) bool { return strings.ContainsAny(s, `/\`) }
	if clean(append(append([]string{"....//x", "..././x", `..\/x`}, climbing...), absolute...), slashes) {
		out |= Contain | ContainReal | NoDotDot | Relative
	}
	if clean(breaking, func(s string) bool { return strings.ContainsAny(s, shellMeta+"'\"") }) {
		out |= NoMeta
	}
	if clean(dashes, func(s string) bool { return strings.HasPrefix(s, "-") }) {
		out |= NoDash
	}
	return out
}
