// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/checkdoc"
)

func good() *check.Check {
	return &check.Check{
		Name:  "known-word2",
		Doc:   "# known-word2\n\nThe words\nare known.\n\n## Why\n\nIt is a test.\n",
		Stage: check.Schema,
		Level: check.SyntaxLevel,
		Run:   func(context.Context, *check.Pass) error { return nil },
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*check.Check)
		want   string // "" for a good check
	}{
		"good":             {func(*check.Check) {}, ""},
		"warning":          {func(c *check.Check) { c.Severity = check.Warning }, ""},
		"no name":          {func(c *check.Check) { c.Name = "" }, `check "" needs a name in lower-case words joined by hyphens`},
		"capital":          {func(c *check.Check) { c.Name = "Known" }, `check "Known" needs a name`},
		"underscore":       {func(c *check.Check) { c.Name = "known_word" }, `check "known_word" needs a name`},
		"hyphen at end":    {func(c *check.Check) { c.Name = "known-" }, `check "known-" needs a name`},
		"digit first":      {func(c *check.Check) { c.Name = "2known" }, `check "2known" needs a name`},
		"no doc":           {func(c *check.Check) { c.Doc = "" }, `needs documentation that starts with "# known-word2"`},
		"doc of another":   {func(c *check.Check) { c.Doc = "# other\n\nText.\n" }, `needs documentation that starts with "# known-word2"`},
		"doc of a longer":  {func(c *check.Check) { c.Doc = "# known-word22\n\nText.\n" }, `needs documentation that starts`},
		"no summary":       {func(c *check.Check) { c.Doc = "# known-word2\n" }, "needs documentation with a first paragraph"},
		"no stage":         {func(c *check.Check) { c.Stage = 0 }, "needs a stage"},
		"unknown stage":    {func(c *check.Check) { c.Stage = check.Output + 1 }, "needs a stage"},
		"no level":         {func(c *check.Check) { c.Level = 0 }, "needs a level"},
		"unknown level":    {func(c *check.Check) { c.Level = check.SecurityLevel + 1 }, "needs a level"},
		"unknown severity": {func(c *check.Check) { c.Severity = check.Warning + 1 }, "has an unknown severity"},
		"nameless demand":  {func(c *check.Check) { c.Demand = &check.Demand{Options: func() any { return new(struct{}) }} }, "has a demand without a name"},
		"no options":       {func(c *check.Check) { c.Demand = &check.Demand{Name: "word"} }, "has a demand without options"},
		"a reserved name":  {func(c *check.Check) { c.Name, c.Doc = "rule", "# rule\n\nA test.\n" }, "has a name that toolvet's own findings have"},
		"no function":      {func(c *check.Check) { c.Run = nil }, "has no Run function"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := good()
			tt.change(c)
			err := check.Validate([]*check.Check{c})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestOptionsOfDemands holds that a list of checks with a demand that no policy could make is refused before a policy makes
// it.
func TestOptionsOfDemands(t *testing.T) {
	t.Parallel()
	type inner struct {
		Deep func() `policy:"deep"`
	}
	type loop struct {
		Next *loop `policy:"next"`
	}
	for name, tt := range map[string]struct {
		options any
		want    string // "" for good options
	}{
		"all kinds": {new(struct {
			A bool             `policy:"a"`
			B int              `policy:"b"`
			C *int64           `policy:"c"`
			D float64          `policy:"d"`
			E []string         `policy:"e"`
			F any              `policy:"f"`
			G map[string][]int `policy:"g"`
			H time.Duration    `policy:"h"`
			I check.Level      `policy:"i"`
			J struct {
				K bool `policy:"k"`
			} `policy:"j"`
			l func()
		}), ""},
		"nil":           {nil, "no pointer to a struct"},
		"a struct":      {struct{}{}, "no pointer to a struct"},
		"a nil pointer": {(*struct{})(nil), "no pointer to a struct"},
		"a text":        {new(string), "no pointer to a struct"},
		"a function": {new(struct {
			F func() `policy:"f"`
		}), `the option "f" is of type func()`},
		"a channel": {new(struct {
			C []chan int `policy:"c"`
		}), `"c" is of type chan int`},
		"a small number": {new(struct {
			N int8 `policy:"n"`
		}), `"n" is of type int8`},
		"an array": {new(struct {
			A [2]int `policy:"a"`
		}), `"a" is of type [2]int`},
		"an interface": {new(struct {
			E error `policy:"e"`
		}), `"e" is of type error`},
		"keys": {new(struct {
			M map[int]string `policy:"m"`
		}), `"m" is of type map[int]string`},
		"within": {new(struct {
			I *inner `policy:"i"`
		}), `"i" "deep" is of type func()`},
		"itself": {new(loop), "contains itself"},
		"not exported": {new(struct {
			n int `policy:"n"`
		}), "is not exported"},
		"twice": {new(struct {
			A, B int `policy:"n"`
		}), `"n" stands at two fields`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := good()
			c.Demand = &check.Demand{Name: "word", Options: func() any { return tt.options }}
			err := check.Validate([]*check.Check{c})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	t.Parallel()
	nameless := good()
	nameless.Run = nil
	err := check.Validate([]*check.Check{good(), nil, nameless})
	want := "check 1 is nil\ncheck \"known-word2\" is listed twice\ncheck \"known-word2\" has no Run function"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := check.Validate(nil); err != nil {
		t.Errorf("Validate of an empty list: %v", err)
	}
}

// TestValidateDemands holds that no demand stands in the way of another of its name.
func TestValidateDemands(t *testing.T) {
	t.Parallel()
	demand := func(results bool) *check.Demand {
		return &check.Demand{Name: "word", Options: func() any { return new(struct{}) }, Results: results}
	}
	shared := demand(false)
	for name, tt := range map[string]struct {
		first, second *check.Demand
		want          string
	}{
		"one demand of two checks":  {shared, shared, ""},
		"two demands of one name":   {shared, demand(false), `check "other" has a demand "word", as a check before it: choose another name, or share the *Demand`},
		"of arguments, and results": {shared, demand(true), ""},
		"one without a demand":      {nil, shared, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, second := good(), good()
			second.Name, second.Doc = "other", "# other\n\nText.\n"
			first.Demand, second.Demand = tt.first, tt.second
			got := ""
			if err := check.Validate([]*check.Check{first, second}); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	if got, want := checkdoc.Summary(good().Doc), "The words are known."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	var stages, levels, codes []string
	for s := check.Schema; s <= check.Output; s++ {
		stages, codes = append(stages, s.String()), append(codes, s.Code())
	}
	for l := check.SyntaxLevel; l <= check.SecurityLevel; l++ {
		levels = append(levels, l.String())
	}
	for what, pair := range map[string][2]any{
		"stages":     {stages, []string{"schema", "semantic", "policy", "output"}},
		"codes":      {codes, []string{"SCHEMA", "SEMANTIC", "POLICY", "OUTPUT"}},
		"levels":     {levels, []string{"syntax", "semantic", "runtime", "security"}},
		"severities": {[]string{check.Error.String(), check.Warning.String()}, []string{"error", "warning"}},
		"unknown":    {[]string{check.Stage(0).String(), check.Level(-1).String(), check.Severity(9).String()}, []string{"unknown(0)", "unknown(-1)", "unknown(9)"}},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

func TestSkipOnTheWire(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(check.Skip{Check: "path", Level: check.RuntimeLevel, Why: "the server is remote"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"check":"path","level":"runtime","why":"the server is remote"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPass holds that a finding carries the check's own stage, level and severity, even if the
// check sets others.
func TestPass(t *testing.T) {
	t.Parallel()
	c := good()
	c.Severity = check.Warning
	run := new(check.Run).Init(c, &call.Call{Name: "echo"}, nil)
	run.Report(check.Finding{Check: "other", Stage: check.Output, Severity: check.Error, Pointer: "/a", Message: "is odd"})
	run.Reportf("", "%d is too many", 3)
	run.Report(check.Finding{Pointer: "/b", Message: "is wrong", Suggestion: "mend it", Value: json.RawMessage("1")})
	stamp := check.Finding{Check: "known-word2", Stage: check.Schema, Level: check.SyntaxLevel, Severity: check.Warning}
	want := []check.Finding{stamp, stamp, stamp}
	want[0].Pointer, want[0].Message = "/a", "is odd"
	want[1].Message = "3 is too many"
	want[2].Pointer, want[2].Message, want[2].Suggestion, want[2].Value = "/b", "is wrong", "mend it", json.RawMessage("1")
	if diff := cmp.Diff(want, run.Findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if got := run.Skip; got != nil {
		t.Errorf("skipped: %v, want nil", got)
	}
	run.Skipf("no %s", "light")
	if diff := cmp.Diff(&check.Skip{Check: "known-word2", Level: check.SyntaxLevel, Why: "no light"}, run.Skip); diff != "" {
		t.Errorf("skip (-want +got):\n%s", diff)
	}
}

func TestFinding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		finding check.Finding
		blocks  bool
		text    string
	}{
		{check.Finding{Message: "is odd"}, true, "is odd"},
		{check.Finding{Message: "is odd", Pointer: "/a"}, true, "/a: is odd"},
		{check.Finding{Message: "is odd", Severity: check.Warning}, false, "is odd"},
		{check.Finding{Message: "is odd", Observed: true}, false, "is odd"},
	} {
		if got := tt.finding.Blocks(); got != tt.blocks {
			t.Errorf("%+v: Blocks() = %v", tt.finding, got)
		}
		if got := tt.finding.String(); got != tt.text {
			t.Errorf("%+v: String() = %q, want %q", tt.finding, got, tt.text)
		}
	}
}

func TestEscapePointer(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, name := range []string{"", "a", "a/b", "m~n", "~1"} {
		got[name] = check.EscapePointer(name)
	}
	want := map[string]string{"": "", "a": "a", "a/b": "a~1b", "m~n": "m~0n", "~1": "~01"}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
