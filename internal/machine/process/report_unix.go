// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

// readStart reads the first record of a [supervisor.Report] and returns the server's process group. An error about program
// says why it did not start.
func readStart(r io.Reader, program string) (group int, err error) {
	kind, value, err := readRecord(r)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return 0, fmt.Errorf("supervisor did not start the server in %v", startTimeout)
	case err != nil:
		return 0, errors.New("supervisor ended before it started the server")
	case kind == supervisor.Started && value > 0:
		return value, nil
	case kind == supervisor.FailedProgram:
		return 0, StartError(program, syscall.Errno(-value))
	case kind == supervisor.FailedSupervisor:
		return 0, fmt.Errorf("supervisor: it cannot look after a server: %w", syscall.Errno(-value))
	}
	return 0, errors.New("supervisor sent a report that makes no sense")
}

// readExit reads the last record, and waits for the end of the report, when the last supervisor has
// ended. A killed supervisor may not have reported.
func readExit(r io.Reader) (exit Exit, reported bool) {
	kind, value, err := readRecord(r)
	_, _ = io.Copy(io.Discard, r)
	if err != nil || kind != supervisor.Exited {
		return Exit{}, false
	}
	return exitOf(syscall.WaitStatus(value)), true
}

func readRecord(r io.Reader) (kind, value int, err error) {
	var record [supervisor.RecordSize]byte
	_, err = io.ReadFull(r, record[:])
	return int(binary.LittleEndian.Uint64(record[:])), int(binary.LittleEndian.Uint64(record[8:])), err
}
