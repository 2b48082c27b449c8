// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"slices"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/test/npm"
)

// TestFilesystem audits the official server for files: each of its paths is guarded, proven by a
// control call, and its arguments are checked.
func TestFilesystem(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	r := run(t, Config{Command: append(npm.Server(t, "filesystem"), Root)})
	guarded := 0
	for _, f := range r.Facts {
		switch {
		case f.Class == audit.Path && f.Verdict == audit.Guarded:
			guarded++
		case f.Class != audit.Output && f.Verdict != audit.Guarded:
			t.Errorf("%s: %s", inShort(f), f.Why)
		}
	}
	if guarded < 13 {
		t.Errorf("%d parameters are guarded, want 13: %v", guarded, r.Facts)
	}
	if !slices.ContainsFunc(r.Facts, func(f audit.Fact) bool {
		return inShort(f) == "output read_text_file vulnerable proven control-characters"
	}) {
		t.Errorf("its output is passed on as it is, which was not noticed: %v", r.Facts)
	}
}
