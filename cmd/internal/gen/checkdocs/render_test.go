// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	classes "github.com/toolvet/toolvet/internal/audit/classes/suite"
)

// TestPageIsCurrent fails when a README changed and the page did not.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	for name, render := range map[string]func() ([]byte, error){
		"docs/checks.md":        func() ([]byte, error) { return render(suite.Default()) },
		"docs/audit-classes.md": func() ([]byte, error) { return renderClasses(classes.Default()) },
	} {
		want, err := render()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.FromSlash("../../../../" + name))
		if err != nil {
			t.Fatal(err)
		}
		got = []byte(strings.ReplaceAll(string(got), "\r\n", "\n"))
		if d := diff.Diff(name, got, "generated", want); d != nil {
			t.Errorf("%s is out of date; run: go generate ./checks/suite ./internal/audit/classes/suite\n%s", name, d)
		}
	}
}

// TestOptionsAreCurrent fails when an option changed and the README did not.
func TestOptionsAreCurrent(t *testing.T) {
	t.Parallel()
	for _, c := range suite.Default() {
		want, err := withOptions(c)
		if err != nil {
			t.Fatal(err)
		}
		if d := diff.Diff("README.md of "+c.Name, []byte(c.Doc), "generated", []byte(want)); d != nil {
			t.Errorf("run: go generate ./checks/suite\n%s", d)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	type options struct {
		Hosts   []string `policy:"hosts" doc:"a|b, as *.example.org; * is any"`
		Other   bool     `policy:"other" doc:"so or so"`
		Ignored int
	}
	c := &check.Check{Name: "one", Demand: &check.Demand{Name: "one", Options: func() any { return new(options) }}}
	for marks, want := range map[string]string{
		"":        "| `hosts` | a\\|b, as `*.example.org`; `*` is any |\n| `other` | so or so |\n",
		": other": "| `other` | so or so |\n",
		": none":  "",
	} {
		c.Doc = "# one\n\n<!-- generated options" + marks + " -->\nold\n<!-- end -->\n\nMore.\n"
		got, err := withOptions(c)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), `check "one": the demand "one" has no option none`) {
				t.Errorf("got %v", err)
			}
			continue
		}
		want = "| option | meaning |\n|---|---|\n" + want
		if d := cmp.Diff("# one\n\n<!-- generated options"+marks+" -->\n"+want+"<!-- end -->\n\nMore.\n", got); err != nil || d != "" {
			t.Errorf("%v, (-want +got):\n%s", err, d)
		}
		if d := cmp.Diff("# one\n\n"+want+"\nMore.\n", withoutMarks(got)); d != "" {
			t.Errorf("without marks (-want +got):\n%s", d)
		}
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	run := func(context.Context, *check.Pass) error { return nil }
	got, err := render([]*check.Check{
		{Name: "no-tabs", Stage: check.Semantic, Level: check.SecurityLevel, Run: run,
			Doc: "# no-tabs\n\nNo tabs | blanks, see\n[one](../one/README.md).\n\n## Why\n\n```sh\n# not a heading\n```\n\n### Deeper\n"},
		{Name: "one", Stage: check.Schema, Level: check.SyntaxLevel, Severity: check.Warning, Run: run,
			Doc: "# one\n\nOne. See [tabs](../notabs/README.md).\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := head + `| [no-tabs](#no-tabs) | semantic | security | error | No tabs \| blanks, see [one](#one). |
| [one](#one) | schema | syntax | warning | One. See [tabs](#no-tabs). |
` + ownChecks + `
## no-tabs

Stage semantic, level security, default severity error.

No tabs | blanks, see
[one](#one).

### Why

` + "```sh\n# not a heading\n```" + `

#### Deeper

## one

Stage schema, level syntax, default severity warning.

One. See [tabs](#no-tabs).
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	for _, link := range []string{"../two/README.md", "../one/README.md#why", "./testdata"} {
		c := &check.Check{Name: "one", Doc: "# one\n\nSee [two](" + link + ").\n", Stage: check.Schema, Level: check.SyntaxLevel,
			Run: func(context.Context, *check.Pass) error { return nil }}
		if _, err := render([]*check.Check{c}); err == nil || !strings.Contains(err.Error(), "leads to no check of the suite") {
			t.Errorf("the dead link %s: got %v", link, err)
		}
	}
	if _, err := render([]*check.Check{nil}); err == nil {
		t.Error("a nil check is rendered")
	}
}
