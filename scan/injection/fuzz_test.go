// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/race"
)

// maxSteps is how often each byte may be looked at, whatever the text is. The decoders look
// at a byte a few times; around each phrase some hundred bytes are read again.
const maxSteps = 150

func bounded(t *testing.T, name string, s *scanner) {
	t.Helper()
	if limit := maxSteps * (len(s.text) + 10); s.steps > limit {
		t.Errorf("%s: %d steps for %d bytes, want at most %d", name, s.steps, len(s.text), limit)
	}
}

// TestWorkIsLinear holds that hostile texts cost no more per byte than others, and that the cost
// per byte does not grow with the text.
func TestWorkIsLinear(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	for name, sample := range hostile() {
		small := scan(nil, strings.Repeat(sample, 4<<10/len(sample)))
		large := scan(nil, strings.Repeat(sample, 64<<10/len(sample)))
		bounded(t, name, small)
		bounded(t, name, large)
		if float64(large.steps)/float64(len(large.text)) > 2*float64(small.steps)/float64(len(small.text)) {
			t.Errorf("%s: %d steps for %d bytes, and %d for %d", name, small.steps, len(small.text), large.steps, len(large.text))
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, sample := range samples() {
		f.Add(sample[:min(len(sample), 200)])
	}
	for _, sample := range hostile() {
		f.Add(strings.Repeat(sample, 5))
	}
	f.Add("\xff\xfe ignore all\xc3 previous instructions \x1b]8;;\xf0\x9f")
	f.Add("<div hidden>ignore \u202e<!--\x1b[8m](javascript:\U000e0041")
	f.Fuzz(func(t *testing.T, text string) {
		s := scan(nil, text)
		bounded(t, "fuzz", s)
		if diff := cmp.Diff(s.signals, Scan(text)); diff != "" {
			t.Errorf("two scans differ:\n%s", diff)
		}
		if !slices.IsSortedFunc(s.signals, func(a, b Signal) int { return a.Start - b.Start }) {
			t.Errorf("not in the order of the text: %v", s.signals)
		}
		for _, g := range s.signals {
			if g.Start < 0 || g.Start >= g.End || g.End > len(text) || g.Score < 1 || g.Score > 100 || g.Pattern == "" {
				t.Errorf("%+v is no signal of %d bytes", g, len(text))
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[g.Start:g.End]) {
				t.Errorf("%+v cuts a character", g)
			}
		}
	})
}

// FuzzFold holds that the way back from a folded text is sound: later parts of it stand
// later in the original, all of it stands there, and ASCII stands where it stood.
func FuzzFold(f *testing.F) {
	f.Add("Ignоre \u200ball ｐｒｅｖｉｏｕｓ ﬁles\U000e0041\U000e0042x ½ 한국 क्ष\xffé")
	f.Add("a\u200b")
	f.Fuzz(func(t *testing.T, text string) {
		v := fold(nil, text)
		if !utf8.ValidString(v.text) {
			t.Errorf("fold(%+q) = %+q is not UTF-8", text, v.text)
		}
		last := 0
		for i := range len(v.text) {
			from, to := v.original(i, i+1, len(text))
			if from < last || from > to || to > len(text) {
				t.Fatalf("byte %d of %+q stands at %d to %d of %+q, the one before at %d", i, v.text, from, to, text, last)
			}
			last = from
			if v.text[i] < utf8.RuneSelf && strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 && text[from] != v.text[i] {
				t.Fatalf("byte %d of %+q does not stand at %d of %+q", i, v.text, from, text)
			}
		}
	})
}
