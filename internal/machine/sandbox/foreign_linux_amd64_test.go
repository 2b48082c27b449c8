// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"encoding/binary"
	"errors"
	"os/exec"
	"testing"
)

// foreignProgram is a program of 32 bits, whose system calls have other numbers. It ends with
// the code 42.
func foreignProgram() string {
	code := []byte{0xb8, 1, 0, 0, 0, 0xbb, 42, 0, 0, 0, 0xcd, 0x80} // exit(42) by int 0x80
	const header, program, at = 52, 32, 0x08048000
	size := uint32(header + program + len(code))
	b := append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 9)...)
	for _, v := range []uint16{2, 3} { // ET_EXEC, EM_386
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	for _, v := range []uint32{1, at + header + program, header, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for _, v := range []uint16{header, program, 1, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	for _, v := range []uint32{1, 0, at, at, size, size, 5, 0x1000} { // PT_LOAD, readable and executable
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return string(append(b, code...))
}

// TestForeign makes a system call by the numbers of another architecture, for which the
// filter has none.
func TestForeign(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/foreign"
	write(t, file, foreignProgram(), 0o755)
	var ended *exec.ExitError
	if err := exec.CommandContext(t.Context(), file).Run(); !errors.As(err, &ended) || ended.ExitCode() != 42 {
		t.Skipf("this kernel runs no programs of 32 bits: %v", err)
	}
	if r := run(t, Config{Dir: "/", Args: []string{file}}); r.Ended().Exit.Signal != "SIGSYS" {
		t.Errorf("it ended with %v %s", r.Ended().Exit, r.err)
	}
}
