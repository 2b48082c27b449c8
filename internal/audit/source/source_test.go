// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/audit/source"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	got := source.Options{Time: time.Second, Depth: -1}.WithDefaults()
	if got.Time != time.Second {
		t.Errorf("a time that is set becomes %v", got.Time)
	}
	if got.Depth != 40 || got.Steps <= 0 || got.Files <= 0 || got.FileBytes <= 0 || got.Bytes < got.FileBytes {
		t.Errorf("defaults are missing: %+v", got)
	}
}
