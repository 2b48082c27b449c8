// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/mcpgo"
)

// TestHandshake holds that both handshakes announce the protocol in both places, and keep what the server announces.
func TestHandshake(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		own := map[string]any{"other": map[string]any{"a": true}, protocol.Experimental: "old"}
		s, _ := guarded(t, server.WithExperimental(own), server.WithExtensions(map[string]any{"com.example/x": map[string]any{}}))
		a := open(t, s, version).handshake()
		caps := a.Result.Caps
		announced, ok := caps.Experimental[protocol.Experimental].(map[string]any)
		if !ok || announced["method"] != "validate" || announced["supported"] != true || announced["batchValidation"] != true || announced["streaming"] != false {
			t.Fatalf("got %s", a.line)
		}
		if diff := cmp.Diff(any(announced), caps.Extensions[protocol.Extension]); diff != "" {
			t.Errorf("the places differ (-experimental +extensions):\n%s", diff)
		}
		if caps.Experimental["other"] == nil || caps.Extensions["com.example/x"] == nil || caps.Tools == nil || own[protocol.Experimental] != "old" {
			t.Errorf("got %s, and the server has %v", a.line, own)
		}
	})
}

// TestServerWithoutTools holds that a server whose tools come later announces the protocol in time.
func TestServerWithoutTools(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("empty", "1")
	install(t, s, newGate(t))
	w := open(t, s, "2025-11-25")
	if a := w.handshake(); a.Result.Caps.Tools == nil || a.Result.Caps.Experimental[protocol.Experimental] == nil {
		t.Errorf("got %s", a.line)
	}
	if got := w.ask("tools/list", "").names(); !slices.Equal(got, []string{"validate", "validate_batch"}) {
		t.Errorf("got %q", got)
	}
}

// TestNames holds that the validate tool gives way to the server's tools, whenever these come, and comes back when the
// author replaces all tools. A dry run under an announced name runs no tool.
func TestNames(t *testing.T) {
	t.Parallel()
	s, ran := guarded(t)
	w := open(t, s, "2025-11-25")
	w.handshake()
	ran2 := 0
	s.AddTool(mcp.NewTool("validate", mcp.WithString("tool")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ran2++
		return mcp.NewToolResultText("mine"), nil
	})
	if a := w.validate("read", `{}`); a.Result.Structured == nil || a.Result.Structured.Valid || ran2 > 0 {
		t.Errorf("got %s", a.line)
	}
	if a := w.call("validate", `{}`); a.Result.IsError || ran2 != 1 {
		t.Errorf("got %s", a.line)
	}
	if a := w.handshake(); a.Result.Caps.Experimental[protocol.Experimental].(map[string]any)["method"] != protocol.OtherToolName {
		t.Errorf("got %s", a.line)
	}
	got := w.ask("tools/list", "").names()
	if want := []string{"fail", "leak", "leak-error", "nothing", "panic", "read", "validate", "toolvet_validate", "toolvet_validate_batch"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	s.DeleteTools("validate", "toolvet_validate")
	if a := w.validate("read", `{"path":"a"}`); a.Result.Structured == nil || !a.Result.Structured.Valid {
		t.Errorf("got %s", a.line)
	}
	s.SetTools(server.ServerTool{Tool: mcp.NewTool("only"), Handler: nil})
	if got := w.ask("tools/list", "").names(); !slices.Contains(got, "validate") {
		w.handshake()
		if got = w.ask("tools/list", "").names(); !slices.Equal(got, []string{"only", "validate", "validate_batch"}) {
			t.Errorf("got %q", got)
		}
	}
	if got := ran.take(); got != nil {
		t.Errorf("%q ran", got)
	}
}

// TestHiddenName holds that a tool that a filter hides keeps its name, too.
func TestHiddenName(t *testing.T) {
	t.Parallel()
	s, _ := newServer(server.WithToolFilter(func(_ context.Context, tools []mcp.Tool) []mcp.Tool {
		return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool { return t.Description == "hidden" })
	}))
	s.AddTool(mcp.NewTool("validate", mcp.WithDescription("hidden")), nil)
	install(t, s, newGate(t))
	if got := s.GetTool("validate").Tool.Description; got != "hidden" {
		t.Errorf("the tool is now %q", got)
	}
	if got := open(t, s, "2025-11-25").ask("tools/list", "").names(); !slices.Contains(got, protocol.OtherToolName) || slices.Contains(got, "validate") {
		t.Errorf("got %q", got)
	}
}

// TestPages holds that pages have each tool once.
func TestPages(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t, server.WithPaginationLimit(3))
	w, all := open(t, s, "2025-11-25"), []string(nil)
	for cursor := ""; ; {
		a := w.ask("tools/list", cursor)
		all = append(all, a.names()...)
		if a.Result.Cursor == "" {
			break
		}
		cursor = `{"cursor":"` + a.Result.Cursor + `"}`
	}
	slices.Sort(all)
	if want := []string{"fail", "leak", "leak-error", "nothing", "panic", "read", "validate", "validate_batch"}; !slices.Equal(all, want) {
		t.Errorf("got %q", all)
	}
}

// TestListLeavesOut holds that what a session may not see is in no list, and answered as what does not exist.
func TestListLeavesOut(t *testing.T) {
	t.Parallel()
	gate := newGate(t, toolvet.WithInside(engine.Parts{Visible: func(_ context.Context, c *call.Call) bool {
		return c.Tool == nil || c.Tool.Name != "read" && c.Tool.Name != "secret"
	}}))
	s, ran := newServer(server.WithPromptCapabilities(false))
	s.AddPrompt(mcp.NewPrompt("secret"), nil)
	s.AddPrompt(mcp.NewPrompt("open"), nil)
	install(t, s, gate)
	w := open(t, s, modern)
	if a := w.ask("tools/list", ""); slices.Contains(a.names(), "read") || !slices.Contains(a.names(), "validate") || !strings.Contains(a.line, `"cacheScope":"private"`) {
		t.Errorf("got %s", a.line)
	}
	if a := w.ask("prompts/list", ""); strings.Contains(a.line, "secret") || !strings.Contains(a.line, `"open"`) {
		t.Errorf("got %s", a.line)
	}
	hidden, unknown := w.call("read", `{"path":5}`), w.call("raed", `{"path":5}`)
	if diff := cmp.Diff(unknown.refusal(t).Errors, hidden.refusal(t).Errors); diff != "" || ran.take() != nil {
		t.Errorf("a hidden tool is answered otherwise (-unknown +hidden):\n%s", diff)
	}
}

// TestSessionTools holds that the tools of one session are judged, and that each session has the validate tool once.
func TestSessionTools(t *testing.T) {
	t.Parallel()
	s, _ := guarded(t)
	tool := mcp.NewToolWithRawSchema("validate", "", json.RawMessage(`{"type":"object","required":["a"]}`))
	own := &toolSession{id: "own", tools: map[string]server.ServerTool{"validate": {Tool: tool, Handler: func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("mine"), nil
	}}}}
	a, b := open(t, s, "2025-11-25"), open(t, s, "2025-11-25")
	a.ctx = s.WithContext(t.Context(), own)
	b.ctx = s.WithContext(t.Context(), &toolSession{id: "other"})
	for range 2 {
		if got := a.ask("tools/list", "").names(); slices.Contains(got, "validate_batch") || !slices.Contains(got, "toolvet_validate") {
			t.Errorf("got %q", got)
		}
		if got := b.ask("tools/list", "").names(); slices.Contains(got, "toolvet_validate") || !slices.Contains(got, "validate") {
			t.Errorf("got %q", got)
		}
	}
	a.call("validate", `{}`).refusal(t)
	if got := a.call("validate", `{"a":1}`); got.Result.IsError || !strings.Contains(got.line, "mine") {
		t.Errorf("got %s", got.line)
	}
	if got := b.call("toolvet_validate", `{"tool":"read","arguments":{}}`); got.Error == nil && !got.Result.IsError {
		t.Errorf("got %s", got.line)
	}
}

type toolSession struct {
	id    string
	tools map[string]server.ServerTool
}

func (s *toolSession) Initialize()                                         {}
func (s *toolSession) Initialized() bool                                   { return true }
func (s *toolSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
func (s *toolSession) SessionID() string                                   { return s.id }
func (s *toolSession) GetSessionTools() map[string]server.ServerTool       { return s.tools }
func (s *toolSession) SetSessionTools(map[string]server.ServerTool)        {}

// TestInstall holds the errors of Install.
func TestInstall(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	s, _ := newServer()
	for _, err := range []error{
		mcpgo.Install(nil, gate), mcpgo.Install(s, nil), mcpgo.Install(s, (*toolvet.Gate)(nil)), mcpgo.Install(s, gate, nil),
		mcpgo.Install(s, gate, mcpgo.WithToolName("a b")),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "mcpgo: ") {
			t.Errorf("got %v", err)
		}
	}
	if err := mcpgo.Install(s, gate, mcpgo.WithToolName("vet"), mcpgo.WithLogger(nil), mcpgo.WithLimits(call.Limits{})); err != nil {
		t.Fatal(err)
	}
	if err := mcpgo.Install(s, gate); err == nil {
		t.Error("a second gate is taken")
	}
	if got := open(t, s, "2025-11-25").ask("tools/list", "").names(); !slices.Contains(got, "vet") {
		t.Errorf("got %q", got)
	}
}
