// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/jsonschema"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

// The schemas of this directory, by the first part of their file names.
const (
	capabilitySchema = "capability"
	inputSchema      = "validate-input"
	resultSchema     = "validate-result"
	toolSchema       = "validate-tool"
	refusedSchema    = "refused-call"

	batchInputSchema  = "validate-batch-input"
	batchResultSchema = "validate-batch-result"
	batchToolSchema   = "validate-batch-tool"
)

var schemaNames = []string{
	capabilitySchema, inputSchema, resultSchema, toolSchema, refusedSchema,
	batchInputSchema, batchResultSchema, batchToolSchema,
}

// A judge is one validator of JSON Schema.
type judge struct {
	name    string
	compile func(raw []byte) (func(doc []byte) error, error)
}

// judges are toolvet's own validator, and another one in two dialects: clients of every
// age compile what tools/list gives them.
var judges = []judge{
	{"toolvet", compileOwn},
	{"santhosh 2020-12", func(raw []byte) (func([]byte) error, error) { return compileOther(raw, jsonschema.Draft2020) }},
	{"santhosh draft-07", func(raw []byte) (func([]byte) error, error) { return compileOther(raw, jsonschema.Draft7) }},
}

func compileOwn(raw []byte) (func([]byte) error, error) {
	s, err := schema.Compile(raw, schema.Limits{})
	if err != nil {
		return nil, err
	}
	return func(doc []byte) error {
		v, err := strictjson.Parse(doc, strictjson.Limits{})
		if err != nil {
			return err
		}
		evaluation, err := s.Evaluate(v)
		if err != nil {
			return err
		}
		var errs []error
		for _, v := range evaluation.Violations {
			errs = append(errs, fmt.Errorf("%s: %s", v.Pointer, v.Message))
		}
		return errors.Join(errs...)
	}, nil
}

// compileOther compiles a schema by a dialect, whatever its own $schema says.
func compileOther(raw []byte, dialect *jsonschema.Draft) (func([]byte) error, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	delete(v.(map[string]any), "$schema")
	c := jsonschema.NewCompiler()
	c.DefaultDraft(dialect)
	if err := c.AddResource("mem:schema", v); err != nil {
		return nil, err
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		return nil, err
	}
	return func(doc []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
		if err != nil {
			return err
		}
		return s.Validate(v)
	}, nil
}

// A grammar holds each schema, compiled by each judge.
type grammar map[string]map[string]func([]byte) error

func newGrammar(t testing.TB) grammar {
	t.Helper()
	g := grammar{}
	for _, name := range schemaNames {
		raw, err := os.ReadFile(name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		g[name] = map[string]func([]byte) error{}
		for _, j := range judges {
			if g[name][j.name], err = j.compile(raw); err != nil {
				t.Fatalf("%s: %s: %v", j.name, name, err)
			}
		}
	}
	return g
}

// conforms fails the test if a judge finds fault with doc.
func (g grammar) conforms(t testing.TB, name string, doc []byte) {
	t.Helper()
	for by, validate := range g[name] {
		if err := validate(doc); err != nil {
			t.Errorf("%s: against %s: %v\n%s", by, name, err, doc)
		}
	}
}

func TestEmittedConforms(t *testing.T) {
	t.Parallel()
	g := newGrammar(t)
	capability, err := json.Marshal(protocol.NewCapability("validate", []check.Level{
		check.SyntaxLevel, check.SemanticLevel, check.RuntimeLevel, check.SecurityLevel}))
	if err != nil {
		t.Fatal(err)
	}
	g.conforms(t, capabilitySchema, capability)
	tool, err := protocol.NewTool(protocol.OtherToolName).Encode()
	if err != nil {
		t.Fatal(err)
	}
	g.conforms(t, toolSchema, tool)
	if tool, err = protocol.NewBatchTool(protocol.OtherToolName, 7).Encode(); err != nil {
		t.Fatal(err)
	}
	g.conforms(t, batchToolSchema, tool)
	if !strings.Contains(string(tool), `"maxItems":7`) {
		t.Errorf("the tool does not say how many calls it takes: %s", tool)
	}
	for name, v := range verdicts() {
		t.Run(name, func(t *testing.T) {
			r := protocol.NewResult("read", v)
			g.conformsResult(t, r)
			r.AddNative([]byte(`{"structuredContent":{"valid":true,"errors":[],"warnings":["slow"],"suggestions":["wait"]}}`), nil)
			g.conformsResult(t, r)
			r.AddNative([]byte(`{"structuredContent":{"valid":false}}`), nil)
			g.conformsResult(t, r)
			r.AddNative(nil, errors.New("no answer"))
			g.conformsResult(t, r)
			r.SkipNative()
			r.Cached, r.AgeMS, r.TTLMS = true, 7, 100
			g.conformsResult(t, r)
			batch := protocol.NewBatchResult([]protocol.Result{r, protocol.NewResult("read", v)})
			for _, modern := range []bool{false, true} {
				g.conforms(t, batchResultSchema, decodeResult(t, batch.Answer(modern), modern).Structured)
			}
		})
	}
}

// conformsResult looks at a result in each form in which it is sent, in both eras.
func (g grammar) conformsResult(t *testing.T, r protocol.Result) {
	t.Helper()
	for _, modern := range []bool{false, true} {
		answer := decodeResult(t, r.Answer(modern), modern)
		if answer.IsError || answer.Meta != nil {
			t.Errorf("the answer of a dry run is an error: %+v", answer)
		}
		g.conforms(t, resultSchema, answer.Structured)
		if got := answer.Content[0].Text; got != string(answer.Structured) {
			t.Errorf("text %s\ndiffers from structured content %s", got, answer.Structured)
		}
		if r.Valid {
			continue
		}
		refusal := r.Refusal(modern)
		g.conforms(t, refusedSchema, refusal)
		g.conforms(t, resultSchema, decodeResult(t, refusal, modern).Meta[protocol.VerdictKey])
	}
}

type toolResult struct {
	ResultType *string `json:"resultType"`
	IsError    bool    `json:"isError"`
	Content    []struct{ Type, Text string }
	Structured json.RawMessage            `json:"structuredContent"`
	Meta       map[string]json.RawMessage `json:"_meta"`
}

func decodeResult(t *testing.T, raw []byte, modern bool) toolResult {
	t.Helper()
	var r toolResult
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("content is not one text: %s", raw)
	}
	switch {
	case modern && (r.ResultType == nil || *r.ResultType != "complete"):
		t.Errorf("2026-07-28 needs a resultType: %s", raw)
	case !modern && r.ResultType != nil:
		t.Errorf("resultType is given to an older client: %s", raw)
	}
	return r
}

// verdicts are one of each kind.
func verdicts() map[string]toolvet.Verdict {
	broken := check.Finding{Check: "input-schema", Stage: check.Schema, Level: check.SyntaxLevel,
		Pointer: "/mode", Message: `must be one of "a", "b"`, Suggestion: `use "a"`, Value: json.RawMessage(`"a"`)}
	doubtful := check.Finding{Check: "exists", Stage: check.Semantic, Level: check.RuntimeLevel,
		Severity: check.Warning, Message: "odd <&> \u2028 text"}
	observed := check.Finding{Check: "quota", Stage: check.Policy, Level: check.SecurityLevel, Observed: true, Message: "often"}
	levels := []check.Level{check.SyntaxLevel, check.RuntimeLevel}
	return map[string]toolvet.Verdict{
		"zero":     {},
		"good":     {Go: true, Levels: levels},
		"bad":      {Findings: []check.Finding{broken, doubtful, observed}, Levels: levels},
		"doubtful": {Go: true, Findings: []check.Finding{doubtful, observed}, Levels: levels},
		"skipped":  {Skipped: []check.Skip{{Check: "exists", Level: check.RuntimeLevel, Why: "remote"}}},
		"bad value": {Findings: []check.Finding{{Check: "x", Stage: check.Output, Level: check.SemanticLevel,
			Message: "a value that is no JSON", Value: json.RawMessage(`{"a":`)}}},
	}
}

// TestGrammarRefuses keeps the schemas from accepting anything.
func TestGrammarRefuses(t *testing.T) {
	t.Parallel()
	g := newGrammar(t)
	const result = `{"valid":false,"errors":["x"],"warnings":[],"suggestions":[]`
	for name, docs := range map[string][]string{
		capabilitySchema: {
			`true`, `{}`, `{"supported":"yes","method":"validate","version":"1.0"}`,
			`{"supported":true,"method":"","version":"1.0"}`, `{"supported":true,"method":"validate","version":"1"}`,
			`{"supported":true,"method":"validate","version":"1.0","levels":["deep"]}`,
			`{"supported":true,"method":"validate","version":"1.0","caching":true}`,
			`{"supported":true,"method":"validate","version":"1.0","caching":{"invalidateOn":[]}}`,
		},
		inputSchema: {
			`{}`, `{"tool":"a"}`, `{"arguments":{}}`, `{"tool":"","arguments":{}}`, `{"tool":1,"arguments":{}}`,
			`{"tool":"a","arguments":[]}`, `{"tool":"a","arguments":{},"parameters":{}}`,
			`{"tool":"a","arguments":{},"levels":[]}`, `{"tool":"a","arguments":{},"levels":["deep"]}`, `{"tool":"a","arguments":{},"levels":"syntax"}`,
		},
		resultSchema: {
			`{}`, `{"valid":true}`, `{"valid":"true","errors":[],"warnings":[],"suggestions":[]}`,
			`{"valid":true,"errors":[{}],"warnings":[],"suggestions":[]}`, result + `,"findings":[{}]}`,
			result + `,"skipped":[{"check":"x"}]}`, result + `,"levels":["deep"]}`,
			result + `,"cached":1}`, result + `,"ageMs":-1}`, result + `,"ttlMs":0}`,
		},
		batchInputSchema: {
			`{}`, `{"calls":[]}`, `{"calls":{}}`, `{"calls":[{}],"levels":["syntax"]}`, `[]`,
		},
		batchResultSchema: {
			`{}`, result + `}`, result + `,"results":{}}`, result + `,"results":[{"valid":true}]}`, result + `,"results":[7]}`,
		},
		batchToolSchema: {
			`{}`, `{"name":"validate","inputSchema":{"type":"object"}}`, `{"name":"validate_batch","inputSchema":{"type":"object","properties":{"calls":{"type":"array"}},"required":["calls"],"additionalProperties":false}}`,
		},
		toolSchema: {
			`{}`, `{"name":"a b","inputSchema":{}}`, `{"name":"validate","inputSchema":{"type":"object"}}`,
		},
		refusedSchema: {
			`{}`, `{"isError":true,"content":[{"type":"text","text":"x"}]}`,
			`{"isError":false,"content":[{"type":"text","text":"x"}],"_meta":{"io.github.toolvet/verdict":` + result + `}}}`,
			`{"isError":true,"content":[],"_meta":{"io.github.toolvet/verdict":` + result + `}}}`,
			`{"isError":true,"content":[{"type":"text","text":"x"}],"structuredContent":{},"_meta":{"io.github.toolvet/verdict":` + result + `}}}`,
		},
	} {
		for _, doc := range docs {
			for by, validate := range g[name] {
				if validate([]byte(doc)) == nil {
					t.Errorf("%s: %s accepts %s", by, name, doc)
				}
			}
		}
	}
}

// TestToolSchemasTravel: what tools/list carries names no dialect, since clients compile
// it by theirs.
func TestToolSchemasTravel(t *testing.T) {
	t.Parallel()
	tool, batch := protocol.NewTool(protocol.ToolName), protocol.NewBatchTool(protocol.ToolName, 100)
	for _, raw := range []json.RawMessage{tool.InputSchema, tool.OutputSchema, batch.InputSchema, batch.OutputSchema} {
		for _, keyword := range []string{`"$schema"`, `"$ref"`, `"$defs"`, `"definitions"`, `"dependentRequired"`, `"prefixItems"`} {
			if strings.Contains(string(raw), keyword) {
				t.Errorf("a schema of the tool uses %s: %s", keyword, raw)
			}
		}
	}
}
