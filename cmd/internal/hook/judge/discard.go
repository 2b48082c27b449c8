// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// The check command reads a line alone, and cannot tell a directory from a file or a branch. Where the line runs, the file system tells.

// gitDiscards are commands of git that may throw away changes: where, which, and their words.
var gitDiscards = lazyregexp.New("(?m)(?:^|[;&|(`{!]|\\b(?:do|then|else|exec|time|command|env)\\s)\\s*git\\s+((?:(?:-C|-c)\\s+\\S+\\s+|--no-pager\\s+)*)(restore|checkout)\\s+([^;&|\\n)]*)")

// directoryChanges take the shell, or git by -C, to another directory.
var directoryChanges = lazyregexp.New("(?:\\bcd|(?:^|\\s)-C)\\s+([^\\s;&|]+)")

// discards reports whether a line throws away the changes of a directory, by its name or by a pattern that ends in one. One file by its name is no
// directory.
func discards(line, dir string) bool {
	for _, m := range gitDiscards.FindAllStringSubmatchIndex(line, 20) {
		at := dir
		for _, to := range directoryChanges.FindAllStringSubmatch(line[:m[3]], 20) {
			if at = filepath.Join(at, unquoted(to[1])); filepath.IsAbs(unquoted(to[1])) {
				at = unquoted(to[1])
			}
		}
		for _, name := range discarded(line[m[4]:m[5]] == "checkout", strings.Fields(line[m[6]:m[7]])) {
			full := name
			if !filepath.IsAbs(name) {
				full = filepath.Join(at, name)
			}
			info, err := os.Stat(full)
			if err == nil && info.IsDir() || strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/*") || strings.Contains(name, "**") || strings.HasPrefix(name, "$(git") {
				return true
			}
		}
	}
	return false
}

func unquoted(word string) string { return strings.Trim(word, "\"'") }

// discarded returns the words that may name what a restore or a checkout throws away; none if it throws nothing away, or asks first.
func discarded(checkout bool, words []string) (names []string) {
	staged, worktree, ended, value := false, checkout, false, false
	for _, w := range words {
		switch w = unquoted(w); {
		case value:
			value = false
		case ended || w == "" || w[0] != '-':
			names = append(names, w)
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
