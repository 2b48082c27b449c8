// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/corpora"
	"github.com/toolvet/toolvet/internal/test/race"
)

var writeFigures = flag.Bool("figures", false, "rewrite the tables of docs/figures/secrets.md")

// A sample is a row of the corpora.
type sample struct {
	Input         any
	Class, Expect string
	Hit           bool `json:"gitleaks_hit"`
}

func (s sample) text(t testing.TB) string {
	t.Helper()
	text, ok := s.Input.(string)
	if !ok {
		t.Fatalf("a sample of class %s is no text", s.Class)
	}
	return text
}

// mislabelled are samples that count as clean because one pattern of their source must not find
// them, and are secrets to another.
var mislabelled = map[string]string{
	"vcp_2YkmQj1uHqCVNoUx5a9uvRTe81gmAcln5hoRMPWFBU4tulufUf0OzP2K":           "a personal token of Vercel",
	"vcp_BQuu9ChDu3n6Pfh6YQnCshpoYkWDSFKogLqmBtQ0tC8NAA5rXt340sjz":           "a personal token of Vercel",
	"MailchimpSDK.initialize(token: 3012a5754bbd716926f99c028f7ea428-us18)":  "a key of Mailchimp",
	"sk-v1-0e6f44a47a05f1dad2ad7e88c4c1d6b77688157716fb1a5271146f7464951c96": "a key in the form of OpenAI's, if no issuer made it",
	"sk-or-v1-0e6f44a47a05f1dad2ad7e88c4c1d6b7":                              "a key in the form of OpenAI's, if no issuer made it",
	"sk-proj-Xi8tdMjHV6pmbBbwilTeT4BlbkFJ3UDnpdEwNNm6wVBpYM0o":               "a key in the form of OpenAI's, if no issuer made it",
}

// A tally counts samples of a class.
type tally struct{ samples, found, baseline int }

func tallies(t *testing.T, s *Scanner, rows []sample, expect string) map[string]*tally {
	t.Helper()
	all := &tally{}
	classes := map[string]*tally{"**all**": all}
	for _, row := range rows {
		if row.Expect != expect {
			continue
		}
		c := classes[row.Class]
		if c == nil {
			c = &tally{}
			classes[row.Class] = c
		}
		found := len(s.Scan(row.text(t))) > 0
		for _, c := range []*tally{c, all} {
			c.samples++
			c.found += count(found)
			c.baseline += count(row.Hit)
		}
	}
	return classes
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestCorpus holds what is promised of the corpus: how much is found, and that nothing clean
// is touched.
func TestCorpus(t *testing.T) {
	race.Skip(t) // one goroutine, and many texts
	t.Parallel()
	s, rows := standard(t), corpora.Read[sample](t, "secrets")
	if c := tallies(t, s, rows, "flag")["**all**"]; c.found*1000 < c.samples*990 {
		t.Errorf("found %d of %d secrets, less than 99 %%", c.found, c.samples)
	}
	var score corpora.Score
	for _, row := range rows {
		text := row.text(t)
		found := s.Scan(text)
		score.Add(map[string]string{"flag": "reject", "clean": "accept"}[row.Expect], len(found) > 0)
		if row.Expect == "clean" && mislabelled[text] == "" {
			for _, m := range found {
				t.Errorf("%s: the pattern %s takes %q for a secret", row.Class, m.Pattern, text[m.Start:m.End])
			}
		}
	}
	t.Log(&score)
}

// TestBenign runs texts of other corpora, which hold only invented secrets: documents about
// attacks, commands, URLs.
func TestBenign(t *testing.T) {
	race.Skip(t) // one goroutine, and many texts
	t.Parallel()
	s := standard(t)
	for name, most := range map[string]int{"injection": 3, "commands": 2, "urls": 1} { // per thousand
		samples, touched := 0, 0
		for _, row := range corpora.Read[sample](t, name) {
			text, ok := row.Input.(string)
			if !ok || row.Expect != "clean" && row.Expect != "accept" {
				continue
			}
			samples++
			touched += count(len(s.Scan(text)) > 0)
		}
		if touched*1000 > samples*most {
			t.Errorf("%s: %d of %d benign texts are touched, more than %d in a thousand", name, touched, samples, most)
		}
	}
}

// TestFigures holds that the tables of the figures page are those of the corpus now.
func TestFigures(t *testing.T) {
	race.Skip(t) // one goroutine, and many texts
	t.Parallel()
	s, rows := standard(t), corpora.Read[sample](t, "secrets")
	name := filepath.Join("..", "..", "docs", "figures", "secrets.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := page
	for _, expect := range []string{"flag", "clean"} {
		begin, end := []byte("<!-- "+expect+" -->\n"), []byte("<!-- end -->")
		before, rest, ok := bytes.Cut(want, begin)
		_, after, ok2 := bytes.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the table %q", name, expect)
		}
		want = slices.Concat(before, begin, table(tallies(t, s, rows, expect)), end, after)
	}
	if *writeFigures {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(string(page), string(want)); diff != "" {
		t.Errorf("%s is out of date; go test ./internal/secrets -run TestFigures -figures renews it (-file +now):\n%s", name, diff)
	}
}

func table(classes map[string]*tally) []byte {
	var b bytes.Buffer
	b.WriteString("| class | samples | found | found by gitleaks |\n|---|---:|---:|---:|\n")
	for _, class := range slices.SortedFunc(maps.Keys(classes), cmp.Compare) {
		c := classes[class]
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", class, c.samples, c.found, c.baseline)
	}
	return b.Bytes()
}
