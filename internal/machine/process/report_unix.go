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

// readStart reads the first line of a [supervisor.Report] and returns the server's process group. An error about program
// says why it did not start.
func readStart(r *bufio.Reader, program string) (group int, err error) {
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
	var why syscall.Errno
	var step string
	switch _, err := fmt.Sscanf(line, "failed %d %q\n", &why, &step); {
	case err != nil:
		return 0, errors.New("supervisor sent a report that makes no sense")
	case step != "":
		return 0, fmt.Errorf("supervisor: %s: %w", step, why)
	}
	return 0, startError(program, why)
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
