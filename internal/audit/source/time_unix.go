// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package source

import (
	"syscall"
	"time"
)

// processorTime is the time that this process has worked.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return since()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
