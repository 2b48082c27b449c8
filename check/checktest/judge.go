// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/schema"
)

// A result is what became of one case.
type result struct {
	text     string // as in a want section
	findings int
	faults   []string // what no check may do
}

// runs is how often each case runs: findings that follow the order of a map differ
// between runs.
const runs = 3

// judge runs a check over one case.
func (f *file) judge(ctx context.Context, c *check.Check, tc testCase) result {
	var r result
	fail := func(format string, args ...any) { r.faults = append(r.faults, fmt.Sprintf(format, args...)) }
	judged, err := call.DecodeParams(tc.params, call.Limits{})
	if err != nil {
		fail("the call cannot be judged: %v", err)
		return r
	}
	original, _ := call.DecodeParams(tc.params, call.Limits{}) // decoded well a line ago
	judged.Resolve(call.NewCatalog(f.tools))
	for i := range runs {
		pass := check.NewPass(c, judged, evaluator(judged))
		if err := c.Run(ctx, pass); err != nil {
			fail("the check broke: %v", err)
		}
		text := render(pass)
		if i > 0 && text != r.text {
			fail("the check found other things, or in another order, when it ran again:\n%s", text)
		}
		r.text, r.findings = text, len(pass.Findings())
		if i == 0 {
			r.faults = append(r.faults, leaks(judged, pass)...)
		}
	}
	if !reflect.DeepEqual(original.Arguments, judged.Arguments) || !reflect.DeepEqual(original.Meta, judged.Meta) {
		fail("the check changed the call")
	}
	return r
}

func evaluator(c *call.Call) func() (*schema.Evaluation, error) {
	return sync.OnceValues(func() (*schema.Evaluation, error) {
		if c.Tool == nil {
			return nil, fmt.Errorf("the tool is unknown")
		}
		s, err := c.Tool.Schema(schema.NewCache(schema.Limits{}, 1))
		if err != nil {
			return nil, err
		}
		return s.Evaluate(c.Arguments)
	})
}

// render writes what a pass found as a want section has it.
func render(pass *check.Pass) string {
	var b strings.Builder
	for _, f := range pass.Findings() {
		place := f.Severity.String()
		if f.Pointer != "" {
			place += " " + f.Pointer
		}
		fmt.Fprintf(&b, "%s: %s\n", place, f.Message)
		if f.Suggestion != "" {
			fmt.Fprintf(&b, "→ %s\n", f.Suggestion)
		}
		if f.Value != nil {
			fmt.Fprintf(&b, "= %s\n", f.Value)
		}
	}
	if skip := pass.Skipped(); skip != nil {
		fmt.Fprintf(&b, "skip: %s\n", skip.Why)
	}
	return b.String()
}
