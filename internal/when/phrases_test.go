// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package when

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/checks/cron"
)

var figures = flag.Bool("figures", false, "write docs/figures/schedule.md")

// A tally counts the phrases of a file.
type tally struct{ sensible, understood, refuse, refused, misread int }

// TestPhrases holds that at least 95 % of sensible phrases are understood, and that none is misread. The files have the
// meaning of each phrase, or "refuse" for one that may mean two things, or none.
func TestPhrases(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, name := range []string{"phrases", "hidden"} {
		got := judge(t, name)
		if got.misread > 0 || got.understood*100 < got.sensible*95 {
			t.Errorf("%s: %+v", name, got)
		}
		rows = append(rows, fmt.Sprintf("| `%s.txt` | %d | %d (%.1f %%) | %d | %d | %d |\n", name,
			got.sensible, got.understood, 100*float64(got.understood)/float64(got.sensible), got.refuse, got.refused, got.misread))
	}
	if *figures {
		page := fmt.Sprintf(page, time.Now().Format("2 January 2006"), strings.Join(rows, ""))
		if err := os.WriteFile("../../docs/figures/schedule.md", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const page = `# English schedules

` + "`go test ./internal/when -run TestPhrases -figures`" + `, %s.

The files in ` + "`internal/when/testdata`" + ` have phrases with the times that they mean, or "refuse" for a phrase that may
mean two things, or none. One author wrote them all before the parser. The 150 phrases with the lowest SHA-256 stayed hidden
while the parser was tuned with the others. A phrase is misread if its times are others, or if it should have been
refused.

| file | sensible | understood | to refuse | refused | misread |
|---|---|---|---|---|---|
%s`

func judge(t *testing.T, name string) (c tally) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		text, want, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if !ok || line[0] == '#' {
			continue
		}
		s, err := Parse(text, time.UTC, now)
		switch {
		case want == "refuse":
			c.refuse++
			if err == nil {
				c.misread++
				t.Logf("%q is not refused, but read as %q", text, s.Words())
			} else {
				c.refused++
			}
			continue
		case err != nil:
			c.sensible++
			t.Logf("%q is refused: %v", text, err)
			continue
		}
		c.sensible++
		if wanted, read := meaning(t, want), meant(s, want); !slices.Equal(wanted, read) {
			c.misread++
			t.Logf("%q is read as %q (%s): %v, want %v", text, s.Words(), s.Canonical(), read, wanted)
			continue
		}
		c.understood++
	}
	return c
}

// meaning returns the next times of a meaning: cron expressions with | between them, "+" and an interval from now, or
// "=" and the times themselves, with "..." if others follow.
func meaning(t *testing.T, want string) (list []string) {
	t.Helper()
	if every, ok := strings.CutPrefix(want, "+"); ok {
		d, err := time.ParseDuration(every)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			list = append(list, now.Add(time.Duration(i+1)*d).Format("2006-01-02T15:04:05"))
		}
		return list
	}
	if times, ok := strings.CutPrefix(want, "= "); ok {
		for _, at := range strings.Fields(times) {
			if at != "..." {
				list = append(list, at+":00")
			}
		}
		return list
	}
	for expression := range strings.SplitSeq(want, " | ") {
		times, err := cron.Next(expression, time.UTC, now, 100)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		for _, at := range times {
			list = append(list, at.Format("2006-01-02T15:04:05"))
		}
	}
	slices.Sort(list)
	return list[:100]
}

// meant returns as many times of a schedule as a meaning has; one more if none should follow.
func meant(s *Schedule, want string) (list []string) {
	n := 100
	switch {
	case want[0] == '+':
		n = 3
	case want[0] == '=' && strings.HasSuffix(want, "..."):
		n = len(strings.Fields(want)) - 2
	case want[0] == '=':
		n = len(strings.Fields(want))
	}
	for _, at := range s.Times(now, n) {
		list = append(list, at.Format("2006-01-02T15:04:05"))
	}
	return list
}
