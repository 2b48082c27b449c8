// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/race"
)

// cost is what a scan of a text takes, about: in nanoseconds of a quiet machine, from counts of the work. It does
// not depend on the machine.
func (s *Scanner) cost(t testing.TB, text string) int {
	var w work
	passes := 2 // the words, and the look for another form
	s.scan(t.Context(), text, &w)
	if n, differs := normalForm(t.Context(), text, nil); differs {
		passes += 3
		s.scan(t.Context(), n.text, &w)
	}
	return passes*len(text) + 5*w.words + 20*w.followed + w.walked + 3*w.filtered + 60*w.matched
}

// maxSlower is how many times the median's cost the slowest text may have. It guards what is reached, 53, and is no
// aim: in a text that is full of secrets, each byte goes to three expressions or four.
const maxSlower = 55

// TestSlowTexts searches for texts that take much longer than others of their size: it repeats what gives
// a scanner much to do, and joins the worst of it.
func TestSlowTexts(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	type candidate struct {
		cost  int
		piece string
	}
	s, random := standard(t), rand.New(rand.NewPCG(1, 2))
	judge := func(piece string) candidate {
		const size = 10_000
		return candidate{s.cost(t, strings.Repeat(piece, size/len(piece)+1)[:size]), piece}
	}
	var list []candidate
	for _, piece := range slices.Concat(hostileTexts(s), seeds) {
		if piece != "" && len(piece) < 1000 {
			list = append(list, judge(piece))
		}
	}
	byCost := func(a, b candidate) int { return cmp.Compare(b.cost, a.cost) }
	slices.SortFunc(list, byCost)
	median := list[len(list)/2].cost
	for range 300 {
		a, b := list[random.IntN(20)].piece, list[random.IntN(min(200, len(list)))].piece
		piece := a[:1+random.IntN(len(a))] + b[random.IntN(len(b)):] + a[random.IntN(len(a)):]
		if len(piece) < 1000 {
			list = append(list, judge(piece))
			slices.SortFunc(list, byCost)
		}
	}
	if worst := list[0]; worst.cost > maxSlower*median {
		t.Errorf("%.200q repeated costs %d, %d times the median, %d", worst.piece, worst.cost, worst.cost/median, median)
	}
	t.Logf("the worst cost is %d, the median %d", list[0].cost, median)
}
