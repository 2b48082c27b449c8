// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package supervisor

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// Files of a supervisor besides the server's standard files.
const (
	lifelineFD = 3 // read end of the lifeline
	reportFD   = 4 // write end of the report
)

// exitNotStarted is the shell's code for a program that could not be started.
const exitNotStarted = 127

// Run takes a role and its arguments. For [Guard] and [Server] these are the path of a program, and the program's arguments
// from its name on; Run returns the exit code to pass on when the server and all its descendants have ended. The other
// roles have no arguments.
//
// It changes the process that it runs in (standard files, children, signals), so
// the program must do nothing else.
func Run(args []string) int {
	// The kernel sends Pdeathsig when the starting thread ends.
	runtime.LockOSThread()
	switch {
	case len(args) == 1 && inherited(reportFD) == nil:
		return end(args[0])
	case len(args) < 3 || inherited(lifelineFD) != nil || inherited(reportFD) != nil:
		return byHand()
	}
	s, err := newSupervisor(os.NewFile(lifelineFD, "lifeline"), os.NewFile(reportFD, "report"))
	if err != nil {
		s.report.failed(FailedSupervisor, err)
		return exitNotStarted
	}
	if args[0] == Guard {
		return s.guard(args[1], args[2:])
	}
	return s.serve(args[1], args[2:])
}

func byHand() int {
	_, _ = os.Stderr.WriteString("supervise is started by toolvet itself, to look after a server; it does not work by hand\n")
	return 2
}

// end takes over from a process whose children are what it is about.
func end(role string) int {
	var s supervisor // without a child of its own
	switch role {
	case Terminate:
		terminateParents()
		return 0
	case Leftovers:
		s.endLeftovers()
	case Kill:
	default:
		return byHand()
	}
	s.killTree()
	return 0
}

// inherited takes over a pipe from the process above. No program that we start must get it.
func inherited(fd int) error {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return errors.New("not a pipe")
	}
	syscall.CloseOnExec(fd)
	return nil
}

// serve runs the server.
func (s *supervisor) serve(path string, argv []string) int {
	if err := s.start(path, argv, serverAttr()); err != nil {
		s.report.failed(FailedProgram, err)
		return exitNotStarted
	}
	s.report.write(Started, s.child)
	s.await(func(signal syscall.Signal) { signalTree(s.child, signal) })
	if s.reaped {
		s.report.write(Exited, int(s.status))
		s.endLeftovers()
	}
	s.killTree()
	return s.code()
}

// guard runs the supervisor, and takes over if that is killed.
func (s *supervisor) guard(path string, argv []string) int {
	lifeEnd, lifeline, err := os.Pipe()
	if err == nil {
		defer lifeline.Close() // not earlier: the collector closes unreferenced files
		// lifelineFD, reportFD
		err = s.start(path, argv, &syscall.SysProcAttr{Setpgid: true}, lifeEnd, s.report.file)
		lifeEnd.Close()
	}
	if err != nil {
		s.report.failed(FailedSupervisor, err)
		return exitNotStarted
	}
	s.await(func(signal syscall.Signal) { _ = syscall.Kill(s.child, signal) })
	s.killTree()
	return s.code()
}
