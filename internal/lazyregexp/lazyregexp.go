// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package lazyregexp compiles regular expressions on first use. They cost a program nothing at its start. It follows Go's own package of this name.
package lazyregexp

import (
	"regexp"
	"sync/atomic"
)

// A Regexp is a regular expression. Its methods are those of [regexp.Regexp]. It is safe for concurrent use.
type Regexp struct {
	text string
	rx   atomic.Pointer[regexp.Regexp]
}

// New returns a regular expression. A wrong one panics on first use; a test of the
// repository compiles all. In a package-level variable it costs
// neither code nor time at the start: the compiler lays the value out.
func New(text string) *Regexp { return &Regexp{text: text} }

func (r *Regexp) compiled() *regexp.Regexp {
	rx := r.rx.Load()
	if rx == nil { // two goroutines may compile it at once, to the same
		rx = regexp.MustCompile(r.text)
		r.rx.Store(rx)
	}
	return rx
}

// MatchString reports whether s has a match.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindString returns the first match, or "".
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringSubmatch returns the first match and its groups, or nil.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindAllString returns the first n matches, or all if n is negative.
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringSubmatch returns the first n matches with their groups, or all if n is negative.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces all matches, and expands "$1" and the like in the replacement.
func (r *Regexp) ReplaceAllString(s, replacement string) string {
	return r.compiled().ReplaceAllString(s, replacement)
}

// ReplaceAllStringFunc replaces each match by what replace makes of it.
func (r *Regexp) ReplaceAllStringFunc(s string, replace func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, replace)
}

// Match reports whether b has a match.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// FindSubmatch returns the first match and its groups, or nil.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

// FindIndex returns the start and the end of the first match, or nil.
func (r *Regexp) FindIndex(b []byte) []int { return r.compiled().FindIndex(b) }

// FindAllSubmatch returns the first n matches with their groups, or all if n is negative.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// FindStringIndex returns the start and the end of the first match, or nil.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindAllStringSubmatchIndex returns the starts and the ends of the first n matches and of their groups, or of all if n is
// negative.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// Split returns the parts of s between its matches, n at most, or all if n is negative.
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
