// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package gateway puts many MCP servers behind one endpoint:
//
//	g, err := gateway.New(gateway.Config{Servers: []gateway.Server{{
//		Server: upstream.Server{Name: "files", Dialer: upstream.Command{Args: []string{"files-server"}}},
//		Gate:   func() *toolvet.Gate { return file.Gate("files") }, // of a policyfile.File
//	}}})
//	if err != nil {
//		return err
//	}
//	defer g.Close(ctx)
//	handler, err := g.Handler(gateway.HandlerConfig{Caller: authenticate})
//	if err != nil {
//		return err
//	}
//	defer handler.Close(ctx)
//	http.Handle("/mcp", handler)
//
// Over HTTP, [Gateway.Handler] turns requests into sessions, with the authentication of the program around it. Over stdio,
// [Gateway.Serve] is one session: it reads and writes messages, one a line. All methods may be called concurrently.
//
//	client ── line ──▶ session ─ whose tool, prompt, resource? ─▶ upstream.Set of the server
//	   ▲                  │ refusal                                  judge, call, review
//	   └──────────────────┴────────────── the server's bytes ◀───────────┘
//
// Tools and prompts are called SERVER__NAME. Resources keep their URIs. If two servers list
// the same URI, it belongs to the first; toolvet://SERVER/URI names the resource of either.
// Lists are merged in the order of the servers. For a server that is down or slow, the last
// known list stands in. A call waits for its own server and for no other.
//
// Sessions of one principal share a connection to each server if their clients have the same
// capabilities. A server can ask a client for something only while it works for that client
// alone. The data passes through no SDK: results are the server's bytes, except for names,
// URIs and the changes of the output layer.
package gateway
