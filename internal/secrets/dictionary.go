// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"encoding/binary"
	"strings"
)

// A dictionary finds every occurrence of every word of a set, ASCII letters in either case. Each word is known by
// three of its bytes, those that are least common in texts. One pass over a text looks up all threes of
// bytes in a filter that fits into the fastest memory of a processor (as Wu and Manber, 1994, do with blocks). Where
// it says yes, a table tells the words.
type dictionary struct {
	words   []string
	filter  [1 << (filterBits - 6)]uint64
	slots   []slot // a hash table with open addressing; its size is a power of two
	entries []entry
	letters []int32 // words of one byte
	foreign bool    // a word holds a byte with which an escape may begin

	pairs [1 << (16 - 6)]uint64       // the two bytes, folded, with which a word may begin
	begin [256]struct{ from, to int } // words, by their first byte
}

// A slot holds the entries of a code: entries[from:to].
type slot struct {
	code     uint32
	from, to uint32 // to is 0 in a slot that is free
}

// An entry is a word that may stand around a code.
type entry struct {
	word int32
	at   int32 // where the code stands in the word
}

const (
	codeBytes  = 3
	filterBits = 17
	foldBit    = 0x20               // tells letters in upper case from those in lower case
	foldBits   = 0x2020202020202020 // of eight bytes
)

// codeOf returns the code of the first bytes of s, which are padded.
func codeOf(s string) uint32 {
	var code uint32
	for i := range codeBytes {
		c := byte(foldBit)
		if i < len(s) {
			c |= s[i]
		}
		code |= uint32(c) << (8 * i)
	}
	return code
}

// hashOf spreads the lowest 24 bits of x, a code, over the filter (Fibonacci hashing).
func hashOf(x uint64) uint32 { return uint32(x) << 8 * 0x9e3779b1 >> (32 - filterBits) }

// newDictionary returns the dictionary of words, which are in lower case, not empty, in order and different
// from each other.
func newDictionary(words []string) *dictionary {
	d := &dictionary{words: words}
	byCode := map[uint32][]entry{}
	for i, w := range words {
		d.foreign = d.foreign || nextDifferent(w, 0) < len(w)
		if d.begin[w[0]].to == 0 {
			d.begin[w[0]].from = i
		}
		d.begin[w[0]].to = i + 1
		for _, p := range pairsOf(w) {
			d.pairs[p>>6] |= 1 << (p & 63)
		}
		switch len(w) {
		case 1:
			d.letters = append(d.letters, int32(i))
		case 2: // any byte may stand behind it
			for c := range 256 {
				if c&foldBit != 0 {
					code := codeOf(w + string([]byte{byte(c)}))
					byCode[code] = append(byCode[code], entry{int32(i), 0})
				}
			}
		default:
			at := rarest(w)
			code := codeOf(w[at:])
			byCode[code] = append(byCode[code], entry{int32(i), int32(at)})
		}
	}
	size := 4
	for size < 2*len(byCode) {
		size *= 2
	}
	d.slots = make([]slot, size)
	for code, list := range byCode {
		h := hashOf(uint64(code))
		d.filter[h>>6] |= 1 << (h & 63)
		from := uint32(len(d.entries))
		d.entries = append(d.entries, list...)
		*d.slot(code) = slot{code, from, uint32(len(d.entries))}
	}
	return d
}

// pairsOf returns the folded first two bytes of a word and what may stand behind it.
func pairsOf(word string) []uint16 {
	if len(word) > 1 {
		return []uint16{uint16(word[0]|foldBit)<<8 | uint16(word[1]|foldBit)}
	}
	var all []uint16
	for c := range uint16(256) {
		all = append(all, uint16(word[0]|foldBit)<<8|c|foldBit)
	}
	return all
}

// at calls hit for each word that begins at an offset.
func (d *dictionary) at(text string, at int, hit func(word, at int)) {
	next := byte(foldBit)
	if at+1 < len(text) {
		next |= text[at+1]
	}
	pair := uint16(text[at]|foldBit)<<8 | uint16(next)
	if d.pairs[pair>>6]>>(pair&63)&1 == 0 {
		return
	}
	c := text[at]
	if 'A' <= c && c <= 'Z' {
		c |= foldBit
	}
	for w := d.begin[c].from; w < d.begin[c].to; w++ {
		if d.stands(text, w, at) {
			hit(w, at)
		}
	}
}

// stands reports whether a word stands at an offset, which may be outside of the text.
func (d *dictionary) stands(text string, word, at int) bool {
	w := d.words[word]
	return at >= 0 && at+len(w) <= len(text) && equalFold(text[at:at+len(w)], w)
}

// slot returns the slot of a code, or the free one for it.
func (d *dictionary) slot(code uint32) *slot {
	mask := len(d.slots) - 1
	for i := int(hashOf(uint64(code))); ; i++ {
		if s := &d.slots[i&mask]; s.to == 0 || s.code == code {
			return s
		}
	}
}

// common are the letters of texts, the most common ones first; others are rare.
const common = " etaoinsrhldcumfpgwybvkxjqz"

// rarest returns where in a word those bytes stand that are the least common.
func rarest(word string) int {
	best, most := 0, -1
	for at := 0; at+codeBytes <= len(word); at++ {
		sum := 0
		for _, c := range []byte(word[at:][:codeBytes]) {
			sum += rarity(c)
		}
		if sum > most {
			best, most = at, sum
		}
	}
	return best
}

func rarity(c byte) int {
	if n := strings.IndexByte(common, c); n >= 0 {
		return n
	}
	return len(common)
}

// find calls hit for each occurrence of a word of two bytes or more, with its number and its offset, until ctx is done.
// Occurrences come nearly in the order of their offsets.
func (d *dictionary) find(ctx context.Context, text string, hit func(word, at int)) {
	const step = 8 - codeBytes + 1
	i := 0
	for look := 0; i+8 <= len(text); i += step {
		if i >= look {
			if look = i + lookEvery; ctx.Err() != nil {
				return
			}
		}
		x := binary.LittleEndian.Uint64([]byte(text[i:i+8])) | foldBits
		if d.any(x)&1 != 0 {
			d.verify(text, i, x, step, hit)
		}
	}
	var rest [8]byte
	copy(rest[:], text[i:])
	d.verify(text, i, binary.LittleEndian.Uint64(rest[:])|foldBits, len(text)-i, hit)
}

// any returns a number whose lowest bit is set if the filter knows one of the six codes of eight bytes.
func (d *dictionary) any(x uint64) uint64 {
	a, b, c := hashOf(x), hashOf(x>>8), hashOf(x>>16)
	e, f, g := hashOf(x>>24), hashOf(x>>32), hashOf(x>>40)
	return d.filter[a>>6]>>(a&63) | d.filter[b>>6]>>(b&63) | d.filter[c>>6]>>(c&63) |
		d.filter[e>>6]>>(e&63) | d.filter[f>>6]>>(f&63) | d.filter[g>>6]>>(g&63)
}

// verify calls hit for the words whose codes are the first few of x, which stands at an offset.
func (d *dictionary) verify(text string, at int, x uint64, codes int, hit func(word, at int)) {
	for i := range codes {
		code := uint32(x>>(8*i)) & (1<<(8*codeBytes) - 1)
		h := hashOf(uint64(code))
		if d.filter[h>>6]>>(h&63)&1 == 0 {
			continue
		}
		s := d.slot(code)
		for _, e := range d.entries[s.from:s.to] {
			if start := at + i - int(e.at); d.stands(text, int(e.word), start) {
				hit(int(e.word), start)
			}
		}
	}
}

// equalFold reports whether s is the word, which is in lower case, with ASCII letters in either case.
func equalFold(s, word string) bool {
	for i := range len(word) {
		if c := s[i]; c != word[i] && (c < 'A' || c > 'Z' || c|foldBit != word[i]) {
			return false
		}
	}
	return true
}

// findLetter is find for a word of one byte.
func (d *dictionary) findLetter(ctx context.Context, text string, word int32, hit func(word, at int)) {
	c := d.words[word][0]
	forms := []byte{c}
	if 'a' <= c && c <= 'z' {
		forms = append(forms, c&^foldBit)
	}
	for _, c := range forms {
		for at, look := 0, 0; ; at++ {
			if at >= look {
				if look = at + lookEvery; ctx.Err() != nil {
					return
				}
			}
			n := strings.IndexByte(text[at:], c)
			if n < 0 {
				break
			}
			at += n
			hit(int(word), at)
		}
	}
}

// contains reports whether text has any of the words.
func (d *dictionary) contains(text string) bool {
	found := false
	hit := func(int, int) { found = true }
	d.find(context.Background(), text, hit)
	for _, w := range d.letters {
		d.findLetter(context.Background(), text, w, hit)
	}
	return found
}

// lookEvery is how many bytes are read between two looks at the context.
const lookEvery = 16 << 10
