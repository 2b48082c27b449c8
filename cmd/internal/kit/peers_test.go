// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/toolvet/toolvet/upstream"
)

// TestTry is of use while scenarios are written.
func TestTry(t *testing.T) {
	program := os.Getenv("TOOLVET_TRY")
	if program == "" {
		t.Skip("TOOLVET_TRY is not set")
	}
	_ = context.Background
	_ = io.Discard
	run := &Run{Dialer: upstream.Command{Args: []string{program, "proxy", "--", os.Args[0], "-test.run=TestMain0"}}, Stderr: os.Stderr}
	results, err := run.Play(t.Context())
	if err != nil {
		t.Error(err)
	}
	count := map[string]int{}
	for _, r := range results {
		count[r.Revision+" "+r.Status]++
		if r.Status == Failed {
			t.Errorf("%s %s: %s", r.Revision, r.Scenario.Name, r.Why)
		}
	}
	t.Log(count)
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-test.run=TestMain0" {
		if err := Serve(nil, os.Stdin, os.Stdout, nil); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
