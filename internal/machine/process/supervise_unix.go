// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// The arguments of Supervise: the role comes before the command to start.
const (
	roleGuard  = "guard"
	roleServer = "server"
)

// Files of a supervisor besides the server's standard files.
const (
	lifelineFD = 3 // read end of the lifeline
	reportFD   = 4 // write end of the report
)

// exitNotStarted is the shell's code for a program that could not be started.
const exitNotStarted = 127

// Supervise is the body of the program in [Command.Supervisor]; args follow that program's own
// arguments. It returns the exit code to pass on when the server and all its descendants have ended.
//
// It changes the process that it runs in (standard files, children, signals), so
// the program must do nothing else.
func Supervise(args []string) int {
	// The kernel sends Pdeathsig when the starting thread ends.
	runtime.LockOSThread()
	lifeline, report, err := inherit()
	if err != nil || len(args) < 2 {
		fmt.Fprintln(os.Stderr, "supervise is started by toolvet itself, to look after a server; it does not work by hand")
		return 2
	}
	s, err := newSupervisor(lifeline, report)
	if err != nil {
		reportFailed(report, err)
		return exitNotStarted
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if args[0] == roleGuard {
		return s.guard(cmd)
	}
	return s.serve(cmd)
}

// inherit takes over the files from Start. The server must not get them.
func inherit() (lifeline, report *os.File, err error) {
	for _, fd := range []int{lifelineFD, reportFD} {
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			return nil, nil, err
		}
		if stat.Mode&unix.S_IFMT != unix.S_IFIFO {
			return nil, nil, errors.New("not a pipe")
		}
		unix.CloseOnExec(fd)
	}
	return os.NewFile(lifelineFD, "lifeline"), os.NewFile(reportFD, "report"), nil
}

// serve runs the server.
func (s *supervisor) serve(cmd *exec.Cmd) int {
	cmd.SysProcAttr = serverAttr()
	if err := s.start(cmd); err != nil {
		reportFailed(s.report, err)
		return exitNotStarted
	}
	reportStarted(s.report, s.child)
	s.await(func(signal syscall.Signal) { signalTree(s.child, signal) })
	if s.reaped {
		reportExited(s.report, s.status)
		if !s.treeGone() {
			signalTree(s.child, unix.SIGTERM)
			s.poll(leftoverGrace, s.treeGone)
		}
	}
	s.killTree()
	return s.code()
}

// guard runs the supervisor, and takes over if that is killed.
func (s *supervisor) guard(cmd *exec.Cmd) int {
	lifeEnd, lifeline, err := os.Pipe()
	if err == nil {
		defer lifeline.Close() // not earlier: the collector closes unreferenced files
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.ExtraFiles = []*os.File{lifeEnd, s.report} // lifelineFD, reportFD
		err = s.start(cmd)
		lifeEnd.Close()
	}
	if err != nil {
		reportFailed(s.report, fmt.Errorf("supervisor: %w", err))
		return exitNotStarted
	}
	s.await(func(signal syscall.Signal) { _ = unix.Kill(s.child, signal) })
	s.killTree()
	return s.code()
}
