// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package result_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call/result"
)

func readAs(t testing.TB, method, raw string) *result.Result {
	t.Helper()
	r, err := result.Read(method, json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return r
}

// TestMarks marks definitions in their descriptions, and says which have no place for it.
func TestMarks(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 5000)
	for _, test := range []struct{ method, raw, whole, want string }{
		{"tools/list", `{"tools":[{"name":"a"},{"name":"b","description":"c"}]}`, "/tools/1", `{"tools":[{"name":"a"},{"name":"b","description":"[x] c"}]}`},
		{"tools/list", `{"tools":[ { "name":"a","inputSchema":{"description":"c"}}]}`, "/tools/0", `{"tools":[ { "description":"[x]","name":"a","inputSchema":{"description":"c"}}]}`},
		{"tools/list", `{"tools":[{"` + long + `":{"a":"b"}}]}`, "/tools/0", `{"tools":[{"description":"[x]","` + long + `":{"a":"b"}}]}`},
		{"tools/list", `{"tools":[{"name":"a"}],"tools":[{"name":"b"}]}`, "/tools/0", `{"tools":[{"description":"[x]","name":"a"}],"tools":[{"description":"[x]","name":"b"}]}`},
		{"tools/list", `{"tools":[{"description":"b","description":"c"}]}`, "/tools/0", ""},
		{"tools/list", `{"tools":[{"description":"b","description":null}]}`, "/tools/0", ""},
		{"tools/list", `{"tools":[{"description":"b","Description":"c"}]}`, "/tools/0", ""},
		{"tools/list", `{"tools":[{"Description":"c"}]}`, "/tools/0", ""},
		{"tools/list", `{"tools":[{"description":null}]}`, "/tools/0", ""},
		{"tools/list", `{"tools":[{"description":5}]}`, "/tools/0", ""},
		{"tools/list", `{"tools":["c"]}`, "/tools/0", ""},
		{"tools/list", `{"tools":[["c"]]}`, "/tools/0", ""},
		{"tools/list", `{"tools":[{}]}`, "/tools/0", ""},
		{"prompts/list", `{"prompts":[{"name":"a","arguments":[{"name":"b","description":"c"}]}]}`, "/prompts/0", `{"prompts":[{"description":"[x]","name":"a","arguments":[{"name":"b","description":"c"}]}]}`},
		{"initialize", `{"serverInfo":{"name":"s"},"instructions":"i"}`, "/instructions", `{"serverInfo":{"name":"s"},"instructions":"[x] i"}`},
		{"initialize", `{"serverInfo":{"title":"t","description":"d"}}`, "/serverInfo/title", `{"serverInfo":{"title":"[x] t","description":"d"}}`},
		{"initialize", `{"serverInfo":{"name":"s"}}`, "/instructions", `{"instructions":"[x]","serverInfo":{"name":"s"}}`},
		{"initialize", `{"":["a"],"instructions":"i","":["a"]}`, "/instructions", `{"":["a"],"instructions":"[x] i","":["a"]}`},
		{"initialize", `{"instructions":"i","Instructions":"j"}`, "/instructions", ""},
		{"initialize", `{"instructions":"i","instructions":null}`, "/instructions", ""},
		{"initialize", `{"instructions":["i"]}`, "/instructions", ""},
		{"initialize", `["i"]`, "/instructions", ""},
	} {
		r := readAs(t, test.method, test.raw)
		edits, without := r.Definitions().Marks(map[string]string{test.whole: "[x]"})
		got := ""
		if len(without) == 0 {
			got = apply(t, r, edits)
		}
		if got != test.want {
			t.Errorf("%.200s: got %.200s, want %.200s", test.raw, got, test.want)
		}
	}
}

// TestDefinitionOf finds the definition of each text that holds an x: "-" is none, "" what may be taken for one.
func TestDefinitionOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 5000)
	for _, test := range []struct{ method, raw, want string }{
		{"tools/list", `{"tools":[{"a":"x"},{"` + long + `":["x"]}],"_meta":{"tools":"x"},"nextCursor":"x"}`, "/tools/0 /tools/1 - -"},
		{"tools/list", `{"Tools":[{"a":"x"}],"tools":{"0":{"a":"x"}},"TOOLS":"x","prompts":["x"]}`, "   -"},
		{"tools/list", `{"tools":["x",["x"],[["x"]],null],"tools":"x"}`, "/tools/0 /tools/1 /tools/2 "},
		{"resources/list", `{"resources":[{"x":"x"}]}`, "/resources/0"},
		{"initialize", `{"instructions":"x","serverInfo":{"name":"x","title":"x","Description":"x"},"capabilities":{"x":"x"}}`, "/instructions /instructions /serverInfo/title  /instructions"},
		{"initialize", `{"instructions":["x"],"Instructions":"x","instructions2":"x","ServerInfo":{"title":"x"}}`, "  /instructions "},
		{"tools/call", `{"tools":[{"a":"x"}]}`, "-"},
	} {
		r := readAs(t, test.method, test.raw)
		d := r.Definitions()
		var got []string
		for _, token := range r.Tokens() {
			if token.Kind != result.String || result.Unquote(r.Raw[token.Start:token.End]) != "x" {
				continue
			}
			whole, ok := d.Of(token)
			if !ok {
				whole = "-"
			}
			got = append(got, whole)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%.200s: got %q, want %q", test.raw, strings.Join(got, " "), test.want)
		}
	}
}

// TestWithout leaves definitions out, and nothing else.
func TestWithout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, raw, want string
		places            []string
	}{
		{"tools/list", `{"tools": [ {"name":"a"} , {"name":"b"}, {"name":"c"} ],"nextCursor":"1"}`, `{"tools": [ {"name":"b"} ],"nextCursor":"1"}`, []string{"/tools/0/name", "/tools/2", "/tools/2/x"}},
		{"resources/templates/list", `{"resourceTemplates":[{"name":"a"}]}`, `{"resourceTemplates":[]}`, []string{"/resourceTemplates/0/name"}},
		{"tools/list", `{"tools":[{"name":"a"}],"_meta":{"x":"y"}}`, "", []string{"/tools/0/name", "/_meta/x"}},
		{"tools/list", `{"tools":{"x":{"name":"a"}}}`, "", []string{"/tools/x/name"}},
		{"tools/list", `{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"1","tools":[],"tools":[ {"name":"c"} ]}`, `{"tools":[{"name":"b"}],"nextCursor":"1","tools":[],"tools":[  ]}`, []string{"/tools/0"}},
		{"tools/list", `{"tools":[{"name":"a"}]}`, "", []string{""}},
		{"tools/list", `{"tools":[{"name":"a"}]}`, "", nil},
		{"tools/call", `{"tools":[{"name":"a"}]}`, "", []string{"/tools/0/name"}},
		{"initialize", `{"serverInfo":{"name":"s","title":"t"},"instructions":"i"}`, `{"serverInfo":{"name":"s","title":""},"instructions":""}`, []string{"/serverInfo/title", "/instructions"}},
		{"server/discover", `{"serverInfo":{"name":"s"},"instructions":"i"}`, "", []string{"/serverInfo/name", "/instructions"}},
	} {
		raw, ok := readAs(t, test.method, test.raw).Without(test.places)
		if got := string(raw); got != test.want || ok != (test.want != "") {
			t.Errorf("%s without %v: got %s, want %s", test.raw, test.places, got, test.want)
		}
	}
}

// FuzzWithout holds that a list without some of its entries is JSON and has the others as they were.
func FuzzWithout(f *testing.F) {
	f.Add(`{"tools":[{"name":"a"},{"name":"b","x":[1,[2]]}, null , "c"],"n":1}`, 1)
	f.Add(`{"tools":[[]],"tools":[{}]}`, 0)
	f.Fuzz(func(t *testing.T, raw string, left int) {
		if !json.Valid([]byte(raw)) || strings.Count(raw, "tools") != 1 || left < 0 {
			return
		}
		entries := func(raw []byte) []json.RawMessage {
			var list struct{ Tools []json.RawMessage }
			if json.Unmarshal(raw, &list) != nil {
				return nil
			}
			return list.Tools
		}
		before := entries([]byte(raw))
		r, err := result.Read("tools/list", json.RawMessage(raw))
		if err != nil || left >= len(before) {
			return
		}
		rest, ok := r.Without([]string{"/tools/" + string(rune('0'+left%10))})
		if !ok || left > 9 {
			return
		}
		if diff := cmp.Diff(slices.Delete(slices.Clone(before), left, left+1), entries(rest)); diff != "" {
			t.Fatalf("%s without %d: %s", raw, left, diff)
		}
	})
}
