// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/internal/filekind"
)

func matches(list []*regexp.Regexp, word string) bool {
	return slices.ContainsFunc(list, func(re *regexp.Regexp) bool { return re.MatchString(word) })
}

// maxListed bounds how many allowed things a message names.
const maxListed = 12

// patterns lists expressions as the policy has them.
func patterns(list []*regexp.Regexp) string {
	texts := make([]string, 0, len(list))
	for _, re := range list {
		text := trimSuffix(trimPrefix(re.String(), `^(?s:`), `)$`)
		texts = with(texts, text)
	}
	return enumerate(texts, "none")
}

// enumerate lists texts, in order and bounded.
func enumerate(texts []string, none string) string {
	if len(texts) == 0 {
		return none
	}
	slices.Sort(texts)
	if len(texts) > maxListed {
		texts = append(texts[:maxListed:maxListed], "…")
	}
	return strings.Join(texts, ", ")
}

//go:noinline
func startsWith(words, prefix []string) bool {
	return len(words) >= len(prefix) && slices.Equal(words[:len(prefix)], prefix)
}

// A builder makes a text of pieces, as [strings.Builder] does, by calls: laid out in place dozens of times, that one would weigh more.
type builder struct{ text []byte }

//go:noinline
func (b *builder) put(text string) { b.text = append(b.text, text...) }

//go:noinline
func (b *builder) putByte(c byte) { b.text = append(b.text, c) }

func (b *builder) String() string { return string(b.text) }

func (b *builder) Len() int { return len(b.text) }

func (b *builder) Reset() { b.text = b.text[:0] }

// lastStep is [path.Base] as a call, and ext is [path.Ext].
//
//go:noinline
func lastStep(file string) string { return path.Base(file) }

//go:noinline
func ext(file string) string { return path.Ext(file) }

// hasIndex is [slices.Contains] for indices, anyCommand is [slices.ContainsFunc] for commands, and indexOf is [slices.Index], as calls.
//
//go:noinline
func hasIndex(list []int, i int) bool { return slices.Contains(list, i) }

//go:noinline
func anyCommand(list []simple, ok func(s simple) bool) bool { return slices.ContainsFunc(list, ok) }

//go:noinline
func indexOf(words []string, word string) int { return slices.Index(words, word) }

// with is append of one word, as a call.
//
//go:noinline
func with(list []string, word string) []string { return append(list, word) }

// fieldsBy returns the parts of a text between any of some characters, and splitAt is [strings.Split] as a call.
//
//go:noinline
func fieldsBy(text, separators string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
}

//go:noinline
func splitAt(text, separator string) []string { return strings.Split(text, separator) }

// program is the name of the program; the command has words.
//
//go:noinline
func (s *simple) program() string { return programName(s.words[0]) }

// startsLater reports whether a word names, from a directory, a file of [filekind.StartupKind], and holdsLater whether it names a directory with such
// files.
//
//go:noinline
func startsLater(directory, word string) bool { return filekind.Startup(toDirectory(directory, word)) }

//go:noinline
func holdsLater(directory, word string) bool {
	return filekind.HoldsStartup(toDirectory(directory, word))
}
