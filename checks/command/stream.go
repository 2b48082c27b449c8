// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// among reports whether a name is one of a list. It reads the list each time, because a set would cost every program that links this package.
func among(name, list string) bool {
	for one := range strings.FieldsSeq(list) {
		if one == name {
			return true
		}
	}
	return false
}

// feeds read standard input themselves, and leave none to the program behind.
var feeds = wordset.New("xargs parallel")

const (
	shellNames       = "sh bash dash ash zsh ksh mksh fish csh tcsh pwsh powershell nu"
	interpreterNames = "python python2 python3 pypy pypy3 node nodejs deno bun perl ruby php lua tclsh rscript osascript ipython irb julia ghci guile sbcl octave tsx ts-node jshell"
	// takers run what they read, or parts of it, beside these.
	takers       = "parallel gnuplot m4 expect iex ocaml"
	clientTakers = "psql mysql mariadb sqlite3 sqlite duckdb"
)

// reads judges the program text that a shell or an interpreter reads on standard input.
func (j *judge) reads(program string, s simple, r *grammar.Reading, depth int) {
	if plain := strings.TrimRight(program, "0123456789."); !among(program, interpreterNames) && among(plain, interpreterNames) {
		program = plain // python3.12
	}
	if s.foreign && (among(program, takers) && (program != "parallel" || r.Started == 0) || among(program, codeRunners) && !among(program, compilers) && anyWord(s.words[1:], func(w string) bool { return among(w, "- /dev/stdin") })) {
		j.refuse(-1, piped, runsPrinted)
	} else if s.foreign && among(program, clientTakers) {
		j.refuse(-1, unread, "hands a client of a database what is fetched or decoded, with commands of the client")
	}
	isShell := among(program, shellNames)
	sources := program == "source" || program == "."
	if !isShell && !sources && !among(program, interpreterNames) {
		return
	}
	script := s.first(r)
	text, written := j.made[j.at(script)]
	for _, end := range []string{".js", "/index.js", "/__main__.py"} { // the program looks for these, too
		if !written && !isShell && !sources {
			text, written = j.made[j.at(script+end)]
		}
	}
	switch {
	case hasPrefix(script, "/dev/fd/"):
		j.refuse(-1, piped, runsPrinted)
	case script == insertion:
		j.refuse(-1, unread, "runs a program that the line does not name")
	case givenCode(r):
	case written && script != "":
		j.code(program, text, r, depth)
	case script != "" && script != "-" && script != "/dev/stdin" && !r.Gave("-s"), s.input == nil:
	case *s.input == "":
		j.refuse(-1, piped, runsPrinted)
	default:
		j.code(program, *s.input, r, depth)
	}
}

const runsPrinted = "makes a shell or interpreter run what another command prints"

// code judges a text that the line itself tells, for a shell or an interpreter.
func (j *judge) code(program, text string, r *grammar.Reading, depth int) {
	switch {
	case strings.TrimSpace(text) == "":
	case strings.TrimSpace(text) == insertion:
		j.refuse(-1, piped, runsPrinted)
	case contains(text, untold):
		j.refuse(-1, inCode, "runs what code or a filter of the line writes")
	case among(program, powerShellNames):
		if !powerShellLooks(text) {
			j.refuse(-1, inCode, "gives PowerShell commands that may do more than look")
		}
	case !among(program, interpreterNames):
		j.inline(text, depth, r.Within)
	default:
		j.interpret(-1, "", program, text, depth)
	}
}

// interpreterOf returns the program that the first line of a script names; "sh" if it names none.
func interpreterOf(script string) string {
	line, _, _ := cut(script, "\n")
	words := strings.Fields(trimPrefix(line, "#!"))
	if !hasPrefix(line, "#!") || len(words) == 0 {
		return "sh"
	}
	if name := programName(words[0]); name != "env" || len(words) == 1 {
		return name
	}
	return programName(words[len(words)-1])
}

// at returns what names a file of the line in the maps of a judge.
func (j *judge) at(file string) string {
	full := path.Clean(toDirectory(j.directory, file))
	if base := j.begins; base != "" {
		full = trimPrefix(full, trimSuffix(base, "/")+"/")
	}
	return full
}

// writes notes that the line itself writes a file.
func (r *reader) writes(file, text string) {
	j, maybe := r.judge, r.maybe > 0
	if j.made == nil {
		j.made = map[string]string{}
	}
	name := j.at(file)
	if old, known := j.made[name]; known && maybe && old != text { // either may be there
		if text = old + "\n" + text; contains(text, insertion) {
			text = insertion
		}
	}
	j.made[name] = text
	j.edits++
}

// built stands for what a compiler of the line makes: it runs as the project's own code does.
const built = ":"

// ownWork reports whether the line itself writes a file, of what it tells or compiles.
func (j *judge) ownWork(file string) bool {
	text, written := j.made[j.at(file)]
	return written && text != insertion && j.allow[temporary]
}

// saves notes the files that a command fetches or copies.
func (r *reader) saves(s simple) {
	if len(s.words) == 0 {
		return
	}
	program, last := s.program(), s.words[len(s.words)-1]
	if program == "ln" {
		r.link(s)
	}
	into := "" // the directory for what is fetched
	for i, w := range s.words[1:] {
		name, value, _ := cut(w, "=")
		switch {
		case among(name, "--output-dir --directory-prefix") && value != "":
			into = value
		case among(s.words[i], "--output-dir --directory-prefix") || s.words[i] == "-P" && hasPrefix(program, "wget"):
			into = w
		}
	}
	for i, w := range s.words[1:] {
		switch {
		case among(program, "gcc g++ cc c++ clang clang++ go rustc zig tcc"):
			if name, ok := output(program, s.words, i+1); ok {
				text := built
				for _, made := range r.made { // also a header
					if contains(made, insertion) {
						text = insertion
					}
				}
				r.writes(name, text)
			}
		case among(program, "curl wget wget2 aria2c http https xh"):
			if name, ok := output(program, s.words, i+1); ok {
				r.writes(path.Join(into, name), insertion)
			} else if s.words[i] == "-O" {
				r.writes(w, insertion)
			}
			if _, rest, ok := cut(w, "://"); ok {
				rest, _, _ = cut(rest, "?")
				r.writes(path.Join(into, lastStep(rest)), insertion)
			}
		case among(program, "cp mv ln install"):
			if text, ok := r.made[r.at(w)]; ok && i+2 < len(s.words) {
				r.writes(last, text)
				r.writes(path.Join(last, lastStep(w)), text)
			}
		}
	}
	switch {
	case !among(program, "tee sponge dd split"):
	case r.foreign && (s.before == nil || *s.before == untold):
		r.copies(s, insertion)
	case s.before != nil:
		r.copies(s, *s.before)
	}
}

// copies notes the files into which a command writes what it reads.
func (r *reader) copies(s simple, text string) {
	program := s.program()
	if program == "split" { // without a word for it
		r.writes("xaa", text)
	}
	for _, w := range s.words[1:] {
		if program == "dd" {
			if name, ok := cutPrefix(w, "of="); ok {
				r.writes(name, text)
			}
		} else if program == "split" {
			r.writes(w+"aa", text)
		} else if w != "" && w[0] != '-' {
			r.writes(w, text)
		}
	}
}

// givenCode reports whether an option gives the program its text.
func givenCode(r *grammar.Reading) bool {
	for _, use := range r.Uses {
		if use.Kind == grammar.Line || use.Kind == grammar.Code || use.Kind == grammar.Module {
			return true
		}
	}
	return false
}

// secretVariable reports whether a variable holds a secret, going by its name.
func secretVariable(name string) bool {
	return secretVariables.MatchString(name) && !plainVariables.MatchString(name)
}

var (
	secretVariables = lazyregexp.New(`(?i)(^|_)(token|secrets?|passw(or)?d|passphrase|pat|api_?key|apikey|access_?key(_id)?|private_?key|signing_?key|encryption_?key|credentials?|client_secret|connection_string|dsn)(_|$)|(token|secret|password|apikey)$`)
	plainVariables  = lazyregexp.New(`(?i)(^|_)(max|num|count|limit|per)_?tokens?|tokens?_(count|limit|max|budget|usage|estimate)(_(limit|max|count))?$|_(file|path|name|dir)$`)
)
