// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/knowntool"
	"github.com/toolvet/toolvet/internal/pin"
)

func decode(t testing.TB, text string) *call.Tool {
	t.Helper()
	tool, err := call.DecodeTool([]byte(text), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func accept(t testing.TB, server string, tools ...*call.Tool) *pin.Lock {
	t.Helper()
	var empty pin.Lock
	return empty.Accept(server, empty.Compare(server, call.NewCatalog(tools)))
}

// judge asks a Gate with the check, as every door does.
func judge(t *testing.T, lock *pin.Lock, o pin.Options, server string, tool *call.Tool) toolvet.Verdict {
	t.Helper()
	gate, err := toolvet.New(toolvet.WithChecks(knowntool.Check, pin.NewCheck(lock, o)))
	if err != nil {
		t.Fatal(err)
	}
	c := &call.Call{Server: server, Name: "t", Tool: tool, Arguments: map[string]any{}, Raw: json.RawMessage("{}")}
	v := gate.Judge(t.Context(), c, toolvet.PointProxy)
	if dry := gate.Judge(t.Context(), c, toolvet.PointValidate); dry.Go != v.Go {
		t.Errorf("a dry run says %v, the live one %v", dry.Go, v.Go)
	}
	return v
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const secret = "IGNORE ALL"
	same := decode(t, `{"name": "t", "description": "Fine."}`)
	changed := decode(t, `{"description": "`+secret+`", "name": "t", "`+secret+`": 1, "inputSchema": {"`+secret+`": 1}}`)
	unusable := decode(t, `{"name": "t", "x": {"`+secret+`": 1, "`+secret+`": 1}}`)
	lock := accept(t, "default", same)
	named := accept(t, "files", same)
	warn := pin.Options{Changed: check.Warning, Unknown: check.Warning}
	const (
		differs  = "the tool's definition is not the accepted one; it differs in: description, inputSchema, a member that MCP does not define"
		unlocked = "the tool is not in the lock: nobody has accepted its definition"
		twice    = "the tool's definition cannot be compared with the lock, because it means nothing for certain"
	)
	for name, tt := range map[string]struct {
		lock    *pin.Lock
		options pin.Options
		server  string
		tool    *call.Tool
		want    string
		fine    bool
	}{
		"as locked":               {lock, pin.Options{}, "", same, "", true},
		"of a named server":       {named, pin.Options{}, "files", same, "", true},
		"of the options' server":  {named, pin.Options{Server: "files"}, "", same, "", true},
		"the call's server first": {named, pin.Options{Server: "files"}, "web", same, "error: " + unlocked, false},
		"of another server":       {named, pin.Options{}, "", same, "error: " + unlocked, false},
		"changed":                 {lock, pin.Options{}, "", changed, "error: " + differs, false},
		"changed, warned":         {lock, warn, "", changed, "warning: " + differs, true},
		"changed alone, warned":   {lock, pin.Options{Unknown: check.Warning}, "", changed, "error: " + differs, false},
		"unknown, warned":         {new(pin.Lock), warn, "", same, "warning: " + unlocked, true},
		"unknown alone, warned":   {new(pin.Lock), pin.Options{Changed: check.Warning}, "", same, "error: " + unlocked, false},
		"unusable":                {lock, pin.Options{}, "", unusable, "error: " + twice, false},
		"no lock": {nil, warn, "", same,
			`error: the check "pinned-tool" broke, and its reason is in toolvet's log, so nothing is known of what it looks for`, false},
		"no tool": {lock, warn, "", nil, "error: the server lists no tool of this name", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := judge(t, tt.lock, tt.options, tt.server, tt.tool)
			var got []string
			for _, f := range v.Findings {
				got = append(got, fmt.Sprintf("%v: %v", f.Severity, f))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" || v.Go != tt.fine {
				t.Errorf("go %v (-want +got):\n%s", v.Go, diff)
			}
			if text := fmt.Sprintf("%+v", v); strings.Contains(text, secret) {
				t.Errorf("the verdict has the server's words: %s", text)
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	tool := decode(b, `{"name": "t", "description": "`+strings.Repeat("Fine. ", 1000)+`"}`)
	c := pin.NewCheck(accept(b, "default", tool), pin.Options{})
	for name, judged := range map[string]*call.Tool{"same listing": tool, "another listing": decode(b, string(tool.Raw))} {
		b.Run(name, func(b *testing.B) {
			run := new(check.Run).Init(c, &call.Call{Name: "t", Tool: judged}, nil)
			for b.Loop() {
				if err := run.Do(context.Background()); err != nil || len(run.Findings) > 0 {
					b.Fatal(err, run.Findings)
				}
			}
		})
	}
	b.Run("first", func(b *testing.B) {
		lock := accept(b, "default", tool)
		changed := []*call.Tool{decode(b, strings.Replace(string(tool.Raw), "Fine", "Bad", 1)), tool}
		for i := 0; b.Loop(); i++ {
			lock.Verify("default", changed[i%2])
		}
	})
}
