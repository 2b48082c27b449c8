// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Bench measures the cost of a proxy in front of an MCP server on stdio. It makes the same calls to the same server
// directly, through "toolvet proxy", and through a proxy built from the official SDK's client and server.
//
//	go run ./bench
//
// It prints a markdown table. With -http it measures calls over HTTP, with supergateway as a peer. With -checks it
// measures only the checks of arguments, and with -dryruns dry runs. With -soak it shows how "toolvet serve" bears
// many clients while one server is killed and another hangs. All paths are open at once, and each round measures each
// of them in turn, so that other load on the machine falls on all alike. It stops by itself. README.md has the
// results of a run.
package main
