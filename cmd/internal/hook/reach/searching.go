// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

func searches(s *simple) bool {
	return among(s.program(), "grep egrep fgrep zgrep ugrep rg ag ack") || s.program() == "git" && len(s.words) > 1 && s.words[1].text == "grep" && s.has("--no-index --no-exclude-standard --untracked")
}

// searchValues are options of searches that take the next word.
const searchValues = "-A -B -C -m -d -D -t -T -f --max-count --after-context --before-context --context --file --type --color --colors --sort -j --threads -M"

// searched returns the files of a search that prints every line, or lines with secrets by their looks.
func searched(s *simple) names {
	pattern, given := "", false
	var places []stepWord
	words := s.words[1:]
	rg := among(s.program(), "rg ag ack")
	deep := rg || s.short("rR") || s.has("--recursive --dereference-recursive --directories=recurse")
	if s.program() == "git" {
		words, deep = s.words[2:], true
	}
	if s.short("cLq") || s.has("--count --files-without-match --quiet --files") || s.program() == "rg" && typed(s) {
		return nil
	}
	var globs []string // as rg writes them: with a ! before what stays out
	ended := false
	for i := 0; i < len(words); i++ {
		w, next := words[i], ""
		if i+1 < len(words) {
			next = words[i+1].text
		}
		option, value, glued := strings.Cut(w.text, "=")
		switch {
		case w.from == nil && !ended && w.text == "--":
			ended = true
		case !ended && w.from == nil && strings.HasPrefix(w.text, "--") && (among(option, "--include --exclude --exclude-dir --glob --iglob --ignore") || option == "--regexp"):
			if !glued {
				value = next
				i++
			}
			switch option {
			case "--regexp":
				pattern, given = value, true
			case "--exclude", "--exclude-dir", "--ignore":
				globs = append(globs, "!"+value)
			default:
				globs = append(globs, value)
			}
		case !ended && w.from == nil && (w.text == "-g" && rg):
			globs = append(globs, next)
			i++
		case !ended && w.from == nil && among(w.text, searchValues):
			i++
		case !ended && w.from == nil && len(w.text) > 1 && w.text[0] == '-' && w.text[1] != '-' && strings.HasSuffix(w.text, "e"):
			pattern, given = next, true
			i++
		case !ended && w.from == nil && len(w.text) > 1 && w.text[0] == '-':
		case !given:
			pattern, given = w.text, true
		default:
			places = append(places, w)
		}
	}
	if len(places) == 0 {
		if !deep || len(s.in) > 0 {
			return nil
		}
		places = []stepWord{{text: "."}}
	}
	fixed := s.program() == "fgrep" || s.short("F") || s.has("--fixed-strings")
	basic := (among(s.program(), "grep zgrep") || s.program() == "git") && !s.short("EP") && !s.has("--extended-regexp --perl-regexp")
	re := searchedFor(pattern, fixed, basic, s.short("i") || s.has("--ignore-case"))
	credential := credentialNames.MatchString(pattern)
	every := s.short("v") || s.has("--invert-match") || re != nil && (re.MatchString("Qx_1=vj7") || re.MatchString("QX_Z=vj7"))
	visible := s.rgReads()
	if s.program() == "rg" && slices.ContainsFunc(globs, func(g string) bool { return !strings.HasPrefix(g, "!") }) {
		visible = func(file) bool { return true } // a glob of rg overrides .gitignore, and finds hidden files
	}
	if s.program() == "git" {
		standard := s.has("--untracked --exclude-standard") && !s.has("--no-exclude-standard")
		visible = func(f file) bool { return !standard || !ignored(f.path) }
	}
	return func(f file) bool {
		switch {
		case !named(places, s.dir, f, deep), (rg || s.program() == "git") && !visible(f) && !named(places, s.dir, f, false), !globsHold(globs, s.dir, f.path):
			return false
		}
		return every || re == nil && credential || re != nil && shows(cmp.Or(f.of, f.path), re, credential || around(s), s.short("U") || s.has("--multiline"))
	}
}

// searchedFor compiles the pattern of a search; nil if it is none in Go.
func searchedFor(pattern string, fixed, basic, fold bool) *regexp.Regexp {
	switch {
	case fixed:
		pattern = regexp.QuoteMeta(pattern)
	case basic: // where a backslash gives ( its meaning, and no backslash takes it
		pattern = strings.NewReplacer(`\\`, `\\`, `\<`, `\b`, `\>`, `\b`, `\(`, "(", `\)`, ")", `\{`, "{", `\}`, "}", `\|`, "|", `\+`, "+", `\?`, "?",
			"(", `\(`, ")", `\)`, "{", `\{`, "}", `\}`, "|", `\|`, "+", `\+`, "?", `\?`).Replace(pattern)
	default:
		pattern = strings.NewReplacer(`\\`, `\\`, `\<`, `\b`, `\>`, `\b`).Replace(pattern)
	}
	if fold {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return re
}

// typed reports whether rg searches the files of some types alone. None of its own types has files of secrets.
func typed(s *simple) bool {
	if s.has("-tall --type=all all") || strings.Contains(s.text, "--type-add") {
		return false
	}
	return slices.ContainsFunc(s.words, func(w stepWord) bool {
		return among(w.text, "-t --type") || strings.HasPrefix(w.text, "--type=") || strings.HasPrefix(w.text, "-t") && len(w.text) > 2
	})
}

// around reports whether a search prints the lines around a match, too.
func around(s *simple) bool {
	return s.short("ABC0123456789") || slices.ContainsFunc(s.words, func(w stepWord) bool {
		return strings.HasPrefix(w.text, "--context") || strings.HasPrefix(w.text, "--after-c") || strings.HasPrefix(w.text, "--before-c") || w.text == "--passthru"
	})
}

// credentialNames are words in the names of credentials.
var credentialNames = lazyregexp.New(`(?i)secret|token|passw|api_?key|(private|access|auth|encryption|signing)_?key|credential|_key\b`)

// shows reports whether the matches in a file tell a secret: any match does, or a line that looks like one, or a match over several lines. A file that
// cannot be read may have any.
func shows(path string, re *regexp.Regexp, anyLine, over bool) bool {
	text, err := textIn(path)
	if err != nil {
		return anyLine
	}
	lines := strings.Split(text, "\n")
	if over { // a match goes over the ends of lines
		lines = []string{text}
	}
	return slices.ContainsFunc(lines, func(line string) bool {
		if !re.MatchString(line) {
			return false
		}
		line = strings.TrimSpace(line)
		return anyLine || line != "" && line[0] != '#' && (credentialNames.MatchString(line) || secretValue.MatchString(line))
	})
}

// secretValue is a long value, or an address with a password.
var secretValue = lazyregexp.New(`(^|[=\s"'])[A-Za-z0-9][\w+/=-]{19,}|://[^\s/@]*:[^\s/@]+@`)

// rgReads tells the files that rg or ag reads: hidden and ignored ones only if it is told so.
func (s *simple) rgReads() names {
	u := 0
	for _, w := range s.words {
		if w.text == "--unrestricted" || len(w.text) > 1 && w.text[0] == '-' && w.text[1] != '-' {
			u += strings.Count(w.text, "u")
		}
	}
	all := u > 1 || s.has("--hidden -.") || s.program() == "ag" && u > 0
	every := u > 0 || s.has("--no-ignore --no-ignore-vcs -uu")
	return func(f file) bool { return (all || !hidden(s.dir, f.path)) && (every || !ignored(f.path)) }
}
