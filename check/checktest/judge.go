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
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/schema"
)

// An outcome is the result of one case.
type outcome struct {
	text     string // as it is expected
	findings []check.Finding
	faults   []string // breaches of a check's duties
}

// runs is how often each case runs: findings that follow the order of a map differ
// between runs.
const runs = 3

// An input is what a case gives a check: a call, or the result of one.
type input struct {
	call     *call.Call
	result   *result.Result
	evaluate func() (*schema.Evaluation, error)
	targets  []check.Target
	values   any         // that no finding may repeat
	changed  func() bool // by the check
}

// judge runs a check over one case.
func (f *file) judge(ctx context.Context, c *check.Check, s *section, tc testCase) outcome {
	var o outcome
	fail := func(format string, args ...any) { o.faults = append(o.faults, fmt.Sprintf(format, args...)) }
	read := f.readCall
	if s.method != "" {
		read = f.readResult
	}
	in, err := read(c, s, tc.value)
	if err != nil {
		fail("%v", err)
		return o
	}
	if c.Demand != nil && !c.Demand.Everywhere && len(in.targets) == 0 {
		fail("nothing is demanded of this call, so that the check would not run")
		return o
	}
	for i := range runs {
		run := new(check.Run).Init(c, in.call, in.evaluate)
		run.Result, run.Targets = in.result, in.targets
		if s.server != nil {
			run.World = s.server.World
		}
		if err := run.Do(ctx); err != nil {
			fail("the check broke: %v", err)
		}
		text := render(c, run, s.within)
		changes, err := renderChanges(run)
		if err != nil {
			fail("the check's changes cannot be made: %v", err)
		}
		if text == "" && changes == "" {
			text = fine
		}
		text = f.collapse(text + changes)
		if i > 0 && text != o.text {
			fail("the check found other things, or in another order, when it ran again:\n%s", text)
		}
		o.text, o.findings = text, run.Findings
		if i == 0 {
			o.faults = append(o.faults, f.leaks(s, in, run)...)
		}
	}
	if in.changed() {
		fail("the check changed the call, or the result")
	}
	return o
}

// readCall reads a case that is a call.
func (f *file) readCall(c *check.Check, s *section, value json.RawMessage) (input, error) {
	params := s.params(value)
	judged, err := call.DecodeParams(params, call.Limits{})
	if err != nil {
		return input{}, fmt.Errorf("the call cannot be judged: %w", err)
	}
	original, _ := call.DecodeParams(params, call.Limits{}) // decoded well a line ago
	judged.Resolve(call.NewCatalog(f.tools))
	in := input{call: judged, evaluate: evaluator(judged), values: judged.Arguments}
	if s.server != nil {
		p := &policy.Policy{Servers: []*policy.Server{s.server}}
		in.targets = p.Bind(s.server.Name, judged.Name, nil).In(judged.Arguments, policy.Live).Targets(c, 1<<20).Errors
	}
	in.changed = func() bool {
		return !reflect.DeepEqual(original.Arguments, judged.Arguments) || !reflect.DeepEqual(original.Meta, judged.Meta)
	}
	return in, nil
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

// render writes what a run found, as a case expects it. Within is where the value is.
func render(c *check.Check, run *check.Run, within string) string {
	var b strings.Builder
	for _, f := range run.Findings {
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
	if skip := run.Skip; skip != nil {
		fmt.Fprintf(&b, "skip: %s\n", skip.Why)
	}
	return b.String()
}

// survive holds that a check with a demand accepts any value, even without options, since a
// caller in Go may leave them out: it may break, but not panic.
func survive(t *testing.T, c *check.Check) {
	t.Helper()
	if c.Demand == nil {
		return
	}
	for _, value := range []any{nil, true, json.Number("1"), "", "x", []any{"x"}, []any{}, map[string]any{}} {
		run := new(check.Run).Init(c, &call.Call{Name: "tool"}, evaluator(&call.Call{}))
		run.Targets = []check.Target{{Pointer: "/" + argument, Value: value}}
		if c.Demand.Results {
			raw, _ := json.Marshal(map[string]any{argument: value}) // such values can be encoded
			run.Result, _ = result.Read("tools/call", raw)          // and read
		}
		_ = run.Do(t.Context()) // a check may need options
		for _, f := range run.Findings {
			if !strings.HasPrefix(f.Pointer, "/"+argument) {
				t.Errorf("without options, for %v: a finding is at %q", value, f.Pointer)
			}
		}
	}
}
