// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/schema"
)

// A result is what became of one case.
type result struct {
	text     string // as it is expected
	findings []check.Finding
	faults   []string // what no check may do
}

// runs is how often each case runs: findings that follow the order of a map differ
// between runs.
const runs = 3

// judge runs a check over one case.
func (f *file) judge(ctx context.Context, c *check.Check, s *section, tc testCase) result {
	var r result
	fail := func(format string, args ...any) { r.faults = append(r.faults, fmt.Sprintf(format, args...)) }
	params := s.params(tc.value)
	judged, err := call.DecodeParams(params, call.Limits{})
	if err != nil {
		fail("the call cannot be judged: %v", err)
		return r
	}
	original, _ := call.DecodeParams(params, call.Limits{}) // decoded well a line ago
	judged.Resolve(call.NewCatalog(f.tools))
	for i := range runs {
		pass := check.NewPass(c, judged, evaluator(judged))
		if s.server != nil {
			pass.World, pass.Targets = s.server.World, targets(s.server, c.Rule, judged)
		}
		if c.Rule != nil && len(pass.Targets) == 0 {
			fail("nothing is demanded of this call, so that the check would not run")
			return r
		}
		if err := c.Run(ctx, pass); err != nil {
			fail("the check broke: %v", err)
		}
		text := f.collapse(render(c, pass, s.within))
		if i > 0 && text != r.text {
			fail("the check found other things, or in another order, when it ran again:\n%s", text)
		}
		r.text, r.findings = text, pass.Findings()
		if i == 0 {
			r.faults = append(r.faults, f.leaks(s, judged, pass)...)
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

// render writes what a pass found as it is expected. Within is where the value is.
func render(c *check.Check, pass *check.Pass, within string) string {
	var b strings.Builder
	for _, f := range pass.Findings() {
		b.WriteString(f.Severity.String())
		if f.Level != c.Level {
			fmt.Fprintf(&b, " %v", f.Level)
		}
		switch pointer, inside := strings.CutPrefix(f.Pointer, within); {
		case !inside:
			fmt.Fprintf(&b, " at %q instead of the value", f.Pointer)
		case pointer != "":
			fmt.Fprintf(&b, " %s", pointer)
		}
		fmt.Fprintf(&b, ": %s\n", f.Message)
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
	if b.Len() == 0 {
		return fine
	}
	return b.String()
}

// survive holds that a check that answers a rule takes any value, even without options, as
// whoever calls it from Go may leave them out: it may break, but not panic.
func survive(t *testing.T, c *check.Check) {
	t.Helper()
	if c.Rule == nil {
		return
	}
	for _, value := range []any{nil, true, json.Number("1"), "", "x", []any{"x"}, []any{}, map[string]any{}} {
		pass := check.NewPass(c, &call.Call{Name: "tool"}, evaluator(&call.Call{}))
		pass.Targets = []check.Target{{Pointer: "/" + argument, Value: value}}
		_ = c.Run(t.Context(), pass) // a check may need options
		for _, f := range pass.Findings() {
			if !strings.HasPrefix(f.Pointer, "/"+argument) {
				t.Errorf("without options, for %v: a finding is at %q", value, f.Pointer)
			}
		}
	}
}
