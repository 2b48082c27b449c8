// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"errors"
	"syscall"
	"testing"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

// A supervisor's report arrives as it was meant.
func FuzzReport(f *testing.F) {
	f.Add(uint8(13), uint16(4321), uint8(3), uint8(0))
	f.Add(uint8(1), uint16(1), uint8(0), uint8(9))
	f.Fuzz(func(t *testing.T, number uint8, group uint16, code, signal uint8) {
		if number == 0 || number > 133 || group == 0 {
			t.Skip() // Linux has no others
		}
		for _, kind := range []int{supervisor.FailedProgram, supervisor.FailedSupervisor} {
			_, err := readStart(bytes.NewReader(supervisor.Record(kind, -int(number))), "program")
			if !errors.Is(err, syscall.Errno(number)) {
				t.Errorf("failed: got %v, want %v", err, syscall.Errno(number))
			}
		}

		status, want := syscall.WaitStatus(int(code)<<8), Exit{Code: int(code)}
		if signal %= 32; signal != 0 {
			status, want = syscall.WaitStatus(signal), exitBy(syscall.Signal(signal))
		}
		if status.Stopped() || (!status.Exited() && !status.Signaled()) {
			t.Skip()
		}
		report := bytes.NewReader(append(supervisor.Record(supervisor.Started, int(group)), supervisor.Record(supervisor.Exited, int(status))...))
		if got, err := readStart(report, "program"); got != int(group) || err != nil {
			t.Errorf("started: got %d, %v, want %d", got, err, group)
		}
		if got, ok := readExit(report); got != want || !ok {
			t.Errorf("exited: got %+v, %v, want %+v", got, ok, want)
		}
	})
}

// A report that was cut off is no report, and a start is no end.
func TestReportCutOff(t *testing.T) {
	t.Parallel()
	whole := supervisor.Record(supervisor.Exited, 0)
	for _, report := range [][]byte{nil, whole[:1], whole[:len(whole)-1], supervisor.Record(supervisor.Started, 1)} {
		if got, ok := readExit(bytes.NewReader(report)); ok {
			t.Errorf("%q: got %+v, want none", report, got)
		}
	}
}
