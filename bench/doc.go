// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Bench measures what a proxy in front of an MCP server on stdio costs: the same calls
// to the same server directly, through "toolvet proxy" and through a proxy built from
// the official SDK's client and server.
//
//	go run ./bench
//
// It prints a markdown table. With -http, it measures calls over HTTP, with supergateway as a
// peer; with -checks, what the checks of arguments' values cost alone; with -dryruns, dry runs;
// with -soak, how "toolvet serve" bears many clients while a server is killed and another
// hangs. All paths are open at once, and each round measures each
// of them in turn, so that whatever else the machine does falls on all alike. It stops
// by itself. README.md holds the results of a run.
package main
