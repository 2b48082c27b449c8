// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Toolvet judges MCP tool calls before they run. See "toolvet --help".
package main

import (
	_ "time/tzdata" // zones of schedules and rules, where the machine has none

	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/cli"
)

func main() {
	// With SIGPIPE heard, writing to a closed pipe is an error, and the servers that
	// were started are stopped before the end.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(cli.Main(ctx, suite.Default(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
