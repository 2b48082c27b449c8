// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream calls the tools of MCP servers, and has a Gate judge each call before and its result after.
//
// A [Set] holds named servers:
//
//	set, err := upstream.NewSet(upstream.Config{
//		Servers: []upstream.Server{
//			{Name: "files", Dialer: upstream.Command{Args: []string{"files-server", "/srv/data"}}},
//			{Name: "shop", Dialer: upstream.HTTP{URL: "https://shop.example.org/mcp"}},
//		},
//		Gate: func(server string) *toolvet.Gate { return gate },
//	})
//	if err != nil {
//		return err
//	}
//	defer set.Close(ctx)
//	outcome, err := set.Call(ctx, "files:read_text_file", arguments)
//
// The Set connects to a server at its first use, and again after a loss. It keeps the servers' lists of tools, so a call is
// judged by the tool's present schema. [Set.Validate] only judges. Without a Gate, arguments are checked against the schema.
//
// All methods may be called concurrently. A request ends with its context; the server is then told to cancel it. The
// errors of a server are *[RefusedError], *[GoneError], which tells whether the server may have run the tool, and
// *[UnavailableError]. After [Set.Close] they are [ErrClosed].
//
// A program can write its own [Dialer]; package upstreamtest has one
// for tests.
//
// The package uses no SDK, so schemas and results stay the bytes of the server. A server that misbehaves (writes no
// JSON-RPC, dies, hangs, never ends its list) costs a bounded time, and an error that describes the fault.
package upstream
