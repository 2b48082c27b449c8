// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package checktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/schema"
)

// toolResult is the method of results, unless a section names another.
const toolResult = "tools/call"

// methodOf reads the method of a section's results from its name.
func methodOf(name string) (string, error) {
	rest, other := strings.CutPrefix(name, "of ")
	if !other {
		return toolResult, nil
	}
	method, rest, _ := strings.Cut(rest, ": ")
	if method == "" || strings.Contains(method, " ") || rest == "" {
		return "", errors.New(`must be "result NAME" or "result of METHOD: NAME"`)
	}
	return method, nil
}

// addResults adds cases that are results.
func (f *file) addResults(s *section, text string) error {
	if err := f.addCases(s, text); err != nil {
		return err
	}
	if len(s.cases) == 0 || s.cases[0].value == nil {
		return errors.New("has no result: begin it with a JSON value")
	}
	return nil
}

// addResultDemand adds cases that are results, with a demand on them; without any, the policy
// must refuse the demand.
func (f *file) addResultDemand(s *section, text string) error {
	if err := f.addCases(s, text); err != nil {
		return err
	}
	if err := f.readPolicy(s, "output:\n  "); err != nil {
		return err
	}
	given := len(s.cases) > 0 && s.cases[0].value != nil
	switch {
	case s.refused != "" && given:
		return errors.New("the policy refuses what is demanded, so there must be no result: " + s.refused)
	case s.refused == "" && !given:
		return errors.New("has no result: begin it with a JSON value")
	case len(s.cases) == 0:
		s.cases, s.end = []testCase{{text: s.end}}, ""
	}
	return nil
}

// readResult reads a case that is a result.
func (f *file) readResult(c *check.Check, s *section, value json.RawMessage) (input, error) {
	original := bytes.Clone(value)
	r, err := result.Read(s.method, value)
	if err != nil {
		return input{}, err
	}
	in := input{call: &call.Call{Server: "server"}, result: r}
	if len(f.tools) == 1 {
		in.call.Name, in.call.Tool = f.tools[0].Name, f.tools[0]
	}
	in.call.Known = call.NewCatalog(f.tools)
	in.evaluate = func() (*schema.Evaluation, error) { return evaluateResult(in.call.Tool, r) }
	in.changed = func() bool { return !bytes.Equal(original, r.Raw) }
	if c.Demand != nil {
		in.targets = []check.Target{{Options: c.Demand.Options()}}
		if s.server != nil && len(s.server.Output) > 0 {
			in.targets[0].Options = s.server.Output[0].Options
		}
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	return in, dec.Decode(&in.values)
}

// evaluateResult judges structured content by the output schema of a tool.
func evaluateResult(tool *call.Tool, r *result.Result) (*schema.Evaluation, error) {
	content := r.Member("structuredContent")
	if tool == nil || tool.OutputSchema == nil || content == nil {
		return nil, nil
	}
	s, err := schema.NewCache(schema.Limits{}, 1).Get(tool.OutputSchema)
	if err != nil {
		return nil, err
	}
	return s.EvaluateJSON(content)
}

// renderChanges writes the notes of a run for the model, and the result with its changes.
func renderChanges(run *check.Run) (string, error) {
	var b strings.Builder
	for _, note := range run.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	if len(run.Changes) == 0 {
		return b.String(), nil
	}
	if run.Result == nil {
		return "", errors.New("there is no result")
	}
	raw, err := run.Result.Apply(run.Changes)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "becomes: %s\n", raw)
	return b.String(), nil
}
