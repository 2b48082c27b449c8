// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"

	"github.com/toolvet/toolvet/internal/lazy"
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
	patterns  []func() *compiled // made ready when a text first holds a word of theirs; nil for one that is left out
	indexes                      // of the words
	whole     []int              // patterns without anchors, which look at the whole text
	allowed   map[[sha256.Size]byte]bool
	presigned bool
	idle      sync.Pool // of *scan
	edits     sync.Pool // of *[]edit
}

// A wordIndex is a dictionary with what its words mean.
type wordIndex struct {
	*dictionary
	uses [][]use // by word
}

// Indexes are those of all words. Some of a pattern with keywords are so short that most texts hold them. They mean something only where
// a keyword is, and are looked for late.
type indexes struct {
	words, late wordIndex
	isLate      map[int32]bool // by pattern
}

// A use is what a word of a dictionary means to a pattern: that of an anchor, whose place is meant, or a keyword
// alone.
type use struct{ pattern, place int32 }

// keyword is the place of a word that is a keyword alone.
const keyword = -1

// A place is what a expression allows around a word.
type place struct {
	before extent
	after  extent
	lead   lead
	tail   tail
	first  [2]uint64 // possible first bytes of the tail, in ASCII
	empty  bool      // there may be nothing behind the word
	needed *needed   // of what stands behind the word; nil if it is not worth a look
}

// withoutOptions is the scanner without options. Its error is impossible: the patterns are part of the program.
var withoutOptions = lazy.Pair(func() (*Scanner, error) { return New(Options{}) })

// orDefault returns s, or the scanner without options for one that New did not make.
func (s *Scanner) orDefault() (*Scanner, error) {
	if s == nil || s.words.dictionary == nil {
		return withoutOptions()
	}
	return s, nil
}

// New returns a Scanner. It fails if an option is not sound: a malformed expression, an id that
// is unknown or taken, a malformed digest.
func New(o Options) (*Scanner, error) {
	s := &Scanner{presigned: o.PresignedURLs}
	ids := slices.Clone(builtin().ids)
	for _, r := range o.Patterns {
		if slices.Contains(ids, r.ID) {
			return nil, fmt.Errorf("pattern %s: there is a pattern with this id already", r.ID)
		}
		ids = append(ids, r.ID)
	}
	var further []*compiled
	for _, r := range o.Patterns {
		for _, q := range r.Require {
			if !slices.Contains(ids, q.ID) {
				return nil, fmt.Errorf("pattern %s: it requires the pattern %s, which does not exist", r.ID, q.ID)
			}
		}
		ready, err := compile(r)
		if err != nil {
			return nil, err
		}
		further = append(further, ready)
	}
	var err error
	if s.allowed, err = digests(o.Allow); err != nil {
		return nil, err
	}
	s.index(further)
	for _, id := range o.Disable {
		i := slices.Index(ids, id)
		if i < 0 {
			return nil, fmt.Errorf("disable: there is no pattern %q", id)
		}
		s.patterns[i] = nil
	}
	if !o.PresignedURLs {
		s.patterns[slices.Index(ids, presignedRule)] = nil
	}
	return s, nil
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

// index sets the patterns, those of the package and further ones behind them, and their words.
func (s *Scanner) index(further []*compiled) {
	known := builtin()
	s.patterns = slices.Clone(known.patterns)
	if len(further) == 0 {
		s.indexes = *known.indexes()
		return
	}
	uses := map[string][]use{}
	for i, w := range known.words {
		uses[w] = slices.Clip(known.uses[i])
	}
	s.add(further, uses)
}

// add adds patterns, and builds the indexes of their words and of those that have uses already.
func (s *Scanner) add(patterns []*compiled, uses map[string][]use) {
	for _, r := range patterns {
		r.addUses(uses, len(s.patterns))
		if len(r.places) == 0 {
			s.whole = append(s.whole, len(s.patterns))
		}
		s.patterns = append(s.patterns, func() *compiled { return r })
	}
	s.indexes = newIndexes(uses)
}

// newIndexes returns the indexes of words with these uses.
func newIndexes(uses map[string][]use) indexes {
	keywords, short := map[int32]bool{}, map[int32]bool{}
	for w, list := range uses {
		for _, u := range list {
			if u.place == keyword {
				keywords[u.pattern] = true
			} else if len(w) < codeBytes {
				short[u.pattern] = true
			}
		}
	}
	words, late := map[string][]use{}, map[string][]use{}
	for w, list := range uses {
		for _, u := range list {
			if u.place != keyword && keywords[u.pattern] && short[u.pattern] {
				late[w] = append(late[w], u)
			} else {
				words[w] = append(words[w], u)
			}
		}
	}
	maps.DeleteFunc(short, func(pattern int32, _ bool) bool { return !keywords[pattern] })
	return indexes{newWordIndex(words), newWordIndex(late), short}
}

func newWordIndex(uses map[string][]use) wordIndex {
	words := slices.Sorted(maps.Keys(uses))
	x := wordIndex{dictionary: newDictionary(words)}
	for _, w := range words {
		x.uses = append(x.uses, uses[w])
	}
	return x
}

// addUses adds what the words of r, which is the pattern of a number, mean to it.
func (r *compiled) addUses(uses map[string][]use, number int) {
	for i, words := range r.words {
		for _, w := range words {
			uses[w] = append(uses[w], use{int32(number), int32(i)})
		}
	}
	if r.keywords {
		for _, k := range lowered(r.Keywords) {
			uses[k] = append(uses[k], use{int32(number), keyword})
		}
	}
}

func newPlace(a anchor) *place {
	p := &place{before: a.before, lead: leadOf(a.last), after: ofAll(a.tail), tail: newTail(a.tail)}
	p.first, p.empty = p.tail.first()
	if _, bounded := p.after.bounded(); !bounded {
		p.needed = newNeeded(a.tail)
	}
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
	var all []found
	memory, ok := s.edits.Get().(*[]edit)
	if !ok {
		memory = new([]edit)
	}
	if n, differs := normalForm(ctx, text, *memory); differs {
		if cap(n.edits) <= maxKept {
			*memory = n.edits
			defer s.edits.Put(memory)
		}
		var plain []found
		all, plain = s.scanBoth(ctx, text, &n, nil)
		for _, f := range plain {
			all = append(all, found{f.pattern, n.raw(f.start), n.raw(f.end)})
		}
	} else {
		all = s.scan(ctx, text, nil)
	}
	if err := ctx.Err(); err != nil {
		return nil, err // it may have ended each of these
	}
	return resolve(s.without(all, text)), nil
}

// maxKept bounds the memory that waits for another text, in edits.
const maxKept = 256 << 10

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
	// Not by slices.SortFunc, whose code a program has once for each type: 12 kB.
	sort.SliceStable(all, func(i, j int) bool { return cmp.Or(all[i].start-all[j].start, all[j].end-all[i].end) < 0 })
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
