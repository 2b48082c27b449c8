// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// maxMatches is how many directories a pattern may stand for.
const maxMatches = 1000

// patternLeads reports whether a path without links, to a file that is not there, may lead through a link if a server takes it
// for a pattern: one of the directories that it then stands for, below root, is a link. Its last name is not judged. A pattern
// for more than maxMatches directories counts as one that leads through a link, and so does **, which stands for any depth.
func patternLeads(ctx context.Context, sys system, root, path string) (bool, error) {
	if root == "" {
		root = filepath.VolumeName(path) + string(filepath.Separator)
	}
	below, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil || !strings.ContainsAny(below, "*?[{") {
		return false, nil
	}
	places := []string{root}
	for name := range strings.SplitSeq(below, string(filepath.Separator)) {
		if strings.Contains(name, "**") {
			return true, nil
		}
		pattern := loosely(name)
		var next []string
		for _, dir := range places {
			matches := []string{name}
			if pattern != nil {
				err := sys.names(ctx, dir, func(n string) {
					if n != name && len(matches) <= maxMatches && pattern.MatchString(n) {
						matches = append(matches, n)
					}
				})
				if err != nil {
					return false, err
				}
			}
			for _, n := range matches {
				at := filepath.Join(dir, n)
				switch e, err := sys.describe(at); {
				case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
				case err != nil:
					return false, err
				case e.kind == link:
					return true, nil
				case e.kind == directory:
					next = append(next, at)
				}
			}
			if len(next) > maxMatches {
				return true, nil
			}
		}
		places = next
	}
	return false, nil
}

// special are the parts of a pattern that stand for other text, in any dialect: braces may nest, and a set of characters
// may hold another in brackets.
var special = regexp.MustCompile(`[*]|[?]|\[[!^]?\]?[^\]]*\]+|[{].*[}]`)

// loosely is an expression for all names that a pattern stands for in some dialect, and more: a set of characters
// is any character. It is nil for a name that is no pattern.
func loosely(name string) *regexp.Regexp {
	found := special.FindAllStringIndex(name, -1)
	if found == nil {
		return nil
	}
	var b strings.Builder
	b.WriteString(`(?s)^`)
	end := 0
	for _, at := range found {
		b.WriteString(regexp.QuoteMeta(name[end:at[0]]))
		switch part := name[at[0]:at[1]]; part[0] {
		case '*', '{':
			b.WriteString(`.*`)
		case '?':
			b.WriteString(`.`)
		default: // where the set ends differs: the brackets behind it may be text
			b.WriteString(`.\]*`)
		}
		end = at[1]
	}
	b.WriteString(regexp.QuoteMeta(name[end:]) + `$`)
	return regexp.MustCompile(b.String())
}
