// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package busy

import (
	"syscall"
	"time"
)

// spent is the processor time of the thread.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_THREAD, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
