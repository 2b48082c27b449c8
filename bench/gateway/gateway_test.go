// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/race"
)

// TestRun checks that the program works. It ignores times.
func TestRun(t *testing.T) {
	race.Skip(t)
	var out strings.Builder
	if err := run(t.Context(), flags{servers: 4, clients: 6, rounds: 1, time: time.Second}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| 1 | ") || strings.Contains(out.String(), "| 1 | 0 |") {
		t.Errorf("the table: %s", out.String())
	}
}
