// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/cgroup"
)

// The limits of [Ended.Limits].
const (
	limitMemory    = "memory"
	limitProcesses = "processes"
	limitCPU       = "processor time"
	limitOpen      = "open files"
	limitStorage   = "bytes written"
	limitFiles     = "files written"
	limitPipes     = "pipes"
	limitWatches   = "watches of epoll"
)

// A warden watches the resources of the processes, and records the limits that they reach. It ends
// everything when they exceed their memory, processes or processor time. It leaves limits of a control
// group to the kernel.
type warden struct {
	limits            Limits
	memory, processes bool // counted by the warden
	stage             int  // descriptor of the directory of the layers

	mu              sync.Mutex
	met             []string
	pipes, inFlight int64 // the most at a look
}

func newWarden(l Limits, grouped []cgroup.Controller, stage int) *warden {
	return &warden{limits: l, stage: stage, memory: !slices.Contains(grouped, cgroup.Memory), processes: !slices.Contains(grouped, cgroup.PIDs)}
}

// broken returns the reached limits, each once.
func (w *warden) broken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.met)
}

func (w *warden) meet(limits ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range limits {
		if !slices.Contains(w.met, l) {
			w.met = append(w.met, l)
		}
	}
}

func (w *warden) end(limit string) {
	w.meet(limit)
	killAll()
}

// Looking at all processes takes processor time, at most a tenth of one. Looks at limits of single
// processes can wait.
const (
	lookEvery = 20 * time.Millisecond
	lookOwn   = 500 * time.Millisecond
)

func (w *warden) watch() {
	if !stands(wardenWall) {
		return
	}
	var took time.Duration
	for last := time.Now(); ; {
		time.Sleep(max(lookEvery, 10*took))
		w.meet(full(w.stage)...)
		began := time.Now()
		own := began.Sub(last) >= lookOwn
		if own {
			last = began
		}
		if own || w.memory || w.processes {
			w.look(processes(), own)
		}
		took = time.Since(began)
	}
}

func (w *warden) look(pids []int, own bool) {
	if w.memory || w.processes {
		tasks, memory := resident(pids)
		if w.processes && tasks > w.limits.Processes {
			w.end(limitProcesses)
		}
		if w.memory && memory > w.limits.Memory {
			w.end(limitMemory)
		}
	}
	if !own {
		return
	}
	now := shared{map[uint64]bool{}, map[uint64]int64{}}
	for _, pid := range pids {
		now.add(pid)
		if used(pid) > w.limits.CPU {
			w.end(limitCPU)
		}
		if opened(pid) >= w.limits.OpenFiles {
			w.meet(limitOpen)
		}
	}
	w.mu.Lock()
	w.pipes, w.inFlight = max(w.pipes, int64(len(now.pipes))), max(w.inFlight, now.flying())
	w.mu.Unlock()
	if len(now.pipes) > maxPipes {
		w.end(limitPipes)
	}
}

// most returns the most pipes and descriptors in flight at a look.
func (w *warden) most() (pipes, inFlight int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pipes, w.inFlight
}

// full returns the limits on writes that are reached now.
func full(stage int) (limits []string) {
	bytes, files, err := room(stage)
	if err != nil {
		return nil
	}
	if bytes < 64<<10 {
		limits = append(limits, limitStorage)
	}
	if files < 8 {
		limits = append(limits, limitFiles)
	}
	return limits
}

// room returns the remaining bytes and files for writing.
func room(stage int) (bytes, files int64, err error) {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(stage, &fs); err != nil {
		return 0, 0, err
	}
	return int64(fs.Bavail) * fs.Bsize, int64(fs.Ffree), nil
}

// resident returns the threads of processes and their memory in bytes. Memory shared without a file
// counts once for each process.
func resident(pids []int) (tasks, memory int64) {
	for _, pid := range pids {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil {
			continue
		}
		for line := range bytes.Lines(raw) {
			name, value, _ := bytes.Cut(line, []byte(":"))
			value, _, _ = bytes.Cut(bytes.TrimSpace(value), []byte(" "))
			v, _ := strconv.ParseInt(string(value), 10, 64)
			switch string(name) {
			case "RssAnon", "RssShmem":
				memory += v << 10
			case "Threads":
				tasks += v
			}
		}
	}
	return tasks, memory
}

// used returns the processor time of a process, or 0.
func used(pid int) time.Duration {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	const user, system = 11, 12 // behind the name of the program, which can contain anything
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) <= system {
		return 0
	}
	u, _ := strconv.ParseInt(fields[user], 10, 64)
	s, _ := strconv.ParseInt(fields[system], 10, 64)
	return time.Duration(u+s) * (time.Second / 100) // USER_HZ
}

// opened returns the number of descriptors of a process, or 0.
func opened(pid int) int64 {
	var stat unix.Stat_t
	if unix.Stat("/proc/"+strconv.Itoa(pid)+"/fd", &stat) != nil {
		return 0
	}
	return stat.Size
}
