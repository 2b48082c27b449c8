// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/schema"
)

// newGate makes a gate of a policy, without its version.
func newGate(t testing.TB, yaml string, options ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse(filepath.Join(t.TempDir(), "toolvet.yaml"), []byte("version: 1\n"+yaml), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	more, err := (&access.Enforcer{Server: "s"}).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(append(append(options, more...), toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// custom is a check of the semantic stage that runs f.
func custom(name string, level check.Level, f func(ctx context.Context, pass *check.Pass) error) toolvet.Option {
	return toolvet.WithMoreChecks(&check.Check{
		Name: name, Doc: "# " + name + "\n\nA test.\n", Stage: check.Semantic, Level: level, Run: f,
	})
}

const readTool = `{"name":"read","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"at":{"type":"string"},"n":{"type":"integer"}},"required":["path"],"additionalProperties":false}}`

func catalogOf(t testing.TB, definitions ...string) *call.Catalog {
	t.Helper()
	tools := make([]*call.Tool, len(definitions))
	for i, d := range definitions {
		var err error
		if tools[i], err = call.DecodeTool([]byte(d), call.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	return call.NewCatalog(tools)
}

func newValidator(t testing.TB, cfg validate.Config) *validate.Validator {
	t.Helper()
	v, err := validate.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A door asks a validator as a client would.
type door struct {
	t       testing.TB
	v       *validate.Validator
	request validate.Request
}

func newDoor(t testing.TB, cfg validate.Config, gate *toolvet.Gate) *door {
	return &door{t, newValidator(t, cfg), validate.Request{
		Call: &call.Call{Server: "s", Session: &call.Session{Subject: "ann"}}, Method: "validate", Tools: catalogOf(t, readTool), Gate: gate, Modern: true,
	}}
}

// ask calls a tool and returns the bytes of the answer.
func (d *door) ask(ctx context.Context, tool, arguments string) json.RawMessage {
	d.t.Helper()
	r := d.request
	c := *r.Call
	c.Name, c.Raw = tool, json.RawMessage(arguments)
	var err error
	if c.Arguments, err = call.DecodeArguments(c.Raw, call.Limits{}); err != nil {
		d.t.Fatal(err)
	}
	r.Call = &c
	return d.v.Answer(ctx, &r)
}

// An answer is what a client reads of one.
type answer struct {
	ResultType string
	IsError    bool
	Content    []struct{ Text string }
	Structured json.RawMessage            `json:"structuredContent"`
	Meta       map[string]json.RawMessage `json:"_meta"`
	TaskID     string
}

// A result is a protocol.Result or a protocol.BatchResult as a client reads it.
type result struct {
	Valid                         bool
	Errors, Warnings, Suggestions []string
	Tool, Method                  string
	Levels                        []string
	Skipped                       []struct{ Check, Level, Why string }
	Limits                        []map[string]any
	Findings                      []struct{ Code, Check, Pointer string }
	Cached                        bool
	AgeMS, TTLMS                  int64
	Results                       []result
}

func (d *door) read(raw json.RawMessage) answer {
	d.t.Helper()
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		d.t.Fatalf("%v in %s", err, raw)
	}
	return a
}

// validate asks about a call of read and returns the result, which must be a success.
func (d *door) validate(arguments string, more ...string) result {
	d.t.Helper()
	request := fmt.Sprintf(`{"tool":"read","arguments":%s%s}`, arguments, strings.Join(more, ""))
	return d.success(d.ask(d.t.Context(), "validate", request), protocol.ResultSchema)
}

// batch asks about calls.
func (d *door) batch(calls ...string) result {
	d.t.Helper()
	return d.success(d.ask(d.t.Context(), "validate_batch", `{"calls":[`+strings.Join(calls, ",")+`]}`), protocol.BatchResultSchema)
}

// success reads an answer that is no refusal, and holds it against its schema.
func (d *door) success(raw json.RawMessage, grammar []byte) result {
	d.t.Helper()
	a := d.read(raw)
	if a.IsError || a.ResultType != "complete" || len(a.Content) != 1 || a.Content[0].Text != string(a.Structured) {
		d.t.Fatalf("no success: %s", raw)
	}
	conforms(d.t, grammar, a.Structured)
	var r result
	if err := json.Unmarshal(a.Structured, &r); err != nil {
		d.t.Fatal(err)
	}
	if r.Valid != (len(r.Errors) == 0) {
		d.t.Errorf("valid is %t beside the errors %q", r.Valid, r.Errors)
	}
	return r
}

// refused asks what must be refused, and returns the text.
func (d *door) refused(tool, arguments string) string {
	d.t.Helper()
	a := d.read(d.ask(d.t.Context(), tool, arguments))
	if !a.IsError || a.Structured != nil || len(a.Content) != 1 {
		d.t.Fatalf("%s is not refused: %+v", arguments, a)
	}
	return a.Content[0].Text
}

func conforms(t testing.TB, grammar, object []byte) {
	t.Helper()
	compiled, err := schema.Compile(grammar, schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	value, err := call.DecodeArguments(object, call.Limits{})
	if err != nil {
		t.Fatalf("%v in %s", err, object)
	}
	evaluation, err := compiled.Evaluate(value)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range evaluation.Violations {
		t.Errorf("%s breaks the schema: %s: %s", object, v.Pointer, v.Message)
	}
}
