// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
)

// A sedReader reads a script of sed, in the dialect of GNU, which takes those of the others.
type sedReader struct {
	rest    string
	escapes bool     // a backslash escapes within brackets, where sed's versions differ
	acts    bool     // a command runs a program or writes a file
	wrong   bool     // a part is no command
	reads   []string // files that it reads
	strange bool     // a command is one that versions do not have in common
}

// sedActs reports whether a script of sed runs a program or writes a file.
func sedActs(script string) bool {
	acts, _ := readSed(script)
	return acts
}

// readSed reports whether a script runs a program or writes a file, and whether sed would take it.
func readSed(script string) (acts, valid bool) {
	for _, escapes := range []bool{true, false} {
		r := sedReader{rest: script, escapes: escapes}
		for r.rest != "" && !r.acts {
			if !r.command() { // another version may know the command: the next one counts all the same
				r.wrong = true
				r.skipPast(";\n")
			}
		}
		acts, valid = acts || r.acts, valid || !r.wrong
	}
	return acts, valid
}

// command reads one command with its addresses, and reports whether it is one.
func (r *sedReader) command() bool {
	r.skip("{; \t\n\r\f\v")
	if r.rest == "" {
		return true
	}
	if r.address(false) {
		r.skip(" \t")
		if r.one(",") {
			r.skip(" \t")
			if !r.address(true) {
				return false
			}
		}
	}
	r.skip("! \t{;\n")
	if r.rest == "" {
		return true
	}
	name := r.rest[0]
	r.rest = r.rest[1:]
	r.strange = r.strange || strings.IndexByte("FLQRTvWz", name) >= 0
	switch name {
	case '#':
		r.skipPast("\n")
		return true
	case ':', 'b', 't', 'T':
		r.skip(" \t")
		r.rest = strings.TrimLeftFunc(r.rest, func(c rune) bool { return !strings.ContainsRune("; \t\n}", c) })
		return true
	case 'a', 'i', 'c':
		r.text()
		return true
	case 'r', 'R', 'v':
		name, _, _ := cut(r.rest, "\n")
		r.reads = with(r.reads, strings.TrimSpace(name))
		r.skipPast("\n")
		return true
	case 'w', 'W':
		r.file()
		return true
	case 'e':
		r.acts = true
		return true
	case 's':
		return r.parts() && r.flags()
	case 'y':
		if !r.parts() {
			return false
		}
	case 'l', 'L', 'q', 'Q':
		r.skip(" \t0123456789")
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', '}':
	default:
		return false
	}
	r.skip(" \t\r")
	return r.rest == "" || strings.IndexByte(";\n}#", r.rest[0]) >= 0
}

// address reads an address, and reports whether one stands there.
func (r *sedReader) address(second bool) bool {
	switch {
	case r.rest == "":
		return false
	case r.one("$"):
		return true
	case second && r.one("+~"), '0' <= r.rest[0] && r.rest[0] <= '9':
		r.skip("0123456789")
		r.skip(" \t")
		if !second && r.one("~") {
			r.skip(" \t0123456789")
		}
		return true
	case r.one(`\`) && r.rest != "", r.rest != "" && r.rest[0] == '/':
		delimiter := r.rest[0]
		r.rest = r.rest[1:]
		found := r.until(delimiter, true)
		r.skip("IM")
		return found
	}
	return false
}

// parts reads what stands between three delimiters.
func (r *sedReader) parts() bool {
	if r.rest == "" || r.rest[0] == '\n' || r.rest[0] == '\\' {
		return false
	}
	delimiter := r.rest[0]
	r.rest = r.rest[1:]
	return r.until(delimiter, true) && r.until(delimiter, false)
}

// flags reads the flags of a substitution.
func (r *sedReader) flags() bool {
	r.skip("gpiImM0123456789 \t\r")
	switch {
	case r.one("e"):
		r.acts = true
	case r.one("w"):
		r.file()
	default:
		return r.rest == "" || strings.IndexByte(";\n}#", r.rest[0]) >= 0
	}
	return true
}

// until reads past the delimiter, which is none behind a backslash or, in an expression, in brackets.
func (r *sedReader) until(delimiter byte, expression bool) bool {
	for i := 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == delimiter:
			r.rest = r.rest[i+1:]
			return true
		case c == '\\':
			i++
		case c == '[' && expression:
			i = r.bracket(i)
		}
	}
	r.rest = ""
	return false
}

// bracket returns the index of the end of the brackets that begin at i, or i if they have none.
func (r *sedReader) bracket(i int) int {
	k := i + 1
	if hasPrefix(r.rest[k:], "^") {
		k++
	}
	for first := k; k < len(r.rest); k++ {
		switch c := r.rest[k]; {
		case c == ']' && k > first:
			return k
		case c == '\\' && r.escapes:
			k++
		case c == '\n':
			return i
		case c == '[' && k+1 < len(r.rest) && strings.IndexByte(".:=", r.rest[k+1]) >= 0:
			if end := strings.Index(r.rest[k+2:], r.rest[k+1:k+2]+"]"); end >= 0 {
				k += end + 3
			}
		}
	}
	return i
}

// text reads the text that a, i and c add: up to a line break without a backslash before it.
func (r *sedReader) text() {
	for i := 0; i < len(r.rest); i++ {
		switch r.rest[i] {
		case '\\':
			i++
		case '\n':
			r.rest = r.rest[i:]
			return
		}
	}
	r.rest = ""
}

// file reads the name of a file to write.
func (r *sedReader) file() {
	name, rest, _ := cut(r.rest, "\n")
	name = strings.TrimSpace(name)
	r.acts = r.acts || name != "" && name != "/dev/stdout" && name != "/dev/stderr"
	r.rest = rest
}

func (r *sedReader) one(of string) bool {
	if r.rest == "" || strings.IndexByte(of, r.rest[0]) < 0 {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// skip is not inlined: its copies weigh more than they save.
//
//go:noinline
func (r *sedReader) skip(characters string) { r.rest = strings.TrimLeft(r.rest, characters) }

func (r *sedReader) skipPast(characters string) {
	if i := strings.IndexAny(r.rest, characters); i >= 0 {
		r.rest = r.rest[i+1:]
		return
	}
	r.rest = ""
}

// judgeSed judges the script of sed: the values of -e, each a line of it, or else the first operand. Where
// -e stands behind an operand, versions differ in which of them is the script. An operand that is no script
// is the value of an option of BSD, such as -i.
func judgeSed(j *judge, s simple, r *grammar.Reading) {
	var lines []string
	first, alone := len(s.words), false
	for _, u := range r.Uses {
		switch u.Name {
		case "-e", "--expression":
			lines = with(lines, u.Value)
			alone = alone || sedActs(u.Value) // the table refuses it
			first = min(first, u.Word)
		case "-f", "--file":
			first = min(first, u.Word)
		}
	}
	script := strings.Join(lines, "\n")
	if !alone && sedActs(script) {
		j.refuse(-1, inCode, classOf("sed-command").what)
	}
	const differs = "holds a command of sed that its versions read differently"
	if j.oddSed(script) {
		j.refuse(-1, doubtful, differs)
	}
	for k, i := range r.Operands {
		if i > first {
			return
		}
		acts, valid := readSed(s.words[i])
		if acts {
			j.refuseWord(&s, i, inCode, classOf("sed-command").what)
		}
		if !acts && (!valid || s.words[i] == "") {
			continue
		}
		if j.oddSed(s.words[i]) {
			j.refuseWord(&s, i, doubtful, differs)
		}
		if next := r.Operands[min(k+1, len(r.Operands)-1)]; next != i && contains(s.words[next], " ") && sedActs(s.words[next]) { // on BSD, the word behind -i is its value
			j.refuseWord(&s, next, inCode, classOf("sed-command").what)
		}
		return
	}
}
