// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/wordset"
)

// patchShell is the value of the option shell for a text that is a patch, and no command.
const patchShell = "patch"

const unreadPatch = "is, or has, a patch whose files the text does not tell"

// A patchedFile is a file that a patch writes, moves or deletes.
type patchedFile struct {
	name     string
	stripped bool // a program may take off the first steps of the name
}

// patchedFiles returns the files that a patch names, in the form of Codex and in the forms of diff. A line of a hunk that looks like the head of
// a file counts as one. maxPatched bounds them.
func patchedFiles(text string) (files []patchedFile) {
	for _, line := range splitAt(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if len(files) == maxPatched {
			break
		}
		if m := agentPatch.FindStringSubmatch(line); m != nil {
			for _, name := range splitAt(m[1], " -> ") {
				files = append(files, patchedFile{strings.TrimSpace(name), false})
			}
			continue
		}
		if m := gitPair.FindStringSubmatch(line); m != nil { // the only line that tells of a change of the mode alone
			files = append(files, patchedFile{m[1], true}, patchedFile{m[2], true})
			continue
		}
		m := diffHead.FindStringSubmatch(line)
		if m == nil || agentMarks.MatchString(line) {
			continue
		}
		name, _, _ := cut(m[1], "\t")
		if unquoted, err := strconv.Unquote(name); err == nil {
			name = unquoted
		}
		if name = strings.TrimSpace(dated.ReplaceAllString(name, "")); name != "" && name != "/dev/null" {
			files = append(files, patchedFile{name, true})
		}
	}
	return files
}

const maxPatched = 4096

var (
	agentPatch = lazyregexp.New(`(?i)^\s*\*\*\* *(?:(?:add|create|update|modify|delete|remove|move|rename|copy) *file|(?:move|rename|copy)(?:d)? *(?:file)? *(?:to|from)) *: *(.+)$`)
	gitPair    = lazyregexp.New(`^diff --git "?a/(\S+?)"? "?b/(\S+?)"?$`)
	diffHead   = lazyregexp.New(`^(?:--- |\+\+\+ |\*\*\* |Index: |(?:rename|copy) (?:from|to) )([^ *\d-].*|\d*[^\d, ].*)$`)
	dated      = lazyregexp.New(`\s+\d{4}-\d\d-\d\d[ T]\d\d:.*$`)
	linkMode   = lazyregexp.New(`(?m)^(?:new file mode|new mode|index \S+) 120000\s*$`)
	linkTarget = lazyregexp.New(`(?m)^\+([^+\s].*?)\s*$`)
	agentMarks = lazyregexp.New(`(?mi)^\s*\*\*\* *(begin patch|end patch|end of file)\s*$`)
)

// patch judges each file of a patch that is applied in a directory.
func (j *judge) patch(directory, text string) {
	files := patchedFiles(text)
	if len(files) == 0 || len(files) == maxPatched {
		j.refuse(-1, unread, unreadPatch)
	}
	for _, f := range files {
		names := []string{f.name}
		if f.stripped {
			rest := f.name
			for i := 0; ; i++ {
				_, after, ok := cut(rest, "/")
				if !ok {
					break
				}
				if rest = after; i == 0 || hasPrefix(rest, "../") {
					names = with(names, rest)
				}
			}
		}
		for _, name := range names {
			j.patched(directory, name)
		}
	}
	if linkMode.MatchString(text) {
		for _, m := range linkTarget.FindAllStringSubmatch(text, -1) {
			if j.namesSecret(m[1], directory) {
				j.refuse(-1, secret, "makes a link to a file that holds secrets or accounts")
			}
			j.leaves(-1, directory, m[1])
		}
	}
}

// patchOnly judges a text that is a patch.
func (j *judge) patchOnly(text string) {
	if len(text) > maxLength || strings.IndexByte(text, 0) >= 0 {
		j.refuse(-1, unread, unreadPatch)
		return
	}
	j.patch("", text)
}

// patched judges a file that a patch writes, moves or deletes, as any other change of it.
func (j *judge) patched(directory, name string) {
	full := toDirectory(directory, name)
	switch {
	case hasPrefix(name, insertion):
		j.refuse(-1, unread, unreadPatch)
	case j.namesSecret(name, directory):
		j.refuse(-1, secret, "changes a file that holds secrets or accounts")
	case filekind.Startup(full), contains(name, "bin/") && isGuard(name):
		j.refuse(-1, startup, "changes a file from which a shell, git or the system starts programs later")
	case ofSystem(full):
		j.refuse(-1, system, "changes a file in a directory of the system")
	}
	j.leaves(-1, directory, name)
}

// patchers apply a patch; of git, the commands apply and am do.
var patchers = wordset.New("patch gpatch apply_patch applypatch git")

// patches reports whether a command applies a patch.
func (s *simple) patches() bool {
	if len(s.words) == 0 || !patchers.Has(s.program()) {
		return false
	}
	if s.program() != "git" {
		return true
	}
	r := reading("git", s.words)
	return among(s.first(r), "apply am")
}

// judgePatch judges the files that a patch changes, where the line tells its text. A patch of the project is read by nobody, as its scripts are.
func judgePatch(j *judge, s simple, r *grammar.Reading) {
	if !s.patches() {
		return
	}
	program := s.program()
	directory := j.elsewhere(s)
	for i, w := range s.words[1:] {
		if value, ok := cutPrefix(w, "-d"); program == "patch" && ok {
			if value == "" && i+2 < len(s.words) {
				value = s.words[i+2]
			}
			directory = toDirectory(j.directory, value)
		}
	}
	if directory != j.directory {
		j.leaves(-1, "", path.Join(directory, "x"))
		if filekind.HoldsStartup(directory) {
			j.refuse(-1, startup, "changes files from which a shell, git or the system starts programs later")
		}
	}
	if s.input != nil {
		if s.ownPatch {
			return
		}
		if strings.TrimSpace(*s.input) == "" {
			j.refuse(-1, unread, unreadPatch)
		} else {
			j.patch(directory, *s.input)
		}
	}
	for i, w := range s.words[1:] {
		_, value, _ := cut(w, "=")
		if value == "" {
			value = w
		}
		text, made := j.made[j.at(value)]
		switch {
		case agentMarks.MatchString(w):
			j.patch(directory, w)
		case !made || text == built:
			if !hasIndex(r.Operands, i+1) || !hasPrefix(w, insertion) {
				continue
			}
			j.refuse(-1, unread, unreadPatch)
		case text == insertion:
			j.refuse(-1, unread, unreadPatch)
		case strings.TrimSpace(text) != "":
			j.patch(directory, text)
		}
	}
}

// ownDiffs print changes that the project's own history or files hold.
const ownDiffs = "diff show stash format-patch log range-diff"

// hand gives the programs that apply patches what the commands before a pipe print: nothing, where it is the project's own.
func (r *reader) hand(first, second int) {
	own := true
	for _, s := range r.commands[first:second] {
		own = own && len(s.words) > 0 && (among(s.program(), "cat diff filterdiff interdiff git") && !anyWord(s.words[1:], func(w string) bool { _, made := r.made[r.at(w)]; return made }))
		if own && s.program() == "git" {
			g := reading("git", s.words)
			own = len(g.Operands) > 0 && among(s.words[g.Operands[0]], ownDiffs)
		}
		own = own && s.input == nil
	}
	all := r.commands
	r.commands = all[:second]
	text := r.printed(first)
	r.commands = all
	if len(r.commands[first:second]) == 1 {
		if s := r.commands[first]; len(s.words) == 2 && s.words[0] == "cat" && r.made[r.at(s.words[1])] != insertion {
			text = r.made[r.at(s.words[1])]
		}
	}
	if text == insertion {
		text = ""
	}
	for i := second; i < len(r.commands); i++ {
		if r.commands[i].input == nil && r.commands[i].patches() && !own {
			given := text
			r.commands[i].input = &given
		} else if own && r.commands[i].patches() && r.commands[i].input == nil {
			r.commands[i].ownPatch = true
		}
	}
}

// patchedBy returns the files that a command changes by a patch, from the directory in which the line begins.
func (s *simple) patchedBy() (changes []string) {
	if s.input == nil || !s.patches() {
		return nil
	}
	return patchChanges(s.directory, *s.input)
}

func patchChanges(directory, text string) (changes []string) {
	for _, f := range patchedFiles(text) {
		changes = with(changes, home(toDirectory(directory, f.name)))
		if _, after, ok := cut(f.name, "/"); ok && f.stripped {
			changes = with(changes, home(toDirectory(directory, after)))
		}
	}
	return changes
}
