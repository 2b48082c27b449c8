// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/mcpgate"
)

// parityCases go through every door. A call of each kind that a check tells apart
// belongs here.
var parityCases = []struct{ tool, arguments string }{
	{"read", `{"path":"a"}`},
	{"read", `{}`},
	{"read", `{"pth":"a","encoding":"utf8"}`},
	{"read", `{"path":7,"limit":"x","encoding":null}`},
	{"read", `{"path":"a","limit":12345678901234567890}`},
	{"read", `{"path":"a","limit":12345678901234567891}`},
	{"read", `{"path":"a","extra":{"deep":[1,2,9007199254740993]}}`},
	{"greet", `{"name":"Ann","times":1.0}`},
	{"greet", `{"name":"Ann","times":1.5}`},
	{"greet", `{"Name":"Ann"}`},
	{"panic", `{"anything":"goes"}`},
	{"validate", `{"tool":"read","arguments":{}}`},
	{"validate", `{"tool":7,"other":[]}`},
}

// The gate asked directly, the middleware and the validate tool find the same in the same
// call. The direct verdict rests on the definitions that a client is told, so the
// middleware must have read the same ones inside the server.
func TestParity(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server, ran := guarded(t, nil)
		w := open(t, server, version)
		catalog := w.catalog()
		gate := newGate(t)
		for _, c := range parityCases {
			direct := &call.Call{Name: c.tool, Raw: json.RawMessage(c.arguments)}
			var err error
			if direct.Arguments, err = call.DecodeArguments(direct.Raw, call.Limits{}); err != nil {
				t.Fatal(err)
			}
			direct.Resolve(catalog)
			live := toWire(t, c.tool, gate.Judge(t.Context(), direct, toolvet.PointLibrary))
			dry := toWire(t, c.tool, gate.Judge(t.Context(), direct, toolvet.PointValidate))

			if diff := cmp.Diff(dry, w.validate(c.tool, c.arguments).tool(t).verdict(t)); diff != "" {
				t.Errorf("%s %s: Judge and validate differ (-judge +validate):\n%s", c.tool, c.arguments, diff)
			}
			if live.Valid != dry.Valid {
				t.Errorf("%s %s: the real run is valid %v, the dry run %v", c.tool, c.arguments, live.Valid, dry.Valid)
			}
			if got := ran.take(); got != nil {
				t.Errorf("validating ran %q", got)
			}
			checkLive(t, w.call(c.tool, c.arguments).tool(t), live, ran)
		}
	})
}

// A batch finds in each call what the validate tool finds in it alone.
func TestBatchParity(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server, ran := guarded(t, nil, mcpgate.WithValidation(validate.Config{TTL: -1})) // each is judged anew
		w := open(t, server, version)
		items := make([]string, len(parityCases))
		for i, c := range parityCases {
			items[i] = fmt.Sprintf(`{"tool":%q,"arguments":%s}`, c.tool, c.arguments)
		}
		r := w.call("validate_batch", `{"calls":[`+strings.Join(items, ",")+`]}`).tool(t)
		conforms(t, protocol.BatchResultSchema, r.Structured)
		equalJSON(t, []byte(r.Content[0].Text), r.Structured)
		var batch struct {
			Valid   bool
			Results []protocolResult
		}
		unmarshal(t, r.Structured, &batch)
		if len(batch.Results) != len(items) || batch.Valid {
			t.Fatalf("got %s", r.Structured)
		}
		for i, c := range parityCases {
			if diff := cmp.Diff(w.validate(c.tool, c.arguments).tool(t).verdict(t), batch.Results[i]); diff != "" {
				t.Errorf("%s %s (-alone +in a batch):\n%s", c.tool, c.arguments, diff)
			}
		}
		if got := ran.take(); got != nil {
			t.Errorf("validating ran %q", got)
		}
	})
}

// checkLive compares a call that was made with the verdict on it.
func checkLive(t *testing.T, r toolResult, want protocolResult, ran *runs) {
	t.Helper()
	refused := r.Meta[protocol.VerdictKey] != nil
	if refused == want.Valid {
		t.Errorf("got %+v, want a refusal %v", r, !want.Valid)
	}
	if got := ran.take(); refused && got != nil {
		t.Errorf("a refused call ran: %q", got)
	}
	if refused {
		if diff := cmp.Diff(want, r.verdict(t)); diff != "" {
			t.Errorf("Judge and the middleware differ (-judge +middleware):\n%s", diff)
		}
	}
}

// catalog is what the server tells its clients of its tools.
func (w *wire) catalog() *call.Catalog {
	w.t.Helper()
	tools, next, faults, err := call.DecodeTools(w.ask("tools/list", "{}").Result, call.Limits{})
	if err != nil || next != "" || faults != nil {
		w.t.Fatalf("got next %q, faults %v, error %v", next, faults, err)
	}
	return call.NewCatalog(tools)
}

// toWire is a verdict as a client reads it.
func toWire(t *testing.T, tool string, v toolvet.Verdict) protocolResult {
	t.Helper()
	raw, err := json.Marshal(protocol.NewResult(tool, v))
	if err != nil {
		t.Fatal(err)
	}
	var r protocolResult
	unmarshal(t, raw, &r)
	return r
}
