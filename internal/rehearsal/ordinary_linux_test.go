// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolvet/toolvet/internal/test/race"
)

// dropVariable names a directory of the superuser that others may write to but not read. Beside it are one that they may also
// read, named open, and two of the ordinary user: listed, and hidden/closed, which only others
// may read, and no search finds.
const dropVariable = "TOOLVET_TEST_DROP"

// TestOrdinaryUser runs other tests again as an ordinary user.
func TestOrdinaryUser(t *testing.T) {
	race.Skip(t)
	if os.Geteuid() != 0 {
		t.Skip("the tests run as an ordinary user already")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("", "rehearse-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, home, drop := filepath.Join(dir, "rehearse.test"), filepath.Join(dir, "home"), filepath.Join(dir, "drop")
	raw, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Chmod(dir, 0o755), os.WriteFile(program, raw, 0o755), os.Mkdir(home, 0o700), os.Chown(home, nobody, nobody),
		os.Mkdir(drop, 0o700), os.Chmod(drop, 0o733),
		os.Mkdir(dir+"/open", 0o700), os.Chmod(dir+"/open", 0o777), os.Mkdir(dir+"/listed", 0o700), os.Chown(dir+"/listed", nobody, nobody),
		os.Mkdir(dir+"/hidden", 0o711), os.Mkdir(dir+"/hidden/closed", 0o700), os.Chown(dir+"/hidden/closed", nobody, nobody), os.Chmod(dir+"/hidden/closed", 0o355),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.timeout=4m", "-test.run=^Test(Changes|Attributes|HiddenAttributes|RootAttributes|OwnDirectory|OthersDirectory|OtherNames|SharedMemory|ClosedDirectory|Stale|Circumstances|AtStart|Full|Limits|Network|Itself|Pool|Check|Partial|Closed|Sparse|AddedTimers|RestingTimers|Deferred)$")
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home, dropVariable+"="+drop)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestChanges") && os.Getenv("CI") == "true" {
		t.Fatalf("the tests did not run:\n%s", out)
	}
}
