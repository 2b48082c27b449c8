// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestReturnProgram holds that most pages of the program's file go, and that the program runs on. It is not parallel: other tests
// would read the pages again.
func TestReturnProgram(t *testing.T) {
	mapped := func() (kilobytes int) {
		smaps, err := os.ReadFile("/proc/self/smaps")
		if err != nil {
			t.Fatal(err)
		}
		program := os.Args[0] + "\n"
		for part := range strings.SplitSeq(string(smaps), "VmFlags:") {
			_, rss, _ := strings.Cut(part, "\nRss:")
			var n int
			if _, err := fmt.Sscanf(rss, "%d kB", &n); err == nil && strings.Contains(part, program) {
				kilobytes += n
			}
		}
		return kilobytes
	}
	for _, m := range programMappings() {
		const populateRead = 22 // MADV_POPULATE_READ, since Linux 5.14
		if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, m.start, m.end-m.start, populateRead); errno != 0 {
			t.Skipf("the kernel does not map a range at once: %v", errno)
		}
	}
	before := mapped()
	returnProgram()
	if after := mapped(); after > before/2 {
		t.Errorf("%d kB of the program's file are mapped, %d before", after, before)
	}
}

// TestUnchanged holds that only pages that the file still has are returned.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	const smaps = `00400000-02201000 r-xp 00000000 08:01 12345                              /opt/a program
Size:              30724 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
02201000-040b1000 r--p 01e01000 08:01 12345                              /opt/a program
Anonymous:             0 kB
040b1000-040c0000 r--p 03cb1000 08:01 12345                              /opt/a program
Anonymous:            60 kB
040c0000-041d2000 rw-p 03cc0000 08:01 12345                              /opt/a program
Anonymous:             0 kB
7fa034a97000-7fa034ad7000 r--p 00000000 00:00 0
Anonymous:             0 kB
7fa034cc6000-7fa034cee000 r--p 00000000 08:01 99                         /lib/another program
Anonymous:             0 kB
`
	want := []mapping{{0x400000, 0x2201000}, {0x2201000, 0x40b1000}}
	if got := unchanged([]byte(smaps), "/opt/a program"); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}
