// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// globsHold reports whether globs of rg or grep let a file in: none with a ! matches it, and one without, if there are such.
func globsHold(globs []string, dir, path string) bool {
	wanted, in := false, false
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		rel = path
	}
	for _, g := range globs {
		g, out := strings.CutPrefix(g, "!")
		matched := globHolds(g, rel, !out)
		if out && matched {
			return false
		}
		wanted, in = wanted || !out, in || !out && matched
	}
	return in || !wanted
}

// maxGlobs bounds what the braces of a glob may stand for.
const maxGlobs = 200

// globHolds reports whether a glob matches a path or a directory above it. Otherwise is the answer to a glob that cannot be read.
func globHolds(glob, rel string, otherwise bool) bool {
	all := []string{glob}
	for i := 0; i < len(all); i++ {
		if len(all) > maxGlobs {
			return otherwise
		}
		closes := strings.Index(all[i], "}")
		opens := strings.LastIndex(all[i][:max(0, closes)], "{") // the innermost braces
		if opens < 0 {
			continue
		}
		before, inner, after := all[i][:opens], all[i][opens+1:closes], all[i][closes+1:]
		all[i] = before + after
		for n, one := range strings.Split(inner, ",") {
			if one = before + one + after; n == 0 {
				all[i] = one
			} else {
				all = append(all, one)
			}
		}
		i-- // it may have more
	}
	for _, one := range all {
		one = strings.TrimPrefix(one, "./")
		deep := !strings.Contains(strings.TrimSuffix(one, "/"), "/")
		re, err := regexp.Compile(globExpression(strings.Trim(one, "/")))
		if err != nil {
			if otherwise {
				return true
			}
			continue
		}
		for at := rel; at != "." && at != "/"; at = filepath.Dir(at) {
			if re.MatchString(at) || deep && re.MatchString(filepath.Base(at)) {
				return true
			}
		}
	}
	return false
}

// globExpression is the regular expression of a glob, in which two stars go over slashes.
func globExpression(glob string) string {
	quoted := strings.NewReplacer(`\*`, "*", `\?`, "[^/]", `\[!`, "[^", `\[\^`, "[^", `\[`, "[", `\]`, "]").Replace(regexp.QuoteMeta(glob))
	return "^" + strings.NewReplacer("/**/", "/(?:.*/)?", "**/", "(?:.*/)?", "/**", "/.*", "**", ".*", "*", "[^/]*").Replace(quoted) + "$"
}

// ignored reports whether git ignores a file, going by the files .gitignore from its directory to the top of its repository. Outside a repository, git
// ignores nothing, nor does rg.
func ignored(path string) bool {
	found, decided := false, false
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		for _, name := range []string{".gitignore", ".git/info/exclude"} {
			if decided || name != ".gitignore" && err != nil {
				continue // the nearest file counts
			}
			text, err := textIn(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				continue
			}
			for line := range strings.Lines(text) {
				line, back := strings.CutPrefix(strings.TrimSpace(line), "!")
				if line == "" || line[0] == '#' {
					continue
				}
				if globHolds(line, rel, false) {
					found, decided = !back, true
				}
			}
		}
		if err == nil {
			return found
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
