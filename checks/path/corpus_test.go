// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/test/corpora"
)

var writeFigures = flag.Bool("figures", false, "rewrite the table of docs/figures/path.md")

// figures is the page that tells how the check does on the corpus.
var figures = filepath.Join("..", "..", "docs", "figures", "path.md")

type row struct{ Input, Class, Expect string }

// TestCorpus judges the corpus by the policy that its labels assume, and without one.
func TestCorpus(t *testing.T) {
	t.Parallel()
	tight := &Options{Within: []string{"/workspace"}, Base: "/workspace", Platform: "posix"}
	loose := &Options{Platform: "posix"}
	type class struct{ expect, name string }
	type count struct{ rows, tight, loose int }
	counts := map[class]*count{}
	var score corpora.Score
	for _, r := range corpora.Read[row](t, "paths") {
		k := class{r.Expect, r.Class}
		if counts[k] == nil {
			counts[k] = new(count)
		}
		counts[k].rows++
		if refused(loose.judge(check.World{}, r.Input)) {
			counts[k].loose++
			if r.Expect == "accept" {
				t.Errorf("%s: %q is refused without a policy", r.Class, r.Input)
			}
		}
		bad := refused(tight.judge(check.World{}, r.Input))
		score.Add(r.Expect, bad)
		if bad {
			counts[k].tight++
		}
		if r.Expect == "reject" && !bad || r.Expect == "accept" && bad {
			t.Errorf("%s: refused is %v of %q", r.Class, bad, r.Input)
		}
	}
	t.Logf("within /workspace, %v", &score)
	var table strings.Builder
	total := map[string]*count{"accept": {}, "flag": {}, "reject": {}}
	line := func(expect, name string, c count) {
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %d |\n", expect, name, c.rows, c.tight, c.loose)
	}
	table.WriteString("| label | class | paths | refused: within /workspace | refused: nothing known |\n|---|---|---:|---:|---:|\n")
	order := func(a, b class) int { return cmp.Or(cmp.Compare(a.expect, b.expect), cmp.Compare(a.name, b.name)) }
	for _, k := range slices.SortedFunc(maps.Keys(counts), order) {
		c := counts[k]
		line(k.expect, k.name, *c)
		sum := total[k.expect]
		sum.rows, sum.tight, sum.loose = sum.rows+c.rows, sum.tight+c.tight, sum.loose+c.loose
	}
	for _, expect := range slices.Sorted(maps.Keys(total)) {
		line(expect, "**all**", *total[expect])
	}
	compareFigures(t, table.String())
}

// compareFigures holds the table on the page to be the one that was measured.
func compareFigures(t *testing.T, table string) {
	t.Helper()
	page, err := os.ReadFile(figures)
	if err != nil {
		t.Fatal(err)
	}
	begin := strings.Index(string(page), "| label |")
	if begin < 0 {
		t.Fatalf("%s has no table that begins with \"| label |\"", figures)
	}
	length := strings.Index(string(page[begin:]), "\n\n") + 1
	if length == 0 {
		length = len(page) - begin
	}
	got := string(page[begin : begin+length])
	if got == table {
		return
	}
	if !*writeFigures {
		t.Errorf("%s is out of date; go test -figures renews it (-page +measured):\n%s", figures, gocmp.Diff(got, table))
		return
	}
	renewed := string(page[:begin]) + table + string(page[begin+length:])
	if err := os.WriteFile(figures, []byte(renewed), 0o644); err != nil {
		t.Fatal(err)
	}
}
