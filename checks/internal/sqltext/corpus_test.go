// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	neturl "net/url"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/corpora"
	"github.com/toolvet/toolvet/internal/test/race"
)

type row struct {
	Input                  any
	Class, Expect, Dialect string
}

// text is the row's input; that of commands may be an array; arrays are left out.
func (r *row) text() string {
	text, _ := r.Input.(string)
	return text
}

// fragment reports whether the row is a value that is put into SQL.
func (r *row) fragment() bool {
	return strings.HasPrefix(r.Class, "inj-") || strings.HasPrefix(r.Class, "benign-literal")
}

// options are those that the labels assume: one read-only statement, or a value for any place; of
// the row's dialect, if toolvet knows it. Where a row names none, PostgreSQL's parser labelled
// it.
func (r *row) options() *Options {
	if r.fragment() {
		return &Options{Parameter: Literal}
	}
	if r.Dialect == "" && !strings.Contains(r.Class, "mysql") && !strings.Contains(r.Class, "sqlite") {
		return &Options{Dialect: "postgres"}
	}
	return &Options{Dialect: dialectOf(r.Dialect)}
}

func (r *row) genericOptions() *Options { return &Options{Parameter: r.options().Parameter} }

// TestCorpus holds that every attack is refused, and at most one in a thousand of the harmless
// texts. Where the dialect is not named, one more is refused: to SQLite, what is one string in $$
// to PostgreSQL is two statements.
func TestCorpus(t *testing.T) {
	race.Skip(t) // one goroutine, and many texts
	t.Parallel()
	rows := corpora.Read[row](t, "sql")
	for name, tt := range map[string]struct {
		options func(*row) *Options
		limit   int // of refused in ten thousand
	}{
		"named":   {(*row).options, 10},
		"generic": {(*row).genericOptions, 12},
	} {
		benign, missed := 0, 0
		var score corpora.Score
		for _, r := range rows {
			no := tt.options(&r).Refuses(r.text())
			score.Add(r.Expect, no)
			switch {
			case r.Expect == "reject" && !no:
				t.Errorf("%s: passes: %s %s %q", name, r.Class, r.Dialect, r.text())
			case r.Expect == "accept" && no:
				missed++
				t.Logf("%s: refused: %s %s %q", name, r.Class, r.Dialect, r.text())
				fallthrough
			case r.Expect == "accept":
				benign++
			}
		}
		t.Logf("%s: %v", name, &score)
		if missed*10_000 > benign*tt.limit {
			t.Errorf("%s: %d of %d benign rows are refused", name, missed, benign)
		}
	}
}

// A variant writes a text in another way that changes nothing.
type variant struct {
	name  string
	write func(text string) string
}

func replaced(old, by string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, old, by) }
}

var valueVariants = []variant{
	{"as it is", replaced("", "")},
	{"in upper case", strings.ToUpper},
	{"in lower case", strings.ToLower},
	{"tabs for blanks", replaced(" ", "\t")},
	{"three blanks for one", replaced(" ", "   ")},
	{"comments for blanks", replaced(" ", "/*x*/")},
	{"encoded as in a path", neturl.PathEscape},
	{"encoded as in a form", neturl.QueryEscape},
}

// TestValueVariants holds that no attack passes because it is written in another way.
func TestValueVariants(t *testing.T) {
	t.Parallel()
	for _, r := range corpora.Read[row](t, "sql") {
		if !r.fragment() || r.Expect != "reject" {
			continue
		}
		for _, v := range valueVariants {
			if !r.options().Refuses(v.write(r.text())) {
				t.Errorf("passes %s: %s %q", v.name, r.Class, v.write(r.text()))
			}
		}
	}
}

// TestStatementVariants holds that other spellings and spaces change no verdict, that an attack
// is refused behind each benign statement, and that EXPLAIN does not hide it.
func TestStatementVariants(t *testing.T) {
	t.Parallel()
	var benign []string
	rows := corpora.Read[row](t, "sql")
	for _, r := range rows {
		if r.Expect == "accept" && !r.fragment() && !r.options().Refuses(r.text()) {
			benign = append(benign, strings.TrimRight(r.text(), "; \n\t"))
		}
	}
	variants := []variant{
		{"in upper case", strings.ToUpper},
		{"in lower case", strings.ToLower},
		{"behind a comment", func(text string) string { return "/* x */ -- y\n" + text }},
		{"with a semicolon", func(text string) string { return strings.TrimRight(text, "; \n\t") + "\n;\n" }},
	}
	for i, r := range rows {
		if r.fragment() || r.Expect == "flag" {
			continue
		}
		o := r.options()
		no := o.Refuses(r.text())
		for _, v := range variants {
			if o.Refuses(v.write(r.text())) != no {
				t.Errorf("%s, refused changes from %v: %s %s %q", v.name, no, r.Class, r.Dialect, v.write(r.text()))
			}
		}
		if r.Expect == "accept" {
			continue
		}
		for _, text := range []string{benign[i%len(benign)] + "\n;" + r.text(), "EXPLAIN ANALYZE " + r.text()} {
			if !o.Refuses(text) {
				t.Errorf("passes: %s %s %q", r.Class, r.Dialect, text)
			}
		}
	}
}

// TestOtherTexts holds that values that are unrelated to SQL pass: of the clean texts of the
// other corpora, line by line, among them much code, at most one in four hundred is refused.
func TestOtherTexts(t *testing.T) {
	t.Parallel()
	texts, refused := otherTexts(t)
	if refused*400 > texts {
		t.Errorf("%d of %d texts are refused", refused, texts)
	}
}

// otherTexts counts the clean texts of the other corpora, by lines, and those refused.
func otherTexts(t *testing.T) (texts, refused int) {
	t.Helper()
	o := &Options{Parameter: Literal}
	seen := make(map[string]bool)
	for _, name := range []string{"injection", "commands", "paths", "urls"} {
		for _, r := range corpora.Read[row](t, name) {
			if r.Expect != "accept" && r.Expect != "clean" {
				continue
			}
			for line := range strings.Lines(r.text()) {
				if seen[line] {
					continue
				}
				seen[line] = true
				texts++
				if o.Refuses(line) {
					refused++
				}
			}
		}
	}
	return texts, refused
}
