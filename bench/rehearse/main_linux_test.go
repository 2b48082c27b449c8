// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"testing"

	"github.com/toolvet/toolvet/internal/rehearsal"
	"github.com/toolvet/toolvet/internal/test/need"
	"github.com/toolvet/toolvet/internal/test/race"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "sandbox" || os.Args[1] == "serve") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestRun checks that all measurements work. It ignores times.
func TestRun(t *testing.T) {
	race.Skip(t)
	need.Minutes(t)
	t.Chdir("../..") // the place of the npm packages
	err := run(t.Context(), 1, 2000)
	var missing *rehearsal.UnsupportedError
	if errors.As(err, &missing) {
		need.Namespace.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
}
