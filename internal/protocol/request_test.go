// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
)

func TestDecodeRequest(t *testing.T) {
	t.Parallel()
	read := &call.Tool{Name: "read"}
	catalog := call.NewCatalog([]*call.Tool{read})
	r, err := protocol.DecodeRequest(json.RawMessage(`{"tool":"read","arguments":{"n":12345678901234567890},"levels":["syntax","runtime"]}`), catalog, call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Call
	if diff := cmp.Diff([]check.Level{check.SyntaxLevel, check.RuntimeLevel}, r.Levels); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	if got, want := string(r.Native(nil)), `{"tool":"read","arguments":{"n":12345678901234567890}}`; got != want {
		t.Errorf("another validator is asked %s, want %s", got, want)
	}
	if c.Name != "read" || c.Tool != read || c.Known != catalog || string(c.Raw) != `{"n":12345678901234567890}` {
		t.Errorf("got %+v", c)
	}
	if diff := cmp.Diff(map[string]any{"n": json.Number("12345678901234567890")}, c.Arguments); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	for request, want := range map[string]string{
		`{}`:                               "tool is missing",
		`{"arguments":{}}`:                 "tool is missing",
		`{"tool":"","arguments":{}}`:       `"tool" must be a string that is not empty`,
		`{"tool":"\ud800","arguments":{}}`: `"tool" is refused`,
		`{"tool":7,"arguments":{}}`:        `"tool" must be a string`,
		`{"tool":"read","tool":"write","arguments":{}}`:     "given twice",
		`{"tool":"read","Tool":"write","arguments":{}}`:     "nothing else",
		`{"tool":"read","arguments":{},"schedule":"daily"}`: "nothing else",
		`{"tool":"read","arguments":{},"levels":[]}`:        `"levels" must be an array`,
		`{"tool":"read","arguments":{},"levels":"syntax"}`:  `"levels" must be an array`,
		`{"tool":"read","arguments":{},"levels":["deep"]}`:  `"levels" must be an array`,
		`{"tool":"read","arguments":{},"levels":[null]}`:    `"levels" must be an array`,
		`{"tool":"read","arguments":{},"levels":null}`:      `"levels" must be an array`,
		`[]`: "not a JSON object",
	} {
		_, err := protocol.DecodeRequest(json.RawMessage(request), catalog, call.Limits{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("DecodeRequest(%s): %v, want %q", request, err, want)
		}
	}
}

// What is wrong with the arguments of the described call is the verdict's to tell.
func TestDecodeRequestOfUnreadableArguments(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		"":                                "<nil>",
		`,"arguments":[]`:                 `"arguments" must be an object`,
		`,"arguments":null`:               `"arguments" must be an object`,
		`,"arguments":{"a":1,"a":2}`:      `"arguments" is refused: "/a" is given twice (at byte 11)`,
		",\"arguments\":{\"a\":\"\xff\"}": `"arguments" is refused: "/a" has bytes that are not valid UTF-8 (at byte 6)`,
		`,"arguments":{"a":1/*b*/}`:       `"arguments" is refused: the JSON text has '/' where ',' or '}' is expected (at byte 6)`,
	} {
		r, err := protocol.DecodeRequest(json.RawMessage(`{"tool":"read"`+arguments+`}`), nil, call.Limits{})
		if err != nil || fmt.Sprint(r.Call.Unread) != want || r.Call.Arguments == nil || len(r.Call.Arguments) > 0 {
			t.Errorf("%q: got %+v, %v, want the fault %s", arguments, r, err, want)
		}
	}
}

// FuzzDecodeRequest: the call that is judged is the one that a plain reader sees.
func FuzzDecodeRequest(f *testing.F) {
	for _, seed := range []string{
		`{"tool":"read","arguments":{"path":"a","n":[1,2.50,{"x":null}]}}`, `{"arguments":{},"tool":"\u0061"}`,
		`{"tool":"a","TOOL":"b","arguments":{}}`, `{"tool":"a","arguments":{"b":1,"b":2}}`, `{"tool":"a\ud800","arguments":{}}`, `[]`,
		`{"tool":"a","arguments":{},"levels":["syntax","security"]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := protocol.DecodeRequest(raw, nil, call.Limits{})
		if err != nil || r.Call.Unread != nil {
			return
		}
		c := r.Call
		// encoding/json matches in any case and lets the last win, as careless readers do.
		var plain struct {
			Tool      string
			Arguments json.RawMessage
			Levels    []string
		}
		if err := json.Unmarshal(raw, &plain); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if plain.Arguments == nil {
			plain.Arguments = json.RawMessage("{}")
		}
		if c.Name != plain.Tool || string(c.Raw) != string(plain.Arguments) {
			t.Fatalf("judged %q %s, a plain reader sees %q %s", c.Name, c.Raw, plain.Tool, plain.Arguments)
		}
		if fmt.Sprint(r.Levels) != fmt.Sprint(plain.Levels) {
			t.Fatalf("looked at %v, a plain reader sees %v", r.Levels, plain.Levels)
		}
	})
}

func TestDecodeBatch(t *testing.T) {
	t.Parallel()
	got, err := protocol.DecodeBatch(json.RawMessage(`{"calls": [ {"tool":"a","arguments":{"n":1.0}} , 7, null]}`), call.Limits{})
	if err != nil || len(got) != 3 || string(got[0]) != `{"tool":"a","arguments":{"n":1.0}}` || string(got[1]) != "7" || string(got[2]) != "null" {
		t.Errorf("got %s, %v", got, err)
	}
	for request, want := range map[string]string{
		`{}`:                       "takes calls",
		`{"calls":[{}],"more":1}`:  "takes calls",
		`{"Calls":[{}]}`:           "takes calls",
		`{"calls":[]}`:             "not be empty",
		`{"calls":{}}`:             "must be an array",
		`{"calls":null}`:           "must be an array",
		`{"calls":[],"calls":[1]}`: "given twice",
		`[]`:                       "not a JSON object",
	} {
		if _, err := protocol.DecodeBatch(json.RawMessage(request), call.Limits{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("DecodeBatch(%s): %v, want %q", request, err, want)
		}
	}
}

// FuzzDecodeBatch holds that a batch is read as a plain reader reads it, that an item is read as the
// validate tool reads it alone, and that a batch which a plain reader refuses has an item that is refused.
func FuzzDecodeBatch(f *testing.F) {
	for _, seed := range []string{
		`{"calls":[{"tool":"read","arguments":{"n":[1,2.50,{"x":null}]}},{"tool":"\u0061","arguments":{},"levels":["syntax"]}]}`,
		`{"calls":[7,null,[],{"Tool":"a"}]}`, `{"calls":[]}`, `{"CALLS":[{}]}`, `{"calls":[{}],"calls":[1]}`, `{"calls":{"0":{}}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		items, err := protocol.DecodeBatch(raw, call.Limits{})
		if err != nil {
			return
		}
		if !json.Valid(raw) {
			if !slices.ContainsFunc(items, unreadable) {
				t.Fatalf("no item of %q is refused, a plain reader refuses the batch", items)
			}
			return
		}
		var plain struct{ Calls []json.RawMessage }
		if err := json.Unmarshal(raw, &plain); err != nil {
			t.Fatal(err)
		}
		if len(items) != len(plain.Calls) || len(items) == 0 {
			t.Fatalf("read %d calls, a plain reader sees %d", len(items), len(plain.Calls))
		}
		for i, item := range items {
			if string(item) != string(plain.Calls[i]) {
				t.Fatalf("read %s, a plain reader sees %s", item, plain.Calls[i])
			}
			r, err := protocol.DecodeRequest(item, nil, call.Limits{})
			if err != nil {
				continue
			}
			var one struct{ Tool string }
			if err := json.Unmarshal(item, &one); err != nil || one.Tool != r.Call.Name {
				t.Fatalf("judged %q, a plain reader sees %q: %v", r.Call.Name, one.Tool, err)
			}
		}
	})
}

func unreadable(item json.RawMessage) bool {
	r, err := protocol.DecodeRequest(item, nil, call.Limits{})
	return err != nil || r.Call.Unread != nil
}
