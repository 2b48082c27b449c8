// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"strings"
	"testing"
)

// TestClockwork has files whose names end like that of the kernel's part of a process.
func TestClockwork(t *testing.T) {
	const of = "7f0000000000-7f0000002000 r-xp 00000000 00:00 0 "
	files := strings.Join([]string{
		"560000000000-560000001000 r--p 00000000 fe:00 7                          /tmp/a [vdso]",
		"560000001000-560000002000 r--p 00000000 fe:00 7                          [vdso] (deleted)",
		"560000002000-560000003000 rw-p 00000000 00:01 7                          /memfd:[vdso] (deleted)",
		"560000003000-560000004000 rw-p 00000000 00:00 0                          [anon: [vdso]]",
		"560000004000-560000005000 rw-p 00000000 00:00 0 ",
	}, "\n") + "\n"
	start, end, err := clockworkIn(strings.NewReader(files + of + "                         [vdso]\n"))
	if start != 0x7f0000000000 || end != 0x7f0000002000 || err != nil {
		t.Errorf("%x-%x %v", start, end, err)
	}
	if start, end, err := clockworkIn(strings.NewReader(files)); err == nil {
		t.Errorf("%x-%x in files alone", start, end)
	}
}
