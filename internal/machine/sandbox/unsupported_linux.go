// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A machine reads the kernel's state from its proc file system.
type machine struct{ proc string }

// A toggle is a setting of the kernel that can block sandboxes.
type toggle struct {
	name, off string // below /proc/sys, and the blocking value
	on        string // an allowing value
}

// kinds lists the namespaces of a sandbox, with their names in /proc/PID/ns and /proc/sys/user
// (namespaces(7)).
var kinds = []string{"user", "mnt", "pid", "ipc", "uts", "net", "cgroup"}

// counters bound the number of namespaces; 0 forbids them.
func counters() []toggle {
	var list []toggle
	for _, kind := range kinds {
		list = append(list, toggle{"user/max_" + kind + "_namespaces", "0", "10000"})
	}
	return list
}

// guards restrict user namespaces of ordinary users, or operations in them, in Debian and Ubuntu.
var guards = []toggle{
	{"kernel/unprivileged_userns_clone", "0", "1"},
	{"kernel/apparmor_restrict_unprivileged_userns", "1", "0"},
}

// forbids reports whether the toggle has its blocking value.
func (m machine) forbids(t toggle) bool {
	raw, err := os.ReadFile(filepath.Join(m.proc, "sys", t.name))
	return err == nil && strings.TrimSpace(string(raw)) == t.off
}

func (t toggle) unsupported() *UnsupportedError {
	name := strings.ReplaceAll(t.name, "/", ".")
	return &UnsupportedError{
		What: fmt.Sprintf("the kernel's switch %s is %s, which forbids namespaces", name, t.off),
		Fix:  fmt.Sprintf("an administrator can allow them: sysctl %s=%s", name, t.on),
	}
}

// firstOf returns the first blocking toggle of a list; nil if there is none.
func (m machine) firstOf(list []toggle) *UnsupportedError {
	for _, t := range list {
		if m.forbids(t) {
			return t.unsupported()
		}
	}
	return nil
}

// noNamespaces explains why namespaces could not be made. It returns unrelated errors unchanged.
func (m machine) noNamespaces(err error) error {
	switch {
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		if named := m.firstOf(counters()); named != nil {
			return named
		}
		return &UnsupportedError{
			What: "as many namespaces are in use as may be, or they lie too deep in each other",
			Fix:  "an administrator can allow more: sysctl user.max_user_namespaces, user.max_net_namespaces and their like",
		}
	case errors.Is(err, unix.EINVAL):
		for _, kind := range kinds {
			if _, e := os.Lstat(filepath.Join(m.proc, "self/ns", kind)); e != nil {
				return &UnsupportedError{What: fmt.Sprintf("this kernel has no namespaces of the kind %s", kind), Fix: "it needs a kernel that is built with them"}
			}
		}
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES), errors.Is(err, unix.ENOSYS):
		if named := m.firstOf(guards); named != nil {
			return named
		}
		if m.filtered() {
			return &UnsupportedError{
				What: fmt.Sprintf("a seccomp filter is in force, and namespaces cannot be made (%v)", err),
				Fix:  "start the container with a profile that allows clone and unshare with CLONE_NEWUSER, such as --security-opt seccomp=unconfined",
			}
		}
	default:
		return err
	}
	return &UnsupportedError{What: fmt.Sprintf("namespaces cannot be made (%v)", err), Fix: "a container or a chroot must be started so that user namespaces can be made in it"}
}

// filtered reports whether a filter applies to our system calls (proc_pid_status(5)).
func (m machine) filtered() bool {
	raw, err := os.ReadFile(filepath.Join(m.proc, "self/status"))
	return err == nil && strings.Contains(string(raw), "\nSeccomp:\t2\n")
}

// missing names the part that init lacks. If a toggle allows namespaces and restricts operations in
// them, it is that toggle.
func (m machine) missing(n note) error {
	if os.Geteuid() != 0 {
		if named := m.firstOf(guards); named != nil {
			return named
		}
	}
	return &UnsupportedError{What: n.Missing, Fix: n.Fix}
}
