// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// testSuffix ends the names of files with tests of a policy.
const testSuffix = ".test.yaml"

func (a *app) testCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "test [flags] [FILE | DIR]...",
		Short: "Run the tests of policies: which calls go through, and what refuses the others",
		Long: `Run the tests of policies, by default all *.test.yaml in this directory. A test file
names a policy, the tools of its server, and cases: a call, go (true, false or ask), and the check or
the rule that must refuse it. The verdicts are those of 'toolvet proxy', but no call is
made. Checks that look at files, network and databases are off, unless the file says
"runtime: true".

Exit codes: 0 all cases pass, 1 a case fails, 2 a file could not be read.`,
		Example: `  toolvet policy test
  toolvet policy test policies toolvet.test.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.testPolicies(cmd.Context(), args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a case")
	return cmd
}

// testPolicies runs the tests in files and directories, and returns the worst exit code.
func (a *app) testPolicies(ctx context.Context, args []string, asJSON bool) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	worst := exitGo
	for _, arg := range args {
		files, err := testFiles(arg)
		if err != nil {
			a.complain(err)
			worst = exitNotJudged
		}
		for _, file := range files {
			t, err := a.loadTests(file)
			if err != nil {
				a.complain(err)
				worst = exitNotJudged
				continue
			}
			failed, err := a.runTests(ctx, t, asJSON)
			if err != nil {
				return err
			}
			if failed > 0 {
				worst = max(worst, exitNoGo)
			}
		}
	}
	return exitWith(worst)
}

// testFiles returns the test files of an argument.
func testFiles(arg string) ([]string, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return nil, fmt.Errorf("reading tests: %w", err)
	}
	if !info.IsDir() {
		return []string{arg}, nil
	}
	entries, err := os.ReadDir(arg) // in order of names
	if err != nil {
		return nil, fmt.Errorf("reading tests: %w", err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), testSuffix) {
			files = append(files, filepath.Join(arg, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, enforce.WithHint(fmt.Errorf("the directory %s has no tests", arg), "name them after the policy: toolvet%s", testSuffix)
	}
	return files, nil
}

// caseResult is the outcome of a case, in the form of --json.
type caseResult struct {
	File   string          `json:"file"`
	Line   int             `json:"line"`
	Case   string          `json:"case"`
	OK     bool            `json:"ok"`
	Why    string          `json:"why,omitempty"` // if the case failed
	Result protocol.Result `json:"result"`

	log string // of a case that failed
}

// runTests runs the cases of a file in order and returns how many failed.
func (a *app) runTests(ctx context.Context, t *loadedTests, asJSON bool) (failed int, err error) {
	out := bufio.NewWriter(a.stdout)
	for _, c := range t.cases {
		judged := recordedCall{tool: c.tool, arguments: c.Arguments, session: c.Session, at: c.Now}
		if c.Request != "" {
			judged.tool, judged.method = "", c.tool
		}
		v, err := c.gate.judge(ctx, c.tools, judged)
		if err != nil {
			return failed, errors.Join(err, out.Flush())
		}
		r := caseResult{File: t.file, Line: c.Line, Case: c.Name, Why: unmet(c.Want, v), Result: protocol.NewResult(c.tool, v)}
		if r.OK = r.Why == ""; !r.OK {
			failed++
			r.log = c.gate.log.take()
		}
		if asJSON {
			err = writeJSON(out, r)
		} else {
			err = r.text(out)
		}
		if err != nil {
			return failed, err
		}
	}
	if !asJSON {
		terminal.Fprintf(out, "%s: %s\n", t.file, t.summary(failed))
	}
	return failed, out.Flush()
}

func (t *loadedTests) summary(failed int) string {
	return fmt.Sprintf("%d of %s ok%s", len(t.cases)-failed, count(len(t.cases), "case"), leftOut(t.policy, t.Runtime))
}

// text writes a line, and below it the findings of a failed case.
func (r *caseResult) text(w io.Writer) error {
	name := strictjson.Printable(r.Case, maxDescription)
	if r.OK {
		_, err := terminal.Fprintf(w, "ok    %s:%d: %s\n", r.File, r.Line, name)
		return err
	}
	terminal.Fprintf(w, "FAIL  %s:%d: %s: %s\n", r.File, r.Line, name, r.Why)
	var findings strings.Builder
	if err := writeReport(&findings, "", &r.Result); err != nil {
		return err
	}
	for line := range strings.Lines(findings.String() + r.log) {
		if _, err := terminal.Fprintf(w, "      %s", terminal.Text(line)); err != nil {
			return err
		}
	}
	return nil
}

// unmet describes the failed expectation of a case; "" if there is none.
func unmet(want policy.Want, v toolvet.Verdict) string {
	words := map[string]string{allows: "a go", asks: "to ask about", denies: "a no-go"}
	is, must := decisionOf(&v), decisionOf(&toolvet.Verdict{Go: want.Go, Ask: want.Ask})
	switch {
	case is != must:
		return fmt.Sprintf("must be %s, and is %s", words[must], words[is])
	case !want.Go && want.Anything() && slices.ContainsFunc(v.Findings, isUnknownTool):
		return "is a no-go for any policy, because there is no tool of this name: if the case tests that, add \"check: known-tool\""
	case want.Anything() || slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return finds(want, f) }):
		return ""
	case want.Go:
		return "is a go, but without the expected finding"
	}
	return fmt.Sprintf("is %s, but not for the expected reason", words[is])
}

// isUnknownTool reports whether a finding refuses a call of an unlisted tool.
func isUnknownTool(f check.Finding) bool { return f.Check == "known-tool" && f.Blocks() }

func finds(want policy.Want, f check.Finding) bool {
	switch {
	case !want.Go && !f.Blocks(),
		want.Check != "" && f.Check != want.Check,
		want.Rule != "" && (f.Check != ruleCheck || f.Source != want.Rule),
		want.Pointer != nil && f.Pointer != *want.Pointer:
		return false
	}
	return strings.Contains(f.Message, want.Message)
}
