// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package python_test

import (
	"flag"
	"testing"

	"github.com/toolvet/toolvet/internal/audit/source/internal/sourcetest"
	"github.com/toolvet/toolvet/internal/audit/source/python"
)

var update = flag.Bool("update", false, "write what is found into the cases of testdata")

// TestCases runs the cases of the classes, and those of testdata: vulnerable servers, and beside each the one that is
// mended.
func TestCases(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, "python", python.Analyze, *update)
}
