// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Sdkproxy is a proxy in front of a server on stdio, built from the official SDK's client and server. It is the
// yardstick for "toolvet proxy".
//
//	sdkproxy SERVER-COMMAND...
//
// It does as little as such a proxy can. One middleware passes tools/list and tools/call from the server side to the
// client side, with unchanged arguments. It judges nothing, forwards no other method, and merges no capabilities.
// Both sides speak 2025-11-25.
package main

import (
	"context"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const version = "2025-11-25"

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		log.Fatal("sdkproxy: ", err)
	}
}

func run(ctx context.Context, command []string) error {
	me := &mcp.Implementation{Name: "sdkproxy", Version: "1"}
	upstream := mcp.NewClient(me, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	session, err := upstream.Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	defer session.Close()
	front := mcp.NewServer(me, &mcp.ServerOptions{
		Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SupportedProtocolVersions: []string{version},
	})
	front.AddReceivingMiddleware(forward(session))
	return front.Run(ctx, &mcp.StdioTransport{})
}

// forward passes requests about tools to the server behind session.
func forward(session *mcp.ClientSession) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch r := req.(type) {
			case *mcp.ListToolsRequest:
				return result(session.ListTools(ctx, r.Params))
			case *mcp.CallToolRequest:
				return result(session.CallTool(ctx, &mcp.CallToolParams{
					Meta: r.Params.Meta, Name: r.Params.Name, Arguments: r.Params.Arguments,
				}))
			}
			return next(ctx, method, req)
		}
	}
}

// result keeps a nil pointer from becoming an interface that is not nil.
func result[R mcp.Result](r R, err error) (mcp.Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}
