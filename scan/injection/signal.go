// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"
	"unicode/utf8"
)

// The kinds of signals: the means by which a text addresses the model or hides from people.
const (
	kindInstruction   = "instruction"
	kindRoleMarker    = "role-marker"
	kindHiddenHTML    = "hidden-html"
	kindEncoded       = "encoded-instruction"
	kindTagCharacters = "tag-characters"
	kindBidi          = "bidi"
	kindZeroWidth     = "zero-width"
	kindVariation     = "variation-selectors"
	kindLookAlike     = "look-alikes"
	kindTerminal      = "ansi"
	kindImageURL      = "exfiltration-image"
	kindLinkURL       = "exfiltration-link"
	kindNoise         = "adversarial-noise"
)

// Kinds returns all kinds of signals. The slice is the caller's own.
func Kinds() []string {
	return []string{kindInstruction, kindRoleMarker, kindHiddenHTML, kindEncoded, kindTagCharacters, kindBidi, kindZeroWidth,
		kindVariation, kindLookAlike, kindTerminal, kindImageURL, kindLinkURL, kindNoise}
}

// A Signal is one mark of prompt injection in a text.
type Signal struct {
	// Kind is the means by which the text addresses the model or hides from people:
	//
	//	instruction          phrases that give a model orders
	//	role-marker          marks that begin or end a turn of a conversation
	//	hidden-html          an order in what a browser would not show
	//	encoded-instruction  an order in base64, hex, ROT13, spaced letters…
	//	tag-characters       Unicode tag characters that are no flag
	//	bidi                 text that is shown in another order than it is read
	//	zero-width           characters without width between or instead of letters
	//	variation-selectors  runs of variation selectors, which carry bytes
	//	look-alikes          words spelt with letters of other alphabets, or with digits and signs
	//	ansi                 escapes that hide or erase text, or write the clipboard
	//	exfiltration-image   an image whose URL carries text away
	//	exfiltration-link    a link that leads elsewhere than it says, or runs a script
	//	adversarial-noise    leftovers of a search for jailbreaks
	Kind    string
	Pattern string // which rule found it, in kebab case; unlike the text it is safe to show
	// Start and End are byte offsets in the text given to Scan, between characters.
	Start, End int
	// Score, 1 to 100, says how sure the rule is: 50 and more is a mark by itself. Lesser
	// ones are reported only beside others.
	Score int
}

// maxSignals bounds how many signals Scan returns: more say nothing new.
const maxSignals = 64

// Scan returns the signals in a text, in the order in which they stand, the first 64 at
// most. No signal does not mean that a text is harmless (see the package documentation).
//
// It takes time and memory in proportion to the length of the text, whatever the text is.
// Invalid UTF-8 is read byte by byte. It is safe for concurrent use.
func Scan(text string) []Signal {
	return scan(nil, text).signals
}

// ScanContext is Scan, but ends soon after ctx does, with its error and without signals.
//
// It scans a text of more than two mebibytes piece by piece, because a scan takes many times the memory
// of its text. The pieces overlap by 64 KiB, and each has at most 64 signals.
func ScanContext(ctx context.Context, text string) ([]Signal, error) {
	var all []Signal
	for start, seen := 0, 0; ; {
		end := cut(text, start+piece)
		s := scan(&pace{ctx: ctx}, text[start:end])
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, signal := range s.signals {
			signal.Start, signal.End = signal.Start+start, signal.End+start
			if signal.End > seen { // the others were in the piece before
				all = append(all, signal)
			}
		}
		if end == len(text) {
			return all, nil
		}
		start, seen = cut(text, end-overlap), end
	}
}

// Sizes of the pieces of a large text, in bytes.
const (
	piece   = 2 << 20
	overlap = 64 << 10
)

// cut returns the last offset up to at that lies between two characters.
func cut(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	for n := 0; n < utf8.UTFMax && at > 0 && !utf8.RuneStart(text[at]); n++ {
		at--
	}
	return at
}

// A scanner is one scan of one text.
type scanner struct {
	*pace
	text    string
	signals []Signal
	// steps counts the steps of a scan, for a test of its bound.
	steps int
	// foreign are words of Latin letters and letters of other alphabets that look like them.
	foreign []span
	// memory is that of the hits, for another scan.
	memory *[]hit
}

// hitMemory holds memory for the hits of a text: prose has one in five words.
var hitMemory sync.Pool // of *[]hit

// maxKept bounds the memory that waits for another text, in hits.
const maxKept = 256 << 10

func scan(p *pace, text string) *scanner {
	s := &scanner{pace: p, text: text}
	s.characters()
	v := fold(p, text)
	s.steps += len(v.text)
	hidden := s.terminal(v)
	hidden = append(hidden, s.html(v)...)
	hidden = append(hidden, s.markdown(v)...)
	hidden = append(hidden, s.offPage(v)...)
	w := s.grammar(v, disjoint(hidden))
	s.encodings(v, w)
	if cap(w.hits) <= maxKept {
		*s.memory = w.hits[:0]
		hitMemory.Put(s.memory)
	}
	s.finish()
	return s
}

// report adds a signal at offsets of the original text, moved out to where characters
// begin and end.
func (s *scanner) report(kind string, rule string, start, end, score int) {
	if len(s.signals) == 4*maxSignals {
		return
	}
	for n := 0; n < utf8.UTFMax && start > 0 && start < len(s.text) && !utf8.RuneStart(s.text[start]); n++ {
		start--
	}
	for n := 0; n < utf8.UTFMax && end < len(s.text) && !utf8.RuneStart(s.text[end]); n++ {
		end++
	}
	s.signals = append(s.signals, Signal{kind, rule, start, end, min(score, 100)})
}

// finish sorts the signals, drops those that lie in another of their rule, and keeps the
// first.
func (s *scanner) finish() {
	sort.SliceStable(s.signals, func(i, j int) bool {
		a, b := s.signals[i], s.signals[j]
		return cmp.Or(a.Start-b.Start, b.End-a.End, b.Score-a.Score, cmp.Compare(a.Pattern, b.Pattern)) < 0
	})
	ends := map[string]int{} // of the last signal of each rule
	s.signals = slices.DeleteFunc(s.signals, func(a Signal) bool {
		id := string(a.Kind) + a.Pattern
		repeated := a.End <= ends[id]
		ends[id] = max(ends[id], a.End)
		return repeated
	})
	if len(s.signals) > maxSignals {
		s.signals = s.signals[:maxSignals:maxSignals]
	}
}
