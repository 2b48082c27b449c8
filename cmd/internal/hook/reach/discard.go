// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"os"
	"slices"
	"strings"
)

// discards reports whether a step throws away the changes of a directory: by its name, by a pattern, or by a list of names. One file by its name is no
// directory.
func discards(s *simple) bool {
	program, words := s.program(), s.words
	if among(program, "tar gtar bsdtar") {
		return overArchive(s)
	}
	if program == "patch" {
		return s.short("R") && wholeDiff(s.in)
	}
	if program != "git" || len(words) < 2 {
		return false
	}
	switch words[1].text {
	case "apply":
		return (s.short("R") || s.has("--reverse")) && wholeDiff(s.in)
	case "reset":
		return s.has("--merge")
	case "restore", "checkout":
	default:
		return false
	}
	return slices.ContainsFunc(discarded(words[1].text == "checkout", words[2:]), func(w stepWord) bool {
		info, err := os.Stat(under(s.dir, w.text))
		return w.from != nil || err == nil && info.IsDir() || strings.HasSuffix(w.text, "/") || strings.Contains(w.text, "*")
	})
}

// wholeDiff reports whether a pipe begins with all changes that are not committed.
func wholeDiff(in []*simple) bool {
	return slices.ContainsFunc(in, func(s *simple) bool {
		words := s.operands()
		return s.program() == "git" && len(words) > 0 && words[0].text == "diff" && !s.has("--cached --staged") &&
			!slices.ContainsFunc(words[1:], func(w stepWord) bool { return !among(w.text, ". HEAD") })
	})
}

// overArchive reports whether a step unpacks a commit over the files of the work.
func overArchive(s *simple) bool {
	if !slices.ContainsFunc(s.in, func(from *simple) bool {
		return from.program() == "git" && len(from.words) > 1 && from.words[1].text == "archive" && len(from.operands()) < 3
	}) || !(s.short("x") || s.has("--extract --get") || len(s.words) > 1 && !strings.HasPrefix(s.words[1].text, "-") && strings.Contains(s.words[1].text, "x")) {
		return false
	}
	for i, w := range s.words[1:] {
		if among(s.words[i].text, "-C --directory") && under(s.dir, w.text) != s.dir || strings.HasPrefix(w.text, "--directory=") {
			return false
		}
	}
	return true
}

// discarded returns the words for the files of a restore or a checkout; none if it throws nothing away, or asks first.
func discarded(checkout bool, words []stepWord) (names []stepWord) {
	staged, worktree, ended, value := false, checkout, false, false
	for _, one := range words {
		switch w := one.text; {
		case value:
			value = false
		case ended || one.from != nil || w == "" || w[0] != '-':
			names = append(names, one)
		case w == "--":
			if ended = true; checkout {
				names = nil // a commit
			}
		case w == "-p" || w == "--patch", checkout && (w == "-b" || w == "-B" || w == "--orphan" || w == "--detach" || w == "-t" || w == "--track"):
			return nil
		case w == "-s" || w == "--source":
			value = true
		case !strings.HasPrefix(w, "--") && !strings.HasPrefix(w, "-s"):
			staged, worktree = staged || strings.Contains(w, "S"), worktree || strings.Contains(w, "W")
		default:
			staged, worktree = staged || w == "--staged", worktree || w == "--worktree"
		}
	}
	if staged && !worktree {
		return nil
	}
	return names
}
