// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// TestSmallForms holds that the forms of small members count together.
func TestSmallForms(t *testing.T) {
	t.Parallel()
	small := `":[` + strings.Repeat(`{"":0},`, 500) + `0],`
	text := []byte(`{`)
	for i := range 500 {
		text = fmt.Appendf(text, `"k%d%s`, i, small)
	}
	text = append(text, `"name":"t"}`...)
	_, tool := DecodeParams(text, Limits{})
	_, other := DecodeRequest("x/y", text, Limits{})
	for _, err := range []error{tool, other} {
		if err == nil || !strings.Contains(err.Error(), "Send less at once") {
			t.Error(err)
		}
	}
}

func TestDecodeParams(t *testing.T) {
	t.Parallel()
	c, err := DecodeParams([]byte(`{"_meta":{"progressToken":1},"name":"a","vendor":{"x":1},"arguments":{"n":1.0,"big":12345678901234567890}}`), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"n": json.Number("1.0"), "big": json.Number("12345678901234567890")}
	if diff := cmp.Diff(want, c.Arguments); diff != "" || c.Name != "a" {
		t.Errorf("name %q, arguments (-want +got):\n%s", c.Name, diff)
	}
	if string(c.Raw) != `{"n":1.0,"big":12345678901234567890}` || c.Meta["progressToken"] != json.Number("1") {
		t.Errorf("raw %s, meta %v", c.Raw, c.Meta)
	}
	if c, err = DecodeParams([]byte(`{"name":"a"}`), Limits{}); err != nil || c.Arguments == nil || len(c.Arguments) != 0 || string(c.Raw) != "{}" {
		t.Errorf("absent arguments: %+v, %v", c, err)
	}
}

func TestDecodeParamsRefuses(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]string{
		``:                              `"params" is missing`,
		`[]`:                            "not a JSON object",
		`null`:                          "not a JSON object",
		`{}`:                            `"params.name" is missing`,
		`{"name":""}`:                   "not empty",
		`{"name":5}`:                    "must be a string",
		`{"name":null}`:                 "must be a string",
		`{"name":"a","name":"b"}`:       `"/name" is given twice`,
		`{"name":"a","Name":"b"}`:       `take for "name"`,
		`{"name":"a","ARGUMENTS":{}}`:   `take for "arguments"`,
		`{"name":"a","_META":{}}`:       `take for "_meta"`,
		`{"name":"a","arguments":null}`: "must be an object",
		`{"name":"a","arguments":"{}"}`: "must be an object",
		`{"name":"a","arguments":[]}`:   "must be an object",
		`{"name":"a","_meta":5}`:        `"params._meta" must be an object`,
		`{"name":"a","arguments":{"x":{"y":1,"y":2}}}`:   `"/x/y" is given twice`,
		`{"name":"a","_meta":{"x":1,"x":2}}`:             `"/x" is given twice`,
		`{"name":"a","task":{"ttl":1,"ttl":2}}`:          `"/ttl" is given twice`,
		`{"name":"a","arguments":{"x":"\udead"}}`:        "unpaired UTF-16 surrogate",
		`{"name":"a","arguments":{"x":1e400}}`:           "outside the range",
		`{"name":"\ud83d"}`:                              "unpaired UTF-16 surrogate",
		`{"name\u0000":"b","name":"a"}`:                  "a key with U+0000",
		`{"name":"a","arguments":{"x":[{"y\u0000":1}]}}`: "a key with U+0000",
		`{"name":"a\u0000"}`:                             `"params.name" holds U+0000`,
		`{"name":"a","requestState":"\u0000"}`:           `"params.requestState" holds U+0000`,
		`{"name":"a","other":{"x":"\u0000"}}`:            `"params.other.x" holds U+0000`,
		`{"name":"a","_meta":{"progressToken":1e3}}`:     `"params._meta.progressToken" must be`,
	} {
		var raw []byte
		if params != "" {
			raw = []byte(params)
		}
		_, err := DecodeParams(raw, Limits{})
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != jsonrpc.InvalidParams || !strings.Contains(e.Message, want) {
			t.Errorf("DecodeParams(%s) = %v, want …%s…", params, err, want)
		}
	}
}

func TestErrorsNeverRepeatValues(t *testing.T) {
	t.Parallel()
	for _, params := range []string{
		`{"name":5,"arguments":"hunter2"}`,
		`{"name":"a","arguments":{"password":"hunter2","password":"hunter2"}}`,
		`{"name":"a","arguments":{"password":"hunter2\ud800"}}`,
		`{"name":"a","arguments":{"password":"hunter2` + "\x01" + `"}}`,
		`{"name":"a","arguments":["hunter2"]}`,
		`{"name":"a","arguments":{"password":"hunter2`,
	} {
		_, err := DecodeParams([]byte(params), Limits{})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("DecodeParams(%s) = %v", params, err)
		}
	}
}

func TestDecodeTools(t *testing.T) {
	t.Parallel()
	page := []byte(`{"tools":[
		{"name":"a","title":"A","description":"d","inputSchema":{"type":"object"},"outputSchema":{},"x":1},
		{"name":"b","name":"c"},
		{"title":"no name"},
		{"name":"a","Name":"b"},
		{"name":"a\u0000"},
		5,
		{"name":"d"}],"nextCursor":"n"}`)
	tools, next, faults, err := DecodeTools(page, Limits{})
	if err != nil || next != "n" || len(tools) != 2 || len(faults) != 5 {
		t.Fatalf("%d tools, %d faults, next %q, %v", len(tools), len(faults), next, err)
	}
	clear(page) // the tools must not share its memory
	if a := tools[0]; a.Name != "a" || a.Title != "A" || a.Description != "d" || string(a.InputSchema) != `{"type":"object"}` || string(a.OutputSchema) != `{}` {
		t.Errorf("tool a: %+v", a.Raw)
	}
	for _, bad := range []string{``, `[]`, `{}`, `{"tools":{}}`, `{"tools":[],"tools":[]}`, `{"tools":[],"Tools":[]}`, `{"tools":[],"nextcursor":"2"}`} {
		if _, _, _, err := DecodeTools([]byte(bad), Limits{}); err == nil {
			t.Errorf("DecodeTools(%s): no error", bad)
		}
	}
	if tools, _, _, err := DecodeTools([]byte(`{"tools":[]}`), Limits{}); err != nil || len(tools) != 0 {
		t.Errorf("no tools: %v, %v", tools, err)
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	tool := func(raw string) *Tool {
		tool, err := DecodeTool([]byte(raw), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return tool
	}
	c := NewCatalog([]*Tool{tool(`{"name":"b"}`), tool(`{"name":"a"}`), tool(`{"name":"b"}`), tool(`{"name":"a","title":"other"}`)})
	if diff := cmp.Diff([]string{"b", "a"}, c.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if c.Tool("b").Fault != nil {
		t.Error("a tool that is listed twice alike is at fault")
	}
	if c.Tool("a").Fault == nil {
		t.Error("a tool that is listed twice with different definitions is not at fault")
	}
	if c.Tool("x") != nil || (*Catalog)(nil).Tool("a") != nil || (*Catalog)(nil).Names() != nil {
		t.Error("an unknown tool is found")
	}
}

// TestMethodVariants holds that a method which some readers take for one of MCP is refused.
func TestMethodVariants(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{
		"Tools/call": "tools/call", "tools/call ": "tools/call", "\tRESOURCES/READ\r": "resources/read",
		"notifications/Cancelled": "notifications/cancelled", "Sampling/createMessage": "sampling/createMessage",
		"resources/read": "", "sampling/createMessage": "", "notifications/initialized": "", "vendor/tools/call": "", "tools/calls": "",
	} {
		_, err := DecodeRequest(method, nil, Limits{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), strconv.Quote(want)) {
			t.Errorf("%q: %v, want %q", method, err, want)
		}
	}
}

// TestFormsOfMembers holds that the members of a request share the memory of one form.
func TestFormsOfMembers(t *testing.T) {
	t.Parallel()
	const size = 3 << 20 // of the text of one member, whose form takes nearly ten times as much
	list := "[" + strings.Repeat("[] , ", size/5) + "1]"
	if _, err := DecodeRequest("vendor/x", []byte(`{"a":`+list+`}`), Limits{}); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeParams([]byte(`{"name":"t","arguments":{"a":`+list+`}}`), Limits{}); err != nil {
		t.Fatal(err)
	}
	var members []string
	for i := range 4 {
		members = append(members, fmt.Sprintf(`"m%d":%s`, i, list))
	}
	params := strings.Join(members, ",")
	if _, err := DecodeRequest("vendor/x", []byte("{"+params+"}"), Limits{}); err == nil {
		t.Error("a request with four large members passes")
	}
	if _, err := DecodeParams([]byte(`{"name":"t",`+params+`}`), Limits{}); err == nil {
		t.Error("a call with four large members passes")
	}
}
