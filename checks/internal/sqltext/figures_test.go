// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
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
	"github.com/toolvet/toolvet/internal/test/race"
)

var updateFigures = flag.Bool("figures", false, "rewrite the tables of docs/figures/sql.md")

// baseline is what many programs do: a statement has to begin with SELECT, WITH or
// EXPLAIN and to hold no semicolon; a value must not hold what ends a string, or begins
// a comment or another statement.
func baseline(r *row) (refused bool) {
	if r.fragment() {
		return strings.ContainsAny(r.text(), `'";#`) || strings.Contains(r.text(), "--") || strings.Contains(r.text(), "/*")
	}
	text := strings.TrimRight(strings.ToLower(r.text()), "; \n\t")
	reads := slices.ContainsFunc([]string{"select", "with", "explain"}, func(word string) bool {
		return strings.HasPrefix(strings.TrimSpace(text), word)
	})
	return !reads || strings.Contains(text, ";")
}

// A tally counts the decisions on one class.
type tally struct{ rows, refused, generic, warned, baseline int }

func (c *tally) add(r *row) {
	o := r.options()
	c.rows++
	if baseline(r) {
		c.baseline++
	}
	if r.genericOptions().Refuses(r.text()) {
		c.generic++
	}
	switch {
	case o.Refuses(r.text()):
		c.refused++
	case len(o.Judge(r.text())) > 0:
		c.warned++
	}
}

// tables writes a table for each label, and one of the variants.
func tables(rows []row) map[string]string {
	counts := map[string]map[string]*tally{}
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
			c.add(&r)
		}
	}
	texts := map[string]string{}
	for expect, classes := range counts {
		var b strings.Builder
		b.WriteString("| class | rows | refused | refused, dialect not named | warned of | refused by the baseline |\n|---|---:|---:|---:|---:|---:|\n")
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			c := classes[class]
			fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", class, c.rows, c.refused, c.generic, c.warned, c.baseline)
		}
		texts[expect] = b.String()
	}
	return texts
}

// variantsTable counts the attacks on a parameter that are refused in each variant.
func variantsTable(rows []row) string {
	var b strings.Builder
	b.WriteString("| the value | attacks | refused |\n|---|---:|---:|\n")
	for _, v := range valueVariants {
		attacks, refused := 0, 0
		for _, r := range rows {
			if r.fragment() && r.Expect == "reject" {
				attacks++
				if r.options().Refuses(v.write(r.text())) {
					refused++
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d |\n", v.name, attacks, refused)
	}
	return b.String()
}

// TestFigures holds that the tables of docs/figures/sql.md are those of the corpora now.
func TestFigures(t *testing.T) {
	race.Skip(t) // one goroutine, and many texts
	t.Parallel()
	rows := corpora.Read[row](t, "sql")
	all := tables(rows)
	all["variants"] = variantsTable(rows)
	texts, refused := otherTexts(t)
	all["others"] = fmt.Sprintf("%d lines, %d refused (%.2f %%).\n", texts, refused, 100*float64(refused)/float64(texts))

	name := filepath.Join("..", "..", "..", "docs", "figures", "sql.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for key, table := range all {
		begin, end := "<!-- "+key+" -->\n", "<!-- end -->"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the table %q: %s…%s", name, key, begin, end)
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
		t.Errorf("%s is out of date; go test -figures ./checks/internal/sqltext renews it (-file +now):\n%s", name, diff)
	}
}
