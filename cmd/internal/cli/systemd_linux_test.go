// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolvet/toolvet/internal/test/need"
)

// TestSystemd has a real systemd, a user manager in namespaces and control groups of its own, run the unit
// that "toolvet schedule install" writes.
func TestSystemd(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		need.Root.Skip(t, "only the superuser gives a systemd its own control group and /run")
	}
	for _, program := range []string{"/usr/lib/systemd/systemd", "systemctl", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no systemd to run: %v", err)
		}
	}
	probe := `for g in /sys/fs/cgroup/systemd /sys/fs/cgroup; do [ -e $g/cgroup.procs ] && mkdir $g/toolvet-probe-$$ && exec rmdir $g/toolvet-probe-$$; done; exit 1`
	if out, err := exec.Command("sh", "-c", probe).CombinedOutput(); err != nil {
		t.Skipf("no control group can be made: %v %s", err, out)
	}
	if out, err := exec.Command("unshare", "--mount", "--pid", "--fork", "--mount-proc", "mount", "-t", "tmpfs", "none", "/run").CombinedOutput(); err != nil {
		t.Skipf("no namespaces can be made: %v %s", err, out)
	}
	testscript.Run(t, params("testdata/systemd", nil))
}
