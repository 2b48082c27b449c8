// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// maxNested bounds how many programs may start one another: env nice timeout …
const maxNested = 8

// simple judges one program with its words. depth counts the programs that start it.
func (j *judge) simple(s simple, depth int) {
	s.container = s.container || j.contained
	for _, v := range s.variables {
		if len(s.words) == 0 || s.words[0] != "read" || !hasPrefix(v, "IFS=") { // how one line is split
			j.variable(v, depth > 0)
		}
	}
	if len(s.words) == 0 {
		j.fail(-1, "runs no program: the first word must be one", "")
		return
	}
	if depth > maxNested {
		j.fail(-1, "starts programs by way of too many others", "call the program by its own name")
		return
	}
	program, ok := j.program(s)
	if !ok {
		return
	}
	r := reading(program, s.words)
	if i := contained(program, s.words, r); i > 0 {
		if !among(program, launcherNames) {
			r = reading(program, s.words[:i]) // the options behind are another program's
		}
		r.Started, r.Within = i, program != "toolvet"
	}
	outer := j.spared
	j.spared = j.spares(s.words)
	defer func() { j.spared = outer }()
	own, directory := len(s.words), j.elsewhere(s)
	if next, starts := nested(program, s, r); starts {
		own -= len(next.words)
		next.array, next.offset, next.later = s.array, s.offset+own, s.later
		if next.by = program; feeds.Has(s.by) {
			next.by = s.by // which still hands the words on
		}
		if among(program, launcherNames) && len(next.words) > 0 {
			if name := packageProgram(next.words[0]); name != "" {
				next.words = append([]string{name}, next.words[1:]...)
			}
		}
		if among(program, containers) && len(next.words) > 0 && callsItself(next.words[0]) {
			next.words = append([]string{imageName(next.words[0])}, next.words[1:]...)
		}
		next.container = s.container || among(program, containers)
		if !feeds.Has(program) {
			next.input, next.before = s.input, s.before
		} else {
			j.codeByMark(s, next.words)
			if s.foreign && len(next.words) == 1 && among(programName(next.words[0]), shellNames) {
				j.refuse(-1, piped, runsPrinted) // a file by a name that is fetched
			}
			if in := s.fed(); in != nil {
				next.words = j.handed(s, next.words, *in)
			}
		}
		here := j.directory
		j.directory = directory
		j.started(next, program, depth)
		if r.Unsure && next.within && !s.later {
			j.startedLater(next, depth)
		}
		j.directory = here
	}
	s.changed = rewritten(program, s, r)
	tells := s.tells(program, r)
	for i := range s.words[1:own] {
		j.operand(program, directory, s, i+1, tells)
	}
	j.options(program, s, r, depth)
	if finders.Has(program) || among(program, fdNames) {
		j.found(s, depth)
	}
	j.connects(program, s, own)
	j.wanders(program, directory, s, r)
	j.reads(program, s, r, depth)
	j.project(program, s, r, depth)
	j.written(program, s, r, depth)
	if feeds.Has(program) && s.input != nil {
		for _, name := range strings.Fields(*s.input) { // a file of the line
			if j.namesSecret(name, directory) {
				j.refuse(-1, secret, "hands the name of a file that holds secrets or accounts to another program")
			}
		}
	}
	if text, ok := j.made[j.at(s.words[0])]; ok && contains(s.words[0], "/") {
		j.code(interpreterOf(text), text, r, depth)
	}
	j.demands(s, own)
	lines := inlineLines(program, s.words, r)
	if program == "alias" && j.allow[list] { // a shell's line may use it at once
		for _, w := range s.words[1:] {
			if _, line, ok := cut(w, "="); ok && line != "" {
				lines = with(lines, line)
			}
		}
	}
	outside := j.contained
	j.contained = outside || s.container
	for _, line := range lines {
		j.inline(line, depth, r.Within)
	}
	j.contained = outside
	j.sweeps = j.sweeps && s.keepsAll() || (s.pipes || s.hands) && j.namesAll(s, r)
}

// spares reports whether the policy lets a command delete, overwrite or publish that begins with these words: "wipe git branch -D".
func (j *judge) spares(words []string) bool {
	for key := range j.allow {
		rest, begins := strings.CutPrefix(key, wipe+" ")
		for i := 0; begins && i < len(words); i++ {
			if rest == words[i] {
				return true
			}
			if rest, begins = strings.CutPrefix(rest, words[i]); begins {
				rest, begins = strings.CutPrefix(rest, " ")
			}
		}
	}
	return false
}

// handed returns the words of a program that another gives words of its input: in place of a mark, or behind the others.
func (j *judge) handed(s simple, words []string, in string) []string {
	if in == untold {
		j.refuse(-1, unread, "hands words to another program that a filter makes of a text, so that nobody reads them")
		return words
	}
	mark := s.mark(words)
	list := strings.Fields(in)
	list = list[:min(len(list), maxLater*4)]
	size := wordCost * len(list)
	for _, w := range words {
		if mark == "" {
			break
		}
		for _, one := range list { // counted before it takes memory: both may be long
			size += strings.Count(w, mark) * len(one)
		}
	}
	if !j.spend(size) {
		return words
	}
	if mark == "" {
		return append(slices.Clone(words), list...)
	}
	var all []string
	for _, w := range words {
		if !contains(w, mark) {
			all = with(all, w)
			continue
		}
		for _, one := range list {
			all = with(all, strings.ReplaceAll(w, mark, one))
		}
	}
	return all
}

// mark returns the text in place of which a program hands on its input; "" if the input comes behind the words.
func (s *simple) mark(words []string) (mark string) {
	for i, w := range s.words[:len(s.words)-len(words)] {
		switch {
		case w == "-I" || w == "-J":
			mark = s.words[i+1]
		case hasPrefix(w, "-I"), hasPrefix(w, "-i") && len(w) > 2 && s.program() == "xargs":
			mark = w[2:]
		case hasPrefix(w, "--replace="):
			mark = trimPrefix(w, "--replace=")
		case w == "-i", w == "--replace", s.program() == "parallel" && contains(strings.Join(words, " "), "{}"):
			mark = "{}"
		}
	}
	return mark
}

// codeByMark refuses code that begins a command with a mark: the input may be a whole line.
func (j *judge) codeByMark(s simple, words []string) {
	mark := s.mark(words)
	if mark == "" {
		return
	}
	for i, w := range words {
		before, _, found := cut(w, mark)
		if found && commandBegins.MatchString(before) && (i == 0 || words[0] == "eval" || codeByOption.MatchString(words[i-1])) {
			j.refuse(s.element(len(s.words)-len(words)+i), piped, runsPrinted)
		}
	}
}

// commandBegins is code up to a place for the name of a program.
var commandBegins = lazyregexp.New(`(^|[;&|({\n]|\b(eval|exec|do|then|else|sudo|env|time))\s*["']?$`)

// codeByOption is an option before code.
var codeByOption = lazyregexp.New(`^(-[a-zA-Z]*[ce]|-p|-r|--eval|--command|--execute|--print)$`)

// tells reports whether a command only tells of the files in its words, and gives nobody what is in them.
func (s *simple) tells(program string, r *grammar.Reading) bool {
	if s.hands || r.Gave("-f", "--files-from", "-m", "--magic-file", "-files0-from", "--files0-from") {
		return false // another program may read them; or files hold names, or words
	}
	switch {
	case program == "git":
		return len(r.Operands) > 0 && !r.Gave("-C") && (among(s.first(r), "check-ignore ls-files rm status") ||
			among(s.first(r), "log rev-list shortlog") && !anyWord(s.words, gitPatch.MatchString))
	case program == "echo" || program == "printf":
		return !s.array && !s.pipes
	case finders.Has(program) && findRuns(s.words):
		return false
	}
	return tellers.Has(program)
}

// gitPatch are options by which git log shows what is in files.
var gitPatch = lazyregexp.New(`^(-[a-zA-Z]*[pucLGSU].*|--(patch|cc|combined|diff-merges|remerge-diff|unified|word-diff|color-words|binary|full-diff|ext-diff|textconv).*)$`)

// started judges the program that a program such as env or timeout starts.
func (j *judge) started(next simple, by string, depth int) {
	if len(next.words) > 0 {
		if by == "sshpass" && sshFamily.Has(programName(next.words[0])) && programName(next.words[0]) == next.words[0] {
			j.options(next.words[0], next, reading(next.words[0], next.words), depth) // all that sshpass is for
			return
		}
		j.simple(next, depth+1)
		return
	}
	for _, v := range next.variables {
		j.variable(v, true)
	}
}

// startedLater judges the words behind the first as programs, too: the first may be the value of an unknown option.
func (j *judge) startedLater(s simple, depth int) {
	for i := range s.words[:min(len(s.words), maxLater)] {
		if w := s.words[i]; i > 0 && w != "" && nameForm(w) {
			if !j.spend(wordCost * (len(s.words) - i)) { // each is read once more
				return
			}
			j.simple(simple{words: s.words[i:], array: s.array, offset: s.offset + i, within: true, later: true}, depth+1)
		}
	}
}

// maxLater bounds the words that may be a program.
const maxLater = 16

var sshFamily = wordset.New("ssh scp sftp rsync")

// inline judges a command line that a program is given to run.
func (j *judge) inline(line string, depth int, within bool) {
	if depth >= maxNested || strings.TrimSpace(line) == "" {
		j.refuse(-1, piped, "gives a shell no command that can be read here")
		return
	}
	if !j.spend(len(line)) {
		return
	}
	here, before, brought := j.directory, j.before, j.brought
	for _, s := range j.read(line) {
		s.within = within
		j.directory, j.brought = s.directory, brought || s.brings
		j.simple(s, depth+1)
	}
	j.directory, j.before, j.brought = here, before, brought
}

// program judges the first word, and returns the program's name as the tables of this
// package have it.
func (j *judge) program(s simple) (name string, ok bool) {
	word := s.words[0]
	element := s.element(0)
	name = programName(word)
	switch {
	case strings.TrimSpace(word) == "":
		j.fail(element, "runs a program without a name: the first word must be the program", "")
		return "", false
	case j.listed(s.words):
		return name, true
	case j.programs != nil && !s.within:
		j.fail(element, "runs a program that is not allowed; allowed are "+j.names, "")
		return "", false
	case contains(word, insertion):
		kind, what := unread, "runs a program that the line does not name"
		if j.brought {
			kind, what = piped, runsPrinted
		}
		j.refuse(element, kind, what)
		return "", false
	case !nameForm(trimPrefix(word, "~/")):
		j.refuse(element, unread, "runs a program with impossible characters in its name")
		return "", false
	case worldWritable(word) && !j.ownWork(word):
		const what = "runs a program from a world-writable directory"
		if !j.inside { // whoever calls a server is no user who could be asked
			j.fail(element, what, "run an installed program")
			return "", false
		}
		j.refuse(element, setting, what)
	}
	if why, bad := denied(name); bad && !looksOnly(name, s.words) && !(j.inside && among(name, "dd msbuild csc ftp")) && (why.kind == "" || !j.allow[why.kind]) {
		j.add(element, check.Finding{Message: "runs a program that " + why.what, Suggestion: "run another program, or have the policy list this one under programs", Source: why.kind})
		return "", false
	}
	return name, true
}

// listed reports whether the policy lists the program. The name of a program stands for
// its path in a directory of the system, but a path never for a name.
func (j *judge) listed(words []string) bool {
	for _, key := range j.keys(words[0]) {
		for _, rest := range j.programs[key] {
			if startsWith(words[1:], rest) {
				return true
			}
		}
	}
	i := j.globalOptions(words)
	return i > 0 && j.listed(append(words[:1:1], words[1+i:]...))
}

var systemPrograms = []string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"}

func (j *judge) keys(word string) []string {
	keys := []string{word}
	if j.shell == "cmd" || j.shell == "powershell" {
		keys = with(keys, programName(word))
	}
	if dir, base := path.Split(word); holds(systemPrograms, trimSuffix(dir, "/")) && dir != "" {
		keys = with(keys, base)
	}
	return keys
}

var windowsEndings = []string{".exe", ".com", ".bat", ".cmd", ".ps1"}

// programName is the name of a program without its directory, and without the ending
// and the capitals that Windows takes for the same.
func programName(word string) string {
	if i := strings.LastIndexAny(word, `/\`); i >= 0 {
		word = word[i+1:]
	}
	word = strings.ToLower(word)
	for _, ending := range windowsEndings {
		if base, ok := strings.CutSuffix(word, ending); ok && base != "" {
			return base
		}
	}
	return word
}

// nameForm reports whether a word can be the name or path of a program.
func nameForm(word string) bool {
	if word == "" || word[0] == '-' || contains(word, "://") {
		return false
	}
	absolute := word[0] == '/' || len(word) > 2 && word[1] == ':' && (word[2] == '\\' || word[2] == '/')
	letters := word == "[" || word == ":" || word == "."
	for i := range len(word) {
		c := word[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= 0x80:
			letters = true
		case strings.IndexByte("_-./+@:[", c) >= 0:
		case c == '\\' || c == ' ' || c == '(' || c == ')':
			if !absolute {
				return false
			}
		default:
			return false
		}
	}
	return letters
}

var writable = []string{"/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/", "/run/user/", "/proc/", "/dev/fd/", `c:\users\public\`, `c:\windows\temp\`, `\\`, "//"}

// worldWritable reports whether a path leads into a directory that everyone may write to.
func worldWritable(p string) bool {
	if p == "" || p[0] != '/' && strings.IndexByte(p, '\\') < 0 {
		return false
	}
	p = strings.ToLower(p)
	if p[0] == '/' && !hasPrefix(p, "//") {
		p = path.Clean(p) + "/"
	}
	return anyWord(writable, func(dir string) bool { return hasPrefix(p, dir) })
}
