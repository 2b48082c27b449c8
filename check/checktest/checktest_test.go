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
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
)

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
			for key := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8} {
				pass.Reportf("/"+key, "is secret")
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

// goodFile has a case of each kind.
const goodFile = `What the check finds.

-- tool --
{"name": "send", "description": "with a default of 1234 and a token called anonymous", "inputSchema": {"type": "object"}}
-- call found --
{"secret": "hunter2"}
-- want found --
warning /secret: is secret
→ leave it out
= "***"
-- call clean --
{"text": "hello"}
-- params skipped --
{"name": "send", "arguments": {"do": "skip"}}
-- want skipped --
skip: there is nothing to look at
`

// TestScenario is not a test of its own: TestRun runs it in a process of its own,
// because a failure of Run fails the test that called it.
func TestScenario(t *testing.T) {
	dir := os.Getenv("CHECKTEST_SCENARIO")
	if dir == "" {
		t.Skip("TestRun runs this with CHECKTEST_SCENARIO")
	}
	Run(t, secrets, dir)
}

func TestRun(t *testing.T) {
	t.Parallel()
	section := func(old, new string) string {
		if !strings.Contains(goodFile, old) {
			t.Fatalf("the good file does not hold %q", old)
		}
		return strings.Replace(goodFile, old, new, 1)
	}
	for name, tt := range map[string]struct {
		file string
		want []string // parts of the output; none if the test passes
	}{
		"good":                {goodFile, nil},
		"empty want":          {goodFile + "-- call more --\n{}\n-- want more --\n", nil},
		"missing finding":     {section("= \"***\"\n", "= \"***\"\nwarning /b: is secret\n"), []string{"found", "-warning /b: is secret"}},
		"surplus finding":     {section("-- want found --\nwarning /secret: is secret\n→ leave it out\n= \"***\"\n", ""), []string{"found", "+warning /secret: is secret"}},
		"other severity":      {section("warning /secret", "error /secret"), []string{"-error /secret", "+warning /secret"}},
		"other pointer":       {section("warning /secret", "warning /text"), []string{"-warning /text"}},
		"other suggestion":    {section("→ leave it out", "→ keep it"), []string{"-→ keep it"}},
		"other value":         {section(`= "***"`, `= "hidden"`), []string{`-= "hidden"`}},
		"missing skip":        {section("-- want skipped --\nskip: there is nothing to look at\n", ""), []string{"+skip: there is nothing"}},
		"surplus skip":        {goodFile + "-- call more --\n{}\n-- want more --\nskip: why\n", []string{"-skip: why"}},
		"no positive case":    {section("{\"secret\": \"hunter2\"}\n-- want found --\nwarning /secret: is secret\n→ leave it out\n= \"***\"\n", "{}\n"), []string{"it may never do", "no case finds what the README's example shows: /secret: is secret"}},
		"no negative case":    {section("-- call clean --\n{\"text\": \"hello\"}\n", ""), []string{"it may refuse everything"}},
		"unknown section":     {goodFile + "-- calls x --\n{}\n", []string{`section "calls x": must be "tool"`}},
		"nameless case":       {goodFile + "-- call --\n{}\n", []string{`section "call": must be "tool"`}},
		"named tool":          {goodFile + "-- tool x --\n{}\n", []string{`section "tool x": must be "tool"`}},
		"duplicate case":      {goodFile + "-- call found --\n{}\n", []string{`"call found": the file has a case of this name already`}},
		"duplicate params":    {goodFile + "-- params found --\n{}\n", []string{`"params found": the file has a case of this name already`}},
		"duplicate want":      {goodFile + "-- want found --\n", []string{`"want found": the case has a want section already`}},
		"want without a case": {goodFile + "-- want other --\n", []string{`"want other": no case of this name stands before it`}},
		"second tool":         {goodFile + "-- tools --\n{\"tools\": []}\n", []string{"the file has tools already"}},
		"malformed tool":      {section(`{"name": "send"`, `{"name": 7`), []string{`section "tool": the definition of a tool has no "name"`}},
		"malformed list":      {section("-- tool --\n{", "-- tools --\n{"), []string{`section "tools": the tools/list result has no "tools"`}},
		"call of which tool":  {"Prose.\n-- tools --\n{\"tools\": []}\n-- call a --\n{}\n", []string{"which tool?"}},
		"no tool":             {"Prose.\n-- params a --\n{\"name\": \"a\"}\n", []string{"the file has no tool"}},
		"no case":             {"Prose.\n-- tool --\n{\"name\": \"send\"}\n", []string{"the file has no case"}},
		"no prose":            {section("What the check finds.\n", ""), []string{"does not say what it shows"}},
		"undecodable call":    {goodFile + "-- call more --\n{\"a\": 1, \"a\": 2}\n", []string{"more", "the call cannot be judged"}},
		"leak":                {goodFile + "-- call more --\n{\"do\": \"leak\", \"secret\": \"hunter2\"}\n-- want more --\nwarning /secret: \"hunter2\" is secret\n", []string{`the finding at "/secret" repeats an argument's value: "hunter2"`}},
		"leak of a beginning": {goodFile + "-- call more --\n{\"do\": \"leak\", \"secret\": \"the quick brown fox jumps\", \"text\": \"the quick brown fox jumped over\"}\n", []string{`value: "the quick brown fox jumped over"`}},
		"leak of a number":    {goodFile + "-- call more --\n{\"do\": \"leak\", \"secret\": \"a 98765\", \"list\": [{\"n\": 98765}]}\n", []string{`value: "98765"`}},
		"no leak: short":      {goodFile + "-- call more --\n{\"do\": \"leak\", \"secret\": \"abc\"}\n-- want more --\nwarning /secret: \"abc\" is secret\n", nil},
		"no leak: definition": {goodFile + "-- call more --\n{\"do\": \"leak\", \"secret\": \"anonymous\"}\n-- want more --\nwarning /secret: \"anonymous\" is secret\n", nil},
		"broken check":        {goodFile + "-- call more --\n{\"do\": \"break\"}\n", []string{"the check broke: out of order"}},
		"changed call":        {goodFile + "-- call more --\n{\"do\": \"change\"}\n", []string{"the check changed the call"}},
		"order of a map":      {goodFile + "-- call more --\n{\"do\": \"reorder\"}\n", []string{"in another order, when it ran again"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "case.txtar"), tt.file)
			output, err := scenario(t, dir)
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
	output, err := scenario(t, t.TempDir())
	if want := "has no *.txtar file"; err == nil || !strings.Contains(output, want) {
		t.Errorf("exit %v, want a failure that says %q:\n%s", err, want, output)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"right already": goodFile,
		"wrong":         strings.NewReplacer("is secret\n", "is known\n", "nothing to look at", "no light").Replace(goodFile),
		"missing":       strings.Replace(goodFile, "-- want skipped --\nskip: there is nothing to look at\n", "", 1),
		"surplus":       strings.Replace(goodFile, "-- params skipped", "-- want clean --\nerror: is surplus\n-- params skipped", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "case.txtar")
			write(t, path, before)
			if output, err := scenario(t, dir, "-update"); err != nil {
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
	if output, err := scenario(t, dir, "-update"); err == nil {
		t.Errorf("the test passes:\n%s", output)
	}
	if got, _ := os.ReadFile(path); string(got) != before {
		t.Errorf("the file is rewritten:\n%s", got)
	}
}

// TestOneCase holds that -run can choose a case, and that -update then leaves the
// others alone.
func TestOneCase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "case.txtar")
	write(t, path, goodFile)
	if output, err := scenario(t, dir, "-test.run=^TestScenario$/^case.txtar$/^clean$", "-update"); err != nil {
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
func scenario(t *testing.T, dir string, flags ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.run=^TestScenario$"}, flags...)...)
	cmd.Env = append(os.Environ(), "CHECKTEST_SCENARIO="+dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
