// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package repotest

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// maxWords bounds what people wrote for readers of toolvet: documents without generated parts, code, figures, the changelog and
// the text of the standard, which is as long as its sentences that the conformance kit tests.
const maxWords = 35_000

var (
	generatedBlock = regexp.MustCompile(`(?s)<!-- (?:[a-z]+|generated options[a-z_: ]*) -->.*?<!-- end -->`)
	codeBlock      = regexp.MustCompile("(?s)```.*?```")
)

// TestWords bounds the words of all documents together. A longer explanation in one place has to make another shorter.
func TestWords(t *testing.T) {
	t.Parallel()
	git := exec.Command("git", "ls-files", "*.md")
	git.Dir = root
	files, err := git.Output()
	if err != nil {
		t.Skip("not a checkout: ", err)
	}
	total := 0
	for name := range strings.Lines(string(files)) {
		name = strings.TrimSpace(name)
		switch {
		case name == "CHANGELOG.md", name == "docs/protocol.md", name == "protocol/sep.md", strings.HasPrefix(name, "docs/figures/"), strings.Contains(name, "/testdata/"):
			continue
		}
		n := words(readFile(t, name))
		t.Logf("%5d %s", n, name)
		total += n
	}
	if total > maxWords {
		t.Errorf("%d words in documents, at most %d: shorten them, or move evidence to docs/figures; -v lists them", total, maxWords)
	} else if total < maxWords/10 {
		t.Errorf("%d words: the test does not see the documents", total)
	}
}

// words counts the words of a document that people wrote.
func words(text string) (n int) {
	for _, mark := range []string{"<!-- Generated", "<!-- The rest is generated"} {
		text, _, _ = strings.Cut(text, mark)
	}
	text = codeBlock.ReplaceAllString(generatedBlock.ReplaceAllString(text, ""), "")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "    ") {
			continue // indented code
		}
		for word := range strings.FieldsSeq(line) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				n++
			}
		}
	}
	return n
}
