// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
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

// all returns the patterns that s looks for.
func (s *Scanner) all() []*compiled {
	var list []*compiled
	for _, ready := range s.patterns {
		if ready != nil {
			list = append(list, ready())
		}
	}
	return list
}

// plain is the plain use of the patterns: each expression over the whole text, if one of the
// pattern's keywords is there.
func (s *Scanner) plain(text string) []found {
	lower := strings.ToLower(text)
	c := s.newScan(context.Background(), text, nil)
	c.touched = c.touched[:0]
	for i := range c.filters {
		c.filters[i] = &filter{} // lets everything through
	}
	for i, ready := range s.patterns {
		if ready == nil {
			continue
		}
		r := ready()
		here := func(k string) bool { return strings.Contains(lower, strings.ToLower(k)) }
		c.keyword[i] = len(r.Keywords) == 0 || slices.ContainsFunc(r.Keywords, here)
		if c.keyword[i] {
			c.touched = append(c.touched, i)
			c.regions[i] = []region{{0, len(text)}}
		}
	}
	return c.complete()
}

func describe(list []found) []string {
	var all []string
	for _, f := range list {
		all = append(all, fmt.Sprintf("%s %06d-%06d", f.pattern.ID, f.start, f.end))
	}
	slices.SortFunc(all, cmp.Compare)
	return all
}

// compare holds that a scan of regions finds the same as a scan of the whole text, and that one look for the words of a
// text and its normal form finds the same as two.
func compare(t *testing.T, s *Scanner, text string) {
	t.Helper()
	// Outside ASCII, Go folds these two letters into s and k; so does the normal form.
	text = strings.NewReplacer("ſ", "s", "\u212a", "k").Replace(text)
	if diff := gocmp.Diff(describe(s.plain(text)), describe(s.scan(t.Context(), text, nil))); diff != "" {
		t.Errorf("regions find something else than the plain use of the patterns (-plain +regions):\n%s\nin %q", diff, text)
	}
	if n, differs := normalForm(t.Context(), text, nil); differs {
		raw, plain := s.scanBoth(t.Context(), text, &n, nil)
		want := append(describe(s.scan(t.Context(), text, nil)), describe(s.scan(t.Context(), n.text, nil))...)
		if diff := gocmp.Diff(want, append(describe(raw), describe(plain)...)); diff != "" {
			t.Errorf("a text and its normal form, scanned together (-each +both):\n%s\nin %q", diff, text)
		}
	}
}

// TestHolds compares with a look at each part alone.
func TestHolds(t *testing.T) {
	t.Parallel()
	parsed, err := syntax.Parse(`(?:-u|--user|[ \t]key)=`, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	n := newNeeded([]*syntax.Regexp{parsed})
	if n == nil {
		t.Fatal("no words are needed")
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var b strings.Builder
		for range 30 {
			b.WriteString([]string{"-u=", "--USER", "=", " key=", "key", "-", " ", "xxxxxx"}[random.IntN(8)])
		}
		c := (&Scanner{}).newScan(t.Context(), b.String(), nil)
		for start := 0; start < len(c.text); start += random.IntN(5) {
			end := start + random.IntN(len(c.text)-start+1)
			whole, begins := false, false
			for at := start; at < end; at++ {
				for _, w := range n.words {
					if at+len(w) <= len(c.text) && equalFold(c.text[at:at+len(w)], w) {
						begins, whole = true, whole || at+len(w) <= end
					}
				}
			}
			if got := c.holds(n, start, end); whole && !got || got && !begins {
				t.Fatalf("holds(%d, %d) = %v in %q; a word begins there: %v, and ends: %v", start, end, got, c.text, begins, whole)
			}
		}
	}
}

// TestLongLine holds that an expression that may take any text is given the line of its word, and not all of a long one.
func TestLongLine(t *testing.T) {
	t.Parallel()
	s := standard(t)
	words := strings.Repeat("some words -u ", 20_000)
	for name, text := range map[string]string{
		"one line":      "curl -s x -u " + words,
		"escaped lines": `curl -s x\n` + strings.ReplaceAll(words, "-u ", `-u\n`),
	} {
		var w work
		s.scan(t.Context(), text, &w)
		if bytes := w.filtered + w.matched; bytes > 6*maxLine+3*maxText {
			t.Errorf("%s: expressions and filters are given %d bytes for one word", name, bytes)
		}
	}
	line := `"curl -s https://example.org/a\ncurl -u joe:` + "\"Xq7-tR2-mN9\" https://example.org\\nexit\""
	if list := s.Scan(strings.ReplaceAll(line, `:"Xq7-tR2-mN9"`, ":Xq7-tR2-mN9")); len(list) != 1 {
		t.Errorf("%d secrets in %s", len(list), line)
	}
}

// lineEnds are the escapes at which a region ends, as a line does: an expression goes on.
var lineEnds = strings.NewReplacer(`\n`, "\n", `\r`, "\r")

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

// TestHead holds that an expression without its head, and the head put back, match as the whole expression does.
func TestHead(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, expr := range []string{`(?i)[\w.-]{0,5}?(?:key|ap(i))\b[ =]{0,3}(\w{2,6})`, `[ab]{0,2}?(?:ab|b)(c?)`, `[^x]{0,3}?x`} {
		r, err := compile(Pattern{ID: "any", Regex: expr})
		if err != nil || r.head == nil {
			t.Fatalf("%s: %v, and a head: %v", expr, err, r.head != nil)
		}
		s := new(Scanner)
		s.add([]*compiled{r}, map[string][]use{})
		for range 3000 {
			var b strings.Builder
			for range random.IntN(12) {
				b.WriteString([]string{"key", "API", "a", "b", "c", "x", "=", " ", ".", "ſ", "\xff", "kkkkkkk"}[random.IntN(12)])
			}
			text := b.String()
			var want []string
			for _, at := range regexp.MustCompile(expr).FindAllStringSubmatchIndex(text, -1) {
				want = append(want, fmt.Sprint(at))
			}
			var got []string
			c := s.newScan(t.Context(), text, nil)
			for _, at := range c.all(r, 0, len(text)) {
				got = append(got, fmt.Sprint(at))
			}
			c.close()
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%s in %q (-whole +parts):\n%s", expr, text, diff)
			}
		}
	}
}

func FuzzRegions(f *testing.F) {
	s := standard(f)
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { compare(t, s, lineEnds.Replace(text)) })
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
		s := new(Scanner)
		s.add([]*compiled{r}, map[string][]use{})
		compare(t, s, lineEnds.Replace(text))
	})
}

// hostileTexts are texts that, repeated, give a scanner much to do: the words of its patterns, and
// what makes expressions begin and not end.
func hostileTexts(s *Scanner) []string {
	var words, interleaved []string
	for _, r := range s.all() {
		for _, list := range r.words {
			for _, w := range list {
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
