// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"
	"unicode/utf8"
)

// windows reads a line as cmd or PowerShell does, conservatively: a character that is
// active anywhere is taken as active, unless it stands where both leave it alone.
func (j *judge) windows(text string) []simple {
	if strings.ContainsAny(text, "\n") {
		j.refuse(-1, newline, "holds a line break, which ends a command in quotes as well")
	}
	w := windowsReader{judge: j, text: text, cmd: j.shell == "cmd"}
	return w.read()
}

type windowsReader struct {
	*judge
	text     string
	cmd      bool
	commands []simple
	words    []string
	word     builder
	open     bool    // a word has begun
	output   bool    // a redirection has begun, whose file comes next
	bracket  bool    // the command has a bracket, with another command in it
	behind   bool    // the command stands behind a pipe
	around   []frame // the commands around that of the present brackets
}

// endWord and endCommand finish what has begun.
func (w *windowsReader) endWord() {
	if w.open {
		if !w.cmd {
			w.environment(w.word.String())
		}
		if word := w.place(w.dashed(w.word.String())); w.output {
			w.redirected(word)
		} else {
			w.words = with(w.words, word)
		}
		w.output = false
	}
	w.word.Reset()
	w.open = false
}

// dashed writes an option with the dash of Unix: PowerShell takes the dashes of typography for it.
func (w *windowsReader) dashed(word string) string {
	if r, size := utf8.DecodeRuneInString(word); !w.cmd && strings.ContainsRune("–—―", r) {
		return "-" + word[size:]
	}
	return word
}

func (w *windowsReader) endCommand() {
	w.endWord()
	if len(w.words) > 0 {
		s := simple{words: w.words}
		if len(w.around) > 0 {
			s.words = w.expressed(s.words)
		}
		if !w.cmd {
			judgeRegistry(w.judge, s)
			w.starts(s.words)
			if contains(s.words[0], "-") {
				s.words = parted(s.words)
			}
			s.words = w.asUnix(s.words)
		}
		w.commands = append(w.commands, s)
		w.words = nil
	}
	w.bracket, w.behind = false, false
}

// A frame is a command with brackets in it.
type frame struct {
	words           []string
	bracket, behind bool
}

// brackets begins or ends the commands within brackets. The words in round ones are also words of the command around.
func (w *windowsReader) brackets(c byte) {
	last := len(w.around) - 1
	switch {
	case (c == '(' || c == '{') && last > maxNested:
		w.refuse(-1, unread, "nests brackets too deep to be judged")
	case c == '(' || c == '{':
		w.around = append(w.around, frame{w.words, w.bracket || c == '(', w.behind})
		w.words, w.bracket, w.behind = nil, false, false
	case last >= 0:
		inner := w.words
		w.endCommand()
		outer := w.around[last]
		w.words, w.bracket, w.behind, w.around = outer.words, outer.bracket, outer.behind, w.around[:last]
		if c == ')' {
			w.words = append(w.words, inner...)
		}
	}
}

// expressed returns the words of what may be an expression within brackets, as those of a program that only looks at them.
func (w *windowsReader) expressed(words []string) []string {
	if len(words) > 2 && hasPrefix(words[0], "$") && hasSuffix(words[1], "=") {
		words = words[2:]
	}
	if len(w.around) > 0 && !nameForm(words[0]) {
		words = append([]string{"cat"}, words...)
	}
	return words
}

func (w *windowsReader) read() []simple {
	for i := 0; i < len(w.text); {
		switch c := w.text[i]; {
		case c == ' ' || c == '\t' || c == '\n':
			w.endWord()
			i++
		case w.quote(w.text[i:]) != 0:
			length, ok := w.quoted(w.text[i:])
			if !ok {
				w.fail(-1, "has a quote that is not closed", "close it, or put the other kind of quotes around it")
				return nil
			}
			i += length
		default:
			w.bare(c, i)
			i++
		}
	}
	for len(w.around) > 0 {
		w.endWord()
		w.brackets('}')
	}
	w.endCommand()
	if len(w.commands) == 0 {
		w.fail(-1, "runs no program: the first word must be one", "")
	}
	return w.commands
}

// quote returns the kind of quote that a text begins with, ' or "; 0 without one. To PowerShell the
// quotes of typography are quotes, and one of them closes what a plain one opens.
func (w *windowsReader) quote(text string) byte {
	switch r, _ := utf8.DecodeRuneInString(text); {
	case r == '"', !w.cmd && strings.ContainsRune("“”„", r):
		return '"'
	case !w.cmd && strings.ContainsRune("'‘’‚‛", r):
		return '\''
	}
	return 0
}

// quoted reads a quoted part, and returns how long it is with its quotes. In cmd, percent
// and exclamation marks are replaced in quotes too; in PowerShell's double quotes, dollars
// and backticks.
func (w *windowsReader) quoted(text string) (int, bool) {
	w.open = true
	kind, i := w.quote(text), w.mark(text)
	for i < len(text) {
		c := text[i]
		switch {
		case w.quote(text[i:]) == kind:
			at := i
			i += w.mark(text[i:])
			if w.cmd || w.quote(text[i:]) != kind {
				return i, true
			}
			w.word.put(text[at:i]) // doubled: the quote itself
			i += w.mark(text[i:])
			continue
		case w.cmd && (c == '%' || c == '!'):
			w.percent(text[i:])
		case !w.cmd && kind == '"' && c == '$':
			w.bracket = w.bracket || hasPrefix(text[i:], "$(")
			w.refuse(-1, expansion, "holds a variable or subexpression in double quotes, which PowerShell replaces")
			w.refuse(-1, doubtful, "holds a variable or subexpression in double quotes, which PowerShell replaces")
		case !w.cmd && kind == '"' && c == '`':
			w.refuse(-1, escape, "holds a backtick in double quotes")
		}
		w.word.putByte(c)
		i++
	}
	return 0, false
}

// mark returns how long the quote is that a text begins with, and refuses one of typography: whoever
// reads the line takes it for text.
func (w *windowsReader) mark(text string) int {
	_, size := utf8.DecodeRuneInString(text)
	if size > 1 {
		w.refuse(-1, escape, "holds typographic quotes, which PowerShell takes for quotes")
	}
	return size
}

// percent reports a variable of cmd: two marks with a name between them, or an argument.
func (w *windowsReader) percent(text string) {
	if end := strings.IndexByte(text[1:], text[0]); end >= 0 || len(text) > 1 && strings.IndexByte("0123456789*~", text[1]) >= 0 {
		w.refuse(-1, expansion, "holds %…% or !…!, which cmd replaces by a variable")
		if name, _, _ := cut(text[1:max(end, 0)+1], ":"); secretVariable(name) {
			w.refuse(-1, credential, "inserts a variable that, going by its name, holds a secret")
		}
	}
}

// bare reads a character outside quotes.
func (w *windowsReader) bare(c byte, at int) {
	switch {
	case c == '&' && w.output && !w.open: // 2>&1
		w.word.putByte(c)
		w.open = true
		return
	case c == '&':
		w.end(list, "joins or starts commands, by & outside quotes")
		return
	case c == '|':
		w.end(pipe, "pipes one command into another, by | outside quotes")
		return
	case c == ';' && !w.cmd:
		w.end(list, "joins commands, by ; outside quotes")
		return
	case c == '<' || c == '>':
		w.endWord()
		w.output = c == '>'
		w.refuse(-1, redirection, "redirects input or output, by < or > outside quotes")
		return
	case c == '^' && w.cmd, c == '`' && !w.cmd:
		w.refuse(-1, escape, "holds the shell's escape character outside quotes")
		return
	case c == '(' || c == ')' || !w.cmd && (c == '{' || c == '}'):
		w.refuse(-1, compound, "holds brackets outside quotes, which group commands or run code")
		w.endWord()
		w.brackets(c)
		return
	case w.cmd && (c == '%' || c == '!'):
		w.percent(w.text[at:])
	case !w.cmd && (c == '$' || c == '@'):
		w.refuse(-1, expansion, "holds $ or @ outside quotes, which PowerShell replaces")
		w.refuse(-1, doubtful, "holds $ or @ outside quotes, which PowerShell replaces")
	case !w.cmd && c == '#' && !w.open:
		w.refuse(-1, comment, "holds a comment outside quotes")
	case w.cmd && len(w.words) == 0 && c == '@' && !w.open:
		return
	}
	w.open = true
	w.word.putByte(c)
}

// end ends a command, and says by what.
func (w *windowsReader) end(kind, what string) {
	w.refuse(-1, kind, what)
	w.endCommand()
	w.behind = kind == pipe
}
