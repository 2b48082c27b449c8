// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/process/microprogram"
	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

// Files of guard and supervisor besides the server's standard files.
const (
	lifelineFD   = 3 + iota // of the guard: the read end
	reportFD                // as package supervisor has it
	programFD               // this program
	nullFD                  // the null device
	imageFD                 // what they run
	lowerFD                 // the lifeline of the supervisor: the read end
	lowerWriteFD            // the guard's end
	signalsFD               // readable while a signal of askSignals or childSignals waits
)

// Sets of signals, as the kernel has them.
const (
	askSignals   = 1<<(unix.SIGTERM-1) | 1<<(unix.SIGINT-1) | 1<<(unix.SIGHUP-1)
	childSignals = 1 << (unix.SIGCHLD - 1)
	allSignals   = math.MaxUint64
)

// Names of the processes.
const (
	guardName      = "toolvet-guard"
	supervisorName = "toolvet-super" // the kernel keeps 15 bytes
)

var errNotOurs = errors.New("the supervisor is another program")

// startSleepers starts guard and supervisor as microprograms, which become [supervisor.Run] when there is work. It fails where
// the kernel refuses to run a file in memory. It refuses a supervisor that is another program: whether that knows its part
// would show too late.
func startSleepers(c Command, path string, files *stdio, lifeEnd, reportEnd *os.File) (*exec.Cmd, error) {
	if self, err := os.Executable(); err != nil || c.Supervisor[0] != self && c.Supervisor[0] != "/proc/self/exe" {
		return nil, errNotOurs
	}
	cmd := command(c, supervisorArgs(c, path), files)
	content, imageErr := sleepers(c, path, cmd.Environ())
	image, fileErr := memoryFile(content)
	program, programErr := os.OpenFile("/proc/self/exe", unix.O_PATH, 0)
	null, nullErr := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	lower, lowerWrite, pipeErr := os.Pipe()
	signals, signalsErr := signalsFile()
	more := []*os.File{lifeEnd, reportEnd, program, null, image, lower, lowerWrite, signals} // from lifelineFD to signalsFD
	defer func() {
		for _, f := range more[2:] {
			f.Close() // a nil *os.File refuses, and does no harm
		}
	}()
	if err := errors.Join(imageErr, fileErr, programErr, nullErr, pipeErr, signalsErr); err != nil {
		return nil, err
	}
	cmd.ExtraFiles = more
	cmd.Path = fmt.Sprintf("/proc/self/fd/%d", imageFD)
	return cmd, cmd.Start()
}

// memoryFile returns a file in memory that may be executed.
func memoryFile(content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("toolvet", unix.MFD_CLOEXEC|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3, every such file may be executed
		fd, err = unix.MemfdCreate("toolvet", unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "image")
	_, err = file.Write(content)
	return file, err
}

func signalsFile() (*os.File, error) {
	fd, err := unix.Signalfd(-1, &unix.Sigset_t{Val: [16]uint64{askSignals | childSignals}}, unix.SFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "signals"), nil
}

// sleepers returns the image that guard and supervisor run. All that either does is to wait for its lifeline, signals and
// children. It ends when its last child does, unless there is work for [supervisor.Run].
func sleepers(c Command, path string, env []string) ([]byte, error) {
	p := microprogram.New()
	s := &sleepersProgram{
		Program: p, supervisor: c.Supervisor, env: p.Texts(env),
		zero: p.Constant(0), child: p.Variable(), self: p.Variable(), mask: p.Variable(),
	}
	s.exited, s.status = s.record(supervisor.Exited)
	s.guard()
	s.supervise()
	s.serve(path, c.Args)

	p.Mark(&s.cannotFork)
	failed, reason := s.record(supervisor.FailedSupervisor)
	p.Subtract(s.child, s.zero).Into(reason)
	p.Call(unix.SYS_WRITE, s.number(reportFD), failed, s.number(supervisor.RecordSize))
	p.Mark(&s.exit)
	p.Call(unix.SYS_EXIT_GROUP).Then(&s.exit)
	return p.Image()
}

// A sleepersProgram is the program while it is written.
type sleepersProgram struct {
	*microprogram.Program
	supervisor []string
	env        uint64
	zero       microprogram.Word
	child      microprogram.Word // its process; before the start of one, or after a failure, an error
	self       microprogram.Word // of the supervisor
	mask       microprogram.Word // the signals that the server shall block
	exited     microprogram.Word // the address of the report about the server's end
	status     microprogram.Word // in it

	startSupervisor, startServer, cannotFork, exit microprogram.Label
}

// guard is the first process.
func (s *sleepersProgram) guard() {
	for fd := lifelineFD; fd <= signalsFD; fd++ {
		if fd != reportFD { // the proxy reads it until the last of them has ended
			s.Call(unix.SYS_FCNTL, s.number(fd), s.number(unix.F_SETFD), s.number(unix.FD_CLOEXEC))
		}
	}
	// A blocked signal waits. Those that nobody looks at cannot end us.
	s.Call(unix.SYS_RT_SIGPROCMASK, s.number(unix.SIG_SETMASK), s.set(allSignals), s.addressOf(s.mask), s.number(8))
	s.adoptOrphans(guardName)
	s.Call(unix.SYS_CLONE, s.number(int(unix.SIGCHLD))).Into(s.child).Less(&s.cannotFork).Equal(&s.startSupervisor)
	s.dropStdio()
	var lost, ended microprogram.Label
	s.await(lifelineFD, &lost, &ended, func(next *microprogram.Label) {
		s.Call(unix.SYS_KILL, s.child, s.number(int(unix.SIGTERM))).Then(next)
	})
	s.Mark(&ended)
	s.collect()
	s.Mark(&lost)
	s.become(supervisor.Kill)
	s.Call(unix.SYS_EXIT_GROUP) // then the supervisor notices
}

func (s *sleepersProgram) supervise() {
	s.Mark(&s.startSupervisor)
	s.Call(unix.SYS_CLOSE, s.number(lowerWriteFD))
	s.Call(unix.SYS_SETPGID)
	s.adoptOrphans(supervisorName)
	s.Call(unix.SYS_GETPID).Into(s.self)
	// CLONE_VFORK: it continues when the server's program runs or has failed to start.
	s.Call(unix.SYS_CLONE, s.number(unix.CLONE_VFORK|int(unix.SIGCHLD))).Into(s.child).Less(&s.cannotFork).Equal(&s.startServer)
	s.dropStdio()
	started, server := s.record(supervisor.Started)
	s.Subtract(s.child, s.zero).Into(server)
	s.Call(unix.SYS_WRITE, s.number(reportFD), started, s.number(supervisor.RecordSize))
	group := s.Variable() // as kill takes it
	s.Subtract(s.zero, s.child).Into(group)
	var lost, ended microprogram.Label
	s.await(lowerFD, &lost, &ended, func(next *microprogram.Label) {
		var alone microprogram.Label
		s.Call(unix.SYS_CLONE, s.number(int(unix.SIGCHLD))).Less(&alone).Greater(next)
		s.become(supervisor.Terminate)
		s.Call(unix.SYS_KILL, group, s.number(int(unix.SIGTERM))).Then(&s.exit)
		s.Mark(&alone)
		s.Call(unix.SYS_KILL, group, s.number(int(unix.SIGTERM))).Then(next)
	})
	s.Mark(&ended)
	s.Call(unix.SYS_WRITE, s.number(reportFD), s.exited, s.number(supervisor.RecordSize))
	s.collect()
	s.become(supervisor.Leftovers)
	s.Mark(&lost)
	s.Call(unix.SYS_KILL, group, s.number(int(unix.SIGKILL))) // even if our program cannot start
	s.become(supervisor.Kill)
	s.Call(unix.SYS_EXIT_GROUP)
}

func (s *sleepersProgram) serve(path string, args []string) {
	s.Mark(&s.startServer)
	s.Call(unix.SYS_SETPGID)
	s.Call(unix.SYS_FCNTL, s.number(reportFD), s.number(unix.F_SETFD), s.number(unix.FD_CLOEXEC))
	s.Call(unix.SYS_PRCTL, s.number(unix.PR_SET_PDEATHSIG), s.number(int(unix.SIGKILL)))
	s.Call(unix.SYS_GETPPID).Against(s.self).Less(&s.exit).Greater(&s.exit) // it died before
	s.Call(unix.SYS_RT_SIGPROCMASK, s.number(unix.SIG_SETMASK), s.addressOf(s.mask), s.zero, s.number(8))
	failed, reason := s.record(supervisor.FailedProgram)
	s.Call(unix.SYS_EXECVE, s.text(path), s.Constant(s.Texts(args)), s.Constant(s.env)).Into(reason)
	s.Call(unix.SYS_WRITE, s.number(reportFD), failed, s.number(supervisor.RecordSize)).Then(&s.exit)
}

// adoptOrphans makes orphaned descendants our children, and sets the name of the process. Every kernel since Linux 3.4 can.
func (s *sleepersProgram) adoptOrphans(name string) {
	s.Call(unix.SYS_PRCTL, s.number(unix.PR_SET_NAME), s.text(name))
	s.Call(unix.SYS_PRCTL, s.number(unix.PR_SET_CHILD_SUBREAPER), s.number(1)).Into(s.child).Less(&s.cannotFork)
}

// dropStdio leaves the ends of the server's pipes to the server.
func (s *sleepersProgram) dropStdio() {
	for fd := range 2 {
		s.Call(unix.SYS_DUP3, s.number(nullFD), s.number(fd))
	}
}

// await waits until the lifeline is lost or the child has ended. It collects others that have ended, and does what asked
// writes for a signal, which then goes to next.
func (s *sleepersProgram) await(lifeline int, lost, ended *microprogram.Label, asked func(next *microprogram.Label)) {
	var wait, collect, children microprogram.Label
	var files []byte
	for _, fd := range []int{lifeline, signalsFD} { // struct pollfd
		files = binary.NativeEndian.AppendUint32(files, uint32(fd))
		files = binary.NativeEndian.AppendUint32(files, unix.POLLIN)
	}
	polled, now := s.Constant(s.Bytes(files)), s.Constant(s.Bytes(make([]byte, 16)))
	s.Mark(&wait)
	s.Call(unix.SYS_PPOLL, polled, s.number(len(files)/8))
	s.Call(unix.SYS_PPOLL, polled, s.number(1), now).Greater(lost)
	s.Call(unix.SYS_RT_SIGTIMEDWAIT, s.set(askSignals), s.zero, now, s.number(8)).Less(&children)
	asked(&children)
	s.Mark(&children)
	s.Call(unix.SYS_RT_SIGTIMEDWAIT, s.set(childSignals), s.zero, now, s.number(8))
	s.Mark(&collect)
	pid := s.Variable()
	s.Call(unix.SYS_WAIT4, s.number(-1), s.addressOf(s.status), s.number(unix.WNOHANG)).Into(pid).Less(&s.exit).Equal(&wait)
	s.Subtract(pid, s.zero).Against(s.child).Less(&collect).Equal(ended).Greater(&collect)
}

// collect collects all that have ended, and exits if that was everybody: without children there are no descendants.
func (s *sleepersProgram) collect() {
	var again microprogram.Label
	s.Mark(&again)
	s.Call(unix.SYS_WAIT4, s.number(-1), s.zero, s.number(unix.WNOHANG)).Less(&s.exit).Greater(&again)
}

// become replaces the process by this program in a role. If that fails, it continues.
func (s *sleepersProgram) become(role string) {
	args := s.Texts(append(slices.Clone(s.supervisor), role))
	s.Call(unix.SYS_EXECVEAT, s.number(programFD), s.text(""), s.Constant(args), s.Constant(s.env), s.number(unix.AT_EMPTY_PATH))
}

// record returns the address of a line of the report, and the word for its value.
func (s *sleepersProgram) record(kind int) (address, value microprogram.Word) {
	at := s.Bytes(supervisor.Record(kind, 0))
	return s.Constant(at), microprogram.Word(at + supervisor.RecordSize/2)
}

func (s *sleepersProgram) number(n int) microprogram.Word { return s.Constant(uint64(n)) }

func (s *sleepersProgram) text(t string) microprogram.Word { return s.Constant(s.Text(t)) }

func (s *sleepersProgram) addressOf(w microprogram.Word) microprogram.Word {
	return s.Constant(uint64(w))
}

// set returns the address of a set of signals.
func (s *sleepersProgram) set(bits uint64) microprogram.Word {
	return s.addressOf(s.Constant(bits))
}
