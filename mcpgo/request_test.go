// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/mcpgo"
)

// ruled returns a gate of a server "a" with a policy.
func ruled(t *testing.T, text string) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\nservers: {a: {}}\n"+text), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := (&access.Enforcer{Server: "a"}).Options(p)
	if err != nil {
		t.Fatal(err)
	}
	return newGate(t, append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithServer("a"), toolvet.WithElsewhere("preset"))...)
}

func withResource(s *server.MCPServer, text string) {
	s.AddResource(mcp.NewResource("file:///notes", "notes"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "file:///notes", Text: text}}, nil
	})
}

type subjectKey struct{}

// TestRules holds that rules see who calls, and hold for calls and for other requests.
func TestRules(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		s, ran := newServer()
		withResource(s, "text")
		install(t, s, ruled(t, `rules:
  - {name: ann, effect: allow, tools: "a:*", when: 'session.subject == "ann"'}
  - {name: notes, effect: allow, requests: "a:resources/*", when: 'session.subject == "ann"'}
`), mcpgo.WithSession(func(ctx context.Context, s *call.Session) {
			s.Subject, _ = ctx.Value(subjectKey{}).(string)
			s.Authenticated = s.Subject != ""
		}))
		ann, bob := open(t, s, version), open(t, s, version)
		ann.ctx = context.WithValue(t.Context(), subjectKey{}, "ann")
		bob.ctx = context.WithValue(t.Context(), subjectKey{}, "bob")
		ann.handshake()
		if a := ann.call("read", `{"path":"a"}`); a.Result.IsError || len(ran.take()) != 1 {
			t.Errorf("got %s", a.line)
		}
		if bob.call("read", `{"path":"a"}`).refusal(t); ran.take() != nil {
			t.Error("bob's call ran")
		}
		if a := bob.validate("read", `{"path":"a"}`); a.Result.Structured == nil || a.Result.Structured.Valid {
			t.Errorf("got %s", a.line)
		}
		if a := ann.ask("resources/read", `{"uri":"file:///notes"}`); a.Error != nil || !strings.Contains(a.line, "text") {
			t.Errorf("got %s", a.line)
		}
		if a := bob.ask("resources/read", `{"uri":"file:///notes"}`); a.Error == nil || strings.Contains(a.line, "text") {
			t.Errorf("got %s", a.line)
		}
	})
}

// TestOtherResults holds that the output layer reviews the results of other requests, and empties those that it withholds.
func TestOtherResults(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]string{"redact": "[redacted:github-pat]", "withhold": `"contents":[]`} {
		s, _ := newServer()
		withResource(s, "use "+token)
		install(t, s, ruled(t, "output: {secrets: {action: "+action+"}}\n"))
		a := open(t, s, modern).ask("resources/read", `{"uri":"file:///notes"}`)
		if a.Error != nil || strings.Contains(a.line, token) || !strings.Contains(a.line, want) {
			t.Errorf("%s: got %s", action, a.line)
		}
	}
}

// TestTasks holds that calls that run as tasks are judged before, and their results reviewed.
func TestTasks(t *testing.T) {
	t.Parallel()
	s, ran := newServer(server.WithTaskCapabilities(true, true, true))
	schema := json.RawMessage(readSchema)
	asTask, both := mcp.NewToolWithRawSchema("task", "", schema), mcp.NewToolWithRawSchema("both", "", schema)
	asTask.Execution = &mcp.ToolExecution{TaskSupport: mcp.TaskSupportRequired}
	both.Execution = &mcp.ToolExecution{TaskSupport: mcp.TaskSupportOptional}
	s.AddTaskTool(asTask, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		ran.add(r)
		return &mcp.CreateTaskResult{}, nil
	})
	s.AddTool(both, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran.add(r)
		return mcp.NewToolResultText("use " + token), nil
	})
	install(t, s, newGate(t))
	w := open(t, s, "2025-11-25")
	w.handshake()
	call := func(tool, arguments string) *answer {
		return w.ask("tools/call", `{"name":"`+tool+`","task":{},"arguments":`+arguments+`}`)
	}
	result := func(a *answer) *answer {
		t.Helper()
		var created struct {
			Result struct{ Task struct{ TaskID string } }
		}
		if err := json.Unmarshal([]byte(a.line), &created); err != nil || created.Result.Task.TaskID == "" {
			t.Fatalf("no task: %s", a.line)
		}
		return w.ask("tasks/result", `{"taskId":"`+created.Result.Task.TaskID+`"}`)
	}
	if call("task", `{"path":1}`).refusal(t); ran.take() != nil {
		t.Error("a refused task ran")
	}
	result(call("task", `{"path":"a"}`))
	if got := ran.take(); len(got) != 1 {
		t.Errorf("%q ran", got)
	}
	if a := result(call("both", `{"path":1}`)); !a.Result.IsError || ran.take() != nil {
		t.Errorf("got %s", a.line)
	}
	if a := result(call("both", `{"path":"a"}`)); strings.Contains(a.line, token) || !strings.Contains(a.line, "redacted") || len(ran.take()) != 1 {
		t.Errorf("got %s", a.line)
	}
	if w.call("task", `{"path":1}`).refusal(t); ran.take() != nil {
		t.Error("a refused call ran")
	}
}

// TestLimits holds that a limit counts calls until they end, also those that run as tasks.
func TestLimits(t *testing.T) {
	t.Parallel()
	s, _ := newServer()
	install(t, s, ruled(t, "limits:\n  - {name: one, concurrency: 1}\n"))
	w := open(t, s, "2025-11-25")
	for range 3 {
		if a := w.call("read", `{"path":"a"}`); a.Result.IsError {
			t.Errorf("got %s", a.line)
		}
		if a := w.call("unheard", `{}`); a.Error == nil && !a.Result.IsError {
			t.Errorf("got %s", a.line)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	gone := open(t, s, "2025-11-25")
	gone.ctx = ctx
	if a := gone.call("read", `{"path":"a"}`); a.Error == nil && !a.Result.IsError {
		t.Errorf("got %s", a.line)
	}
	if a := w.call("read", `{"path":"a"}`); a.Result.IsError {
		t.Errorf("got %s", a.line)
	}
}

// TestQuestions holds that a rule about what a server asks of its client holds for a result that asks, in both eras of MCP.
func TestQuestions(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		s, _ := newServer(server.WithElicitation())
		s.AddTool(mcp.NewTool("deploy"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return server.NewInputRequestBuilder("state").Elicit("confirm", mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: "Zebra?"}).ToolResult(), nil
		})
		install(t, s, ruled(t, "rules: [{name: forms, effect: deny, requests: 'a:elicitation/create', message: not this one}]\n"))
		if a := open(t, s, version).call("deploy", `{}`); !a.Result.IsError || strings.Contains(a.line, "Zebra") || !strings.Contains(a.line, "not this one") {
			t.Errorf("got %s", a.line)
		}
	})
}

// TestTaskArguments holds that a tool that runs as a task only gets the arguments that were judged, and not the token.
func TestTaskArguments(t *testing.T) {
	t.Parallel()
	s, ran := newServer(server.WithTaskCapabilities(true, true, true))
	tool := mcp.NewToolWithRawSchema("task", "", json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"mode":{"type":"string","default":"safe"}}}`))
	tool.Execution = &mcp.ToolExecution{TaskSupport: mcp.TaskSupportRequired}
	var meta []map[string]any
	s.AddTaskTool(tool, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
		ran.add(r)
		if r.Params.Meta != nil {
			meta = append(meta, r.Params.Meta.AdditionalFields)
		}
		return &mcp.CreateTaskResult{}, nil
	})
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\nservers: {a: {tools: {task: {fill_defaults: true}}}}\n"), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	install(t, s, newGate(t, toolvet.WithServer("a"), toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset")))
	w := open(t, s, "2025-11-25")
	w.handshake()
	dry := w.ask("tools/call", `{"name":"validate","arguments":{"tool":"task","arguments":{"path":"a"}},"_meta":{"io.github.toolvet/token":true}}`)
	var given struct {
		Result struct {
			Meta map[string]struct{ Token string } `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(dry.line), &given); err != nil || given.Result.Meta["io.github.toolvet/token"].Token == "" {
		t.Fatalf("no token: %s", dry.line)
	}
	token := given.Result.Meta["io.github.toolvet/token"].Token
	w.ask("tools/call", `{"name":"task","task":{},"arguments":{"path":"a"},"_meta":{"io.github.toolvet/token":"`+token+`","other":1}}`)
	for range 100 {
		if got := ran.take(); got != nil {
			if len(got) != 1 || !strings.Contains(got[0], "safe") {
				t.Errorf("the task has the arguments %q", got)
			}
			if len(meta) != 1 || meta[0]["io.github.toolvet/token"] != nil || meta[0]["other"] == nil {
				t.Errorf("the task has the _meta %v", meta)
			}
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the task did not run")
}

// TestPromptAsks holds that a rule about what a server asks holds for the result of a prompt.
func TestPromptAsks(t *testing.T) {
	t.Parallel()
	for policy, passes := range map[string]bool{"": true, "rules: [{name: forms, effect: deny, requests: 'a:elicitation/create', message: not this one}]\n": false} {
		s, _ := newServer(server.WithElicitation())
		s.AddPrompt(mcp.NewPrompt("p"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return server.NewInputRequestBuilder("state").Elicit("confirm", mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: "Zebra?"}).PromptResult(), nil
		})
		install(t, s, ruled(t, policy))
		if a := open(t, s, modern).ask("prompts/get", `{"name":"p"}`); strings.Contains(a.line, "Zebra") != passes {
			t.Errorf("%q: %s", policy, a.line)
		}
	}
}
