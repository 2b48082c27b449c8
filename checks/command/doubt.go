// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net/url"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Here is what a policy may deny though it is everyday work: to look beyond the directories of the work at hand (roaming), to delete more than the line
// names (deleting), and what this check cannot place (doubtful). The preset strict denies all three: a person sees all but the plainest lines.

// below reports whether a path is a directory or in it.
func below(full, dir string) bool {
	dir = trimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
	if drive.MatchString(full) { // whose names are in lower case here
		dir = strings.ToLower(dir)
	}
	return full == dir || hasPrefix(full, dir+"/")
}

// roam refuses to look at a place outside the directories of the work at hand. A home directory, and what is above it, is nobody's work.
func (j *judge) roam(directory, word string) {
	word = ofFile(word)
	if !holds(j.deny, roaming) || j.contained || len(j.world.Roots) == 0 || contains(word, "://") {
		return
	}
	full := j.full(directory, word)
	if hasPrefix(full, insertion+"/") || full == insertion+".." {
		j.refuse(-1, roaming, "looks at or goes to a place that the line does not name")
	}
	if contains(full, insertion) || streams.MatchString(full) {
		return
	}
	if !anyWord(j.world.Roots, func(root string) bool { return below(full, root) && !below(home("~"), root) }) {
		j.refuse(-1, roaming, "looks at or goes to a place outside the directories of the work at hand")
	}
}

// ofFile returns the path that a URL of a file names, or the word itself. Git takes the host for the first step of the path.
//
//go:noinline
func ofFile(word string) string {
	m := fileURL.FindStringSubmatch(word)
	if m == nil {
		return word
	}
	name := m[1]
	if rest, ok := cutPrefix(name, "//"); ok {
		name = "/" + strings.TrimLeft(trimPrefix(rest, "localhost/"), "/")
	}
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// fileURL is a file as programs take it in the place of an address, also behind the name of an option or of a package.
var fileURL = lazyregexp.New(`(?i)^(?:--?[\w-]+=|[\w.@/\[\]-]+ ?@ ?)?(?:[a-z]+\+)?file:(.+)$`)

// gitValue returns the file or the repository that the i-th word of git may name as the value of an option; "" if it names none. Git has hundreds of options,
// so only those count out that take a text or an expression.
func gitValue(words []string, i int) string {
	name, value := words[i-1], words[i]
	if hasPrefix(value, "-") {
		m := gitGlued.FindStringSubmatch(value)
		if m == nil {
			return ""
		}
		name, value = m[1], m[2]
	}
	if gitTexts.MatchString(name) {
		return ""
	}
	return value
}

// gitGlued is an option of git with its value in one word.
var gitGlued = lazyregexp.New(`^(--[\w-]+=|-\w+)(.*)$`)

// gitTexts are the options of git whose value is a text, an expression or a name in the repository.
var gitTexts = lazyregexp.New(`^(-[mSGL]\w*|-[a-zA-Z]*[mSGLeIcC]|--(message|grep|author|committer|format|pretty|date|since|until|after|before|trailer|cleanup|subject-prefix|(src|dst|line)-prefix|exclude|include|refs|glob|branches|tags|remotes|not|` +
	`(word-diff|function-context)-?regex|ignore-matching-lines|anchored|value|comment|default|type|push-option|server-option|server|strategy-option|sort|points-at|contains|merged|decorate-refs(-exclude)?|match|only|relative|into-name|reason|local-user|namespace|super-prefix|branch|(initial|track)-?branch|onto|source)=?)$`)

// wanders judges the places that a program is told to look at.
func (j *judge) wanders(program, directory string, s simple, r *grammar.Reading) {
	if !holds(j.deny, roaming) || s.container {
		return
	}
	if directory != j.directory { // by an option such as -C
		j.roam("", directory)
	}
	for i, w := range s.words[1:] {
		switch {
		case program == "git" && w == "--system":
			j.roam(directory, "/etc/gitconfig")
		case program == "git" && w == "--global":
			j.roam(directory, "~/.gitconfig")
		case program == "git" && !hasIndex(r.Operands, i+1):
			j.roam(directory, gitValue(s.words, i+1))
		case fileURL.MatchString(w) && !among(program, "echo printf"):
			j.roam(directory, w)
		}
	}
	names := r.Operands
	switch {
	case among(program, "cd pushd") && len(names) == 0:
		j.roam("", "~")
		return
	case among(program, "echo printf basename dirname which type husky") || !shows.Has(program) && !among(program, alsoLook):
		return
	case finders.Has(program):
		for _, dir := range s.begin() {
			j.roam(directory, dir)
		}
		names = nil
	case among(program, builds):
		names = nil // as other words
	case (expressive.Has(program) && program != "git" || among(program, "jq yq fd")) && len(names) > 0 && !r.Gave("-e", "-f", "--regexp", "--expression", "--file", "--from-file"):
		names = names[1:] // what it looks for, or what it does
	}
	for _, i := range names {
		j.roam(directory, s.words[i])
	}
	for i, w := range s.words[1:] { // also values of options
		switch {
		case i > 0 && among(program, "jq gojq jaq") && among(s.words[i-1], "--rawfile --slurpfile"), among(program, builds) && farPlace.MatchString(w) && s.words[i] != "-o":
			j.roam(directory, w)
		case among(program, "awk gawk mawk"):
			for _, m := range awkReads.FindAllStringSubmatch(w, maxOthers) {
				j.roam(directory, m[1])
			}
		}
	}
	if !among(program, "cd pushd "+builds) {
		j.roam(directory, ".")
	}
}

// alsoLook are programs that print or copy files, beside those of shows.
const (
	alsoLook = "sed gsed uniq comm paste join column fold fmt rev tac strings hexdump xxd od cksum sha512sum base64 xmllint fd cp gron xq colordiff objdump nm size readelf cloc scc tokei ag ack codespell vale markdownlint cppcheck " + builds
	builds   = "man gcc g++ cc c++ clang clang++ cmake ruff black isort flake8 pylint mypy pyright tsx node nodejs python python3 clang-tidy clang-format shfmt sqlfluff"
)

// farPlace is a path from the top, from a home directory or from above, and awkReads is a file that code of awk reads.
var (
	farPlace = lazyregexp.New(`^(/|~|\.\./)`)
	awkReads = lazyregexp.New(`<\s*"([^"]+)"`)
)

// judgeFilter refuses unknown options of filters: they may do anything, and may take the next word.
func judgeFilter(j *judge, s simple, _ *grammar.Reading) {
	j.each(s, doubtful, "is an option that this check does not know", func(_ int, w string) bool {
		return len(w) > 2 && hasPrefix(w, "--") && !filterOptions.MatchString(w)
	})
}

var filterOptions = lazyregexp.New(`^--(help|version|zero-terminated|ignore-case|reverse|unique|count|(all-)?repeated|group|(skip|check)-(fields|chars)|lines|bytes|chars|words|total|max-line-length|quiet|silent|verbose|follow|retry|pid|fields|characters|` +
	`(output-)?delimiter|only-delimited|complement|key|field-separator|[\w-]+-sort|stable|check|merge|header|serial|delete|squeeze-repeats|width)(=|$)`)

// deletes refuses to delete what the line does not name one by one.
func (j *judge) deletes(s simple, r *grammar.Reading) {
	const what = "deletes a directory with all in it, or files that the line does not name one by one"
	if r.Gave("-r", "-R", "-d", "--recursive", "--dir") || s.by != "" && feeds.Has(s.by) {
		j.refuse(-1, deleting, what)
	}
	j.each(s, deleting, what, func(_ int, w string) bool { return strings.ContainsAny(w, "*?[{"+insertion) })
}

// oddSed reports whether a script of sed has a command that sed's versions do not have in common, and judges the files that it reads.
//
//go:noinline
func (j *judge) oddSed(script string) bool {
	r := sedReader{rest: script, escapes: true}
	for r.rest != "" {
		if !r.command() {
			return true
		}
	}
	for _, name := range r.reads {
		j.roam(j.directory, name)
	}
	return r.strange
}

// ownMakefile is one of the names under which make finds a makefile by itself.
var ownMakefile = lazyregexp.New(`^(\./)?(GNUm|m|M)akefile$`)

// thrownAway is a file as git checkout is given it, rather than a branch or a version.
var thrownAway = lazyregexp.New(`^[\w./@+-]+\.[A-Za-z]\w{0,4}$`)

// globalOptions counts the words behind git that say where it works and how it prints, before the name of what it does. With roaming denied, they can do
// no harm: a setting is judged as ever.
//
//go:noinline
func (j *judge) globalOptions(words []string) (n int) {
	if words[0] != "git" || !holds(j.deny, roaming) {
		return 0
	}
	for n+2 < len(words) && among(words[n+1], "--no-pager -P -C -c") {
		if n++; len(words[n]) == 2 && words[n] != "-P" {
			n++
		}
	}
	return n
}
