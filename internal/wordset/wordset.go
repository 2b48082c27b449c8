// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package wordset has sets of words that are taken apart when they are first used, so that a program that links toolvet
// starts no later for them, and carries no code that fills them.
package wordset

import (
	"strings"
	"sync/atomic"
)

// A Set is a set of words. It is safe for concurrent use; nil is the empty set.
type Set struct {
	text  string
	words atomic.Pointer[map[string]bool]
}

// New returns the set of the words in a text, which white space separates.
func New(text string) *Set { return &Set{text: text} }

// Has reports whether a word is in the set. It is not inlined: a few hundred copies of it weigh more than what it saves.
//
//go:noinline
func (s *Set) Has(word string) bool {
	if s == nil {
		return false
	}
	words := s.words.Load()
	if words == nil { // two goroutines may fill it at once, with the same
		words = s.filled()
		s.words.Store(words)
	}
	return (*words)[word]
}

func (s *Set) filled() *map[string]bool {
	words := make(map[string]bool, strings.Count(s.text, " ")+1) // it grows no more
	for word := range strings.FieldsSeq(s.text) {
		words[word] = true
	}
	return &words
}
