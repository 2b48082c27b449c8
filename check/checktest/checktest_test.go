// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

// reorders counts the runs that reorder what they find.
var reorders atomic.Int64

// secrets finds the argument "secret", and does what the argument "do" says.
var secrets = &check.Check{
	Name:     "secrets",
	Doc:      goodDoc,
	Stage:    check.Semantic,
	Level:    check.SecurityLevel,
	Severity: check.Warning,
	Run: func(_ context.Context, pass *check.Pass) error {
		arguments := pass.Call.Arguments
		value, found := arguments["secret"].(string)
		switch arguments["do"] {
		case "skip":
			pass.Skipf("there is nothing to look at")
			return nil
		case "leak":
			pass.Reportf("/secret", "%q is secret", value)
			return nil
		case "break":
			return errors.New("out of order")
		case "change":
			delete(arguments, "do")
		case "reorder":
			// A check that ranges over a map does this, but may give one order twice.
			keys := []string{"/a", "/b"}
			if reorders.Add(1)%2 == 0 {
				slices.Reverse(keys)
			}
			for _, key := range keys {
				pass.Reportf(key, "is secret")
			}
			return nil
		}
		if found {
			pass.Report(check.Finding{Pointer: "/secret", Message: "is secret", Suggestion: "leave it out", Value: []byte(`"***"`)})
		}
		return nil
	},
}

const goodDoc = `# secrets

Arguments hold no secrets.

## Why a warning

It is a test.

## Example

    /secret: is secret
    → leave it out

## How to mend it

Leave it out.
`

// goodFile has a case of each kind of a check without a demand.
const goodFile = `What the check finds.

-- tool --
{"name": "send", "description": "with a default of 1234 and a token called anonymous", "inputSchema": {"type": "object"}}
-- call found --
{"secret": "hunter2"}
    warning /secret: is secret
    → leave it out
    = "***"
-- call clean --
{"text": "hello"} {}
{"a": "b"}
    ok
-- params skipped --
# nothing is there to look at
{"name": "send", "arguments": {"do": "skip"}}
    skip: there is nothing to look at
`

// TestScenario is not a test of its own: TestRun runs it in a process of its own,
// because a failure of Run fails the test that called it.
func TestScenario(t *testing.T) {
	dir := os.Getenv("CHECKTEST_SCENARIO")
	if dir == "" {
		t.Skip("TestRun runs this with CHECKTEST_SCENARIO")
	}
	if os.Getenv("CHECKTEST_RESULTS") != "" {
		Run(t, stars, dir)
		return
	}
	if os.Getenv("CHECKTEST_RULE") != "" {
		RunWith(t, shelf, dir)
		return
	}
	Run(t, secrets, dir)
}

// A change replaces a part of a good file, and says what the output must hold then.
type change struct {
	old, new string
	want     []string // none if the test passes
}

// more is a change that adds to the file.
func more(text string, want ...string) change { return change{"", text, want} }

func (c change) of(t *testing.T, file string) string {
	t.Helper()
	if !strings.Contains(file, c.old) {
		t.Fatalf("the good file does not hold %q", c.old)
	}
	if c.old == "" {
		return file + c.new
	}
	return strings.Replace(file, c.old, c.new, 1)
}

func TestRun(t *testing.T) {
	t.Parallel()
	const found = "    warning /secret: is secret\n    → leave it out\n    = \"***\"\n"
	scenarios(t, goodFile, nil, map[string]change{
		"good":                {},
		"missing finding":     {found, found + "    warning /b: is secret\n", []string{"found", "-    warning /b: is secret"}},
		"surplus finding":     {found, "    ok\n", []string{"found", "+    warning /secret: is secret"}},
		"other severity":      {"warning /secret", "error /secret", []string{"-    error /secret", "+    warning /secret"}},
		"other level":         {"warning /secret", "warning syntax /secret", []string{"-    warning syntax /secret"}},
		"other pointer":       {"warning /secret", "warning /text", []string{"-    warning /text"}},
		"other suggestion":    {"→ leave it out", "→ keep it", []string{"-    → keep it"}},
		"other value":         {`= "***"`, `= "hidden"`, []string{`-    = "hidden"`}},
		"missing skip":        {"    skip: there is nothing to look at\n", "    ok\n", []string{"+    skip: there is nothing"}},
		"surplus skip":        more("-- call more --\n{}\n    skip: why\n", "-    skip: why"),
		"no expectation":      more("-- call more --\n{}\n", "more", "+    ok"),
		"nor below the last":  more("-- call more --\n{}\n    ok\n{\"a\": 1}\n", "more", "+    ok"),
		"below one too many":  more("-- call more --\n{}\n{\"secret\": \"\"}\n    ok\n", "more", "-{\"secret\": \"\"}", "+    warning /secret"),
		"no positive case":    {"{\"secret\": \"hunter2\"}\n" + found, "{}\n    ok\n", []string{"it may never do", "no case finds what the README's example shows: /secret: is secret"}},
		"no negative case":    {"{\"text\": \"hello\"} {}\n{\"a\": \"b\"}\n    ok\n", "{\"secret\": \"\"}\n    warning /secret: is secret\n    → leave it out\n    = \"***\"\n", []string{"it may refuse everything"}},
		"unknown section":     more("-- calls x --\n{}\n    ok\n", `section "calls x": must be "tool"`),
		"want of old":         more("-- want found --\n", `section "want found": must be "tool"`),
		"nameless case":       more("-- call --\n{}\n    ok\n", `section "call": must be "tool"`),
		"named tool":          more("-- tool x --\n{}\n", `section "tool x": must be "tool"`),
		"a demand's":          more("-- shelf: {} --\n1\n    ok\n", `section "shelf: {}": must be "tool"`),
		"duplicate case":      more("-- call found --\n{}\n    ok\n", `"call found": the file has a section of this name already`),
		"second tool":         more("-- tools --\n{\"tools\": []}\n", "the file has tools already"),
		"malformed tool":      {`{"name": "send"`, `{"name": 7`, []string{`section "tool": the definition of a tool has no "name"`}},
		"malformed list":      {"-- tool --\n{", "-- tools --\n{", []string{`section "tools": the tools/list result has no "tools"`}},
		"call of which tool":  {goodFile, "Prose.\n-- tools --\n{\"tools\": []}\n-- call a --\n{}\n", []string{"which tool?"}},
		"no tool":             {goodFile, "Prose.\n-- params a --\n{\"name\": \"a\"}\n", []string{"the file has no tool"}},
		"no section":          {goodFile, "Prose.\n-- tool --\n{\"name\": \"send\"}\n", []string{"the file has no case"}},
		"empty section":       more("-- call more --\n# no value\n", `"call more": has no arguments`),
		"only an expectation": more("-- call more --\n    ok\n", `"call more": has no arguments`),
		"expectation above":   more("-- call more --\n    ok\n{}\n    ok\n", "what is expected stands before the first value"),
		"no value":            more("-- call more --\nok\n", "no JSON value", ": ok"),
		"words behind it":     more("-- call more --\n{} ok\n", "no JSON value", ": ok"),
		"two on a line":       more("-- call more --\n{}  {\"secret\": \"\"}\n    ok\n", "more", "-{}  {\"secret\": \"\"}", "+{\"secret\": \"\"}"),
		"no prose":            {"What the check finds.\n", "", []string{"does not say what it shows"}},
		"undecodable call":    more("-- call more --\n{\"a\": 1, \"a\": 2}\n", "more", "the call cannot be judged"),
		"leak":                more("-- call more --\n{\"do\": \"leak\", \"secret\": \"hunter2\"}\n    warning /secret: \"hunter2\" is secret\n", `the finding at "/secret" repeats an argument's value: "hunter2"`),
		"leak of a beginning": more("-- call more --\n{\"do\": \"leak\", \"secret\": \"the quick brown fox jumps\", \"text\": \"the quick brown fox jumped over\"}\n", `value: "the quick brown fox jumped over"`),
		"leak of a number":    more("-- call more --\n{\"do\": \"leak\", \"secret\": \"a 98765\", \"list\": [{\"n\": 98765}]}\n", `value: "98765"`),
		"no leak: short":      more("-- call more --\n{\"do\": \"leak\", \"secret\": \"abc\"}\n    warning /secret: \"abc\" is secret\n"),
		"no leak: definition": more("-- call more --\n{\"do\": \"leak\", \"secret\": \"anonymous\"}\n    warning /secret: \"anonymous\" is secret\n"),
		"broken check":        more("-- call more --\n{\"do\": \"break\"}\n", "the check broke: out of order"),
		"changed call":        more("-- call more --\n{\"do\": \"change\"}\n", "the check changed the call"),
		"another order":       more("-- call more --\n{\"do\": \"reorder\"}\n", "in another order, when it ran again"),
	})
}

// scenarios runs TestScenario over a file with each of the changes.
func scenarios(t *testing.T, file string, env []string, changes map[string]change) {
	t.Helper()
	for name, tt := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "case.txtar"), tt.of(t, file))
			output, err := scenario(t, dir, env)
			if (err != nil) != (len(tt.want) > 0) {
				t.Errorf("the test's exit: %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(output, want) {
					t.Errorf("the output lacks %q", want)
				}
			}
			if t.Failed() {
				t.Logf("its output:\n%s", output)
			}
		})
	}
}

func TestRunWithoutFiles(t *testing.T) {
	t.Parallel()
	output, err := scenario(t, t.TempDir(), nil)
	if want := "has no *.txtar file"; err == nil || !strings.Contains(output, want) {
		t.Errorf("exit %v, want a failure that says %q:\n%s", err, want, output)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"right already": goodFile,
		"wrong":         strings.NewReplacer("is secret\n", "is known\n", "nothing to look at\n", "no light\n").Replace(goodFile),
		"missing":       strings.Replace(goodFile, "    skip: there is nothing to look at\n", "", 1),
		"surplus":       strings.Replace(goodFile, "    ok\n", "    error: is surplus\n\twarning: this too\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "case.txtar")
			write(t, path, before)
			if output, err := scenario(t, dir, nil, "-update"); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(goodFile, string(got)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUpdateKeepsFaultyFiles holds that -update does not accept a leak.
func TestUpdateKeepsFaultyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "case.txtar")
	before := goodFile + "-- call more --\n{\"do\": \"leak\", \"secret\": \"hunter2\"}\n"
	write(t, path, before)
	if output, err := scenario(t, dir, nil, "-update"); err == nil {
		t.Errorf("the test passes:\n%s", output)
	}
	if got, _ := os.ReadFile(path); string(got) != before {
		t.Errorf("the file is rewritten:\n%s", got)
	}
}

// TestOneCase holds that -run can choose a case, and that -update leaves the other cases alone.
func TestOneCase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "case.txtar")
	write(t, path, goodFile)
	if output, err := scenario(t, dir, nil, "-test.run=^TestScenario$/^case.txtar$/^call_clean$", "-update"); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	if got, _ := os.ReadFile(path); string(got) != goodFile {
		t.Errorf("the file is rewritten:\n%s", got)
	}
}

func TestDocFaults(t *testing.T) {
	t.Parallel()
	without := func(heading string) string { return strings.Replace(goodDoc, heading, "## Other", 1) }
	for name, tt := range map[string]struct {
		doc  string
		want []string
	}{
		"good":         {goodDoc, nil},
		"no title":     {strings.TrimPrefix(goodDoc, "# secrets\n"), []string{`check "secrets" needs documentation that starts with "# secrets"`}},
		"no why":       {without("## Why a warning"), []string{`the README has no section "## Why"`}},
		"no example":   {without("## Example"), []string{`the README has no section "## Example"`}},
		"no remedy":    {without("## How to mend it"), []string{`the README has no section "## How to mend it"`}},
		"other word":   {strings.Replace(goodDoc, "## Why a", "## Whyever a", 1), []string{`the README has no section "## Why"`}},
		"empty remedy": {strings.Replace(goodDoc, "Leave it out.\n", "", 1), []string{`the README's section "## How to mend it" is empty`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := *secrets
			c.Doc = tt.doc
			if diff := cmp.Diff(tt.want, docFaults(&c)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScalars(t *testing.T) {
	t.Parallel()
	got := scalars(nil, map[string]any{"a": []any{"one", map[string]any{"b": "two"}, nil, true}, "c": "three"})
	slices.Sort(got)
	if diff := cmp.Diff([]string{"one", "three", "two"}, got); diff != "" {
		t.Errorf("scalars (-want +got):\n%s", diff)
	}
}

// scenario runs TestScenario over a directory.
func scenario(t *testing.T, dir string, env []string, flags ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.run=^TestScenario$"}, flags...)...)
	cmd.Env = append(append(os.Environ(), "CHECKTEST_SCENARIO="+dir), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
