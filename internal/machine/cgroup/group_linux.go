// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cgroup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// prefix starts the name of each group.
const prefix = "toolvet-"

// Limits bound a group. Zero means no limit. A limit without its controller is ignored.
type Limits struct {
	Memory     int64 // bytes of memory and swap; above it, the kernel kills the whole group
	Processes  int64 // processes and threads; further ones cannot start
	Processors int   // that the group may keep busy on average
}

// A Group is a control group. Its methods are safe for concurrent use, but for Close.
type Group struct {
	parent *parent
	dir    *os.File // locked
	path   string
}

// New makes a group, and removes those without a lock. The caller closes it. The error is an
// [UnavailableError] if groups cannot limit memory or processes here.
func New(l Limits) (*Group, error) {
	p, err := find()
	if err != nil {
		return nil, err
	}
	if err := p.enable(); err != nil {
		p.close()
		return nil, err
	}
	g, err := p.make(l)
	if err != nil {
		p.close()
	}
	return g, err
}

func (p *parent) make(l Limits) (*Group, error) {
	p.sweep()
	var err error
	for range 5 {
		path := filepath.Join(p.dir, prefix+strings.ToLower(rand.Text()))
		if err = os.Mkdir(path, 0o755); err != nil {
			return nil, err
		}
		var dir *os.File
		if dir, err = lock(path); err != nil {
			continue // another process removed it before it was locked
		}
		g := &Group{p, dir, path}
		if err = g.limit(l); err == nil {
			return g, nil
		}
		g.remove()
	}
	return nil, err
}

// lock opens a group and locks it for as long as it is open.
func lock(path string) (*os.File, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

// sweep removes groups without a lock. After a failure, the next sweep tries again.
func (p *parent) sweep() {
	old, _ := filepath.Glob(filepath.Join(p.dir, prefix+"*"))
	for _, path := range old {
		if dir, err := lock(path); err == nil {
			(&Group{dir: dir, path: path}).remove()
		}
	}
}

func (g *Group) limit(l Limits) error {
	if l.Memory > 0 && g.parent.has(Memory) {
		for file, value := range map[string]string{"memory.max": strconv.FormatInt(l.Memory, 10), "memory.swap.max": "0", "memory.oom.group": "1"} {
			err := put(g.path, file, value)
			if err != nil && !(file == "memory.swap.max" && exists(g.path) && errors.Is(err, fs.ErrNotExist)) { // a kernel without swap
				return err
			}
		}
	}
	if l.Processes > 0 && g.parent.has(PIDs) {
		if err := put(g.path, "pids.max", strconv.FormatInt(l.Processes, 10)); err != nil {
			return err
		}
	}
	if l.Processors > 0 && g.parent.has(CPU) {
		const period = 100_000 // microseconds
		return put(g.path, "cpu.max", fmt.Sprintf("%d %d", l.Processors*period, period))
	}
	return nil
}

// Controllers returns the controllers of the group, by name.
func (g *Group) Controllers() []Controller { return slices.Clone(g.parent.controllers) }

// FD starts a process in the group ([syscall.SysProcAttr]). It is valid until Close.
func (g *Group) FD() int { return int(g.dir.Fd()) }

// Usage counts the resources of all processes of a group.
type Usage struct {
	CPU    time.Duration
	Memory int64 // peak in bytes, with the cache of files; 0 if unknown
}

// Usage returns the usage up to now. Unreadable values are 0.
func (g *Group) Usage() Usage {
	peak, _ := os.ReadFile(filepath.Join(g.path, "memory.peak"))
	memory, _ := strconv.ParseInt(strings.TrimSpace(string(peak)), 10, 64)
	return Usage{CPU: time.Duration(g.count("cpu.stat", "usage_usec")) * time.Microsecond, Memory: memory}
}

// Met returns the limits that the group has reached: Memory if a process was killed; PIDs if one could
// not start.
func (g *Group) Met() (met []Controller) {
	if g.count("memory.events", "oom_kill") > 0 {
		met = append(met, Memory)
	}
	if g.count("pids.events", "max") > 0 {
		met = append(met, PIDs)
	}
	return met
}

// count returns a number from a file of lines with a name and a number each.
func (g *Group) count(file, name string) int64 {
	raw, _ := os.ReadFile(filepath.Join(g.path, file))
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			return n
		}
	}
	return 0
}

// Close kills the processes of the group, and removes it. If a process ends late, the group stays for
// the next sweep.
func (g *Group) Close() {
	g.remove()
	g.parent.close()
}

func (g *Group) remove() {
	_ = put(g.path, "cgroup.kill", "1") // if it fails, so does the removal
	_ = unix.Rmdir(g.path)
	g.dir.Close()
}
