// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolvet/toolvet/internal/regular"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, size := range map[string]int{"full": 1 << 20, "large": 1<<20 + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]error{"full": nil, "large": regular.ErrLarge, ".": regular.ErrIrregular, "none": fs.ErrNotExist} {
		text, err := regular.Read(filepath.Join(dir, name), 1<<20)
		if !errors.Is(err, want) || err == nil && len(text) != 1<<20 {
			t.Errorf("%s: %d bytes, %v, want %v", name, len(text), err, want)
		}
	}
}
