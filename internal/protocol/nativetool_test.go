// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/protocol"
)

// TestNativeFault holds that a server's tool counts as its validate tool only if its definition
// is one's: the server chooses the name, and may name any tool.
func TestNativeFault(t *testing.T) {
	t.Parallel()
	const (
		tool     = `"tool":{"type":"string"}`
		args     = `"arguments":{"type":"object"}`
		both     = `"type":"object","properties":{` + tool + `,` + args + `},"required":["arguments","tool"]`
		closed   = both + `,"additionalProperties":false`
		readOnly = `,"annotations":{"readOnlyHint":true}`
		output   = `,"outputSchema":{"type":"object","properties":{"valid":{"type":"boolean"}}}`
	)
	for _, tt := range []struct{ input, more, fault string }{
		{closed, readOnly, ""},
		{closed, output, ""},
		{closed + `,"$schema":"http://json-schema.org/draft-07/schema#","title":"t"`, output + readOnly, ""},
		{`"type":"object","properties":{` + tool + `,` + args + `,"levels":{"type":"array"}},"required":["tool","arguments"],"additionalProperties":false`, readOnly, ""},
		{`"type":"object","properties":{` + tool + `,` + args + `,"schedule":{"type":"string"},"timezone":{"type":"string"},"allow_warnings":{"type":"boolean"}},"required":["tool","arguments"],"additionalProperties":false`, readOnly, ""},
		{closed, "", "only judges"}, // a meta-tool looks the same
		{closed, `,"annotations":{"title":"x"}`, "only judges"},
		{closed, `,"annotations":{"readOnlyHint":false}` + output, "changes something"},
		{closed, `,"annotations":{"readOnlyHint":true,"destructiveHint":true}`, "changes something"},
		{closed, `,"outputSchema":{"type":"object"}` + readOnly, `no "valid"`},
		{both, readOnly, "exactly"},
		{both + `,"additionalProperties":{}`, readOnly, "exactly"},
		{closed + `,"patternProperties":{"^x":{}}`, readOnly, "patternProperties"},
		{closed + `,"allOf":[{}]`, readOnly, "allOf"},
		{`"type":"object","properties":{` + tool + `,` + args + `},"required":["tool"],"additionalProperties":false`, readOnly, "exactly"},
		{`"type":"object","properties":{` + tool + `,` + args + `,"text":{}},"required":["tool","arguments"],"additionalProperties":false`, readOnly, `"text"`},
		{`"type":"object","properties":{"tool":{},` + args + `},"required":["tool","arguments"],"additionalProperties":false`, readOnly, "exactly"},
		{`"type":"object","properties":{` + tool + `,"arguments":{"type":"string"}},"required":["tool","arguments"],"additionalProperties":false`, readOnly, "exactly"},
		{`"type":"object"`, readOnly, "exactly"},
		{`"type":"object","properties":{"text":{"type":"string"}}`, readOnly + output, `"text"`},
	} {
		definition, err := call.DecodeTool(fmt.Appendf(nil, `{"name":"v","inputSchema":{%s}%s}`, tt.input, tt.more), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(protocol.NativeFault(definition))
		if tt.fault == "" && got != "<nil>" || !strings.Contains(got, tt.fault) {
			t.Errorf("{%s}%s: got %s, want %s", tt.input, tt.more, got, tt.fault)
		}
	}
	for _, tt := range []struct{ input, more, fault string }{
		{both, "", ""}, // as the validation protocol defines it
		{closed, "", ""},
		{both + `,"additionalProperties":true`, "", "exactly"},
		{both, `,"annotations":{"readOnlyHint":false}`, "changes something"},
		{both, `,"outputSchema":{"type":"object"}`, `no "valid"`},
		{`"type":"object"`, "", "exactly"},
	} {
		definition, err := call.DecodeTool(fmt.Appendf(nil, `{"name":"validate","inputSchema":{%s}%s}`, tt.input, tt.more), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(protocol.NativeFault(definition))
		if tt.fault == "" && got != "<nil>" || !strings.Contains(got, tt.fault) {
			t.Errorf("validate {%s}%s: got %s, want %s", tt.input, tt.more, got, tt.fault)
		}
	}
	if err := protocol.NativeFault(nil); err == nil || !strings.Contains(err.Error(), "does not list it") {
		t.Errorf("a tool that is not listed: %v", err)
	}
	twice := call.NewCatalog([]*call.Tool{{Name: "v", Raw: []byte(`{"name":"v"}`)}, {Name: "v", Raw: []byte(`{"name":"v","title":"x"}`)}})
	if err := protocol.NativeFault(twice.Tool("v")); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a tool that is listed twice: %v", err)
	}
	own, err := protocol.NewTool("v").Encode()
	if err != nil {
		t.Fatal(err)
	}
	definition, err := call.DecodeTool(own, call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := protocol.NativeFault(definition); err != nil {
		t.Errorf("toolvet's own validate tool: %v", err)
	}
}

func TestDescribesJob(t *testing.T) {
	t.Parallel()
	const schema = `"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}%s},"required":["tool","arguments"],"additionalProperties":false`
	tool := func(more, annotations string) *call.Tool {
		definition, err := call.DecodeTool(fmt.Appendf(nil, `{"name":"validate","inputSchema":{%s}%s}`, fmt.Sprintf(schema, more), annotations), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return definition
	}
	const jobs, readOnly = `,"schedule":{"type":"string"}`, `,"annotations":{"readOnlyHint":true}`
	scheduler := tool(jobs, readOnly)
	own := call.NewCatalog([]*call.Tool{scheduler, {Name: "a:b", Raw: []byte(`{"name":"a:b"}`)}})
	for name, tt := range map[string]struct {
		tool      *call.Tool
		arguments map[string]any
		want      bool
	}{
		"a schedule":               {scheduler, map[string]any{"tool": "read", "schedule": "every hour"}, true},
		"a zone alone":             {scheduler, map[string]any{"tool": "read", "timezone": "UTC"}, true},
		"a tool of another server": {scheduler, map[string]any{"tool": "files:read"}, true},
		"a tool of its own":        {scheduler, map[string]any{"tool": "a:b"}, false},
		"a plain call":             {scheduler, map[string]any{"tool": "read", "arguments": map[string]any{}}, false},
		"no scheduler":             {tool("", readOnly), map[string]any{"tool": "files:read", "schedule": "every hour"}, false},
		"a tool that acts":         {tool(jobs, `,"annotations":{"readOnlyHint":false}`), map[string]any{"tool": "files:read", "schedule": "every hour"}, false},
		"no tool":                  {nil, map[string]any{"tool": "files:read", "schedule": "every hour"}, false},
	} {
		if got := protocol.DescribesJob(tt.arguments, tt.tool, own); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
