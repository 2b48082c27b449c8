// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A source is code, taken apart.
type source struct {
	code     string // without comments, and with "" in place of each text
	literals []literal
	tagged   bool // a text in backquotes is handed to a function before it
	script   bool // it is JavaScript
	unsure   bool // what is a text cannot be told: code is all of it
}

// A literal is a text within code. Texts that code seems to join are also one.
type literal struct {
	text   string
	before string // the end of the code before it
	gap    string // the code between it and the text before
	joined bool   // by nothing or a plus
	listed bool   // by a comma, a slash, or a call for joining
}

// texts are the texts of the code as they stand there, in order.
//
//go:noinline
func (s source) texts() (list []string) {
	for _, lit := range s.literals {
		if !lit.joined && !lit.listed {
			list = with(list, lit.text)
		}
	}
	return list
}

// take takes code apart. It errs on one side: where a text may begin or end elsewhere, as by a regular expression, all counts as code.
func (l *language) take(text string) source {
	s := source{code: text, script: l.script, unsure: true}
	if l.files == nil {
		return s
	}
	if m := coding.FindStringSubmatch(text); !l.script && m != nil && !among(strings.ToLower(m[1]), "utf-8 utf8 ascii latin-1") {
		return source{code: insertion} // its words are others
	}
	s.unsure = l.script && markup.MatchString(text)
	code := make([]byte, 0, len(text))
	end := 0 // of the last text in the code
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case !l.script && c == '#', l.script && (hasPrefix(text[i:], "//") || i == 0 && hasPrefix(text, "#!")):
			if n := strings.IndexAny(text[i:], "\r\n"); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
			continue
		case l.script && hasPrefix(text[i:], "/*"):
			n := strings.Index(text[i+2:], "*/")
			if n < 0 {
				s.unsure, n = true, len(text)-i-4
			}
			i += n + 4
			code = append(code, ' ')
			continue
		case l.script && c == '/' && beforePattern.MatchString(tail(code)):
			length := patternLength(text[i:])
			if length == 0 {
				s.unsure = true
				break
			}
			code = append(code, `""`...)
			s.literals = append(s.literals, literal{text: text[i+1 : i+length-1], before: tail(code), gap: ";"})
			end = len(code)
			i += length
			continue
		case l.script && c == '/' && (beforeExpression.MatchString(tail(code)) || strings.ContainsRune(tail(code)[len(strings.TrimRight(tail(code), " \t\r\n")):], '\n')):
			s.unsure = true // also where a line may end a statement
		case c == '\'' || c == '"' || l.script && c == '`':
			format := c == '`'
			if prefix := prefixOf(code); !l.script && prefix != "" {
				format = strings.ContainsAny(prefix, "fFtT")
				code = code[:len(code)-len(prefix)]
			}
			before, between := tail(code), code[min(end, len(code)):]
			s.tagged = s.tagged || c == '`' && tags.MatchString(before) && !afterKeyword.MatchString(before)
			body, length, closed := quotedText(text[i:], !l.script)
			inserted, told := "", true
			if format {
				inserted, told = l.inserted(body)
			}
			s.unsure = s.unsure || !closed || !told
			body = strings.ReplaceAll(body, "\\\n", "")
			s.literals = append(s.literals, literal{text: body, before: before, gap: string(between)})
			code = append(code, inserted...)
			code = append(code, `""`...)
			end = len(code)
			i += length
			continue
		}
		code = append(code, c)
		i++
	}
	if !s.unsure {
		s.code = string(code)
	}
	if len(s.literals) <= maxTexts {
		s.literals = withChains(s.literals)
	}
	return s
}

// withConstants returns code with the texts of variables in their places, where the code sets them to a text.
func withConstants(code string) string {
	for _, m := range constants.FindAllStringSubmatch(code, maxOthers) {
		name, value := m[1], m[2]
		plain := strings.Trim(value, `"'`+"`")
		code = strings.ReplaceAll(strings.ReplaceAll(code, "${"+name+"}", plain), "{"+name+"}", plain)
		uses, err := regexp.Compile(`([(+%,=]\s*)` + name + `\b(\s*(?:[^=\s(.\w]|$))`)
		for range 2 { // two uses may stand side by side
			if err == nil && len(code) < maxPrinted {
				code = uses.ReplaceAllString(code, "${1}"+strings.ReplaceAll(value, "$", "$$")+"${2}")
			}
		}
	}
	return code
}

var constants = lazyregexp.New(`\b([A-Za-z_]\w*)\s*=\s*("[^"\\\n]*"|'[^'\\\n]*')`)

// maxTexts bounds the texts that are looked at.
const maxTexts = 2000

// prefixOf returns the letters before the quotes of a text in Python, such as f or rb.
func prefixOf(code []byte) string {
	if len(code) == 0 || strings.IndexByte("rRbBfFuUtT", code[len(code)-1]) < 0 {
		return ""
	}
	return prefixes.FindString(tail(code))
}

// maxJoined bounds a text that is joined with those behind it: each would hold all before.
const maxJoined = 256

// withChains adds to texts what becomes of those that stand in a row: 'a' + 'b', ”.join(['a', 'b']), os.path.join('a', 'b').
func withChains(list []literal) []literal {
	var chains []literal
	var sum, dir, before string // of the row
	for i, lit := range list {
		if i == 0 || len(sum) >= maxJoined || len(dir) >= maxJoined || !chained.MatchString(lit.gap) {
			sum, dir, before = lit.text, lit.text, lit.before
			continue
		}
		plus := strings.Trim(lit.gap, " \t\r\n+()") == ""
		switch {
		case contains(lit.gap, "join"): // what stood before is put between
			sum, dir = lit.text, lit.text
			continue
		case contains(lit.gap, "concat"):
			sum += lit.text
		case strings.ContainsAny(lit.gap, ".%"):
			sum = placeholder.ReplaceAllString(sum, lit.text)
		default:
			sum += lit.text
		}
		dir = path.Join(dir, lit.text)
		chains = append(chains, literal{text: sum, before: before, joined: plus, listed: !plus}, literal{text: dir, before: before, listed: true})
	}
	return append(list, chains...)
}

var (
	chained     = lazyregexp.New(`^[\s+()\[\],/]*(\.\s*(concat|format|join)\s*\(\s*\[?\s*|%\s*\(?\s*)?$`)
	placeholder = lazyregexp.New(`%s|\{\w*\}`)
)

// tail returns the end of code, by which the next character is understood.
//
//go:noinline
func tail(code []byte) string { return string(code[max(0, len(code)-looksBack):]) }

const looksBack = 40

var (
	coding           = lazyregexp.New(`^(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)`)
	markup           = lazyregexp.New(`<!--|-->`)                     // comments of old pages, which JavaScript still knows
	beforePattern    = lazyregexp.New(`(^|[(,=:\[!&|?{;*%<>~^])\s*$`) // a slash there divides nothing
	beforeExpression = lazyregexp.New(`(^|[^\w\s$"]|\b(return|typeof|case|of|in|else|do|void|delete|throw|new|instanceof|await|yield|default|extends))\s*$`)
	tags             = lazyregexp.New(`[\w$)\]]\s*$`)
	afterKeyword     = lazyregexp.New(`\b(return|typeof|case|of|in|else|do|void|delete|throw|await|yield|default)\s*$`)
	prefixes         = lazyregexp.New(`\b(?i:[rbuft]|rb|br|fr|rf|tr|rt)$`)
)

// quotedText returns the text between the quotes at the beginning of a text, and its length with the quotes. Three quotes count as one if triple.
func quotedText(text string, triple bool) (body string, length int, closed bool) {
	quote := text[:1]
	if triple && hasPrefix(text, strings.Repeat(quote, 3)) {
		quote = text[:3]
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case hasPrefix(text[i:], quote):
			return text[len(quote):i], i + len(quote), true
		case text[i] == '\n' && len(quote) == 1 && quote != "`":
			return text[len(quote):i], i, false
		}
	}
	return text[len(quote):], len(text), false
}

// patternLength returns the length of the regular expression that JavaScript reads at the beginning of a text; 0 if it has no end.
func patternLength(text string) int {
	class := false
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\n', '\r':
			return 0
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return 0
}

// inserted returns the code within a text that inserts values, such as f"{x}". It is not told if there are quotes in it again.
func (l *language) inserted(body string) (code string, told bool) {
	var b builder
	depth, start := 0, 0
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case depth == 0 && !l.script && hasPrefix(body[i:], "{{"):
			i++
		case c == '{' && (depth > 0 || !l.script || i > 0 && body[i-1] == '$'):
			if depth++; depth == 1 {
				start = i + 1
			}
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				b.put("(" + body[start:i] + ")+")
			}
		case depth > 0 && strings.IndexByte("'\"`\\", c) >= 0:
			return "", false
		}
	}
	return b.String(), depth == 0
}
