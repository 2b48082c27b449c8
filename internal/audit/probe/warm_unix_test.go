// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package probe

import (
	"sync"
	"syscall"
	"time"
)

// warmUp is the work of a first call: three seconds of processor time.
var warmUp = sync.OnceFunc(func() {
	for u := (syscall.Rusage{}); time.Duration(u.Utime.Nano()+u.Stime.Nano()) < 3*time.Second; {
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	}
})
