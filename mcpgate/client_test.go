// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/internal/protocol"
)

// connect connects the SDK's own client to server, in memory.
func connect(t testing.TB, server *mcp.Server, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	clientSide, serverSide := mcp.NewInMemoryTransports()
	serverSession, err := server.Connect(t.Context(), serverSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, options)
	session, err := client.Connect(t.Context(), clientSide, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = serverSession.Wait()
	})
	return session
}

func TestSDKClient(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server, ran := guarded(t, &mcp.ServerOptions{PageSize: 2})
		useClient(t, connect(t, server, version, nil), ran)
	})
}

// useClient does with a session what a host does: it reads the handshake, lists, makes a
// good and a bad call, and validates both.
func useClient(t *testing.T, session *mcp.ClientSession, ran *runs) {
	t.Helper()
	caps := session.InitializeResult().Capabilities
	announced, ok := caps.Experimental[protocol.Experimental].(map[string]any)
	if !ok || announced["method"] != "validate" {
		t.Errorf("got experimental capabilities %v", caps.Experimental)
	}
	if diff := cmp.Diff(any(announced), caps.Extensions[protocol.Extension]); diff != "" {
		t.Errorf("the two places differ (-experimental +extensions):\n%s", diff)
	}
	var last *mcp.Tool
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		last = tool
	}
	if last == nil || last.Name != "validate_batch" || !last.Annotations.ReadOnlyHint || *last.Annotations.OpenWorldHint {
		t.Errorf("got %+v as the last tool, want validate_batch", last)
	}
	good, bad := map[string]any{"path": "a"}, map[string]any{"path": 7}
	if res := callTool(t, session, "read", good); res.IsError || len(ran.take()) != 1 {
		t.Errorf("got %+v for a good call, want it run", res)
	}
	if res := callTool(t, session, "read", bad); !res.IsError || len(ran.take()) != 0 {
		t.Errorf("got %+v for a bad call, want it refused", res)
	}
	for _, arguments := range []map[string]any{good, bad} {
		res := callTool(t, session, "validate", map[string]any{"tool": "read", "arguments": arguments})
		if got, want := res.StructuredContent.(map[string]any)["valid"], arguments["path"] == "a"; got != want {
			t.Errorf("validate says %v of %v, want %v", got, arguments, want)
		}
	}
	batch := callTool(t, session, "validate_batch", map[string]any{"calls": []any{
		map[string]any{"tool": "read", "arguments": good}, map[string]any{"tool": "read", "arguments": bad}, 7,
	}})
	if content, _ := batch.StructuredContent.(map[string]any); content["valid"] != false || len(content["results"].([]any)) != 3 {
		t.Errorf("validate_batch says %v", batch.StructuredContent)
	}
	if r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nosuch"}); err != nil || !r.IsError {
		t.Errorf("an unknown tool: got %+v, %v, want a refusal", r, err)
	}
}

func callTool(t *testing.T, session *mcp.ClientSession, name string, arguments any) *mcp.CallToolResult {
	t.Helper()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res
}

// A tool called validate that is added while clients are connected gets its name: the
// SDK tells the clients that the list has changed, and the next list shows both.
func TestToolAddedLaterTakesItsName(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", modernVersion} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server, ran := guarded(t, nil)
			changed := make(chan struct{}, 10)
			session := connect(t, server, version, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			callTool(t, session, "validate", map[string]any{"tool": "read", "arguments": map[string]any{}})
			server.AddTool(&mcp.Tool{Name: "validate", InputSchema: json.RawMessage(`{"type":"object"}`)}, ran.raw)
			if version < modernVersion { // since then a client must listen first
				<-changed
			}
			var names []string
			for tool, err := range session.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			if diff := cmp.Diff([]string{"validate", "toolvet_validate", "toolvet_validate_batch"}, names[len(names)-3:]); diff != "" {
				t.Errorf("the last tools differ (-want +got):\n%s", diff)
			}
			ran.take()
			callTool(t, session, "validate", map[string]any{"own": true})
			if diff := cmp.Diff([]string{`validate {"own":true}`}, ran.take()); diff != "" {
				t.Errorf("runs differ (-want +got):\n%s", diff)
			}
			server.RemoveTools("validate")
			res := callTool(t, session, "validate", map[string]any{"tool": "read", "arguments": map[string]any{}})
			if res.IsError || res.StructuredContent == nil {
				t.Errorf("got %+v, want the validate tool under its usual name again", res)
			}
		})
	}
}

// Calls and validations run beside changes of the tools.
func TestParallelUse(t *testing.T) {
	t.Parallel()
	server, ran := guarded(t, &mcp.ServerOptions{PageSize: 3})
	var clients sync.WaitGroup
	for i, version := range []string{"2025-11-25", modernVersion} {
		session := connect(t, server, version, nil)
		for j := range 4 {
			name := fmt.Sprintf("t%d", (i+j)%3) // two clients may change one tool
			clients.Go(func() {
				for range 5 {
					server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(readSchema)}, ran.raw)
					useBriefly(t, session, name)
					server.RemoveTools(name)
				}
			})
		}
	}
	clients.Wait()
}

func useBriefly(t *testing.T, session *mcp.ClientSession, changing string) {
	ctx := t.Context()
	for _, path := range []any{"a", 7} {
		arguments := map[string]any{"path": path}
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "read", Arguments: arguments})
		if err != nil || res.IsError != (path == 7) {
			t.Errorf("calling read with %v: got %+v, %v", path, res, err)
		}
		res, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "validate",
			Arguments: map[string]any{"tool": "read", "arguments": arguments}})
		if err != nil || res.StructuredContent.(map[string]any)["valid"] != (path == "a") {
			t.Errorf("validating %v: got %+v, %v", path, res, err)
		}
	}
	// A tool that comes and goes is judged by its schema or unknown, and never runs with this.
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: changing, Arguments: map[string]any{}})
	if err == nil && !res.IsError {
		t.Errorf("%s ran without its path: %+v", changing, res)
	}
}
