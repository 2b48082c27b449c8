// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asServer in the environment makes the test binary the server itself.
const asServer = "TOOLVET_TEST_AS_GOSERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestServer(t *testing.T) {
	t.Parallel()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), asServer+"=1")
	command.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Errorf("closing the session: %v", err)
		}
	}()
	call := func(tool string, arguments map[string]any) *mcp.CallToolResult {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	good, bad := map[string]any{"a": 1, "b": 2}, map[string]any{"a": 1, "c": 2}
	if res := call("add", good); res.IsError || res.StructuredContent.(map[string]any)["sum"] != 3.0 {
		t.Errorf("got %+v, want the sum 3", res)
	}
	if res := call("add", bad); !res.IsError {
		t.Errorf("got %+v, want a refusal", res)
	}
	for _, arguments := range []map[string]any{good, bad} {
		res := call("validate", map[string]any{"tool": "add", "arguments": arguments})
		if got, want := res.StructuredContent.(map[string]any)["valid"], arguments["b"] != nil; got != want {
			t.Errorf("validate says %v of %v, want %v", got, arguments, want)
		}
	}
}
