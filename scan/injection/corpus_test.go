// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package injection

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/test/corpora"
)

var updateFigures = flag.Bool("figures", false, "rewrite the tables of docs/figures/injection.md")

type row struct{ Input, Class, Expect, Difficulty string }

// tuned tells whether the rules were made while looking at the row. The rules never saw
// the other half, by the digest of the text.
func (r row) tuned() bool { return sha256.Sum256([]byte(r.Input))[0]%2 == 0 }

// disputable are classes of clean rows that do give a model orders, or quote them.
func (r row) disputable() bool {
	return r.Class == "hardneg-agent-instruction-file" || r.Class == "hardneg-attack-doc"
}

// TestCorpus holds what may not get worse: of the harmless texts one in two hundred is
// touched at most, in either half; and most of what a rule can see is found.
func TestCorpus(t *testing.T) {
	t.Parallel()
	benign := map[bool]*tally{true: {}, false: {}}
	seen := map[string]*tally{"pattern": {}, "obfuscated": {}}
	for _, r := range corpora.Read[row](t, "injection") {
		flagged := len(Scan(r.Input)) > 0
		switch {
		case r.Expect == "clean" && !r.disputable():
			benign[r.tuned()].add(flagged)
			if flagged && r.tuned() { // the other half is not for looking at
				t.Logf("%s: a harmless text is touched: %.60q", r.Class, r.Input)
			}
		case r.Expect == "flag" && seen[r.Difficulty] != nil:
			seen[r.Difficulty].add(flagged)
		}
	}
	for tuned, c := range benign {
		if c.flagged*200 > c.rows {
			t.Errorf("%d of %d harmless texts are touched (tuned: %v)", c.flagged, c.rows, tuned)
		}
	}
	for difficulty, least := range map[string]float64{"pattern": 0.75, "obfuscated": 0.97} {
		if c := seen[difficulty]; float64(c.flagged) < least*float64(c.rows) {
			t.Errorf("%s: %d of %d found, want %.0f %%", difficulty, c.flagged, c.rows, 100*least)
		}
	}
}

// A tally counts rows.
type tally struct{ rows, flagged int }

func (c *tally) add(flagged bool) {
	c.rows++
	if flagged {
		c.flagged++
	}
}

func (c *tally) String() string {
	if c.rows == 0 {
		return "– | –"
	}
	return fmt.Sprintf("%d | %d", c.rows, c.flagged)
}

// A pair counts the rows of the two halves.
type pair struct{ tuned, other tally }

// tabulate counts rows by name, and writes them with their sum in front.
func tabulate(rows []row, flagged []bool, name func(row) string) string {
	counts := map[string]*pair{"**all**": {}}
	for i, r := range rows {
		n := name(r)
		if n == "" {
			continue
		}
		if counts[n] == nil {
			counts[n] = new(pair)
		}
		for _, p := range []*pair{counts[n], counts["**all**"]} {
			if r.tuned() {
				p.tuned.add(flagged[i])
			} else {
				p.other.add(flagged[i])
			}
		}
	}
	var b strings.Builder
	b.WriteString("| class | rows | flagged | other rows | flagged | share of the other |\n|---|---:|---:|---:|---:|---:|\n")
	for _, n := range slices.Sorted(maps.Keys(counts)) {
		p := counts[n]
		share := "–"
		if p.other.rows > 0 {
			share = fmt.Sprintf("%.1f %%", 100*float64(p.other.flagged)/float64(p.other.rows))
		}
		fmt.Fprintf(&b, "| %s | %v | %v | %s |\n", n, &p.tuned, &p.other, share)
	}
	return b.String()
}

func tables(rows []row) map[string]string {
	flagged := make([]bool, len(rows))
	for i, r := range rows {
		flagged[i] = len(Scan(r.Input)) > 0
	}
	keep := func(keep func(row) bool, name func(row) string) string {
		return tabulate(rows, flagged, func(r row) string {
			if keep(r) {
				return name(r)
			}
			return ""
		})
	}
	attack := func(r row) bool { return r.Expect == "flag" }
	class := func(r row) string { return r.Class }
	return map[string]string{
		"difficulty": keep(attack, func(r row) string { return r.Difficulty }),
		"attacks":    keep(attack, func(r row) string { return r.Difficulty + ": " + r.Class }),
		"clean":      keep(func(r row) bool { return !attack(r) && !r.disputable() }, class),
		"disputable": keep(row.disputable, class),
	}
}

// TestFigures holds that the tables of the figures page are those of the corpus now.
func TestFigures(t *testing.T) {
	t.Parallel()
	rows := corpora.Read[row](t, "injection")
	file := filepath.Join("..", "..", "docs", "figures", "injection.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for name, content := range tables(rows) {
		begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the table %q: %s…%s", file, name, begin, end)
		}
		want = before + begin + content + end + after
	}
	if *updateFigures {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), want); diff != "" {
		t.Errorf("%s is out of date; go test ./scan/injection -figures renews it (-file +now):\n%s", file, diff)
	}
}
