// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/audit/source/javascript/internal/parse"
)

// TestShare holds that handlers which cost much are shared by two interpreters, that each finds what it
// finds alone, and that the report is the same each time.
func TestShare(t *testing.T) {
	t.Parallel()
	const tools = 14
	all := make([]int, tools)
	for i := range all {
		all[i] = i
	}
	first, shared := readTools(t, all)
	if !shared {
		t.Fatal("the handlers are not shared")
	}
	if len(first.Tools) != tools || len(first.Unfinished) > 0 {
		t.Fatalf("%d tools, unfinished %v", len(first.Tools), first.Unfinished)
	}
	if again, _ := readTools(t, all); !reflect.DeepEqual(first, again) {
		t.Error("another report of the same program")
	}
	for i := range tools {
		alone, shared := readTools(t, []int{i})
		if shared {
			t.Fatal("one handler is shared")
		}
		name := fmt.Sprintf("tool%d", i)
		if got, want := saidOf(first, name), saidOf(alone, name); got != want || want == "" {
			t.Errorf("%s: %q, alone %q", name, got, want)
		}
	}
}

// readTools reads a server of tools, of which every third has a guard.
func readTools(t *testing.T, tools []int) (r Report, shared bool) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`import fs from "fs"; import path from "path";
const inside = (s) => { if (!fs.realpathSync(path.resolve(s)).startsWith("/srv/")) throw new Error("outside"); };
const weigh = (o) => { for (let i = 0; i < 50; i++) for (let j = 0; j < 50; j++) o.n = [i, j].length; return o; };
`)
	for _, i := range tools {
		guard := ""
		if i%3 == 0 {
			guard = "inside(p);"
		}
		fmt.Fprintf(&b, "server.tool(%q, {}, async ({ p, q%d }) => { weigh({ q: q%d }); %s fs.readFileSync(p) });\n", fmt.Sprintf("tool%d", i), i, i, guard)
	}
	f, err := parse.Parse("server.js", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	none := func(string, string) (*parse.File, bool) { return nil, false }
	again := func() Loader {
		shared = true
		return none
	}
	program := New(t.Context(), none, again, Limits{StepsFile: 100_000, StepsHandler: 100_000, Steps: 5_000_000, Depth: 40, Handlers: 100})
	program.Run(f)
	return program.Finish(), shared
}

// saidOf is what a report says of a tool.
func saidOf(r Report, tool string) string {
	var b strings.Builder
	for _, f := range r.Arrivals {
		if f.Cell.Tool == tool {
			fmt.Fprintln(&b, f.Cell, f.Verdict, f.Confidence, f.Kind)
		}
	}
	return b.String()
}
