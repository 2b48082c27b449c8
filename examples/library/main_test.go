// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet/rehearse"
)

// self is this program, which is also the server and the sandbox of the examples.
var self, _ = os.Executable()

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "sandbox":
		os.Exit(rehearse.Run(os.Args[2:]))
	case len(os.Args) > 1 && os.Args[1] == "server":
		_ = files().Run(context.Background(), &mcp.StdioTransport{})
		return
	}
	before := runtime.NumGoroutine()
	code := m.Run()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before && code == 0 {
		text := make([]byte, 1<<20)
		fmt.Printf("%d goroutines are left:\n%s\n", n-before, text[:runtime.Stack(text, true)])
		code = 1
	}
	os.Exit(code)
}

type file struct {
	Path string `json:"path"`
}

// files is a server with a tool that writes a file.
func files() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "touch"}, func(_ context.Context, _ *mcp.CallToolRequest, in file) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, os.WriteFile(in.Path, nil, 0o600)
	})
	return server
}

// must returns v, or ends the example.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
