// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"errors"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

const (
	// leftoverGrace is the time after SIGTERM for processes that a server left behind, and pollEvery the interval between
	// checks for their end.
	leftoverGrace = 500 * time.Millisecond
	pollEvery     = 5 * time.Millisecond
	// forceAfter bounds the time of guard and supervisor together, before we kill them; giveUp bounds the wait of Stop for
	// all this.
	forceAfter = 3 * supervisor.KillWait
	giveUp     = 5 * supervisor.KillWait
)

func launch(c Command, files *stdio) (tree, error) {
	if len(c.Supervisor) == 0 {
		return startDirect(c, files)
	}
	return startSupervised(c, files)
}

// command prepares args for c, in a process group of its own: Ctrl-C in a terminal goes to us, and we
// stop the server.
func command(c Command, args []string, files *stdio) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files.theirs[0], files.theirs[1], files.theirs[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// direct is a server that is our child.
type direct struct{ cmd *exec.Cmd }

func startDirect(c Command, files *stdio) (tree, error) {
	cmd := command(c, c.Args, files)
	if err := cmd.Start(); err != nil {
		return nil, StartError(c.Args[0], err)
	}
	return direct{cmd}, nil
}

func (d direct) terminate() { signalGroup(d.cmd.Process.Pid, unix.SIGTERM) }
func (d direct) kill()      { signalGroup(d.cmd.Process.Pid, unix.SIGKILL) }

func (d direct) wait() Exit {
	// Its error repeats the state.
	_ = d.cmd.Wait()
	group := d.cmd.Process.Pid
	signalGroup(group, unix.SIGTERM)
	for deadline := time.Now().Add(leftoverGrace); groupAlive(group) && time.Now().Before(deadline); {
		time.Sleep(pollEvery)
	}
	signalGroup(group, unix.SIGKILL)
	return exitOf(d.cmd.ProcessState.Sys().(syscall.WaitStatus))
}

func exitOf(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return exitBy(status.Signal())
	}
	return Exit{Code: status.ExitStatus()}
}

func exitBy(signal syscall.Signal) Exit {
	return Exit{Code: 128 + int(signal), Signal: unix.SignalName(signal)}
}

// signalGroup and its like ignore errors: the process is gone, or this user may not signal it.
func signalGroup(group int, signal syscall.Signal) {
	if group > 1 { // -1 would be everybody
		_ = unix.Kill(-group, signal)
	}
}

func groupAlive(group int) bool { return unix.Kill(-group, 0) == nil }

func isNotProgram(err error) bool { return errors.Is(err, unix.ENOEXEC) }
