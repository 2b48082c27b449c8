// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package probe

import (
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"

	"github.com/toolvet/toolvet/internal/test/race"
)

// TestSlowStart holds that the time for a start is the server's own: three seconds of work are less than a limit of four, although other
// programs leave the server a third of a processor.
func TestSlowStart(t *testing.T) {
	need.Minutes(t)
	race.Skip(t)
	for range 3 * runtime.NumCPU() {
		busy := exec.Command("/bin/sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { busy.Process.Kill(); busy.Wait() }()
	}
	const limit = 4 * time.Second
	began := time.Now()
	r := run(t, Config{Command: fixtureServer(t, "slow-start", "shell-guarded+"), StartTimeout: limit})
	if took := time.Since(began); took < limit {
		t.Skipf("the machine is so fast that nothing was held up: %s", took)
	}
	if len(r.Tools) != 1 {
		t.Errorf("got %v", r)
	}
}
