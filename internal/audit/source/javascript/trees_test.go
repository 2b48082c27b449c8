// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package javascript

import (
	"testing"

	"github.com/toolvet/toolvet/internal/audit/source"
	"github.com/toolvet/toolvet/internal/audit/source/internal/sourcetest"
)

// TestTrees holds what is found in servers of several files: of containers and frameworks, and where
// packages lie beside each other.
func TestTrees(t *testing.T) {
	t.Parallel()
	for _, s := range sourcetest.ServersIn(t, "testdata/trees.txtar", "trees") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := sourcetest.Write(dir, s.Files); err != nil {
				t.Fatal(err)
			}
			r, err := Analyze(t.Context(), dir, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s.Check(t, r, true)
		})
	}
}
