// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"bytes"
	"fmt"
	"syscall"
	"testing"
)

// A supervisor's report arrives as it was meant.
func FuzzReport(f *testing.F) {
	f.Add("cannot start \"x\": not found\non PATH", 4321, uint8(3), uint8(0))
	f.Add("\xff\x00\\", 1, uint8(0), uint8(9))
	f.Fuzz(func(t *testing.T, why string, group int, code, signal uint8) {
		var b bytes.Buffer
		reportFailed(&b, fmt.Errorf("%s", why))
		if _, err := readStart(bufio.NewReader(&b)); err == nil || err.Error() != why {
			t.Errorf("failed: got %v, want %q", err, why)
		}

		status, want := syscall.WaitStatus(int(code)<<8), Exit{Code: int(code)}
		if signal %= 32; signal != 0 {
			status, want = syscall.WaitStatus(signal), exitBy(syscall.Signal(signal))
		}
		if status.Stopped() || (!status.Exited() && !status.Signaled()) {
			t.Skip()
		}
		reportStarted(&b, group)
		reportExited(&b, status)
		r := bufio.NewReader(&b)
		if got, err := readStart(r); got != group || err != nil {
			t.Errorf("started: got %d, %v, want %d", got, err, group)
		}
		if got, ok := readExit(r); got != want || !ok {
			t.Errorf("exited: got %+v, %v, want %+v", got, ok, want)
		}
	})
}

// A report that was cut off is no report.
func TestReportCutOff(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "exited", "exited 0", "exited x 0\n", "started 1\n"} {
		if got, ok := readExit(bufio.NewReader(bytes.NewBufferString(text))); ok {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

// The name of a process may hold anything, and does not mislead.
func FuzzParent(f *testing.F) {
	f.Add(7, "node", 1)
	f.Add(7, "a) S 99 (b", 2)
	f.Fuzz(func(t *testing.T, pid int, name string, parent int) {
		got, ok := parseParent(fmt.Sprintf("%d (%s) S %d %d 0 -1", pid, name, parent, pid))
		if got != parent || !ok {
			t.Errorf("got %d, %v, want %d", got, ok, parent)
		}
	})
}

func TestParentOfNonsense(t *testing.T) {
	t.Parallel()
	for _, stat := range []string{"", ")", "1 (x) S", "1 (x) S x"} {
		if got, ok := parseParent(stat); ok {
			t.Errorf("%q: got %d, want none", stat, got)
		}
	}
}
