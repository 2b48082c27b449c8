// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package supervisor

import (
	"errors"
	"os"
	"syscall"
)

// The kinds of records in a [Report], with their values.
const (
	Started          = 1 + iota // the server's process group
	Exited                      // its wait status
	FailedProgram               // the negative error number of the start of its program
	FailedSupervisor            // that of a step before
)

// RecordSize is the length of a record: two numbers of 64 bits, in the order of bytes of amd64 and arm64.
const RecordSize = 16

// Record returns a record.
func Record(kind, value int) []byte {
	b := make([]byte, 0, RecordSize)
	for _, n := range []int{kind, value} {
		for shift := 0; shift < 64; shift += 8 {
			b = append(b, byte(int64(n)>>shift))
		}
	}
	return b
}

// A Report is the pipe on which a supervisor writes records: [Started] and [Exited], or a failure. Its methods ignore
// errors: without a reader, the lifeline is closed, too.
type Report struct{ file *os.File }

func (r Report) failed(kind int, err error) {
	number := syscall.EINVAL
	errors.As(err, &number)
	r.write(kind, -int(number))
}

func (r Report) write(kind, value int) { _, _ = r.file.Write(Record(kind, value)) }
