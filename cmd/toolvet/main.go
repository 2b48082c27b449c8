// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Toolvet judges MCP tool calls before they run. See "toolvet --help".
package main

import (
	"context"

	"github.com/toolvet/toolvet/cmd/command"
)

func main() { command.Main(context.Background()) }
