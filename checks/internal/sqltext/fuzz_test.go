// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"regexp"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/test/race"
)

var fuzzSeeds = []string{
	"SELECT 1", "select a.b, 'it''s' from t -- x", "SELECT E'\\'' FROM t", "SELECT $$;$$", "SELECT $a$;$b$;$a$", "/* /* */ */ SELECT 1",
	"SELECT [a;b], `c;d`, \"e;f\"", "SELECT q'[it's]' FROM dual", "SELECT r'\\' , '''a''' , \"\"\"b\"\"\"", "SELECT 1 # a", "SELECT 1 // a",
	"SELECT /*! 1 */", "SELECT /*!50000 1, */ 2 /*", "SELECT :x('), @y, $z::a(b)", "SELECT 1\nGO\nSELECT 2", "EXPLAIN (ANALYZE) SELECT 1",
	"WITH a AS (SELECT 1) SELECT * FROM a", "WITH a AS (DELETE FROM b) SELECT 1", "SELECT 1 INTO @a", "PRAGMA main.table_info(x)",
	"SELECT U&\"\\0061\" UESCAPE '!' (1)", "SELECT 0x1F, 1e+5, 1..2, .5, 1_000", "SELECT a -> 'b' #>> 'c'", "SELECT '\r' -- \rx",
	"SELECT ((((1", "SELECT 1;;;", "", ";", "'", "--", "/*", "$", "\\", "\x00", "\u2019", "é", "SELECT E'a'\n'b\\'' ", "BEGIN; END", "select $$",
	"x' OR '1'='1", "1 UNION SELECT 2", "1; DROP TABLE a--", "%27%20or%201%3d1", "O'Brien", "the 'like' operator", "admin'#", "a -b --c",
	"CASE WHEN 1 THEN 2 END", "' AND (SELECT 1)='1", "a') or ('b'='b", "exec master..xp_cmdshell 'x'", "waitfor delay '0:0:5'", "1 where 1=1",
}

var allDialects = []string{"generic", "postgres", "mysql", "sqlite", "mssql", "oracle", "bigquery", "snowflake", "spark", "clickhouse", "trino"}

// FuzzLex holds for every text and reading that the lexer advances at each step, and that the
// tokens lie within the text, in order.
func FuzzLex(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, dialect := range allDialects {
			for _, r := range dialects[dialect] {
				l := &lexer{reading: r, text: text, cut: -1}
				for l.pos < len(text) {
					before := l.pos
					if l.next(); l.pos <= before {
						t.Fatalf("%q, %+v: stays at %d", text, r, before)
					}
				}
				end := 0
				for _, token := range l.tokens {
					if token.start < end || token.end <= token.start || token.end > len(text) {
						t.Fatalf("%q, %+v: tokens %+v", text, r, l.tokens)
					}
					end = token.end
				}
			}
		}
	})
}

// FuzzStatements holds of every text, in every dialect: white space and a comment around it
// change no verdict; no accepted text hides a statement, and a text accepted without a dialect is
// one statement in each; no message repeats the text.
func FuzzStatements(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			t.Skip()
		}
		for _, dialect := range allDialects {
			o := &Options{Dialect: dialect}
			no := o.Refuses(text)
			if o.Refuses(" \n"+text+" ") != no {
				t.Errorf("%s, %q: space around it changes the verdict from refused %v", dialect, text, no)
			}
			if no {
				quiet(t, text, o.Judge(text))
				continue
			}
			if o.Refuses("/* x */ " + text) {
				t.Errorf("%s, %q: a comment changes the verdict", dialect, text)
			}
			if !o.Refuses(text + "\n;DELETE FROM t") {
				t.Errorf("%s, %q: hides a statement behind it", dialect, text)
			}
			if dialect == "generic" {
				oneInEach(t, text)
			}
		}
	})
}

// quiet holds that no message repeats a text.
func quiet(t *testing.T, text string, faults []check.Finding) {
	t.Helper()
	for _, found := range faults {
		if len(text) > 16 && strings.Contains(found.Message+found.Suggestion, text) {
			t.Errorf("%q: the message repeats it: %s", text, found.Message)
		}
	}
}

// oneInEach holds that a text accepted without a dialect is one statement in each dialect, or one
// that cannot run.
func oneInEach(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, "\\") {
		return // SELECT E'\'' is refused elsewhere although it could not run
	}
	for _, dialect := range allDialects {
		for _, r := range dialects[dialect] {
			l := lex(text, r, nil)
			if list := split(text, l.tokens, false); len(list) > 1 && !l.hopeless() {
				t.Errorf("%q: is accepted, and %d statements to %s", text, len(list), dialect)
			}
		}
	}
}

var (
	oneWord   = regexp.MustCompile(`^[A-Za-z0-9]+$`)
	someWords = regexp.MustCompile(`^[A-Za-z0-9 ]+$`)
)

// FuzzValues holds of every value: a word or a number passes; what may stand anywhere
// may stand in quotes; words that pass do not if they are followed by an attack; no
// message repeats the value.
func FuzzValues(f *testing.F) {
	for _, tail := range []string{"--", "#", "/*", "-- x", ""} { // the quote that follows is in a comment, and no right side
		for _, comparison := range []string{"<", "=", "like"} {
			f.Add("x' or name " + comparison + " " + tail)
		}
	}
	for _, seed := range fuzzSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			t.Skip()
		}
		for _, dialect := range allDialects {
			anywhere, quoted := &Options{Dialect: dialect, Parameter: Literal}, &Options{Dialect: dialect, Parameter: String}
			no := anywhere.Refuses(text)
			quiet(t, text, anywhere.Judge(text))
			switch {
			case no && oneWord.MatchString(text):
				t.Errorf("%s, %q: a word is refused", dialect, text)
			case !no && quoted.Refuses(text):
				t.Errorf("%s, %q: passes anywhere, and not in quotes", dialect, text)
			case someWords.MatchString(text):
				for _, attack := range []string{"' OR '1'='1", `" OR 1=1 -- `, "'; DROP TABLE t -- ", "' UNION SELECT 1 -- "} {
					if !anywhere.Refuses(text + attack) {
						t.Errorf("%s, %q: hides the attack %q", dialect, text, attack)
					}
				}
			}
		}
	})
}

// TestLongTexts holds that texts that make a careless reader start again and again are still
// judged: what takes a moment here would take longer than a test may if the work grew with the
// square of the length. No more is told of them than of others.
func TestLongTexts(t *testing.T) {
	race.Skip(t) // one goroutine, and many texts
	t.Parallel()
	const size = 1 << 18
	for _, piece := range []string{
		"(", "[", "$", "$a", ":", "::", "@", "''", `"`, "/*", "/* */", "--\n", "go ", ";", "a.nextval,", "pg_sleep(1),", "pg_shadow,",
		"explain ", "with a as (", "case ", "exec ", "exec a.", "; and 1 ", "or 1=1 ", "union select ", "E'a'\n", "q'[", "%25", "' -a --b",
	} {
		text := "SELECT 1 " + strings.Repeat(piece, size/len(piece)) + "("
		for _, parameter := range []string{"", Literal} {
			o := &Options{MaxLength: 2 * size, Parameter: parameter}
			if faults := o.Judge(text); len(faults) > maxFaults+1 {
				t.Errorf("%q again and again: %d faults are told", piece, len(faults))
			}
		}
	}
}

// TestNesting holds that deeper nesting than toolvet reads is refused.
func TestNesting(t *testing.T) {
	t.Parallel()
	brackets := func(n int) string { return strings.Repeat("(", n) + "1" + strings.Repeat(")", n) }
	for _, tt := range []struct {
		parameter, text string
		refused         bool
	}{
		{"", "SELECT " + brackets(maxNesting), false},
		{"", "SELECT " + brackets(maxNesting+1), true},
		{Literal, brackets(maxDepth - 1), false},
		{Literal, brackets(maxDepth + 1), true},
		{Literal, "1 OR " + brackets(maxDepth+1) + "=1", true},
		{Literal, "1" + strings.Repeat("; AND 1", maxDepth+1), true},
	} {
		if got := (&Options{Parameter: tt.parameter}).Refuses(tt.text); got != tt.refused {
			t.Errorf("%q %.20q…: refused %v, want %v", tt.parameter, tt.text, got, tt.refused)
		}
	}
}
