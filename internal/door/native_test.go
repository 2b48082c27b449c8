// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/validate"
)

const (
	checkTool = `{"name":"check","inputSchema":{"type":"object","properties":{"tool":{"type":"string"},"arguments":{"type":"object"}},"required":["tool","arguments"],"additionalProperties":false},"annotations":{"readOnlyHint":true}}`
	sendTool  = `{"name":"send","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"tool":{"type":"string"},"arguments":{"type":"object"}}}}`
	agreed    = `{"content":[],"structuredContent":{"valid":true,"errors":[],"warnings":[],"suggestions":[]}}`
)

func catalog(t *testing.T, definitions ...string) *call.Catalog {
	t.Helper()
	var tools []*call.Tool
	for _, d := range definitions {
		tool, err := call.DecodeTool([]byte(d), call.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool)
	}
	return call.NewCatalog(tools)
}

func policyGate(t *testing.T, yaml string) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse(filepath.Join(t.TempDir(), "toolvet.yaml"), []byte("version: 1\n"+yaml), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := (&access.Enforcer{Server: "s"}).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := toolvet.New(append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// TestNative holds that a server's own validation hears of a call only after toolvet's own go,
// and that the call of its tool is judged, limited and recorded like any other.
func TestNative(t *testing.T) {
	t.Parallel()
	const allowSend = "rules: [{name: only send, effect: allow, tools: 's:send'}]\n"
	for name, tt := range map[string]struct {
		policy, method, tool, arguments string
		answer                          string // default: agreed
		asked                           bool
		in                              string // the answer to the client
		records                         string
	}{
		"both agree": {method: "check", tool: "send", arguments: `{"text":"x"}`, asked: true, in: `"method":"toolvet+native"`,
			records: "judged send true, judged check true, returned check, failed false"},
		"a rule denies the tool": {policy: "rules: [{name: nothing leaves, effect: deny, tools: 's:send'}]\n", method: "check", tool: "send", arguments: `{"text":"x"}`,
			in: `"method":"toolvet"`, records: "judged send false"},
		"the schema refuses the call": {method: "check", tool: "send", arguments: `{"text":7}`, in: `"valid":false`, records: "judged send false"},
		"the tool is unknown":         {method: "check", tool: "nothing", arguments: `{"text":"x"}`, in: `"valid":false`, records: "judged nothing false"},
		"a rule denies the validate tool": {policy: allowSend, method: "check", tool: "send", arguments: `{"text":"x"}`,
			in: "toolvet refuses the call of it", records: "judged send true, judged check false"},
		"an ordinary tool is named": {method: "send", tool: "send", arguments: `{"text":"x"}`,
			in: "", records: "judged send true"},
		"a tool is named that is not listed": {method: "gone", tool: "send", arguments: `{"text":"x"}`, in: "the server does not list it", records: "judged send true"},
		"a dry run of a dry run": {policy: "rules: [{name: nothing leaves, effect: deny, tools: 's:send'}]\n", method: "check", tool: "check",
			arguments: `{"tool":"send","arguments":{"text":"x"}}`, in: `"method":"toolvet"`, records: "judged check true"},
		"the limit of the validate tool": {policy: "limits: [{name: few, tools: 's:check', concurrency: 1, rate: 1/h}]\n", method: "check", tool: "send", arguments: `{"text":"x"}`,
			asked: true, in: "toolvet+native", records: "judged send true, judged check true, returned check, failed false"},
		"a policy demands a token, also of the validate tool": {policy: "dry_run: {before: ['s:*']}\n", method: "check", tool: "send", arguments: `{"text":"x"}`, asked: true,
			in: `"method":"toolvet+native"`, records: "judged send true, judged check true, returned check, failed false"},
		"its answer is withheld": {policy: "output: {secrets: {action: withhold}}\n", method: "check", tool: "send", arguments: `{"text":"x"}`, asked: true,
			answer: `{"structuredContent":{"valid":true,"warnings":["ghp_x7Jq2LmN9pRs4TvWy8ZaB3cDe5FgH1iKo6Mn"]}}`,
			in:     "the server's own validation is withheld", records: "judged send true, judged check true, returned check, failed false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, j := newDoor(t)
			gate := policyGate(t, tt.policy)
			d.Gate = func() *toolvet.Gate { return gate }
			tools := catalog(t, sendTool, checkTool)
			var got []string
			send := func(_ context.Context, _ *door.Passage) (json.RawMessage, error) {
				got = append(got, "asked")
				if tt.answer != "" {
					return json.RawMessage(tt.answer), nil
				}
				return json.RawMessage(agreed), nil
			}
			by, err := validate.New(validate.Config{})
			if err != nil {
				t.Fatal(err)
			}
			q := &validate.Request{Call: described(t, "check", tt.tool, tt.arguments), Method: "check", Tools: tools, Gate: gate}
			q.Native = func(ctx context.Context, target *call.Call, arguments json.RawMessage) (json.RawMessage, error) {
				return d.Native(ctx, door.Native{Name: tt.method, Tools: tools, Send: send}, target, arguments, door.Request{})
			}
			answer := string(d.Validate(t.Context(), by, q, door.Request{}))
			if !strings.Contains(answer, tt.in) || (len(got) > 0) != tt.asked {
				t.Errorf("asked %v, answered %s, want %s", got, answer, tt.in)
			}
			if recorded := j.take(); recorded != tt.records {
				t.Errorf("recorded %s, want %s", recorded, tt.records)
			}
		})
	}
}

// TestNativeIsLimited holds that the limits count the calls of a server's validate tool, unless the
// server did not get them.
func TestNativeIsLimited(t *testing.T) {
	t.Parallel()
	d, j := newDoor(t)
	gate := policyGate(t, "limits: [{name: few, tools: 's:check', rate: 1/h}]\n")
	d.Gate = func() *toolvet.Gate { return gate }
	tools := catalog(t, sendTool, checkTool)
	target := &call.Call{Server: "s", Name: "send"}
	failing := false
	ask := func() error {
		_, err := d.Native(t.Context(), door.Native{Name: "check", Tools: tools, Send: func(_ context.Context, p *door.Passage) (json.RawMessage, error) {
			if failing {
				p.Unsent()
				return nil, errors.New("not sent")
			}
			return json.RawMessage(agreed), nil
		}}, target, json.RawMessage(`{"tool":"send","arguments":{}}`), door.Request{})
		return err
	}
	failing = true
	if err := ask(); err == nil || err.Error() != "not sent" {
		t.Errorf("a call that was not sent: %v", err)
	}
	failing = false
	if err := ask(); err != nil {
		t.Errorf("the first call, after one that the server did not get: %v", err)
	}
	if err := ask(); err == nil || !strings.Contains(err.Error(), "toolvet refuses") {
		t.Errorf("the second call within an hour: %v", err)
	}
	want := "judged check true, returned check, failed true, judged check true, returned check, failed false, judged check false"
	if got := j.take(); got != want {
		t.Errorf("recorded %s, want %s", got, want)
	}
}

// described returns a call of the validate tool.
func described(t *testing.T, method, tool, arguments string) *call.Call {
	t.Helper()
	c, err := call.DecodeParams([]byte(`{"name":"`+method+`","arguments":{"tool":"`+tool+`","arguments":`+arguments+`}}`), call.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c.Server, c.Session = "s", &call.Session{}
	return c
}
