// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// The lines of a supervisor on its report pipe: "failed" and the reason, or "started" and the server's
// process group, and later "exited" with the exit code and the number of the signal. One of these two
// is 0.

func reportFailed(w io.Writer, err error)  { report(w, "failed %q\n", err.Error()) }
func reportStarted(w io.Writer, group int) { report(w, "started %d\n", group) }

func reportExited(w io.Writer, status syscall.WaitStatus) {
	if status.Signaled() {
		report(w, "exited 0 %d\n", int(status.Signal()))
	} else {
		report(w, "exited %d 0\n", status.ExitStatus())
	}
}

// report ignores errors: without a reader, the lifeline is closed, too.
func report(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format, args...)
}

// readStart reads the first line and returns the server's process group.
func readStart(r *bufio.Reader) (group int, err error) {
	line, err := r.ReadString('\n')
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, fmt.Errorf("supervisor did not start the server in %v", startTimeout)
	}
	if err != nil {
		return 0, errors.New("supervisor ended before it started the server")
	}
	if _, err := fmt.Sscanf(line, "started %d\n", &group); err == nil {
		return group, nil
	}
	var why string
	if _, err := fmt.Sscanf(line, "failed %q\n", &why); err == nil {
		return 0, errors.New(why)
	}
	return 0, errors.New("supervisor sent a report that makes no sense")
}

// readExit reads the last line, and waits for the end of the report, when the last supervisor has
// ended. A killed supervisor may not have reported.
func readExit(r *bufio.Reader) (exit Exit, reported bool) {
	line, _ := r.ReadString('\n')
	_, _ = io.Copy(io.Discard, r)
	var code, signal int
	if _, err := fmt.Sscanf(line, "exited %d %d\n", &code, &signal); err != nil {
		return Exit{}, false
	}
	if signal != 0 {
		return exitBy(syscall.Signal(signal)), true
	}
	return Exit{Code: code}, true
}
