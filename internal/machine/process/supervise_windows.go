// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"os"
)

// Supervise has no task on Windows, where a job object does its work.
func Supervise([]string) int {
	fmt.Fprintln(os.Stderr, "supervise is not needed on Windows")
	return 2
}
