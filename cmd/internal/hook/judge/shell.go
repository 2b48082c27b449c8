// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/cmd/internal/hook/builtin"
	"github.com/toolvet/toolvet/internal/workdir"
)

// ShellArgument, with the name of a host behind it, makes the program a server. It stands for the host in a rehearsal.
const ShellArgument = "hook-shell"

// shellServer returns the command of that server.
func shellServer(key gateKey) ([]string, error) {
	if !key.own {
		return nil, fmt.Errorf("a call of the server %q cannot be rehearsed by a hook: put the server behind toolvet proxy", key.server)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return []string{self, ShellArgument, key.server}, nil
}

// ServeShell serves a host's own tools over MCP. Those that run commands do so, in the working directory; the others fail, because only their
// host can run them.
func ServeShell(ctx context.Context, host string, in io.ReadCloser, out io.WriteCloser) error {
	tools, err := builtin.Catalog(host)
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "toolvet-" + ShellArgument, Version: toolvet.Version}, nil)
	for _, name := range tools.Names() {
		t := tools.Tool(name)
		server.AddTool(&mcp.Tool{Name: name, InputSchema: t.InputSchema}, run)
	}
	err = server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// run runs the commands of a call.
func run(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	text, err := printed(ctx, req.Params.Arguments)
	result := &mcp.CallToolResult{IsError: err != nil, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	if err != nil {
		result.Content = append(result.Content, &mcp.TextContent{Text: err.Error()})
	}
	return result, nil
}

func printed(ctx context.Context, raw json.RawMessage) (string, error) {
	var given map[string]any
	if err := json.Unmarshal(raw, &given); err != nil {
		return "", err
	}
	line := lineOf(given)
	if line == "" {
		return "", errors.New("the call runs no command, and only its host can run it")
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		shell = "/bin/sh"
	}
	cmd := exec.CommandContext(ctx, shell, "-c", line)
	for name, v := range given {
		if dir, ok := v.(string); ok && dir != "" && workdir.Names(name) {
			cmd.Dir = workdir.Join("", dir)
		}
	}
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// lineOf returns the command line in the arguments of a host's tool.
func lineOf(given map[string]any) string {
	for _, name := range []string{"command", "cmd", "command_line", "CommandLine"} {
		if line, ok := given[name].(string); ok {
			return line
		}
	}
	list, _ := given["commands"].([]any)
	var lines []string
	for _, one := range list {
		if line, ok := one.(string); ok {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
