// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestConceal holds that a report for somebody who may not read a file has no content of it, and says so.
func TestConceal(t *testing.T) {
	t.Parallel()
	diff := func(path, from string) Change {
		return Change{Path: path, From: from, Kind: Modified, Before: &State{Type: "file"}, After: &State{Type: "file"}, Diff: "@@ -1 +1 @@\n-content of " + path + "\n"}
	}
	r := &Report{Changes: []Change{diff("/open", ""), diff("/closed", ""), diff("/moved", "/closed"), {Path: "/plain", Kind: Created, After: &State{Type: "file"}}}}
	r.Conceal(func(path string) bool { return path != "/closed" })
	var got []string
	for _, c := range r.Changes {
		got = append(got, fmt.Sprint(c.Path, " ", c.Diff != "", " ", c.Concealed))
	}
	if want := []string{"/open true false", "/closed false true", "/moved false true", "/plain false false"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || strings.Contains(text.String(), "content of /closed") || strings.Count(text.String(), "its content is not shown") != 2 {
		t.Errorf("%v %s", err, text.String())
	}
	many := &Report{}
	for i := range maxAsked + 3 {
		many.Changes = append(many.Changes, diff(fmt.Sprint("/", i), ""))
	}
	asked := 0
	many.Conceal(func(string) bool { asked++; return true })
	if last := many.Changes[len(many.Changes)-1]; asked != maxAsked || !last.Concealed {
		t.Errorf("asked %d times, and the last is %+v", asked, last)
	}
}
