// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package regular_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/toolvet/toolvet/internal/regular"
)

// TestPipe holds that no reader waits for the writer of a pipe.
func TestPipe(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skipf("there are no pipes here: %v", err)
	}
	if _, err := regular.Read(name, 1<<20); !errors.Is(err, regular.ErrIrregular) {
		t.Error(err)
	}
}
