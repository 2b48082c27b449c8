// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package supervisor

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// KillWait bounds the time in which guard and supervisor repeat SIGKILL.
	KillWait = 2 * time.Second
	// leftoverGrace is the time after SIGTERM for processes that a server left behind.
	leftoverGrace = 500 * time.Millisecond
)

// pollEvery is the interval between checks for the end of a tree, while it is being ended.
const pollEvery = 5 * time.Millisecond

// supervisor is the common part of guard and supervisor: both have a child, and end its whole tree.
type supervisor struct {
	report Report
	lost   <-chan struct{} // closed with the lifeline
	died   chan os.Signal  // SIGCHLD
	asked  chan os.Signal  // signals for the child

	child     int
	reaped    bool // child is gone, with status
	status    syscall.WaitStatus
	childless bool // at the last look
}

func newSupervisor(lifeline, report *os.File) (*supervisor, error) {
	if err := adoptOrphans(); err != nil {
		return &supervisor{report: Report{report}}, err
	}
	lost := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, lifeline) // any end is the end
		close(lost)
	}()
	s := &supervisor{report: Report{report}, lost: lost, died: make(chan os.Signal, 1), asked: make(chan os.Signal, 1)}
	signal.Notify(s.died, syscall.SIGCHLD)
	signal.Notify(s.asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	return s, nil
}

// start starts the child, with more files behind the standard ones. It closes our copies of standard input and output, so
// that only the child holds those ends of the pipes.
func (s *supervisor) start(path string, argv []string, attr *syscall.SysProcAttr, more ...*os.File) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	files := append([]*os.File{os.Stdin, os.Stdout, os.Stderr}, more...)
	child, err := os.StartProcess(path, argv, &os.ProcAttr{Files: files, Sys: attr})
	if err != nil {
		return err
	}
	s.child = child.Pid
	for fd := range 2 {
		if err := duplicate(int(null.Fd()), fd); err != nil {
			s.killTree()
			return err
		}
	}
	return nil
}

// await waits for the end of the child or of the lifeline. It forwards signals.
func (s *supervisor) await(forward func(syscall.Signal)) {
	for !s.reap() {
		select {
		case <-s.died:
		case sig := <-s.asked:
			forward(sig.(syscall.Signal))
		case <-s.lost:
			return
		}
	}
}

// reap collects every process that has ended, adopted ones too, and reports
// whether the child is among those collected so far.
func (s *supervisor) reap() bool {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil || pid == 0:
			s.childless = err != nil
			return s.reaped
		case pid == s.child:
			s.reaped, s.status = true, status
		}
	}
}

// code returns the exit code to pass on.
func (s *supervisor) code() int {
	if !s.reaped {
		return 128 + int(syscall.SIGKILL)
	}
	if s.status.Signaled() {
		return 128 + int(s.status.Signal())
	}
	return s.status.ExitStatus()
}

func (s *supervisor) treeGone() bool {
	s.reap()
	return s.childless && groupGone(s.child)
}

// endLeftovers asks what the server left behind to end, and waits for a while.
func (s *supervisor) endLeftovers() {
	if !s.treeGone() {
		signalTree(s.child, syscall.SIGTERM)
		s.poll(leftoverGrace, s.treeGone)
	}
}

// killTree repeats SIGKILL, because a process may start another one before it is killed.
func (s *supervisor) killTree() {
	s.poll(KillWait, func() bool {
		if s.treeGone() {
			return true
		}
		signalTree(s.child, syscall.SIGKILL)
		return false
	})
}

// poll calls done until it returns true or limit has passed.
func (s *supervisor) poll(limit time.Duration, done func() bool) {
	deadline := time.After(limit)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !done() {
		select {
		case <-s.died:
		case <-tick.C:
		case <-deadline:
			return
		}
	}
}

// signalGroup ignores errors: the processes are gone, or this user may not signal them.
func signalGroup(group int, signal syscall.Signal) {
	if group > 1 { // -1 would be everybody
		_ = syscall.Kill(-group, signal)
	}
}
