// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/internal/regular"
	"github.com/toolvet/toolvet/internal/subpath"
)

// maxPipe is how many commands at the end of a pipe are read: each of a long one asks for the names of those before it. These may be any.
const maxPipe = 32

// listed returns the names that the last of the commands in a pipe prints, nil if they print none.
func listed(steps []*simple) (printed names) {
	if more := len(steps) - maxPipe; more > 0 {
		steps, printed = steps[more:], func(file) bool { return true }
	}
	for _, s := range steps {
		before := printed
		switch program := s.program(); {
		case among(program, "ls dir eza exa lsd"):
			printed = listedByLs(s)
		case among(program, "find gfind bfs"):
			printed = listedByFind(s)
		case program == "git" && len(s.words) > 1 && s.words[1].text == "ls-files":
			others := s.short("oi") || s.has("--others --ignored")
			excluded := s.has("--exclude-standard") && !s.short("i") && !s.has("--ignored")
			printed = s.walk(2, func(f file) bool { return !f.secret || others && (!excluded || !ignored(f.path)) })
		case program == "git" && len(s.words) > 1 && (s.words[1].text == "status" || s.words[1].text == "clean" && (s.short("n") || s.has("--dry-run"))): // what git does not have
			every := strings.Contains(s.text, "--ignored") || s.words[1].text == "clean" && s.short("xX")
			printed = s.walk(len(s.words), func(f file) bool { return every || s.untracked(f) })
		case program == "git" && len(s.words) > 1 && s.words[1].text == "diff" && s.has("--name-only"):
			printed = s.walk(len(s.words), func(f file) bool { return !f.secret })
		case program == "du" && (s.short("a") || s.has("--all")), program == "tree" && s.short("f") && s.short("a"):
			printed = s.walk(1, func(file) bool { return true })
		case program == "compgen":
			printed = s.walk(len(s.words), func(file) bool { return true })
		case among(program, "fd fdfind"):
			all := s.short("Hu") || s.has("--hidden --unrestricted")
			every := s.short("Iu") || s.has("--no-ignore --unrestricted")
			printed = s.walk(len(s.words), func(f file) bool { return (all || !hidden(s.dir, f.path)) && (every || !ignored(f.path)) })
		case program == "rg" && s.has("--files"):
			printed = s.walk(1, s.rgReads())
		case s.short("l") && searches(s):
			printed = searched(s)
		case among(program, "echo printf"):
			words, dir := s.words[1:], s.dir
			printed = func(f file) bool { return named(words, dir, f, false) }
		case before != nil && among(program, "grep egrep"):
			printed = filtered(s, before)
		case before != nil && among(program, "sort uniq head tail tr sed gsed awk gawk mawk perl cut rev column paste tac shuf xargs tee read cat while"):
		case s.input != "" && (program == "" || among(program, "cat sort uniq head tail tr xargs tee")):
			printed = s.listIn(s.input)
		case among(program, "cat sort uniq head tail"):
			printed = nil
			if words := s.operands(); len(words) == 1 && words[0].from == nil {
				printed = s.listIn(words[0].text)
			}
		default:
			printed = nil
		}
	}
	return kept(printed)
}

// listIn returns the names in a file, one on a line: a file of the line so far, or an old one. Nil is none.
func (s *simple) listIn(path string) names {
	path = under(s.dir, path)
	if printed := s.lists[path]; printed != nil {
		return printed
	}
	text, err := textIn(path)
	switch {
	case errors.Is(err, regular.ErrLarge):
		return func(file) bool { return true } // it may name any
	case err != nil:
		return nil
	}
	in := map[string]bool{}
	for line := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '\n' || c == 0 }) {
		in[under(s.dir, strings.TrimSpace(line))] = true
	}
	return func(f file) bool { return in[f.path] }
}

// maxText bounds the files that are read here.
const maxText = 4 << 20

// textIn returns what a file holds.
func textIn(path string) (string, error) {
	text, err := regular.Read(path, maxText)
	return string(text), err
}

// walk is names of the files below the operands of a step from an index on, or below its directory, that pass a test.
func (s *simple) walk(from int, ok names) names {
	var begins []stepWord
	if from < len(s.words) {
		behind := &simple{words: s.words[from-1:]}
		begins = behind.operands()
	}
	if len(begins) == 0 {
		begins = []stepWord{{text: "."}}
	}
	return func(f file) bool { return named(begins, s.dir, f, true) && ok(f) }
}

func listedByLs(s *simple) names {
	begins := s.operands()
	if len(begins) == 0 {
		begins = []stepWord{{text: "."}}
	}
	all, deep := s.short("aA") || s.has("--all --almost-all"), s.short("R") || s.has("--recursive")
	return func(f file) bool {
		if named(begins, s.dir, f, false) {
			return true
		}
		in := file{path: filepath.Dir(f.path)}
		return (all || !strings.HasPrefix(filepath.Base(f.path), ".")) && (named(begins, s.dir, in, deep) || deep && named(begins, s.dir, f, true))
	}
}

// listedByFind reads the tests of find that go by names. Others, such as -mtime, it takes for true.
func listedByFind(s *simple) names {
	words := s.words[1:]
	var begins []stepWord
	for len(words) > 0 && words[0].text != "!" && !strings.HasPrefix(words[0].text, "-") && !strings.HasPrefix(words[0].text, "(") {
		begins, words = append(begins, words[0]), words[1:]
	}
	if len(begins) == 0 {
		begins = []stepWord{{text: "."}}
	}
	return func(f file) bool {
		for _, from := range begins {
			if from.from == nil && subpath.In(f.path, under(s.dir, from.text)) {
				rel, _ := filepath.Rel(under(s.dir, from.text), f.path)
				if found(words, from.text, rel) {
					return true
				}
			}
		}
		return false
	}
}

func found(words []stepWord, from, rel string) bool {
	// One alternative of -o has to hold, or all tests without one. A branch with -prune prints nothing of its matches.
	shown, base := strings.TrimSuffix(from, "/")+"/"+rel, filepath.Base(rel)
	branch, any, tested, not := true, false, false, false
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1].text
		}
		var ok bool
		switch w := words[i].text; w {
		case "!", "-not":
			not = true
			continue
		case "-o", "-or":
			any, branch, tested = any || branch && tested, true, false
			continue
		case "-name", "-iname":
			ok = globbed(next, base, w == "-iname")
			i++
		case "-path", "-wholename", "-ipath":
			ok = globbed(next, shown, w == "-ipath")
			i++
		case "-regex", "-iregex":
			re, err := regexp.Compile("^(?:" + strings.NewReplacer(`\(`, "(", `\)`, ")", `\|`, "|").Replace(next) + ")$")
			ok = err != nil || re.MatchString(shown)
			i++
		case "-type":
			ok = next == "f"
			i++
		case "-maxdepth", "-mindepth":
			depth := strings.Count(rel, "/") + 1
			ok = w == "-mindepth" || next != "0" && !(next == "1" && depth > 1) && !(next == "2" && depth > 2)
			i++
		case "-prune":
			if !branch {
				tested = true
				continue
			}
			return false
		case "-exec", "-execdir", "-ok", "-okdir":
			any = any || branch
			return any
		default:
			continue
		}
		branch, tested, not = branch && ok != not, true, false
	}
	return any || branch
}

// globbed matches a pattern of find, whose * goes over slashes.
func globbed(pattern, text string, fold bool) bool {
	if fold {
		pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	}
	quoted := strings.NewReplacer(`\*`, ".*", `\?`, ".", `\[`, "[", `\]`, "]").Replace(regexp.QuoteMeta(pattern))
	re, err := regexp.Compile("^" + strings.ReplaceAll(quoted, "[!", "[^") + "$")
	return err != nil || re.MatchString(text)
}

// filtered is what a grep lets through of a list of names.
func filtered(s *simple, before names) names {
	rest := s.operands()
	if len(rest) == 0 {
		return before
	}
	re := expression(rest[0].text, s.short("i"))
	inverse := s.short("v") || s.has("--invert-match")
	return func(f file) bool {
		if !before(f) {
			return false
		}
		rel, err := filepath.Rel(s.dir, f.path)
		if re == nil || err != nil {
			return true
		}
		return re.MatchString(rel) != inverse || re.MatchString("./"+rel) != inverse
	}
}

// expression compiles a pattern of grep, nil if it is none in Go.
func expression(pattern string, fold bool) *regexp.Regexp {
	pattern = strings.NewReplacer(`\|`, "|", `\(`, "(", `\)`, ")").Replace(pattern)
	if fold {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return re
}

// hidden reports whether a step of a path below a directory begins with a dot.
func hidden(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (strings.HasPrefix(rel, ".") || strings.Contains(rel, "/."))
}
