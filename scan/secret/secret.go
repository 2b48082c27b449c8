// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
)

// Options change what a [Scanner] finds. The zero value finds all that the patterns describe,
// but for the signatures of presigned URLs.
type Options struct {
	// Patterns are looked for as well. Their ids must be new.
	Patterns []Pattern

	// Disable lists the ids of patterns to leave out.
	Disable []string

	// Allow lists the SHA-256 digests, in hexadecimal, of harmless values.
	Allow []string

	// PresignedURLs also finds the signatures in presigned URLs. Without it these URLs keep
	// working: they are meant to be given away, for a time.
	PresignedURLs bool
}

// A Match is a secret in a text.
type Match struct {
	Pattern    string // id
	Start, End int    // of the secret, bytes
}

// A Scanner finds secrets. It can be used by several goroutines at once. The zero Scanner, and a nil one, is that of
// [New] without options.
type Scanner struct {
	patterns  []*compiled
	words     *automaton
	uses      [][]use // by word
	runs      int     // sets of bytes of which there are runs
	allowed   map[[sha256.Size]byte]bool
	presigned bool
	idle      sync.Pool // of *scan
}

// A use is what a word of the automaton means to a pattern: that of an anchor, or a keyword
// alone, if place is nil.
type use struct {
	pattern int
	place   *place
}

// A place is what a expression allows around a word.
type place struct {
	before extent
	after  extent
	tail   tail
	first  [2]uint64 // possible first bytes of the tail, in ASCII
	empty  bool      // there may be nothing behind the word
}

// withoutOptions is the scanner without options. Its error is impossible: the patterns are part of the program.
var withoutOptions = sync.OnceValues(func() (*Scanner, error) { return New(Options{}) })

// orDefault returns s, or the scanner without options for one that New did not make.
func (s *Scanner) orDefault() (*Scanner, error) {
	if s == nil || s.words == nil {
		return withoutOptions()
	}
	return s, nil
}

// New returns a Scanner. It fails if an option is not sound: a malformed expression, an id that
// is unknown or taken, a malformed digest.
func New(o Options) (*Scanner, error) {
	set, err := builtin()
	if err != nil {
		return nil, err
	}
	list, err := selected(set.Patterns, o)
	if err != nil {
		return nil, err
	}
	s := &Scanner{presigned: o.PresignedURLs}
	all, err := newAllows(set.Allow)
	if err != nil {
		return nil, fmt.Errorf("allow-list of all patterns: %w", err)
	}
	generic, err := newAllows(set.AllowGeneric)
	if err != nil {
		return nil, fmt.Errorf("allow-list of generic patterns: %w", err)
	}
	for _, r := range list {
		ready, err := compile(r)
		if err != nil {
			return nil, err
		}
		ready.allow = append(ready.allow, all...)
		if r.Generic {
			ready.allow = append(ready.allow, generic...)
		}
		s.patterns = append(s.patterns, ready)
	}
	if s.allowed, err = digests(o.Allow); err != nil {
		return nil, err
	}
	s.index()
	return s, nil
}

// selected returns the patterns that are looked for.
func selected(patterns []Pattern, o Options) ([]Pattern, error) {
	patterns = append(slices.Clip(patterns), o.Patterns...)
	known := map[string]bool{}
	for _, r := range patterns {
		if known[r.ID] {
			return nil, fmt.Errorf("pattern %s: there is a pattern with this id already", r.ID)
		}
		known[r.ID] = true
	}
	for _, r := range patterns {
		for _, q := range r.Require {
			if !known[q.ID] {
				return nil, fmt.Errorf("pattern %s: it requires the pattern %s, which does not exist", r.ID, q.ID)
			}
		}
	}
	for _, id := range o.Disable {
		if !known[id] {
			return nil, fmt.Errorf("disable: there is no pattern %q", id)
		}
	}
	return slices.DeleteFunc(patterns, func(r Pattern) bool {
		return slices.Contains(o.Disable, r.ID) || r.ID == presignedRule && !o.PresignedURLs
	}), nil
}

func digests(list []string) (map[[sha256.Size]byte]bool, error) {
	set := map[[sha256.Size]byte]bool{}
	for i, text := range list {
		b, err := hex.DecodeString(text)
		if err != nil || len(b) != sha256.Size {
			return nil, fmt.Errorf("allow: entry %d is not a SHA-256 digest: %d hexadecimal digits", i+1, 2*sha256.Size)
		}
		set[[sha256.Size]byte(b)] = true
	}
	return set, nil
}

// index builds the automaton of the anchors and keywords of all patterns.
func (s *Scanner) index() {
	uses, ids := map[string][]use{}, map[[256]bool]int{}
	for i, r := range s.patterns {
		for _, a := range r.anchors {
			p := newPlace(a)
			p.before.number(ids)
			p.after.number(ids)
			for _, w := range lowered(a.words) {
				uses[w] = append(uses[w], use{i, p})
			}
		}
		if r.keywords {
			for _, k := range lowered(r.Keywords) {
				uses[k] = append(uses[k], use{i, nil})
			}
		}
	}
	s.runs = len(ids)
	var words []string
	for w := range uses {
		words = append(words, w)
	}
	slices.Sort(words)
	for _, w := range words {
		s.uses = append(s.uses, uses[w])
	}
	s.words = newAutomaton(words)
}

func newPlace(a anchor) *place {
	p := &place{before: a.before, after: ofAll(a.tail), tail: newTail(a.tail)}
	p.first, p.empty = p.tail.first()
	return p
}

// Scan returns the secrets in text, in order; they do not overlap. Its time grows with the
// length of text, and not faster.
func (s *Scanner) Scan(text string) []Match {
	list, _ := s.ScanContext(context.Background(), text) // which never ends
	return list
}

// ScanContext is Scan, but ends soon after ctx does, with its error and without matches.
func (s *Scanner) ScanContext(ctx context.Context, text string) ([]Match, error) {
	s, err := s.orDefault()
	if err != nil {
		return nil, err
	}
	all := s.scan(ctx, text, nil)
	if n, differs := normalForm(ctx, text); differs {
		for _, f := range s.scan(ctx, n.text, nil) {
			all = append(all, found{f.pattern, n.raw(f.start), n.raw(f.end)})
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err // it may have ended each of these
	}
	return resolve(s.without(all, text)), nil
}

// without drops what is allowed.
func (s *Scanner) without(all []found, text string) []found {
	all = slices.DeleteFunc(all, func(f found) bool { return !s.presigned && presigns(text, f) })
	if len(s.allowed) == 0 {
		return all
	}
	var allowed []region
	for _, f := range all {
		if s.allowed[sha256.Sum256([]byte(text[f.start:f.end]))] {
			allowed = add(allowed, region{f.start, f.end})
		}
	}
	return slices.DeleteFunc(all, func(f found) bool {
		i, ok := slices.BinarySearchFunc(allowed, f.start, func(r region, start int) int { return cmp.Compare(r.start, start) })
		if !ok {
			i--
		}
		return i >= 0 && f.end <= allowed[i].end
	})
}

// resolve makes one match of what overlaps. It is named after the pattern that knows most of it.
func resolve(all []found) []Match {
	slices.SortFunc(all, func(a, b found) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var list []Match
	var best found
	for _, f := range all {
		last := len(list) - 1
		if last < 0 || f.start >= list[last].End {
			list = append(list, Match{f.pattern.ID, f.start, f.end})
			best = f
			continue
		}
		list[last].End = max(list[last].End, f.end)
		if better(f, best) {
			best = f
			list[last].Pattern = f.pattern.ID
		}
	}
	return list
}

func better(a, b found) bool {
	if a.pattern.Generic != b.pattern.Generic {
		return b.pattern.Generic
	}
	return a.end-a.start > b.end-b.start
}
