// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/protocol"
)

func TestDecodeRequest(t *testing.T) {
	t.Parallel()
	read := &call.Tool{Name: "read"}
	catalog := call.NewCatalog([]*call.Tool{read})
	c, err := protocol.DecodeRequest(json.RawMessage(`{"tool":"read","arguments":{"n":12345678901234567890}}`), catalog, call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "read" || c.Tool != read || c.Known != catalog || string(c.Raw) != `{"n":12345678901234567890}` {
		t.Errorf("got %+v", c)
	}
	if diff := cmp.Diff(map[string]any{"n": json.Number("12345678901234567890")}, c.Arguments); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	for request, want := range map[string]string{
		`{}`:                                                "one is missing",
		`{"tool":"read"}`:                                   "one is missing",
		`{"arguments":{}}`:                                  "one is missing",
		`{"tool":"","arguments":{}}`:                        "one is missing",
		`{"tool":7,"arguments":{}}`:                         `"tool" must be a string`,
		`{"tool":"read","arguments":[]}`:                    "must be an object",
		`{"tool":"read","arguments":{"a":1,"a":2}}`:         "given twice",
		`{"tool":"read","tool":"write","arguments":{}}`:     "given twice",
		`{"tool":"read","Tool":"write","arguments":{}}`:     "nothing else",
		`{"tool":"read","arguments":{},"schedule":"daily"}`: "nothing else",
		`[]`: "not a JSON object",
	} {
		_, err := protocol.DecodeRequest(json.RawMessage(request), catalog, call.Limits{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("DecodeRequest(%s): %v, want %q", request, err, want)
		}
	}
}

// FuzzDecodeRequest: the call that is judged is the one that a plain reader sees.
func FuzzDecodeRequest(f *testing.F) {
	for _, seed := range []string{
		`{"tool":"read","arguments":{"path":"a","n":[1,2.50,{"x":null}]}}`, `{"arguments":{},"tool":"\u0061"}`,
		`{"tool":"a","TOOL":"b","arguments":{}}`, `{"tool":"a","arguments":{"b":1,"b":2}}`, `{"tool":"a\ud800","arguments":{}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := protocol.DecodeRequest(raw, nil, call.Limits{})
		if err != nil {
			return
		}
		// encoding/json matches in any case and lets the last win, as careless readers do.
		var plain struct {
			Tool      string
			Arguments json.RawMessage
		}
		if err := json.Unmarshal(raw, &plain); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if c.Name != plain.Tool || string(c.Raw) != string(plain.Arguments) {
			t.Fatalf("judged %q %s, a plain reader sees %q %s", c.Name, c.Raw, plain.Tool, plain.Arguments)
		}
	})
}
