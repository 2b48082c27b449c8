// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// All files of the work go by other ways than rm -rf: by the names that find, ls or git hand to another program, by a move, or by a copy of something
// empty.

const takesAll = "deletes or takes away all files of the work at hand"

// removes reports whether a program deletes the files in its words.
func removes(program string) bool {
	return erasers.Has(program) || among(program, "rm grm unlink shred srm del")
}

// namesAll reports whether a command prints the names of all files of the work at hand.
func (j *judge) namesAll(s simple, r *grammar.Reading) bool {
	names := r.Operands
	switch s.program() {
	case "ls", "ll", "dir":
	case "git":
		if s.first(r) != "ls-files" || anyWord(s.words, func(w string) bool {
			return among(w, "-d -o -m -i -u -k --deleted --others --modified --ignored --unmerged --killed")
		}) {
			return false
		}
		names = names[1:]
	case "find", "gfind", "bfs":
		narrow, begins := j.narrows(s, len(s.words))
		return !narrow && !anyWord(begins, func(dir string) bool { return !j.isAll(dir) })
	case "fd", "fdfind":
		if anyWord(s.words[1:], func(w string) bool {
			return !among(w, ". -H -I -u -0 -t f -tf --hidden --no-ignore --print0 --type file --type=file")
		}) {
			return false
		}
		return true
	case "rg":
		if !holds(s.words, "--files") || anyWord(s.words, func(w string) bool { return hasPrefix(w, "-g") || hasPrefix(w, "--g") || hasPrefix(w, "-t") }) {
			return false
		}
	default:
		return false
	}
	for _, i := range names {
		if !j.isAll(s.words[i]) {
			return false
		}
	}
	return true
}

// isAll reports whether a word names the directory of the shell, all that is in it, or a directory of the work as a whole.
func (j *judge) isAll(word string) bool {
	return strings.Trim(word, "./*") == "" && !contains(word, "..") && !hasPrefix(word, "/") && word != "" || j.isRoot(trimSuffix(word, "/*"))
}

// isRoot reports whether a word names a directory of the work at hand, as a whole.
func (j *judge) isRoot(word string) bool {
	full := j.full(j.directory, word)
	return anyWord(j.world.Roots, func(root string) bool { return full == path.Clean(root) })
}

// keepsAll reports whether a command hands on all names that it reads.
func (s *simple) keepsAll() bool {
	return among(s.program(), "sort uniq tr cat tee sed read echo printf") || among(s.program(), "grep egrep") && anyWord(s.words[1:], func(w string) bool { return hasPrefix(w, "-v") || w == "--invert-match" })
}

// judgeFind judges what find deletes: files below the directories of the work that have something in common are like those of rm.
func judgeFind(j *judge, s simple, r *grammar.Reading) {
	i := indexOf(s.words, "-delete")
	deletes := i > 0
	for k := 2; k < len(s.words) && i < 0; k++ {
		if s.starts(s.words[k-1]) && removes(programName(s.words[k])) {
			i = k
		}
	}
	if i < 0 {
		return
	}
	narrow, begins := j.narrows(s, i)
	if among(s.program(), fdNames) {
		before := s
		before.words = s.words[:i-1]
		narrow, begins = !j.namesAll(before, r), nil
	}
	j.refuseWord(&s, i, deleting, "deletes a directory with all in it, or files that the line does not name one by one")
	if !narrow || deletes && !j.inside {
		j.refuseWord(&s, i, wipe, "makes the program delete, overwrite or publish")
	}
	if len(begins) == 0 {
		begins = []string{"."}
	}
	for _, dir := range begins {
		if contains(dir, insertion) {
			j.refuse(-1, wipe, "deletes below a directory that the line does not name")
		}
		j.leaves(-1, j.directory, dir)
		if holdsLater(j.directory, dir) {
			j.refuse(-1, startup, "names a directory from whose files git, an agent or the system starts programs later")
		}
	}
}

// narrows reports whether the words of a find before the i-th are for files that have something in common, or for a directory by its name. It also
// returns the directories in which the find begins.
func (j *judge) narrows(s simple, i int) (narrow bool, begins []string) {
	others, tests := false, false
	for k, w := range s.words[1:i] {
		before := s.words[k]
		switch {
		case among(w, "-o -or , ! -not -files0-from"):
			others, tests = true, true
		case !tests && (among(w, "-H -L -P -D") || hasPrefix(w, "-O") || before == "-D"):
		case w != "" && strings.IndexByte("-(", w[0]) >= 0:
			tests = true
			narrow = narrow || w == "-empty"
		case !tests:
			begins = with(begins, w)
		case among(before, "-name -iname -path -ipath -wholename"):
			narrow = narrow || strings.Trim(patternClass.ReplaceAllString(w, ""), "*?./") != ""
			if plain := strings.Trim(w, "*"); i < len(s.words) && (filekind.Startup(plain) || contains(w, ".git/") || contains(w, "settings") || hasPrefix(plain, "toolvet") || contains(w, "workflows")) {
				j.refuseWord(&s, k+1, startup, "finds files from which a shell, git, an agent or the system starts programs later, to delete them")
			}
		}
	}
	if len(begins) > 0 && !anyWord(begins, func(dir string) bool { return !plainDirectory.MatchString(dir) }) && !holds(s.words, "-files0-from") {
		narrow = true // as with rm -r
	} else if others {
		narrow = false
	}
	return narrow, begins
}

// plainDirectory is a directory below the one of the shell, by its name.
var plainDirectory = lazyregexp.New(`^(\./)?[\w@-][\w.@-]*(/[\w@-][\w.@-]*)*/?$`)

var patternClass = lazyregexp.New(`\[[^\]]*\]`)

// judgeMoved refuses to move the work away as a whole, or to delete all of it that another directory lacks.
func judgeMoved(j *judge, s simple, r *grammar.Reading) {
	names := r.Operands
	if s.program() == "robocopy" && len(names) > 1 {
		names = names[:2]
	}
	if len(names) < 2 && !(len(names) > 0 && feeds.Has(s.by)) {
		return
	}
	last := s.words[names[len(names)-1]]
	if !among(s.program(), "mv gmv") {
		if anyWord(s.words, func(w string) bool { return hasPrefix(w, "--del") || among(strings.ToLower(w), "/mir /purge") }) && !s.triesOut() && (j.isAll(last) || path.Clean(last) == "~") {
			j.refuse(-1, wipe, takesAll)
		}
		return
	}
	full := j.full(j.directory, last)
	inside := anyWord(j.world.Roots, func(dir string) bool {
		return below(full, dir) && !among(dir, "/tmp /var/tmp /private/tmp") && dir != os.TempDir()
	})
	for _, i := range names[:len(names)-1] {
		w := s.words[i]
		if path.Clean(w) == "." || path.Clean(w) == "~" || j.isRoot(w) || !inside && (j.isAll(w) || j.sweeps && feeds.Has(s.by)) {
			j.refuseWord(&s, i, wipe, takesAll)
		}
	}
}

// triesOut reports whether an option of rsync has it only tell.
func (s *simple) triesOut() bool {
	return anyWord(s.words[1:], func(w string) bool {
		return hasPrefix(w, "-") && !hasPrefix(w, "--") && contains(w, "n") || hasPrefix(w, "--dry")
	})
}
