// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestForeignMounts holds that every file system that is not known to be local is foreign, with all below it.
func TestForeignMounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"36 35 98:0 / / rw,noatime master:1 - ext4 /dev/root rw\n":                      nil,
		"36 35 98:0 /a /b rw - tmpfs - rw\n40 36 0:40 / /n rw shared:7 - nfs4 h:/ rw\n": {"/n"},
		`41 36 0:41 / /my\040home\134x rw - fuse.sshfs h: rw` + "\n":                    {`/my home\x`},
		"36 35 98:0 / / rw\n": {"/"},
		"\n":                  {"/"},
	} {
		if diff := cmp.Diff(want, foreignMounts([]byte(text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestMountTable holds that the machine's own table is read, and that paths below a foreign mount point are not local.
func TestMountTable(t *testing.T) {
	t.Parallel()
	var table mountTable
	if !table.local("/proc/self") {
		t.Skip("there is no /proc here")
	}
	table.foreign = []string{"/n"}
	for path, want := range map[string]bool{"/n": false, "/n/x": false, "/nx": true, "/": true} {
		if got := table.local(path); got != want {
			t.Errorf("%s: local %t", path, got)
		}
	}
}
