// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

func good() protocol.Result {
	return protocol.NewResult("read", toolvet.Verdict{Go: true, Levels: []check.Level{check.SyntaxLevel}})
}

const noReason = "the server's own validation refuses the call and gives no reason"

func TestAddNative(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		valid    bool
		method   string
		errors   []string
		warnings int
	}{
		`{"structuredContent":{"valid":true,"errors":[],"warnings":[],"suggestions":[]}}`:                          {valid: true, method: "toolvet+native"},
		`{"structuredContent":{"valid":true}}`:                                                                     {valid: true, method: "toolvet", warnings: 1},
		`{"structuredContent":{"valid":true,"errors":[],"warnings":[]}}`:                                           {valid: true, method: "toolvet", warnings: 1},
		`{"structuredContent":{"valid":true,"errors":[],"warnings":["slow"],"suggestions":[]}}`:                    {valid: true, method: "toolvet+native", warnings: 1},
		`{"content":[{"type":"text","text":"{\"valid\":true,\"errors\":[],\"warnings\":[],\"suggestions\":[]}"}]}`: {valid: true, method: "toolvet+native"},
		`{"structuredContent":null,"content":[{"type":"text","text":"{\"valid\":false}"}]}`:                        {method: "toolvet+native", errors: []string{noReason}},
		`{"structuredContent":{"valid":false,"errors":["no such file"]}}`:                                          {method: "toolvet+native", errors: []string{"no such file"}},
		`{"structuredContent":{"valid":true,"errors":["no such file"]}}`:                                           {method: "toolvet+native", errors: []string{"no such file"}},
		`{"structuredContent":{"valid":true,"errors":[" "]}}`:                                                      {method: "toolvet+native", errors: []string{noReason}},
		`{"structuredContent":{"valid":false,"errors":"no"}}`:                                                      {method: "toolvet+native", errors: []string{noReason}},
		`{"structuredContent":{"valid":false,"errors":["a\n b\u001b", 7]}}`:                                        {method: "toolvet+native", errors: []string{"a b\ufffd"}},
		`{"isError":true,"structuredContent":{"valid":false}}`:                                                     {method: "toolvet+native", errors: []string{noReason}},
		`{"resultType":"input_required","structuredContent":{"valid":false}}`:                                      {method: "toolvet+native", errors: []string{noReason}},
		`{"structuredContent":{"valid":false},"content":[{"type":"text","text":"{\"valid\":true}"}]}`:              {method: "toolvet+native", errors: []string{noReason}},
		`{"isError":true,"structuredContent":{"valid":true}}`:                                                      {valid: true, method: "toolvet", warnings: 1},
		`{"isError":1,"structuredContent":{"valid":true}}`:                                                         {valid: true, method: "toolvet", warnings: 1},
		`{"resultType":"task","structuredContent":{"valid":true}}`:                                                 {valid: true, method: "toolvet", warnings: 1},
		`{"structuredContent":{"valid":true,"errors":"none"}}`:                                                     {valid: true, method: "toolvet", warnings: 1},
		`{"structuredContent":{"Valid":true}}`:                                                                     {valid: true, method: "toolvet", warnings: 1},
		`{"structuredContent":{"valid":1}}`:                                                                        {valid: true, method: "toolvet", warnings: 1},
		`{"structuredContent":{"valid":true,"valid":false}}`:                                                       {valid: true, method: "toolvet", warnings: 1},
		`{"content":[{"type":"text","text":"fine"}]}`:                                                              {valid: true, method: "toolvet", warnings: 1},
		`{"content":[]}`: {valid: true, method: "toolvet", warnings: 1},
		`[]`:             {valid: true, method: "toolvet", warnings: 1},
		``:               {valid: true, method: "toolvet", warnings: 1},
	} {
		r := good()
		r.AddNative(json.RawMessage(answer), nil)
		if r.Valid != want.valid || r.Method != want.method || len(r.Warnings) != want.warnings {
			t.Errorf("%s: valid %t, method %q, warnings %q; want %+v", answer, r.Valid, r.Method, r.Warnings, want)
		}
		if !slices.Equal(r.Errors, want.errors) {
			t.Errorf("%s: errors (-want +got):\n%s", answer, cmp.Diff(want.errors, r.Errors))
		}
		if unused := r.Method == "toolvet"; unused != (len(r.Skipped) == 1) {
			t.Errorf("%s: skipped %+v beside the method %s", answer, r.Skipped, r.Method)
		}
	}
}

// TestAddNativeMerges: both sides' reasons are told, and what both suggest is told once.
func TestAddNativeMerges(t *testing.T) {
	t.Parallel()
	r := protocol.NewResult("read", toolvet.Verdict{Findings: []check.Finding{{Check: "x", Stage: check.Schema,
		Level: check.SyntaxLevel, Pointer: "/a", Message: "wrong", Suggestion: "use 1"}}})
	r.AddNative([]byte(`{"structuredContent":{"valid":true,"errors":[],"warnings":["slow"],"suggestions":["/a: use 1","wait","wait"]}}`), nil)
	if r.Valid {
		t.Error("the server's own go has turned a no-go into a go")
	}
	got := map[string][]string{"errors": r.Errors, "warnings": r.Warnings, "suggestions": r.Suggestions}
	want := map[string][]string{"errors": {"/a: wrong"}, "warnings": {"slow"}, "suggestions": {"/a: use 1", "wait"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

// TestAddNativeIsBounded: the server decides what it says, not how much.
func TestAddNativeIsBounded(t *testing.T) {
	t.Parallel()
	list := make([]string, 500)
	for i := range list {
		list[i] = fmt.Sprintf("%d%s", i, strings.Repeat("x", 5000))
	}
	body, err := json.Marshal(map[string]any{"structuredContent": map[string]any{"valid": true, "errors": []string{}, "warnings": list, "suggestions": []string{}}})
	if err != nil {
		t.Fatal(err)
	}
	r := good()
	r.AddNative(body, nil)
	if n := len(r.Warnings); n != 101 || r.Warnings[100] != "and 400 more" {
		t.Errorf("%d warnings, the last %.40q", n, r.Warnings[n-1])
	}
	if n := len(r.Warnings[0]); n > 2100 {
		t.Errorf("a warning has %d bytes", n)
	}
}

func TestAddNativeError(t *testing.T) {
	t.Parallel()
	r := good()
	r.AddNative([]byte(`{"structuredContent":{"valid":true}}`), errors.New("the server did not answer in time"))
	if !r.Valid || r.Method != protocol.MethodToolvet || len(r.Warnings) != 1 || len(r.Skipped) != 1 {
		t.Errorf("got %+v", r)
	}
}

// FuzzAddNative: the server's own validation can refuse a call and can never permit one,
// whatever it answers.
func FuzzAddNative(f *testing.F) {
	for _, seed := range []string{
		`{"structuredContent":{"valid":true,"errors":[],"warnings":["w"],"suggestions":["s"]}}`,
		`{"structuredContent":{"valid":false,"errors":["e"]},"isError":false,"resultType":"complete"}`,
		`{"content":[{"type":"text","text":"{\"valid\":true,\"errors\":[]}"}]}`,
		`{"content":[{"type":"text","text":"{\"valid\":false}"}],"structuredContent":null}`,
		`{"structuredContent":{"valid":true,"VALID":false}}`, `{"structuredContent":{"valid":false,"valid":true}}`,
		`{"isError":true,"structuredContent":{"valid":true}}`, `{"content":[5],"structuredContent":[]}`, `null`, ``,
	} {
		f.Add([]byte(seed))
	}
	g := newGrammar(f)
	bad := toolvet.Verdict{Findings: []check.Finding{{Check: "x", Stage: check.Schema, Level: check.SyntaxLevel, Message: "no"}}}
	f.Fuzz(func(t *testing.T, answer []byte) {
		noGo := protocol.NewResult("read", bad)
		noGo.AddNative(answer, nil)
		if noGo.Valid || noGo.Errors[0] != "no" {
			t.Fatalf("a no-go became a go, or lost its reason: %+v", noGo)
		}
		r := good()
		r.AddNative(answer, nil)
		if r.Valid != (len(r.Errors) == 0) {
			t.Fatalf("valid %t beside the errors %q", r.Valid, r.Errors)
		}
		if len(r.Errors)+len(r.Warnings) != len(r.Findings) {
			t.Fatalf("%d errors and %d warnings in %d findings", len(r.Errors), len(r.Warnings), len(r.Findings))
		}
		says, readable := nativeSays(answer)
		if readable && says == false && r.Valid {
			t.Fatalf("the server says no, and the call is valid: %+v", r)
		}
		if readable && says != true && r.Valid && r.Method == protocol.MethodBoth {
			t.Fatalf("the server does not say yes, and is said to agree: %+v", r)
		}
		answered := decodeResult(t, r.Answer(true), true)
		g.conforms(t, resultSchema, answered.Structured)
	})
}

// nativeSays reads "valid" as a plain client does. It is not readable if a plain and a
// strict reader could differ.
func nativeSays(answer []byte) (valid any, readable bool) {
	var result map[string]any
	if !unambiguous(answer) || json.Unmarshal(answer, &result) != nil {
		return nil, false
	}
	body, ok := result["structuredContent"].(map[string]any)
	if !ok && result["structuredContent"] == nil {
		content, _ := result["content"].([]any)
		if len(content) == 0 {
			return nil, false
		}
		first, _ := content[0].(map[string]any)
		text, _ := first["text"].(string)
		ok = unambiguous([]byte(text)) && json.Unmarshal([]byte(text), &body) == nil
	}
	return body["valid"], ok
}

// unambiguous reports whether raw is JSON that all readers read alike.
func unambiguous(raw []byte) bool {
	_, err := strictjson.Parse(raw, strictjson.Limits{})
	return err == nil
}
