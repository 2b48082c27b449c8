// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

// TestRun measures a little, to see that it works. It ignores times.
func TestRun(t *testing.T) {
	race.Skip(t)
	need.Minutes(t)
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var out strings.Builder
	if err := run(ctx, &out, "", 3, 2, 5); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\na harmless line, the judge runs  ", "\nas installed, with a shell ", "\nno judge runs ", "\n5 at once "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
