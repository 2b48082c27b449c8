// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/servers"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// starter returns how a command starts a server of a policy: in its walls, if it has any.
func (a *app) starter(s *policy.Server, command, keep []string) upstream.Dialer {
	started := *s
	started.Command, started.URL = command, ""
	return &backend.Dialer{Server: &started, Keep: keep, Logger: newLogger(a.stderr, false)}
}

func startServer(ctx context.Context, server upstream.Dialer, timeout time.Duration) (servers.Client, error) {
	command, started := server.(upstream.Command)
	if started {
		supervisor, err := backend.Supervisor()
		if err != nil {
			return nil, err
		}
		command.Supervisor = supervisor
		server = command
	}
	client, err := servers.Connect(ctx, server, servers.Options{Timeout: timeout})
	d, ok := server.(*backend.Dialer)
	switch err := withHandshakeHint(err, ok && d.Server.URL != ""); {
	case err != nil && started:
		return nil, inPlace(command.Args, err)
	case err != nil:
		return nil, err
	}
	return client, nil
}

// inPlace returns the error that toolvet in front of a URL has written in the server's place, or err. A server that toolvet starts may write the same.
func inPlace(command []string, err error) error {
	refused, ok := errors.AsType[*upstream.RefusedError](err)
	if !ok || strings.TrimSuffix(filepath.Base(command[0]), ".exe") != "toolvet" || slices.Contains(command, "--") {
		return err
	}
	if why := jsonrpc.UnansweredIn(refused.Raw); why != nil {
		return why
	}
	return err
}

// withHandshakeHint adds what handshakeHint advises to the error of a server that does not complete the handshake.
func withHandshakeHint(err error, remote bool) error {
	if servers.HandshakeFailed(err) {
		if hint := handshakeHint(err, remote); hint != "" {
			return enforce.WithHint(err, "%s", hint)
		}
	}
	return err
}

// handshakeHint advises what to do about a server that does not complete the handshake; "": the error says it all, as that of a
// status does, and that of a server on stdio that speaks MCP and refuses.
func handshakeHint(err error, remote bool) string {
	late := errors.Is(err, context.DeadlineExceeded)
	var unanswered *jsonrpc.Unanswered
	switch text := err.Error(); {
	case remote && errors.As(err, &unanswered) && (unanswered.Status != 0 || unanswered.Kind == jsonrpc.WrongAddress), !remote && errors.As(err, new(*upstream.RefusedError)):
		return ""
	// npm says it on standard error alone, in these words.
	case strings.Contains(text, "MODULE_NOT_FOUND") && strings.Contains(text, "_npx"): // its start was cut short once
		return "npx has installed the package in part: delete the directory in _npx that the error names, and install it once with 'npx -y PACKAGE --help'"
	case remote && late:
		return "is it the URL of an MCP server? if it is slow to answer, give it longer with --server-timeout"
	case remote:
		return "is it the URL of an MCP server, and does that server run?"
	case late:
		return "is it an MCP server on stdio? if it is slow to start, give it longer with --server-timeout"
	}
	return "is it an MCP server on stdio, and has it all the arguments that it needs?"
}

func (a *app) listTools(ctx context.Context, client servers.Client) (*call.Catalog, error) {
	tools, faults, err := client.Tools(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the server's tools: %w", err)
	}
	a.warnFaults(faults)
	return tools, nil
}

func (a *app) warnFaults(faults []error) {
	for _, fault := range faults {
		a.warn("a tool is left out: %v", fault)
	}
}

// savedTools reads a file with a tools/list result, the whole JSON-RPC response
// around it, or only the array inside it.
func (a *app) savedTools(file string) (*call.Catalog, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the tools: %w", err)
	}
	result, err := listResult(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	tools, next, faults, err := call.DecodeTools(result, call.Limits{})
	if err != nil {
		return nil, enforce.WithHint(fmt.Errorf("%s: %w", file, err),
			"save one with 'toolvet tools --json -- SERVER-COMMAND > %s'", file)
	}
	if next != "" {
		a.warn("%s is one page of a longer list: it has a nextCursor", file)
	}
	a.warnFaults(faults)
	return call.NewCatalog(tools), nil
}

func listResult(data []byte) ([]byte, error) {
	if _, err := strictjson.Elements(data, call.Limits{}); err == nil {
		return fmt.Appendf(nil, `{"tools":%s}`, data), nil
	}
	members, err := strictjson.Members(data, call.Limits{})
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.Key == "result" {
			return m.Raw, nil
		}
	}
	return data, nil
}
