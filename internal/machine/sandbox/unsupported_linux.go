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

// A machine is what the kernel tells of itself, in its proc file system.
type machine struct{ proc string }

// A toggle is a setting of the kernel's that forbids what a sandbox needs.
type toggle struct {
	name, off string // below /proc/sys, and the value that forbids
	on        string // a value that allows
}

// kinds are the namespaces of a sandbox, as /proc/PID/ns and /proc/sys/user name them (namespaces(7)).
var kinds = []string{"user", "mnt", "pid", "ipc", "uts", "net", "cgroup"}

// counters say how many namespaces there may be: where one is 0, there are none.
func counters() []toggle {
	var list []toggle
	for _, kind := range kinds {
		list = append(list, toggle{"user/max_" + kind + "_namespaces", "0", "10000"})
	}
	return list
}

// guards forbid user namespaces to ordinary users, or what is done in them: of Debian, and of Ubuntu.
var guards = []toggle{
	{"kernel/unprivileged_userns_clone", "0", "1"},
	{"kernel/apparmor_restrict_unprivileged_userns", "1", "0"},
}

// forbids reports whether the switch is off.
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

// firstOf names the first switch of a list that is off; nil: none is.
func (m machine) firstOf(list []toggle) *UnsupportedError {
	for _, t := range list {
		if m.forbids(t) {
			return t.unsupported()
		}
	}
	return nil
}

// noNamespaces says why namespaces could not be made. Errors that have nothing to do with it stay as they are.
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

// filtered reports whether system calls of ours are filtered (proc_pid_status(5)).
func (m machine) filtered() bool {
	raw, err := os.ReadFile(filepath.Join(m.proc, "self/status"))
	return err == nil && strings.Contains(string(raw), "\nSeccomp:\t2\n")
}

// missing is what init lacks. Where a switch allows namespaces and forbids what is done in them, it is that.
func (m machine) missing(n note) error {
	if os.Geteuid() != 0 {
		if named := m.firstOf(guards); named != nil {
			return named
		}
	}
	return &UnsupportedError{What: n.Missing, Fix: n.Fix}
}
