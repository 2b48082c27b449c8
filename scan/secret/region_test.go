// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/corpora"
	"github.com/toolvet/toolvet/internal/test/race"
)

// standard is a scanner without options. Tests share it: it takes a while to make.
func standard(t testing.TB) *Scanner {
	t.Helper()
	s, err := standardOnce()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var standardOnce = sync.OnceValues(func() (*Scanner, error) { return New(Options{}) })

// plain is the plain use of the patterns: each expression over the whole text, if one of the
// pattern's keywords is there.
func (s *Scanner) plain(text string) []found {
	lower := strings.ToLower(text)
	c := s.newScan(context.Background(), text, nil)
	for i := range c.filters {
		c.filters[i] = &filter{} // lets everything through
	}
	for i, r := range s.patterns {
		here := func(k string) bool { return strings.Contains(lower, strings.ToLower(k)) }
		c.keyword[i] = len(r.Keywords) == 0 || slices.ContainsFunc(r.Keywords, here)
		if c.keyword[i] {
			c.regions[i] = []region{{0, len(text)}}
		}
	}
	return c.complete(c.match(func(r *compiled) bool { return !r.Component }))
}

func describe(list []found) []string {
	var all []string
	for _, f := range list {
		all = append(all, fmt.Sprintf("%s %06d-%06d", f.pattern.ID, f.start, f.end))
	}
	slices.SortFunc(all, cmp.Compare)
	return all
}

// compare holds that a scan of regions finds the same as a scan of the whole text.
func compare(t *testing.T, s *Scanner, text string) {
	t.Helper()
	// Outside ASCII, Go folds these two letters into s and k; so does the normal form.
	text = strings.NewReplacer("ſ", "s", "\u212a", "k").Replace(text)
	if diff := gocmp.Diff(describe(s.plain(text)), describe(s.scan(t.Context(), text, nil))); diff != "" {
		t.Errorf("regions find something else than the plain use of the patterns (-plain +regions):\n%s\nin %q", diff, text)
	}
}

// TestRegions compares on the corpus, on adjacent samples, and on samples with text that is
// likely to break the edges of regions.
func TestRegions(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	s := standard(t)
	rows := corpora.Read[sample](t, "secrets")
	random := rand.New(rand.NewPCG(1, 2))
	between := []string{"", " ", "\n", "\"", "=", "\\n", "é", "\xe2\x84", "-", "{", "}", "\r\n\r\n", ";", "key", "curl "}
	var joined []string
	for i, row := range rows {
		text := row.text(t)
		if i%4 == 0 {
			compare(t, s, text)
		}
		if n := random.IntN(3); len(text) > 0 && n > 0 {
			text = text[:random.IntN(len(text))] + text[random.IntN(len(text)):]
		}
		joined = append(joined, text, between[random.IntN(len(between))])
	}
	for parts := range slices.Chunk(joined, 40) {
		compare(t, s, strings.Join(parts, ""))
	}
}

func FuzzRegions(f *testing.F) {
	s := standard(f)
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { compare(t, s, text) })
}

// FuzzRegionsOfAnyPattern compares for a pattern that nobody foresaw.
func FuzzRegionsOfAnyPattern(f *testing.F) {
	for _, expr := range []string{
		`key=(\w{3,}?)\b`, `(?i)[\w.-]{0,5}?(?:ab|cd)\s*=\s*([^\s"]+)$`, `(?m)^a.*b$`, `a+?(?:b|c{2,3})+d?`, `[^x]{0,4}key[^y]*\z`,
		`(?:[Aa]pi|API)(?:-x)?\B.`, `\bé(?s:.)z|q`, `(ab){2,4}\pL`, `x*y`, `(?:a|b)?(?:c|d)e`,
	} {
		f.Add(expr, "key=abc key=ab\nAPI-x apikeyé=zz ABab = cd=\"x\"\naxxb\naccbd xxxy")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(expr) > 100 || len(text) > 2000 {
			t.Skip("too long to be of use")
		}
		r, err := compile(Pattern{ID: "any", Regex: expr})
		if err != nil {
			t.Skip("not an expression")
		}
		s := &Scanner{patterns: []*compiled{r}}
		s.index()
		compare(t, s, text)
	})
}

// hostileTexts are texts that, repeated, give a scanner much to do: the words of its patterns, and
// what makes expressions begin and not end.
func hostileTexts(s *Scanner) []string {
	var words, interleaved []string
	for _, r := range s.patterns {
		for _, a := range r.anchors {
			for _, w := range a.words {
				words = append(words, w)
				interleaved = append(interleaved, w+"=\"aB3xxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
			}
		}
	}
	return append([]string{
		strings.Join(words, ""), strings.Join(words, " "), strings.Join(interleaved, " "),
		"key=aB3dE5gH7jK9 ", "-----BEGIN RSA PRIVATE KEY-----\n", "curl -H ", "curl\n", "eyJaaaaaaaaaaaaaaaaaaaa.", "eyJaaaaaaaaaaaaaaaaaaaa-",
		"://a:b", "kind: Secret\ndata:\n  a: YWFh\n", "password='", "\"data\":{", "xoxb-1234567890-", "secret", "a", "\\", "\xff", "\u200b",
		"AKIAIOSFODNN7EXAMPLX\n", "https://a/?sig=", "AQ.", "influxdb token ", "curl -u \"", "curl -u a", "curl x\n",
	}, lowered(words)...)
}

// TestLinear holds that a scan's work grows with the text, for any text: see [work].
func TestLinear(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	s := standard(t)
	for _, h := range hostileTexts(s) {
		n := max(20_000, 6*len(h))
		if len(h) < maxWord {
			n = 2000 // the words are many
		}
		n -= n % len(h) // both texts end alike
		var one, two work
		text := strings.Repeat(h, 2*n/len(h)+1)
		s.scan(t.Context(), text[:n], &one)
		s.scan(t.Context(), text[:2*n], &two)
		for _, w := range []struct {
			name     string
			one, two int
			most     int // for each byte of text
		}{
			{"occurrences of words", one.words, two.words, 40},
			{"words followed", one.followed, two.followed, 40},
			{"bytes of runs", one.walked, two.walked, 100},
			{"bytes for filters", one.filtered, two.filtered, 40},
			{"bytes for expressions", one.matched, two.matched, 20},
		} {
			edges := 4 * len(h) // a run over several repetitions is missing at the ends
			if w.two > 2*w.one+w.one/4+3000+edges || w.two > w.most*2*n {
				t.Errorf("%.40q repeated: %s: %d in %d bytes, %d in twice as many", h, w.name, w.one, n, w.two)
			}
		}
	}
}
