// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"os"
	"testing"
)

// TestMain runs the tests, or plays a process that a test starts.
func TestMain(m *testing.M) {
	roles := map[string]func(args []string) error{}
	addRoles(roles)
	play, ok := roles[os.Getenv("CALLLOG_TEST_ROLE")]
	if !ok {
		os.Exit(m.Run())
	}
	if err := play(os.Args[1:]); err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
