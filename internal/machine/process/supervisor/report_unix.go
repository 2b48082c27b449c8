// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package supervisor

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// A Report is the pipe on which a supervisor writes lines: "failed", a system's error number and the quoted step that
// failed, or "started" and the server's process group, and later "exited" with the exit code and the number of the signal.
// One of these two is 0. Its methods ignore errors: without a reader, the lifeline is closed, too.
type Report struct{ file *os.File }

// NewReport returns a Report that writes to file.
func NewReport(file *os.File) Report { return Report{file} }

// Failed reports a step that failed; "" is the start of the server's program.
func (r Report) Failed(step string, err error) {
	number := syscall.EINVAL
	errors.As(err, &number)
	r.line("failed " + strconv.Itoa(int(number)) + " " + strconv.Quote(step))
}

// Started reports the server's process group.
func (r Report) Started(group int) { r.line("started " + strconv.Itoa(group)) }

// Exited reports the server's end.
func (r Report) Exited(status syscall.WaitStatus) {
	if status.Signaled() {
		r.line("exited 0 " + strconv.Itoa(int(status.Signal())))
	} else {
		r.line("exited " + strconv.Itoa(status.ExitStatus()) + " 0")
	}
}

func (r Report) line(text string) { _, _ = r.file.WriteString(text + "\n") }
