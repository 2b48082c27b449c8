// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"slices"
	"strings"
)

const esc = 0x1b

// Bounds of what terminals show of ordinary programs.
const (
	minBackspaces   = 4 // in a row; overstriking has one
	minErasedWords  = 6 // on a line that is erased or written over
	minConcealed    = 2 // words
	minTitleWords   = 6
	overwriteSpaces = 8 // that blank out a line
)

// terminal reports escapes that hide text on a terminal, and returns the hidden text. The bytes
// of a view that was folded are those of the text, here.
func (s *scanner) terminal(v *view) []hiddenSpan {
	if !hasAny(v.text, esc, '\r', '\b') {
		return nil
	}
	s.steps += len(v.text)
	t := screen{scanner: s, view: v, text: v.text, concealed: -1}
	for i := 0; i < len(t.text) && !s.over(); {
		switch t.text[i] {
		case esc:
			i = t.escape(i)
		case '\n':
			t.endLine(i)
			i++
		case '\r':
			if i+1 < len(t.text) && t.text[i+1] != '\n' {
				t.erase(i)
			}
			i++
		case '\b':
			i = t.backspaces(i)
		default:
			i++
		}
	}
	t.reveal(len(t.text))
	return t.hidden
}

// A screen follows a terminal as far as is needed to know what it shows.
type screen struct {
	*scanner
	view      *view
	text      string
	hidden    []hiddenSpan
	line      int // where the line begins, or what was last erased ends
	concealed int // where text that is not shown begins, or -1
	fg, bg    string
	conceal   bool
}

func (t *screen) hide(rule string, start, end, minWords int) {
	if end <= start || countWords(t.text[start:end], minWords) < minWords {
		return
	}
	t.hidden = append(t.hidden, hiddenSpan{span{start, end}, kindTerminal, rule})
	from, to := t.view.original(start, end, len(t.scanner.text))
	t.report(kindTerminal, rule, from, to, 80)
}

// escape reads the escape sequence at i (ECMA-48) and returns where it ends.
func (t *screen) escape(i int) int {
	if i+1 >= len(t.text) {
		return i + 1
	}
	switch t.text[i+1] {
	case '[':
		return t.control(i)
	case ']', 'P', '_', '^', 'X':
		return t.command(i)
	}
	return i + 2
}

// control reads a control sequence: parameters and a final byte.
func (t *screen) control(i int) int {
	j := i + 2
	for j < len(t.text) && t.text[j] >= 0x20 && t.text[j] <= 0x3f {
		j++
	}
	if j == len(t.text) {
		return j
	}
	params := t.text[i+2 : j]
	switch t.text[j] {
	case 'm':
		t.style(params, i, j+1)
	case 'K':
		if params != "" && params != "0" {
			t.erase(i)
		}
	case 'J', 'M':
		t.erase(i)
	}
	return j + 1
}

// style reads colours. Text in the colour of its ground is not seen.
func (t *screen) style(params string, from, to int) {
	list := strings.Split(strings.ReplaceAll(params, ":", ";"), ";")
	for k := 0; k < len(list); k++ {
		switch p := list[k]; {
		case p == "" || p == "0" || p == "00":
			t.fg, t.bg, t.conceal = "", "", false
		case p == "8" || p == "08":
			t.conceal = true
		case p == "28":
			t.conceal = false
		case p == "38" || p == "48":
			n := min(len(list), k+3)
			if k+1 < len(list) && list[k+1] == "2" {
				n = min(len(list), k+5)
			}
			colour := "x" + strings.Join(list[k+1:n], ";")
			if p == "38" {
				t.fg = colour
			} else {
				t.bg = colour
			}
			k = n - 1
		case len(p) == 2 && p[0] == '3':
			t.fg = p[1:]
		case len(p) == 2 && p[0] == '9':
			t.fg = "bright" + p[1:]
		case len(p) == 2 && p[0] == '4':
			t.bg = p[1:]
		case len(p) == 3 && p[:2] == "10":
			t.bg = "bright" + p[2:]
		}
	}
	unseen := t.conceal || t.fg != "" && t.fg == t.bg && t.fg != "9"
	switch {
	case unseen && t.concealed < 0:
		t.concealed = to
	case !unseen:
		t.reveal(from)
	}
}

func (t *screen) reveal(i int) {
	if t.concealed >= 0 {
		t.hide("concealed", t.concealed, i, minConcealed)
		t.concealed = -1
	}
}

// command reads an operating system command or a device control string. It ends at BEL or ST, or
// at the end of its line.
func (t *screen) command(i int) int {
	j := i + 2
	for j < len(t.text) && t.text[j] != '\a' && t.text[j] != esc {
		j++
	}
	end := j
	if j < len(t.text) && t.text[j] == '\a' {
		end = j + 1
	} else if j+1 < len(t.text) && t.text[j+1] == '\\' {
		end = j + 2
	}
	number, data, _ := strings.Cut(t.text[i+2:j], ";")
	switch {
	case t.text[i+1] != ']':
		t.hide("device-string", i+2, j, minConcealed)
	case number == "52":
		from, to := t.view.original(i, end, len(t.scanner.text))
		t.report(kindTerminal, "clipboard", from, to, 90)
		t.hidden = append(t.hidden, hiddenSpan{span{i, end}, kindTerminal, "clipboard"})
	case number == "8" && strings.ContainsAny(data, " \n"):
		t.hide("link-with-words", i+4, j, minConcealed)
	case number == "0" || number == "1" || number == "2":
		t.hide("title", i+4, j, minTitleWords)
	}
	return max(end, i+2)
}

// erase notes that the line so far is erased or overwritten, at i.
func (t *screen) erase(i int) {
	start := t.line
	t.line = i
	written := t.text[start:i]
	if countWords(written, minErasedWords) < minErasedWords {
		return
	}
	next := t.text[i:]
	if n := strings.IndexByte(next, '\n'); n >= 0 {
		next = next[:n]
	}
	if next[0] == '\r' && strings.Contains(next, "</") {
		return // of a page, which no terminal shows
	}
	next = next[:min(len(next), 400)]
	t.steps += len(next)
	blank := strings.HasSuffix(next, strings.Repeat(" ", overwriteSpaces))
	if blank || countWords(dropEscapes(next), 1) == 0 {
		t.hide("erased", start, i, minErasedWords)
	}
}

func (t *screen) endLine(i int) { t.line = i + 1 }

// backspaces reads backspaces at i. Many in a row take back what was written.
func (t *screen) backspaces(i int) int {
	j := i
	for j < len(t.text) && t.text[j] == '\b' {
		j++
	}
	if j-i >= minBackspaces {
		t.hide("taken-back", max(t.line, i-(j-i)), i, 1)
	}
	return j
}

// countWords counts words of two letters and more, up to enough.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func countWords(text string, enough int) int {
	n, size := 0, 0
	for i := 0; i <= len(text) && n < enough; i++ {
		if i < len(text) && byteClass[text[i]]&(isLetter|isHigh) != 0 {
			size++
			continue
		}
		if size >= 2 {
			n++
		}
		size = 0
	}
	return n
}

// dropEscapes returns text without control sequences.
func dropEscapes(text string) string {
	if strings.IndexByte(text, esc) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != esc {
			b.WriteByte(text[i])
			continue
		}
		for i++; i < len(text) && !isASCIILetter(rune(text[i])); i++ {
		}
	}
	return b.String()
}

// hasAny is strings.ContainsAny for few bytes, many times as fast.
func hasAny(text string, chars ...byte) bool {
	return slices.ContainsFunc(chars, func(c byte) bool { return strings.IndexByte(text, c) >= 0 })
}
