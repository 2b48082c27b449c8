// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An entry configures the program that becomes the server. It goes over the socket, because the
// environment may contain secrets and arguments are visible to everybody.
type entry struct {
	Args, Env []string
	Dir       string
	Root      bool
	Limits    Limits
	Live      bool // see [Config.live]
	Paths     bool // are reported
}

// An entered is the message to init from the program that becomes the server. Init answers with {}. It
// must come before the filter, which stops sendmsg, and so no descriptor can be sent later.
type entered struct {
	Listener int    `json:"listener"`
	Failed   string `json:"failed,omitempty"`
	Absent   string `json:"absent,omitempty"` // the program that PATH does not have
}

// enter gives up all privileges that the server must not have, and becomes the server.
func enter() int {
	runtime.LockOSThread() // privileges belong to the thread
	c, err := newControl(os.NewFile(controlFD, "listener"))
	if err != nil {
		return 2
	}
	fail := func(err error) int {
		e := entered{Failed: err.Error()}
		if missing := (*exec.Error)(nil); errors.As(err, &missing) && errors.Is(err, exec.ErrNotFound) {
			e.Absent = missing.Name
		}
		_ = c.send(e)
		return 127
	}
	var e entry
	if err := c.receive(&e); err != nil {
		return fail(err)
	}
	program, err := e.program()
	if err != nil {
		return fail(err)
	}
	if err := e.giveUp(); err != nil {
		return fail(err)
	}
	listener, err := filter(e.Live, e.Paths)
	if err != nil {
		return fail(err)
	}
	if err := c.send(entered{Listener: listener}); err != nil {
		return 127
	}
	if err := c.receive(&struct{}{}); err != nil { // init has the listener; ours closes on exec
		return 127
	}
	err = syscall.Exec(program, e.Args, e.Env)
	fmt.Fprintf(os.Stderr, "%s: %v\n", program, err)
	return 127
}

// program finds the server's program by the PATH in the server's environment.
func (e *entry) program() (string, error) {
	if err := os.Chdir(e.Dir); err != nil {
		return "", fmt.Errorf("the working directory: %w", err)
	}
	name := e.Args[0]
	if strings.Contains(name, "/") {
		return name, executable(name)
	}
	for _, v := range e.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			for _, dir := range filepath.SplitList(path) {
				if file := filepath.Join(dir, name); filepath.IsAbs(file) && executable(file) == nil {
					return file, nil
				}
			}
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

func executable(path string) error {
	if err := unix.Access(path, unix.X_OK); err != nil {
		return &os.PathError{Op: "exec", Path: path, Err: err}
	}
	return nil
}

// giveUp restricts this thread for the server: its limits, its capabilities, and ways to new ones.
func (e *entry) giveUp() error {
	// The root of init's namespace is the group of its starter; the server's group is below.
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("a namespace of control groups: %w", err)
	}
	if stands(limitsWall) {
		if err := e.limit(); err != nil {
			return err
		}
	}
	if stands(privilegeWall) {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("no_new_privs: %w", err)
		}
	}
	if stands(landlockWall) {
		if err := landlock(); err != nil {
			return err
		}
	}
	if !stands(capabilityWall) {
		return nil
	}
	return dropCapabilities(capabilities(e.Root))
}

// Margins between a limit and the point of refusal by the kernel. They let the warden see and report a
// process over the limit.
const (
	spareMemory    = 512 << 20
	spareProcesses = 64
	spareCPU       = 5 * time.Second
)

// limit bounds this process and each of its children separately. A core limit of 1 byte prevents cores
// altogether; with 0 bytes, the kernel could still pass them to a program of the machine (core(5)).
func (e *entry) limit() error {
	if e.Live {
		return setLimits(map[int]uint64{unix.RLIMIT_CORE: 1})
	}
	l := e.Limits
	return setLimits(map[int]uint64{
		unix.RLIMIT_NPROC: uint64(l.Processes + spareProcesses), unix.RLIMIT_NOFILE: uint64(l.OpenFiles), unix.RLIMIT_CPU: uint64((l.CPU + spareCPU).Seconds()),
		unix.RLIMIT_DATA: uint64(l.Memory + spareMemory), unix.RLIMIT_CORE: 1, unix.RLIMIT_MEMLOCK: 64 << 10,
		unix.RLIMIT_MSGQUEUE: 0, unix.RLIMIT_SIGPENDING: uint64(l.Processes), unix.RLIMIT_RTPRIO: 0, unix.RLIMIT_NICE: 0,
	})
}

func setLimits(limits map[int]uint64) error {
	for what, most := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(what, &now); err != nil {
			return fmt.Errorf("limit %d: %w", what, err)
		}
		most = min(most, now.Max)
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", what, err)
		}
	}
	return nil
}
