// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// special makes /proc, /dev or /sys.
func (r *root) special(path string) error {
	r.except(path)
	if err := os.Mkdir(r.at(path), 0o755); err != nil {
		return err
	}
	switch path {
	case "/proc":
		return r.proc()
	case "/dev":
		return r.dev()
	}
	return r.sys()
}

// maskedProc lists parts of /proc that reveal the machine.
var maskedProc = []string{
	"acpi", "asound", "bus", "interrupts", "kcore", "keys", "key-users", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "latency_stats", "pagetypeinfo",
	"sched_debug", "scsi", "slabinfo", "timer_list", "vmallocinfo",
}

// maskedSys lists parts of /sys that reveal the machine: serial numbers, firmware tables, power.
var maskedSys = []string{"firmware", "devices/virtual/dmi", "devices/virtual/powercap"}

// mask hides parts of a file system of the kernel.
func mask(at string, names []string) error {
	if !stands(maskWall) {
		return nil
	}
	for _, name := range names {
		path := filepath.Join(at, name)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
		case info.IsDir():
			err = unix.Mount("toolvet", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "size=0,mode=555")
		default:
			err = bindReadOnly("/dev/null", path, unix.MS_NOEXEC)
		}
		if err != nil {
			return fmt.Errorf("%s cannot be masked: %w", name, err)
		}
	}
	return nil
}

// counts bounds kernel objects that count for a user namespace and also for its creator: no further
// namespaces except the cgroup namespace of the server, and only a part of a user's watches.
var counts = map[string]string{
	"max_user_namespaces": "0", "max_mnt_namespaces": "0", "max_pid_namespaces": "0", "max_ipc_namespaces": "0", "max_uts_namespaces": "0",
	"max_net_namespaces": "0", "max_time_namespaces": "0", "max_cgroup_namespaces": "2",
	"max_fanotify_groups": "0", "max_fanotify_marks": "0", "max_inotify_instances": "64", "max_inotify_watches": "65536",
}

// count sets the counts of our user namespace.
func count(proc string) error {
	if !stands(countsWall) {
		return nil
	}
	for name, most := range counts {
		if err := os.WriteFile(filepath.Join(proc, "sys/user", name), []byte(most), 0); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the limit %s: %w", name, err)
		}
	}
	return nil
}

// proc shows the processes inside. It is read-only, because for the kernel's switches in it, the
// superuser inside is that of the machine.
func (r *root) proc() error {
	at := r.at("/proc")
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("proc", at, "proc", flags, ""); err != nil {
		return &UnsupportedError{What: fmt.Sprintf("/proc cannot be mounted (%v)", err), Fix: "a container must show its /proc unmasked"}
	}
	if ownPIDs() && !r.setup.Config.live() { // above the limit, so that the warden can see a process over it, and init can start threads
		if err := os.WriteFile(filepath.Join(at, "sys/kernel/pid_max"), strconv.AppendInt(nil, minPIDs+2*r.setup.Config.Limits.Processes, 10), 0); err != nil {
			return fmt.Errorf("the limit of processes: %w", err)
		}
	}
	if err := errors.Join(count(at), mask(at, maskedProc)); err != nil {
		return err
	}
	if !stands(procWall) {
		return nil
	}
	return unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|flags, "")
}

// minPIDs is the smallest valid pid_max (RESERVED_PIDS + 1).
const minPIDs = 301

// ownPIDs reports whether a PID namespace has its own limit of processes, which also binds the
// superuser, as since Linux 6.14. Before, the same file sets the machine's limit.
func ownPIDs() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	var major, minor int
	n, _ := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor)
	return n == 2 && (major > 6 || major == 6 && minor >= 14)
}

// devices are shown in /dev.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

func (r *root) dev() error {
	at := r.at("/dev")
	if err := unix.Mount("toolvet", at, "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "size=4m,nr_inodes=64,mode=755"); err != nil {
		return err
	}
	for _, name := range devices {
		to := filepath.Join(at, name)
		if err := touch(to); err != nil {
			return err
		}
		if err := showDevice("/dev/"+name, to); err != nil {
			return fmt.Errorf("/dev/%s: %w", name, err)
		}
	}
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx",
	} {
		if err := os.Symlink(target, filepath.Join(at, name)); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(at, "pts"), 0o755); err != nil {
		return err
	}
	if err := unix.Mount("devpts", filepath.Join(at, "pts"), "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620,max=64"); err != nil {
		return err
	}
	for name, content := range r.setup.Trusted {
		if err := os.WriteFile(filepath.Join(at, name), content, 0o444); err != nil {
			return err
		}
	}
	if r.setup.Config.View != nil {
		if err := r.scratch("/dev/shm"); err != nil {
			return err
		}
	} else if info, err := os.Lstat("/dev/shm"); err == nil && info.IsDir() { // its content stays, live
		if err := r.overlay("/dev/shm", false); err != nil {
			return err
		}
	}
	return unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NOEXEC, "")
}

// showDevice shows a device of the machine. Programs can write to it, but cannot change its mode, owner
// and times.
func showDevice(from, to string) error {
	if !stands(devicesWall) {
		return unix.Mount(from, to, "", unix.MS_BIND, "")
	}
	return bindReadOnly(from, to, unix.MS_NOEXEC)
}

// sys shows the kernel's information about the sandbox's own network, or nothing.
func (r *root) sys() error {
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_RDONLY)
	if !stands(sysWall) {
		flags &^= unix.MS_RDONLY
	}
	if unix.Mount("sysfs", r.at("/sys"), "sysfs", flags, "") == nil {
		return mask(r.at("/sys"), maskedSys)
	}
	return unix.Mount("toolvet", r.at("/sys"), "tmpfs", flags, "size=0,mode=555")
}
