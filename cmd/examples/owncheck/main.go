// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Command owncheck is toolvet with one more check, "ticket". Build it and use it in the place of toolvet.
package main

import (
	"context"

	"github.com/toolvet/toolvet/cmd/command"
)

func main() { command.Main(context.Background(), ticket) }
