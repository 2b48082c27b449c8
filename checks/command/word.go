// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word returns a word as the program would get it, and reports what a shell would do to it first.
// The shell's insertions are left out.
func (r *reader) word(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b, outside strings.Builder
	for i, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			outside.WriteString(lit.Value)
		}
		switch part := part.(type) {
		case *syntax.Lit:
			r.literal(&b, part.Value, i == 0)
		case *syntax.SglQuoted:
			if part.Dollar {
				r.refuse(-1, escape, "holds $'…', whose escapes a shell rewrites")
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			r.quoted(&b, part)
		default:
			r.active(part)
		}
	}
	if braces(outside.String()) {
		r.refuse(-1, expansion, "holds braces outside quotes, which a shell expands into several words")
	}
	return b.String()
}

// literal reads what stands outside quotes.
func (r *reader) literal(b *strings.Builder, text string, first bool) {
	if first && strings.HasPrefix(text, "~") || strings.Contains(text, "=~") || strings.Contains(text, ":~") {
		r.refuse(-1, expansion, "holds a ~ outside quotes, which a shell replaces by a home directory")
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			r.refuse(-1, escape, "holds a backslash outside quotes")
			if i++; i < len(text) && text[i] != '\n' {
				b.WriteByte(text[i])
			}
			continue
		case '*', '?', '[':
			if c != '[' || text != "[" {
				r.refuse(-1, glob, "holds *, ? or [ outside quotes, which a shell replaces by names of files")
			}
		}
		b.WriteByte(text[i])
	}
}

// braces reports whether a shell would expand the braces of a word, such as {a,b} or {1..9}.
func braces(text string) bool {
	open := strings.IndexByte(text, '{')
	if open < 0 {
		return false
	}
	inner, _, closed := strings.Cut(text[open+1:], "}")
	return strings.Contains(inner, ",") || closed && strings.Contains(inner, "..")
}

// quoted reads what stands in double quotes.
func (r *reader) quoted(b *strings.Builder, q *syntax.DblQuoted) {
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			r.active(part)
			continue
		}
		text := lit.Value
		for i := 0; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
				if i++; text[i] == '\n' {
					continue
				}
			}
			b.WriteByte(text[i])
		}
	}
}

// active reports a part of a word that a shell replaces.
func (r *reader) active(part syntax.WordPart) {
	switch part.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		r.refuse(-1, substitution, "runs a command to fill in its output, by $(…), backticks or <(…)")
	case *syntax.ExtGlob:
		r.refuse(-1, glob, "holds a pattern outside quotes, which a shell replaces by names of files")
	default:
		r.refuse(-1, expansion, "holds a variable or arithmetic, which a shell replaces, by $ outside single quotes")
	}
	r.inner(part)
}
