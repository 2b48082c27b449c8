// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolvet/toolvet/check"
)

// judge says everything that is wrong with a text. The findings have no pointer yet.
func (o *Options) judge(s string) []check.Finding {
	var list []check.Finding
	fail := func(message, mend string) {
		list = append(list, check.Finding{Message: message, Suggestion: mend})
	}
	n := utf8.RuneCountInString(s)
	switch {
	case n < o.MinLength && n == 0:
		fail("must not be empty", "")
	case n < o.MinLength:
		fail(fmt.Sprintf("must have at least %d characters", o.MinLength), "")
	case o.MaxLength > 0 && n > o.MaxLength:
		fail(fmt.Sprintf("must have at most %d characters", o.MaxLength), "")
	}
	if o.SingleLine && strings.ContainsFunc(s, lineBreak) {
		fail("must be a single line", "replace line breaks with spaces")
	}
	if o.Trim && strings.TrimSpace(s) != s {
		fail("must not begin or end with white space", "remove it")
	}
	if set := charsets[o.Charset]; set.name != "" && strings.ContainsFunc(s, func(r rune) bool { return r > set.last }) {
		fail("must hold no characters beyond "+set.name, "")
	}
	if o.foreign(s) {
		fail("must hold no letters but those of the scripts "+strings.Join(o.Scripts, ", "), "")
	}
	if o.Pattern != nil && !o.Pattern.MatchString(s) {
		fail("must match the pattern "+o.Pattern.String(), "")
	}
	return append(list, o.unseen(s)...)
}

// lineBreak follows Unicode Standard Annex 14: all that a reader may take for a new line.
func lineBreak(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// foreign reports a letter or mark of a script that is not listed.
func (o *Options) foreign(s string) bool {
	if len(o.Scripts) == 0 {
		return false
	}
	tables := []*unicode.RangeTable{unicode.Common, unicode.Inherited}
	for _, name := range o.Scripts {
		if table := unicode.Scripts[name]; table != nil {
			tables = append(tables, table)
		}
	}
	return strings.ContainsFunc(s, func(r rune) bool { return !unicode.In(r, tables...) })
}

// unseen reports characters that people cannot see but programs and models read, once a kind.
func (o *Options) unseen(s string) []check.Finding {
	var list []check.Finding
	var told [kinds]bool
	for i, r := range s {
		k := classify(s, i, r)
		if k == seen || told[k] || k == control && o.Control || k != control && o.Invisible {
			continue
		}
		told[k] = true
		f := check.Finding{Level: check.SecurityLevel, Message: faults[k].message, Suggestion: faults[k].mend}
		if faults[k].warn && o.ZeroWidth != "refuse" {
			f.Severity = check.Warning
		}
		list = append(list, f)
	}
	return list
}
