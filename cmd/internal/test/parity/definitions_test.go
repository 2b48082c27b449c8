// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parity_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/record"
	"github.com/toolvet/toolvet/internal/servers"
)

// TestPoisonedDefinitions holds that at every door each definition with orders to the model is marked or left out by itself,
// and recorded, and that the others stay.
func TestPoisonedDefinitions(t *testing.T) {
	t.Parallel()
	const mark = "[Note by toolvet: this definition"
	for _, test := range []struct {
		policy       string
		holds, lacks []string
		marks        int
		left         string // a tool that is left out
	}{
		{"", []string{orders, "poisoned_enum"}, []string{"null_text", "other_text"}, 2, "null_text"},
		{"output: {injection: {action: withhold}}\n", nil, []string{orders, "poisoned", "null_text", "other_text"}, 0, "poisoned"},
	} {
		for _, d := range doors {
			if d.jobs {
				continue // clients of jobs do not see the tools
			}
			t.Run(d.name+" "+test.policy, func(t *testing.T) {
				t.Parallel()
				server := &fake{poisoned: true}
				greeting, answer, called, log := definitionsAt(t, d, server, test.policy, test.left)
				if marked := strings.Contains(greeting, mark) && strings.Contains(greeting, orders); d.name != "upstream" && marked != (test.marks > 0) {
					t.Errorf("the instructions are marked: %v: %.900s", marked, greeting)
				}
				if test.marks == 0 && strings.Contains(greeting, orders) {
					t.Errorf("the instructions are shown: %.900s", greeting)
				}
				for _, want := range append([]string{`"Orders"`, `call_tool"`}, test.holds...) {
					if !strings.Contains(answer, want) {
						t.Errorf("the list lacks %s: %.400s", want, answer)
					}
				}
				for _, not := range test.lacks {
					if strings.Contains(answer, not) {
						t.Errorf("the list has %s: %.400s", not, answer)
					}
				}
				if d.name != "mcpgate" && (len(server.took()) > 0 || !strings.Contains(called, "the server lists no tool of this name")) {
					t.Errorf("a call of a tool that is left out: %s, ran %v", called, server.took())
				}
				if got := strings.Count(answer, mark); got != test.marks {
					t.Errorf("%d definitions are marked, want %d: %.900s", got, test.marks, answer)
				}
				if !slices.ContainsFunc(log, func(r map[string]any) bool {
					return r["kind"] == "result" && r["method"] == "tools/list" && strings.Contains(fmt.Sprint(r["findings"]), "injection")
				}) {
					t.Errorf("no record tells of it: %v", log)
				}
			})
		}
	}
}

// definitionsAt returns a poisoned server's handshake and list of tools at a door, the answer to a call of a tool, and what is
// recorded.
func definitionsAt(t *testing.T, d door, server *fake, added, tool string) (greeting, answer, called string, log []map[string]any) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "log.jsonl")
	recorder, err := record.Open(policy.Log{File: file}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := play{policy: added}
	gate := p.gate(t, toolvet.WithServer("s"), toolvet.WithCaller(ann), toolvet.WithObserver(recorder))
	at := d.open(t, setting{gate: gate, observer: recorder, server: server})
	if l, ok := at.(*library); ok {
		pages, _, err := servers.Of(l.set).List(t.Context(), "s", "tools/list")
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range pages {
			answer += string(raw)
		}
	} else {
		if _, ok := at.(*poster); ok { // it keeps no answers
			at.send(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		}
		greeting = at.receive(t, 0)
		at.send(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
		answer = at.receive(t, 1)
	}
	if d.name != "mcpgate" { // which knows the tools from its own program
		at.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, d.prefix+tool))
		called = at.receive(t, 2)
	}
	at.close(t)
	recorder.Close(context.WithoutCancel(t.Context()))
	return greeting, answer, called, records(t, file)
}
