// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

// shelfOptions are those of the demand of a check that looks for files.
type shelfOptions struct {
	Ending string `policy:"ending"`
}

func (o *shelfOptions) problems() []check.Problem {
	if strings.Contains(o.Ending, "/") {
		return []check.Problem{{Field: "ending", Message: "must not hold a slash"}}
	}
	return nil
}

// shelf is a check that answers a demand. It looks for a file, of the value's name or any, in
// the base directory, or else in work.
func shelf(work string) *check.Check {
	return &check.Check{
		Name: "shelf",
		Doc: strings.NewReplacer("# secrets", "# shelf", "## Why a", "## Options\n\nending\n\n## Why a",
			"/secret: is secret\n", "error /book: has another ending than .txt\n", "→ leave it out", "→ rename it").Replace(goodDoc),
		Stage:  check.Semantic,
		Level:  check.RuntimeLevel,
		Demand: &check.Demand{Name: "shelf", Options: func() any { return new(shelfOptions) }, Problems: func(o any) []check.Problem { return o.(*shelfOptions).problems() }},
		Run: func(_ context.Context, pass *check.Pass) error {
			if pass.World.Remote {
				pass.Skipf("not looked")
				return nil
			}
			for _, t := range pass.Targets {
				o, ok := t.Options.(*shelfOptions)
				if !ok {
					return fmt.Errorf("no options")
				}
				look(pass, t, filepath.Join(work, pass.World.Base[min(len(work), len(pass.World.Base)):]), o)
			}
			return nil
		},
	}
}

func look(pass *check.Pass, t check.Target, dir string, o *shelfOptions) {
	name, isName := t.Value.(string)
	switch info, err := os.Stat(filepath.Join(dir, name)); {
	case err != nil:
		pass.Reportf(t.Pointer, "is not in %s", dir)
	case isName && info.Mode().IsRegular() && info.Mode()&0o100 != 0:
		pass.Report(check.Finding{Pointer: t.Pointer + "/0", Severity: check.Warning, Level: check.SecurityLevel, Message: "is a program"})
	case isName && strings.HasPrefix(name, "stray"):
		pass.Reportf("/elsewhere", "is at another place")
	case isName && strings.HasPrefix(name, "leak"):
		pass.Reportf(t.Pointer, "is %s", filepath.Join(dir, name))
	case isName && !strings.HasSuffix(name, o.Ending):
		pass.Report(check.Finding{Pointer: t.Pointer, Message: "has another ending than " + o.Ending, Suggestion: "rename it"})
	}
}

const ruleFile = `What the check finds in values.

-- files/a.txt --
text
-- files/d/b.md -> ../a.txt --
-- files/d/run* --
-- files/e/ --
-- shelf: {ending: .txt} --
"a.txt"
["a.txt", "a.txt"]
    ok
"d/b.md"
    error: has another ending than .txt
    → rename it
"d/run"
    warning security /0: is a program
["a.txt", "c.txt"]
    error /1: is not in $WORK
-- shelf: --
# of the tool as a whole

    ok
-- shelf: {ending: a/b} --
    policy: "ending" of the demand shelf: must not hold a slash
-- server --
base: $WORK/d
-- shelf: --
"b.md"
    ok
-- server --
location: remote
tools:
  "read*":
    arguments:
      books: {shelf: {ending: .txt}}
      /shelf/*/book: {shelf: {ending: .md}}
-- tools --
{"tools": [{"name": "read"}]}
-- params remote --
{"name": "read", "arguments": {"books": ["a.txt"]}}
    skip: not looked
-- server --
roots: [$WORK]
tools: {read: {arguments: {"/shelf/*/book": {shelf: {ending: .txt}}}, requires: [{shelf: }]}}
-- params whole --
{"name": "read", "arguments": {"shelf": [{"book": "d/b.md"}, {"book": "a.txt"}, {}]}}
    error /shelf/0/book: has another ending than .txt
    → rename it
`

func TestRunRule(t *testing.T) {
	t.Parallel()
	const section = "-- server --\n-- shelf: {ending: .md} --\n"
	scenarios(t, ruleFile, []string{"CHECKTEST_RULE=1"}, map[string]change{
		"good":                     {},
		"other pointer":            {"error /1: is not", "error /0: is not", []string{"-    error /0: is not in $WORK"}},
		"other level":              {"warning security /0", "warning /0", []string{"-    warning /0"}},
		"other problem":            {"must not hold a slash", "may hold a slash", []string{"-    policy: \"ending\" of the demand shelf: may"}},
		"refused, unexpectedly":    {"{ending: a/b}", "{ending: [7]}", []string{"+    policy: must be a string; it is a list"}},
		"refused, with values":     {"-- shelf: {ending: a/b} --\n", "-- shelf: {ending: a/b} --\n\"a\"\n", []string{"there must be no value"}},
		"unknown option":           {"{ending: a/b}", "{begin: a}", []string{"+    policy: ", `"begin"`}},
		"no expectation":           more(section+"\"a.txt\"\n", "+    error: has another ending"),
		"no value":                 more(section, "+    ok"),
		"unknown demand":           more("-- server --\n-- book: {} --\n\"a.txt\"\n    ok\n", `must be "tool", `, `such as "shelf: {}"`),
		"unknown demand of a tool": {"books: {shelf", "books: {book", []string{`unknown demand "book"`}},
		"nothing is demanded":      {`{"books": ["a.txt"]}`, `{"book": ["a.txt"]}`, []string{"nothing is demanded of this call"}},
		"no server":                {"-- shelf: {ending: .txt} --\n", "-- tools --\n{\"tools\": []}\n-- params x --\n{\"name\": \"x\"}\n    ok\n-- shelf: {ending: .txt} --\n", []string{`nothing is demanded: put a section "server"`}},
		"malformed server":         {"location: remote\n", "location: mars\n", []string{`the section "params remote"`, "remote"}},
		"duplicate demand":         {"-- shelf: {ending: a/b} --\n", "-- shelf: --\n    ok\n-- shelf: {ending: a/b} --\n", []string{"has a section of this name already"}},
		"leading out":              more("-- files/../x --\n", "must be a path below the directory"),
		"absolute file":            more("-- files//x --\n", "must be a path below the directory"),
		"a link's text":            more("-- files/x -> a.txt --\ntext\n", "must have no text"),
		"a directory's text":       more("-- files/x/ --\ntext\n", "must have no text"),
		"a file twice":             more("-- files/e -> a.txt --\n", "file exists"),
		"leak":                     more("-- files/leaky --\n-- server --\n-- shelf: {ending: .txt} --\n\"leaky\"\n    error: is $WORK/leaky\n", "repeats an argument's value"),
		"leak below $WORK":         more("-- files/leaky --\n-- server --\nroots: [$WORK]\n-- shelf: --\n\"leaky\"\n", `argument's value: "leaky"`),
		"finding elsewhere":        more("-- files/stray --\n-- server --\nroots: [$WORK]\n-- shelf: --\n\"stray\"\n    ok\n", `+    error at "/elsewhere" instead of the value: is at another place`),
	})
}

func TestJudge(t *testing.T) {
	t.Parallel()
	c := shelf(t.TempDir())
	for demand, want := range map[string]string{
		"shelf: {ending: .txt}": "error: is not in ",
		"shelf: {ending: /}":    "policy: \"ending\" of the demand shelf: must not hold a slash\n",
	} {
		var value any
		if !strings.Contains(demand, "/") {
			value = "b.txt"
		}
		if got := Judge(t, c, demand, value); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", demand, got, want)
		}
	}
	if got := Judge(t, c, "shelf:", nil); got != fine {
		t.Errorf("of the tool as a whole: got %q, want %q", got, fine)
	}
}

func TestRuleDocFaults(t *testing.T) {
	t.Parallel()
	c := shelf("")
	c.Doc = strings.Replace(c.Doc, "## Options", "## Other", 1)
	if diff := cmp.Diff([]string{`the README has no section "## Options"`}, docFaults(c)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	c.Demand = &check.Demand{Name: "another", Options: c.Demand.Options, Problems: c.Demand.Problems}
	if got := docFaults(c); got != nil {
		t.Errorf("a check that shares the demand of another: got %q", got)
	}
}
