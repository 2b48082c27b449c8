// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A container makes the arguments of a constructor by their types, and esbuild drops types.
// So a text with decorators gets a call for each of its classes that names the types, as
// TypeScript's own compiler does with design:paramtypes. The call also keeps imports that
// only these types use.

// maxParameters bounds the text of one constructor's parameters.
const maxParameters = 20_000

// Injected is the name of the function in the added calls. Its arguments are a class, and a
// function that returns the types.
const Injected = "__injected"

// These expressions look at text and not at syntax, since no parser here keeps types. A wrong
// match, as in a comment, adds a call with an undeclared name, and the interpreter ignores it.
var (
	decorator   = lazyregexp.New(`(?m)^[ \t]*@[A-Za-z_$]`)
	className   = lazyregexp.New(`\bclass\s+([A-Za-z_$][\w$]*)`)
	constructor = lazyregexp.New(`\bconstructor\s*\(`)
	typed       = lazyregexp.New(`^(?:(?:public|private|protected|readonly|override)\s+)*[A-Za-z_$][\w$]*\s*\??\s*:\s*([A-Z][\w$]*)\s*(?:[<=|]|$)`)
)

// injections are the calls to add behind a text:
//
//	@injectable() class ReadTool { constructor(private files: Files, n: number) {} }
//	→ __injected(ReadTool,()=>[Files,void 0]);
//
// The constructor is looked for up to the next class, so that a class without one does not
// take its neighbour's. Types come in a function, because the class of a type may follow
// further down.
func injections(text string) string {
	if !decorator.MatchString(text) {
		return ""
	}
	var b strings.Builder
	classes := className.FindAllStringSubmatchIndex(text, 1000)
	for i, c := range classes {
		end := len(text)
		if i+1 < len(classes) {
			end = classes[i+1][0]
		}
		at := constructor.FindStringIndex(text[c[1]:end])
		if at == nil {
			continue
		}
		types, some := typesOf(text[c[1]+at[1] : end])
		if some {
			b.WriteString("\n;" + Injected + "(" + text[c[2]:c[3]] + ",()=>[" + strings.Join(types, ",") + "]);")
		}
	}
	return b.String()
}

// typesOf are the types of parameters; some reports whether one of them may be a class. Only a
// simple name with a capital is one: a container cannot make anything of "string | null".
func typesOf(text string) (types []string, some bool) {
	for _, p := range parameters(text) {
		for strings.HasPrefix(p, "@") {
			p = behindDecorator(p)
		}
		// A parameter without a usable type keeps its place in the list.
		t := "void 0"
		if m := typed.FindStringSubmatch(p); m != nil {
			t, some = m[1], true
		}
		types = append(types, t)
	}
	return types, some
}

// parameters are the texts between commas, up to the closing parenthesis. Comments become
// blanks. The ">" of an arrow closes nothing.
func parameters(given string) []string {
	var list []string
	text := []byte(given[:min(len(given), maxParameters)])
	depth, from := 0, 0
	add := func(end int) {
		if p := strings.TrimSpace(string(text[from:end])); p != "" {
			list = append(list, p)
		}
		from = end + 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'', '`':
			i = behindText(given[:len(text)], i)
		case '/':
			// A comment may contain commas and types.
			if end := behindComment(given[:len(text)], i); end > i {
				for j := i; j < end; j++ {
					text[j] = ' '
				}
				i = end - 1
			}
		case '(', '[', '{', '<':
			depth++
		case '>':
			if i > 0 && text[i-1] != '=' {
				depth--
			}
		case ')', ']', '}':
			if depth == 0 {
				add(i)
				return list
			}
			depth--
		case ',':
			if depth == 0 {
				add(i)
			}
		}
	}
	return nil
}

// behindText is the end of a text in quotes.
func behindText(text string, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// behindComment is the end of a comment, or i if none begins there.
func behindComment(text string, i int) int {
	end := -1
	switch {
	case strings.HasPrefix(text[i:], "//"):
		end = strings.IndexByte(text[i:], '\n')
	case strings.HasPrefix(text[i:], "/*"):
		if end = strings.Index(text[i:], "*/"); end >= 0 {
			end += 2
		}
	}
	if end < 0 {
		return i
	}
	return i + end
}

// behindDecorator is the text behind a decorator and its arguments.
func behindDecorator(p string) string {
	i := 1
	for i < len(p) && (p[i] == '.' || p[i] == '_' || p[i] == '$' || p[i] >= '0' && p[i] <= '9' || p[i]|0x20 >= 'a' && p[i]|0x20 <= 'z') {
		i++
	}
	depth := 0
	for ; i < len(p); i++ {
		switch p[i] {
		case '"', '\'', '`':
			i = behindText(p, i)
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth == 0 {
			break
		}
	}
	if i < len(p) && p[i] == ')' {
		i++
	}
	return strings.TrimSpace(p[min(i, len(p)):])
}
