// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

var (
	oldDeadlines  map[uint64]deadline
	oldForever    map[uint64]int
	oldAlarm      []uint32
	oldSignalling []unix.SockFilter
)

// forward is false: the clocks of this architecture cannot be moved, and programs wait for the true time.
func forward(int, []int, time.Duration) bool { return false }

// expire is not called, because forward is false.
func expire(int, int) {}
