// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pollEvery is the interval between checks for the end of a tree, while it is being ended.
const pollEvery = 5 * time.Millisecond

// supervisor is the common part of guard and supervisor: both have a child, and end its whole tree.
type supervisor struct {
	report *os.File
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
		return nil, err
	}
	lost := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, lifeline) // any end is the end
		close(lost)
	}()
	s := &supervisor{report: report, lost: lost, died: make(chan os.Signal, 1), asked: make(chan os.Signal, 1)}
	signal.Notify(s.died, unix.SIGCHLD)
	signal.Notify(s.asked, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	return s, nil
}

// start starts the child and closes our copies of its standard input and output, so that only the child
// holds those ends of the pipes.
func (s *supervisor) start(cmd *exec.Cmd) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	if err := cmd.Start(); err != nil {
		return startError(cmd.Args[0], err)
	}
	s.child = cmd.Process.Pid
	for fd := range 2 {
		if err := unix.Dup2(int(null.Fd()), fd); err != nil {
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
		pid, err := syscall.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR:
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
		return killed.Code
	}
	return exitOf(s.status).Code
}

func (s *supervisor) treeGone() bool {
	s.reap()
	return s.childless && groupGone(s.child)
}

// killTree repeats SIGKILL, because a process may start another one before it is killed.
func (s *supervisor) killTree() {
	s.poll(killWait, func() bool {
		if s.treeGone() {
			return true
		}
		signalTree(s.child, unix.SIGKILL)
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
