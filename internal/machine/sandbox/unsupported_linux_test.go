// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// startWithout starts a sandbox where a switch of the kernel's, below /proc/sys, is 0 ("": as it is), and says why it
// cannot. It returns 3 if the switch cannot be set.
func startWithout(name string) int {
	if name != "" && os.WriteFile("/proc/sys/"+name, []byte("0"), 0) != nil {
		return 3
	}
	_, err := Start(context.Background(), Config{Args: []string{"/bin/true"}, Dir: "/", Init: []string{"/proc/self/exe", "as-sandbox"}})
	fmt.Println(err)
	return 0
}

// TestSwitches has each switch that a user namespace has of its own be really off.
func TestSwitches(t *testing.T) {
	start(t, Config{Dir: "/", Args: []string{"/bin/true"}}) // skips where there are no sandboxes
	for _, s := range counters() {
		cmd := exec.CommandContext(t.Context(), self(t), "as-user", s.name)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
		}
		out, err := cmd.Output()
		if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 3 {
			t.Skip("/proc/sys cannot be written here")
		}
		name := strings.ReplaceAll(s.name, "/", ".")
		want := "cannot rehearse here: the kernel's switch " + name + " is 0, which forbids namespaces; an administrator can allow them: sysctl " + name + "=10000\n"
		if string(out) != want || err != nil {
			t.Errorf("%s: got %q %v", s.name, out, err)
		}
	}
}

// TestKeepsAttributes asks a file system that has no extended attributes.
func TestKeepsAttributes(t *testing.T) {
	var missing *UnsupportedError
	if err := keepsAttributes("/proc"); !errors.As(err, &missing) || !strings.Contains(err.Error(), "Linux 6.6") {
		t.Errorf("got %v", err)
	}
}

// TestFiltered has a sandbox be started where a seccomp filter forbids namespaces: in another.
func TestFiltered(t *testing.T) {
	r := run(t, Config{Dir: "/", Args: []string{self(t), "as-user", ""}})
	if !strings.HasPrefix(r.out, "cannot rehearse here: a seccomp filter is in force, and namespaces cannot be made (") {
		t.Errorf("got %q %s", r.out, r.err)
	}
}

// TestNamed has switches that cannot be set here.
func TestNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string // below /proc
		err   error
		want  string
	}{
		{"Debian", map[string]string{"sys/kernel/unprivileged_userns_clone": "0\n"}, unix.EPERM, "the kernel's switch kernel.unprivileged_userns_clone is 0, which forbids namespaces"},
		{"Ubuntu", map[string]string{"sys/kernel/unprivileged_userns_clone": "1\n", "sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, unix.EACCES, "the kernel's switch kernel.apparmor_restrict_unprivileged_userns is 1, which forbids namespaces"},
		{"used up", map[string]string{"sys/user/max_user_namespaces": "10\n"}, unix.ENOSPC, "as many namespaces are in use as may be, or they lie too deep in each other"},
		{"none of a kind", map[string]string{"self/ns/user": "", "self/ns/mnt": "", "self/ns/pid": "", "self/ns/uts": ""}, unix.EINVAL, "this kernel has no namespaces of the kind ipc"},
		{"container", map[string]string{"self/status": "Name:\tx\nSeccomp:\t2\n"}, unix.EPERM, "a seccomp filter is in force, and namespaces cannot be made (fork/exec: operation not permitted)"},
		{"chroot", map[string]string{"self/status": "Name:\tx\nSeccomp:\t0\n"}, unix.EPERM, "namespaces cannot be made (fork/exec: operation not permitted)"},
		{"no memory", nil, unix.ENOMEM, ""},
	} {
		m := machine{t.TempDir()}
		for name, content := range tt.files {
			path := filepath.Join(m.proc, name)
			mkdir(t, filepath.Dir(path))
			write(t, path, content, 0o600)
		}
		err := m.noNamespaces(fmt.Errorf("fork/exec: %w", tt.err))
		var missing *UnsupportedError
		if tt.want == "" {
			if errors.As(err, &missing) {
				t.Errorf("%s: got %v", tt.name, err)
			}
			continue
		}
		if !errors.As(err, &missing) || missing.What != tt.want || missing.Fix == "" {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}
