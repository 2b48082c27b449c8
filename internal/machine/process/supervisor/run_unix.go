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

// Run takes a role, the path of a program, and the program's arguments from its name on. [Guard] starts another program
// that runs the supervisor; [Server] starts the server. Run returns the exit code to pass on when the server and all its
// descendants have ended.
//
// It changes the process that it runs in (standard files, children, signals), so
// the program must do nothing else.
func Run(args []string) int {
	// The kernel sends Pdeathsig when the starting thread ends.
	runtime.LockOSThread()
	lifeline, report, err := inherit()
	if err != nil || len(args) < 3 {
		_, _ = os.Stderr.WriteString("supervise is started by toolvet itself, to look after a server; it does not work by hand\n")
		return 2
	}
	s, err := newSupervisor(lifeline, report)
	if err != nil {
		s.report.Failed("adopting orphaned processes", err)
		return exitNotStarted
	}
	if args[0] == Guard {
		return s.guard(args[1], args[2:])
	}
	return s.serve(args[1], args[2:])
}

// inherit takes over the files from the process above. The server must not get them.
func inherit() (lifeline, report *os.File, err error) {
	for _, fd := range []int{lifelineFD, reportFD} {
		var stat syscall.Stat_t
		if err := syscall.Fstat(fd, &stat); err != nil {
			return nil, nil, err
		}
		if stat.Mode&syscall.S_IFMT != syscall.S_IFIFO {
			return nil, nil, errors.New("not a pipe")
		}
		syscall.CloseOnExec(fd)
	}
	return os.NewFile(lifelineFD, "lifeline"), os.NewFile(reportFD, "report"), nil
}

// serve runs the server.
func (s *supervisor) serve(path string, argv []string) int {
	if err := s.start(path, argv, serverAttr()); err != nil {
		s.report.Failed("", err)
		return exitNotStarted
	}
	s.report.Started(s.child)
	s.await(func(signal syscall.Signal) { signalTree(s.child, signal) })
	if s.reaped {
		s.report.Exited(s.status)
		if !s.treeGone() {
			signalTree(s.child, syscall.SIGTERM)
			s.poll(leftoverGrace, s.treeGone)
		}
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
		s.report.Failed("starting the second of them", err)
		return exitNotStarted
	}
	s.await(func(signal syscall.Signal) { _ = syscall.Kill(s.child, signal) })
	s.killTree()
	return s.code()
}
