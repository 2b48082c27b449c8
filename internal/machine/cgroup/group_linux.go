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

// Limits bound a group. Zero values are no limit; one whose controller is missing is left out.
type Limits struct {
	Memory     int64 // bytes of memory and swap; who takes more is killed, with all in the group
	Processes  int64 // processes and threads; further ones cannot be started
	Processors int   // that the group may keep busy on average
}

// A Group is a control group. Its methods are safe for concurrent use, but for Close.
type Group struct {
	parent *parent
	dir    *os.File // locked
	path   string
}

// New makes a group, and removes those whose makers are gone. The caller closes it. The error is an
// [UnavailableError] where no group can be made that limits memory or processes.
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
			continue // somebody swept it away before it was locked
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

// sweep removes groups whose makers are gone. Whatever is wrong with one, the next sweep tries it again.
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

// Controllers are those that the group has, by name.
func (g *Group) Controllers() []Controller { return slices.Clone(g.parent.controllers) }

// FD is what a process is started into the group with ([syscall.SysProcAttr]). It is good until the group is closed.
func (g *Group) FD() int { return int(g.dir.Fd()) }

// Usage is what all processes of a group together have used.
type Usage struct {
	CPU    time.Duration
	Memory int64 // bytes at the peak, with the cache of files that they read; 0: not known
}

// Usage is what the group has used up to now. What cannot be read is 0.
func (g *Group) Usage() Usage {
	peak, _ := os.ReadFile(filepath.Join(g.path, "memory.peak"))
	memory, _ := strconv.ParseInt(strings.TrimSpace(string(peak)), 10, 64)
	return Usage{CPU: time.Duration(g.count("cpu.stat", "usage_usec")) * time.Microsecond, Memory: memory}
}

// Met are the limits that the group has met: Memory, when a process was killed; PIDs, when one could not be
// started.
func (g *Group) Met() (met []Controller) {
	if g.count("memory.events", "oom_kill") > 0 {
		met = append(met, Memory)
	}
	if g.count("pids.events", "max") > 0 {
		met = append(met, PIDs)
	}
	return met
}

// count is a number in a file of lines with a name and a number each.
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

// Close kills what is in the group, and removes it. If a process takes its time to end, the group stays for
// the next sweep.
func (g *Group) Close() {
	g.remove()
	g.parent.close()
}

func (g *Group) remove() {
	_ = put(g.path, "cgroup.kill", "1") // if it fails, so does what follows
	_ = unix.Rmdir(g.path)
	g.dir.Close()
}
