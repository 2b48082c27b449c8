// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package reach

import "github.com/toolvet/toolvet/internal/lazyregexp"

// interpreters run code that a line holds in an option or a document.
var interpreters = lazyregexp.New(`^(?:python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|ruby|perl|php)$`)

// Lists matches code for listing a directory, with the directory if the code names it. Opens matches code for reading files, and picks code for choosing
// files by their endings. Ended is a pattern with one ending.
var (
	lists = lazyregexp.New(`(?:\bPath\(\s*(?:'([^']*)'|"([^"]*)")?\s*\)\s*\.\s*(?:iterdir|rglob|glob|walk)|\b(?:listdir|scandir|os\.walk|readdirSync|readdir|opendir|Dir\.(?:entries|children|each_child)|i?glob\.i?glob|globSync))\s*(?:\(\s*(?:'([^']*)'|"([^"]*)")?)?`)
	opens = lazyregexp.New(`\bopen\s*\(|\bread_(?:text|bytes)\b|\breadFile|\bcreateReadStream\b|\b(?:File|IO)\.(?:read|open|foreach)|file_get_contents|\bBun\.file\b|<\s*\$\w+\s*>`)
	picks = lazyregexp.New(`\bendswith\b|\bends_with\b|\bendsWith\b|\.suffix\b|\bextname\b|\bfnmatch\b|\bsplitext\b`)
	ended = lazyregexp.New(`\.\w+$`)
)

// oneFile is a call with the name of one file, alone or at the end of a path.
var oneFile = lazyregexp.New("\\w*\\((?:\\s*[rb]?['\"`]|[^()]*['\"`}]/|(?:[\\w.]*join\\()[^()]*,\\s*['\"`])[\\w./-]*[\\w-]\\.(\\w+)['\"`]\\s*[,)]")

// readByCode returns the files that the code of a line lists and reads, nil if it does not do both, or picks files by their endings.
func readByCode(s *simple) names {
	code := oneFile.ReplaceAllStringFunc(s.text, func(name string) string {
		if oneFile.FindStringSubmatch(name)[1] == "env" {
			return name
		}
		return ""
	})
	if !opens.MatchString(code) || picks.MatchString(code) {
		return nil
	}
	var places []stepWord
	for _, m := range lists.FindAllStringSubmatch(s.text, -1) {
		place, pattern := m[1]+m[2], m[3]+m[4]
		switch {
		case ended.MatchString(pattern): // of one ending, as in glob('*.py')
			continue
		case place == "" && pattern != "" && !globLike.MatchString(pattern):
			place = pattern
		case place == "":
			place = "."
		}
		places = append(places, stepWord{text: place})
	}
	if len(places) == 0 {
		return nil
	}
	return func(f file) bool { return named(places, s.dir, f, true) }
}

// globLike is a text with a sign of a pattern.
var globLike = lazyregexp.New(`[*?\[]`)
