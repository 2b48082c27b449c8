// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A Controller limits one resource.
type Controller string

// The controllers in use, by name.
const (
	CPU    Controller = "cpu"
	Memory Controller = "memory"
	PIDs   Controller = "pids" // processes and threads
)

var used = []Controller{CPU, Memory, PIDs}

// A parent is a group that can hold new groups.
type parent struct {
	dir         string
	mount       *os.File // keeps dir, if it is not mounted in the file system
	controllers []Controller
}

// find finds the group in which this process may make groups: the parent of its own.
func find() (*parent, error) {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	p := &parent{}
	top := mountPoint(string(mountinfo))
	if top == "" {
		if p.mount, err = mount(); err != nil {
			return nil, &UnavailableError{What: "cgroup2 is not mounted", Fix: "mount -t cgroup2 none /sys/fs/cgroup"}
		}
		top = fmt.Sprintf("/proc/self/fd/%d", p.mount.Fd())
	}
	if err := p.choose(top, string(own)); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *parent) close() {
	if p.mount != nil {
		p.mount.Close()
	}
}

// mount mounts the hierarchy, if this process may, without attaching it to the file system.
func mount() (*os.File, error) {
	fs, err := unix.Fsopen("cgroup2", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fs)
	if err := unix.FsconfigCreate(fs); err != nil {
		return nil, err
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "cgroup2"), nil
}

// mountPoint returns the mount point of the whole hierarchy (proc_pid_mountinfo(5)), or "".
func mountPoint(mountinfo string) string {
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if ok && strings.HasPrefix(after, "cgroup2 ") && len(fields) > 4 && fields[3] == "/" && !strings.Contains(fields[4], `\`) {
			return fields[4]
		}
	}
	return ""
}

// ownGroup returns the path of this process's group (/proc/PID/cgroup, cgroups(7)), or "".
func ownGroup(list string) string {
	for line := range strings.Lines(list) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSuffix(strings.TrimRight(path, "\n"), " (deleted)")
		}
	}
	return ""
}

// choose returns the parent of our own group, if it belongs to us.
func (p *parent) choose(top, list string) error {
	own := ownGroup(list)
	p.dir = filepath.Join(top, filepath.Dir(own))
	switch {
	case own == "" || strings.HasPrefix(own, "/.."):
		return &UnavailableError{What: "the group of this process is not to be seen"}
	case own == "/" && exists(filepath.Join(top, "cgroup.type")): // only in the root of the machine can groups lie beside processes
		return &UnavailableError{What: "this process is in the topmost group that it sees", Fix: "start it in a group below the one that is delegated"}
	}
	for _, name := range []string{"", "cgroup.procs"} {
		if unix.Faccessat(unix.AT_FDCWD, filepath.Join(p.dir, name), unix.W_OK, unix.AT_EACCESS) != nil {
			return &UnavailableError{
				What: "the group that this process's own is in belongs to others",
				Fix:  "systemd-run --user --scope toolvet …, or in a unit of systemd Delegate=yes and DelegateSubgroup=toolvet",
			}
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// enable gives new groups the controllers, as far as they are available.
func (p *parent) enable() error {
	there, err := p.list("cgroup.controllers")
	if err != nil {
		return err
	}
	enabled, err := p.list("cgroup.subtree_control")
	if err != nil {
		return err
	}
	for _, c := range used {
		switch {
		case slices.Contains(enabled, string(c)):
		case !slices.Contains(there, string(c)):
			continue
		case put(p.dir, "cgroup.subtree_control", "+"+string(c)) != nil: // processes lie beside groups
			continue
		}
		p.controllers = append(p.controllers, c)
	}
	if p.has(Memory) || p.has(PIDs) {
		return nil
	}
	if !slices.Contains(there, string(Memory)) && !slices.Contains(there, string(PIDs)) {
		return &UnavailableError{
			What: "the hierarchy of version 2 has no controllers of memory and processes here",
			Fix:  "where version 1 has them: boot with cgroup_no_v1=all; where they are not delegated: Delegate=yes in the unit of systemd",
		}
	}
	return &UnavailableError{
		What: "the controllers memory and pids are not enabled",
		Fix:  "echo +memory +pids +cpu >cgroup.subtree_control in the group that this process's own is in",
	}
}

func (p *parent) has(c Controller) bool { return slices.Contains(p.controllers, c) }

func (p *parent) list(file string) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(p.dir, file))
	return strings.Fields(string(raw)), err
}

// put writes an existing file of a group.
func put(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}
