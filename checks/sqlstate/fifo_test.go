// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package sqlstate

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestSQLiteFIFO holds that a FIFO is not opened: that would wait for a writer.
func TestSQLiteFIFO(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "shop.db")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Skipf("no FIFO can be made here: %v", err)
	}
	want := "error /query: cannot be checked: the SQLite database shop.db is no regular file\n→ correct the file in the policy's dsn\n"
	if got := look(t, newState(t), everything("sqlite:"+file), "SELECT 1"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
