// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
)

// TestCapabilityOptions: every option of the protocol is announced, and what is not
// built is false.
func TestCapabilityOptions(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(protocol.NewCapability("check", []check.Level{check.SyntaxLevel, check.RuntimeLevel}))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"supported": true, "method": "check", "version": "1.0", "async": false, "streaming": false,
		"contextAware": false, "cacheable": false, "levels": map[string]any{"syntax": true, "semantic": false, "runtime": true, "security": false, "rehearsal": false},
		"batchValidation": false, "maxBatchSize": 0.0, "caching": map[string]any{"enabled": false}, "tokens": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("capability (-want +got):\n%s", diff)
	}
}

func TestCachingOption(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]protocol.Caching{
		`{"enabled":false}`: {InvalidateOn: []string{"tool_update"}},
		`{"enabled":true,"ttl":90,"invalidateOn":["tool_update","resource_change"]}`: {TTL: 90 * time.Second, InvalidateOn: []string{protocol.ToolUpdate, protocol.ResourceChange}},
		`{"enabled":true,"ttl":1}`: {TTL: time.Second},
	} {
		if got, err := json.Marshal(c); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		var read protocol.Caching
		if err := json.Unmarshal([]byte(want), &read); err != nil || read.TTL != c.TTL {
			t.Errorf("%s is read as %+v, %v", want, read, err)
		}
	}
	for _, wrong := range []string{`true`, `{"enabled":true}`, `{"enabled":true,"ttl":-1}`, `{"enabled":true,"ttl":"60"}`, `{"enabled":true,"ttl":9223372036854775807}`, `[]`} {
		if err := json.Unmarshal([]byte(wrong), new(protocol.Caching)); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}

func TestAnnouncedBatch(t *testing.T) {
	t.Parallel()
	for capabilities, want := range map[string]bool{
		`{"experimental":{"toolValidation":{"supported":true,"batchValidation":true}}}`:                                                                       true,
		`{"experimental":{"toolValidation":{"supported":true}}}`:                                                                                              false,
		`{"experimental":{"toolValidation":{"supported":true,"batchValidation":"true"}}}`:                                                                     false,
		`{"experimental":{"toolValidation":{"supported":false,"batchValidation":true}}}`:                                                                      false,
		`{"experimental":{"toolValidation":{"supported":true}},"extensions":{"io.github.toolvet/tool-validation":{"supported":true,"batchValidation":true}}}`: false,
		`{"experimental":{"toolValidation":true},"extensions":{"io.github.toolvet/tool-validation":{"supported":true,"batchValidation":true}}}`:               true,
		`{}`: false,
		``:   false,
	} {
		if got := protocol.AnnouncedBatch(json.RawMessage(capabilities)); got != want {
			t.Errorf("AnnouncedBatch(%s) = %t", capabilities, got)
		}
	}
}

func TestAnnounced(t *testing.T) {
	t.Parallel()
	at := func(experimental, extension string) string {
		return fmt.Sprintf(`{"tools":{},"experimental":{"x":1,"toolValidation":%s},"extensions":{"io.github.toolvet/tool-validation":%s}}`,
			experimental, extension)
	}
	const a, b = `{"supported":true,"method":"a","version":"1.0"}`, `{"supported":true,"method":"b","version":"1.7","new":{}}`
	for capabilities, want := range map[string]string{
		at(a, b):      "a",
		at(`{}`, b):   "b",
		at(`true`, b): "b",
		at(a, `null`): "a",
		at(`{"supported":false,"method":"a","version":"1.0"}`, b): "b",
		at(`{"supported":true,"method":"a","version":"2.0"}`, b):  "b",
		at(`{"supported":true}`, `null`):                          "validate",
		at(`{"supported":true,"method":"\u0061"}`, `null`):        "a",
		at(`true`, `true`): "",
		at(`{"supported":"yes","method":"a"}`, `null`):     "",
		at(`{"supported":true,"method":7}`, `null`):        "",
		at(`{"supported":true,"method":""}`, `null`):       "",
		at(`{"supported":true,"version":1}`, `null`):       "",
		at(`{"supported":true,"version":"10.0"}`, `null`):  "",
		at(`{"supported":true,"version":"1"}`, `null`):     "",
		at(`{"supported":true,"version":"1."}`, `null`):    "",
		at(`{"supported":true,"version":"1.0.0"}`, `null`): "",
		at(`{"supported":true,"version":"1.0-a"}`, `null`): "",
		at(`{"supported":true,"version":"v1.0"}`, `null`):  "",
		at(`{"supported":true,"version":"1.12"}`, `null`):  "validate",
		at(`{"Supported":true,"method":"a"}`, `null`):      "",
		at(`{"supported":true,"supported":false}`, `null`): "",
		`{"toolValidation":` + a + `}`:                     "",
		`{"experimental":[]}`:                              "",
		`{}`:                                               "",
		``:                                                 "",
	} {
		if got := protocol.Announced(json.RawMessage(capabilities)); got != want {
			t.Errorf("Announced(%s) = %q, want %q", capabilities, got, want)
		}
	}
}

// FuzzAnnounced: a name is only found where a plain reader finds a support that is true.
func FuzzAnnounced(f *testing.F) {
	f.Add([]byte(`{"experimental":{"toolValidation":{"supported":true,"method":"a","version":"1.0"}}}`))
	f.Add([]byte(`{"extensions":{"io.github.toolvet/tool-validation":{"supported":true}}}`))
	f.Add([]byte(`{"experimental":{"toolValidation":{"supported":true,"supported":false}}}`))
	f.Fuzz(func(t *testing.T, capabilities []byte) {
		method := protocol.Announced(capabilities)
		if method == "" {
			return
		}
		var plain map[string]map[string]json.RawMessage
		if err := json.Unmarshal(capabilities, &plain); plain == nil {
			t.Fatalf("%q is announced by what is no object: %v", method, err)
		}
		var found bool
		for place, key := range map[string]string{"experimental": protocol.Experimental, "extensions": protocol.Extension} {
			var capability map[string]any
			_ = json.Unmarshal(plain[place][key], &capability) // what it cannot hold stays out
			name, named := capability["method"].(string)
			found = found || capability["supported"] == true && (name == method || !named && method == protocol.ToolName)
		}
		if !found {
			t.Fatalf("%q is announced by %s", method, capabilities)
		}
	})
}
