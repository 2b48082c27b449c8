// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"flag"
	"fmt"
	"maps"
	"net/netip"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/test/corpora"
)

var updateFigures = flag.Bool("figures", false, "rewrite the tables of docs/figures/url.md")

type row struct{ Input, Class, Expect string }

func refuses(found []check.Finding) bool {
	return slices.ContainsFunc(found, func(f check.Finding) bool { return f.Severity == check.Error })
}

// baseline is what net/url and net/netip make of a URL without more: the scheme, and an
// address that is one as it stands.
func baseline(raw string) (refused bool) {
	u, err := neturl.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return true
	}
	a, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return false
	}
	return !a.IsGlobalUnicast() || a.IsPrivate()
}

// TestCorpus holds that the check refuses every URL that must be refused, and at most one in a
// thousand of the others.
func TestCorpus(t *testing.T) {
	t.Parallel()
	o := new(Options)
	benign, missed := 0, 0
	var score corpora.Score
	defer func() { t.Log(&score) }()
	for _, r := range corpora.Read[row](t, "urls") {
		_, found := o.judged(r.Input)
		score.Add(r.Expect, refuses(found))
		switch {
		case r.Expect == "reject" && !refuses(found):
			t.Errorf("%s: %+q is let pass", r.Class, r.Input)
		case r.Expect == "accept" && refuses(found):
			missed++
			t.Logf("%s: %+q is refused: %s", r.Class, r.Input, found[0])
			fallthrough
		case r.Expect == "accept":
			benign++
		}
	}
	if missed*1000 > benign {
		t.Errorf("%d of %d benign URLs are refused", missed, benign)
	}
}

// A tally counts the decisions on one class.
type tally struct{ rows, refused, warned, baseline int }

// tables writes a table for each label.
func tables(rows []row) map[string]string {
	counts := map[string]map[string]*tally{}
	o := new(Options)
	for _, r := range rows {
		if counts[r.Expect] == nil {
			counts[r.Expect] = map[string]*tally{}
		}
		for _, class := range []string{r.Class, "**all**"} {
			c := counts[r.Expect][class]
			if c == nil {
				c = new(tally)
				counts[r.Expect][class] = c
			}
			c.add(o, r.Input)
		}
	}
	texts := map[string]string{}
	for expect, classes := range counts {
		var b strings.Builder
		b.WriteString("| class | rows | refused | warned of | refused by the baseline |\n|---|---:|---:|---:|---:|\n")
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			c := classes[class]
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", class, c.rows, c.refused, c.warned, c.baseline)
		}
		texts[expect] = b.String()
	}
	return texts
}

func (c *tally) add(o *Options, raw string) {
	_, found := o.judged(raw)
	c.rows++
	switch {
	case refuses(found):
		c.refused++
	case len(found) > 0:
		c.warned++
	}
	if baseline(raw) {
		c.baseline++
	}
}

// TestFigures holds that the tables of the figures page are those of the corpus now.
func TestFigures(t *testing.T) {
	t.Parallel()
	rows := corpora.Read[row](t, "urls")
	name := filepath.Join("..", "..", "docs", "figures", "url.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for expect, table := range tables(rows) {
		begin, end := "<!-- "+expect+" -->\n", "<!-- end -->"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the table %q: %s…%s", name, expect, begin, end)
		}
		want = before + begin + table + end + after
	}
	if *updateFigures {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), want); diff != "" {
		t.Errorf("%s is out of date; go test -figures ./checks/url renews it (-file +now):\n%s", name, diff)
	}
}
