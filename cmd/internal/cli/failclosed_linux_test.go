// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolvet/toolvet/internal/test/need"
)

// TestFailsClosedDiskFull fills the disk that the log is on, a small one in a namespace of
// the proxy's own: then calls are refused and do not run, unless the policy says that they go on.
func TestFailsClosedDiskFull(t *testing.T) {
	t.Parallel()
	for name, onError := range map[string]string{"default": "", "refuse": ", on_error: refuse", "continue": ", on_error: continue"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, disk := t.TempDir(), t.TempDir()
			calls := filepath.Join(dir, "calls")
			p := startOnDisk(t, dir, disk, fmt.Sprintf("log: {file: %q%s}\n", filepath.Join(disk, "log.jsonl"), onError), calls)
			shown, withheld, refused := 0, 0, 0
			for range 1000 {
				if err := p.call(); err != nil {
					t.Fatal(err)
				}
				line, err := p.answer()
				switch {
				case err != nil:
					t.Fatal(err)
				case strings.Contains(line, "the server ran it"):
					shown++
				case strings.Contains(line, "cannot be recorded, so it is withheld"):
					withheld++
				case strings.Contains(line, "cannot be recorded, so it is refused"):
					refused++
				default:
					t.Fatalf("an answer that is none of those expected: %s", line)
				}
				if strings.Contains(line, "no space") || strings.Contains(line, disk) {
					t.Errorf("the client is told of the disk: %s", line)
				}
				if refused == 20 {
					break
				}
			}
			refuses := name != "continue"
			if n := ran(t, calls); n != shown+withheld || shown < 10 || (refused == 20) != refuses || !refuses && withheld > 0 {
				t.Errorf("%d calls ran; %d results were shown, %d withheld; %d calls were refused", n, shown, withheld, refused)
			}
		})
	}
}

// startOnDisk starts a proxy for which a directory is a small file system.
func startOnDisk(t *testing.T, dir, disk, policy, calls string) *proxyRun {
	t.Helper()
	if err := inNamespace("sh", "-c", `mount -t tmpfs -o size=64k tmpfs "$0"`, disk).Run(); err != nil {
		need.Namespace.Missing(t, err)
	}
	cmd := proxyCommand(t, dir, policy, calls)
	script := append([]string{"-c", `mount -t tmpfs -o size=64k tmpfs "$0" && exec "$@"`, disk}, cmd.Args...)
	return startClient(t, inNamespace("sh", script...))
}

func inNamespace(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	return cmd
}
