// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package supervisor

import "os"

// Run has no task on Windows, where a job object does its work.
func Run([]string) int {
	_, _ = os.Stderr.WriteString("supervise is not needed on Windows\n")
	return 2
}
