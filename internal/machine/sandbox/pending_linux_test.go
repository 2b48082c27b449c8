// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// naps sleeps again and again.
func naps([]string) error {
	for {
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 100_000}, nil) // an interrupted one is shorter
	}
}

// TestTurned tells a process that only turns over short waits from one that works.
func TestTurned(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Dir: "/", Args: []string{self(t), "as-attacker", "naps"}})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		list, err := s.Pending()
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 && list[0].Turned && list[0].Timers > 0 && !list[0].Working {
			return
		}
	}
	t.Error("no look has found the process between two waits")
}
