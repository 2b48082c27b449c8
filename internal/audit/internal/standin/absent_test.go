// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAbsent holds that programs which are there are not replaced, unless they reach something.
func TestAbsent(t *testing.T) {
	t.Parallel()
	for name, there := range map[string]bool{"nothing is there": false, "all is there": true} {
		dir := t.TempDir()
		if err := Write(dir, func(string) bool { return there }); err != nil {
			t.Fatal(err)
		}
		for program, want := range map[string]bool{"ssh": true, "kubectl": true, "git": !there, "xcodebuild": !there, "mvn": !there} {
			if _, err := os.Stat(filepath.Join(dir, program)); (err == nil) != want {
				t.Errorf("%s: %s is written: %v, want %v", name, program, err == nil, want)
			}
		}
	}
}
