// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A database in the server's own process, such as SQLite, has no stand-in. Its parser tells in an error which word it did
// not expect, alone and in quotation marks. If that is a random word of the text, the word is one of the statement's own: a
// parser complains of no word within a literal.

// statementError finds the errors of a parser of SQL, whatever their word is.
var statementError = lazyregexp.New(`(?i)\bnear ["'][^\n]{0,200}syntax error|\bsyntax error (at or )?near\b|unrecognized token:|unterminated (quoted|string)|unclosed quotation|incorrect syntax near|error in your SQL syntax|SQLITE_ERROR|sqlite3?\.OperationalError|Parser Error`)

// complains reports whether a parser of SQL did not expect a word.
func complains(text, word string) bool {
	w := regexp.QuoteMeta(word)
	return regexp.MustCompile(`(?i)\bnear \\?["']` + w + `\\?["']: syntax error|\bsyntax error at or near \\?["']` + w + `\\?["']|\bincorrect syntax near \\?["']` + w + `\\?["']|\bto use near \\?["']` + w + `\b`).MatchString(text)
}

// embeddedBreaks are ways out of the place of a value, as breaks, and out of brackets.
var embeddedBreaks = append(breaks[:len(breaks):len(breaks)], ") MARK")

// word is a random word, short enough for a name in a database: three of them are.
func word() string { return "w" + token()[:12] }

// embedded tries whether the text of a parameter becomes part of a statement for a database in the server's process.
func (a *auditor) embedded(ctx context.Context, t *tool, p parameter) {
	c := cell(t, p, audit.Command)
	if a.found(c) {
		return
	}
	say := func(value string) (string, bool) {
		r := a.call(ctx, t, t.sample(a.world, setting{p, value}))
		return r.text, r.failed == ""
	}
	name := word()
	if text, ok := say(name + "'\"`) " + word()); !ok || !statementError.MatchString(text) {
		return
	}
	text, ok := say(name)
	if !ok {
		return
	}
	whole := complains(text, name) // the first word of a statement, or of what should be another
	for i, way := range embeddedBreaks {
		first, second := word(), word() // a name may have another one behind it, as an alias
		value := name + strings.Replace(way, "MARK", first+" "+second, 1)
		text, ok := say(value)
		if !ok {
			return
		}
		if !complains(text, first) && !complains(text, second) && !(whole && complains(text, name)) {
			continue
		}
		shown := "RANDOM" + strings.Replace(way, "MARK", "RANDOM RANDOM", 1)
		proof := &audit.Proof{Arguments: string(written(t.sample(a.world, setting{p, shown}))), Seen: "a database's error about a random word of the text, which is outside of any literal", Probes: i + 3}
		if whole || i == 0 && p.speaksSQL() {
			a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "sql-by-design", Why: statementByDesign, Proof: proof})
			return
		}
		a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: "sql", Why: partOfStatement, Proof: proof})
		return
	}
}
