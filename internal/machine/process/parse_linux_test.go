// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

// A supervisor's report arrives as it was meant.
func FuzzReport(f *testing.F) {
	f.Add("adopting \"x\"\non PATH", 13, 4321, uint8(3), uint8(0))
	f.Add("\xff\x00\\", 1, 1, uint8(0), uint8(9))
	f.Fuzz(func(t *testing.T, step string, number, group int, code, signal uint8) {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer out.Close()
		r, report := bufio.NewReader(in), supervisor.NewReport(out)
		if len(step) > 4096 || number <= 0 || number > 133 {
			t.Skip() // a pipe holds no more, and Linux has no more
		}
		report.Failed(step, &os.PathError{Op: "fork/exec", Path: "x", Err: syscall.Errno(number)})
		if _, err := readStart(r, "program"); !errors.Is(err, syscall.Errno(number)) {
			t.Errorf("failed: got %v, want %v", err, syscall.Errno(number))
		}

		status, want := syscall.WaitStatus(int(code)<<8), Exit{Code: int(code)}
		if signal %= 32; signal != 0 {
			status, want = syscall.WaitStatus(signal), exitBy(syscall.Signal(signal))
		}
		if status.Stopped() || (!status.Exited() && !status.Signaled()) {
			t.Skip()
		}
		report.Started(group)
		report.Exited(status)
		if got, err := readStart(r, "program"); got != group || err != nil {
			t.Errorf("started: got %d, %v, want %d", got, err, group)
		}
		out.Close()
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
