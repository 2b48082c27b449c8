// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import "os/exec"

// LookPath finds a program on PATH, as [exec.LookPath] does.
func LookPath(program string) (string, error) { return exec.LookPath(program) }
