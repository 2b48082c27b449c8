// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package supervise makes toolvet's own program the guard or the supervisor of a server, if its arguments say so. It does so
// while the program is initialized: see package supervisor, which also says why this package imports so little.
package supervise

import (
	"os"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

const argument = "supervise"

// Command returns the arguments that make a program, which links this package, run [supervisor.Run].
func Command(program string) []string { return []string{program, argument, "--"} }

func init() {
	if len(os.Args) > 2 && os.Args[1] == argument && os.Args[2] == "--" {
		os.Exit(supervisor.Run(os.Args[3:]))
	}
}
