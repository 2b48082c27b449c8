// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

// startTimeout bounds the start of the supervisors, until the server's program runs.
const startTimeout = 30 * time.Second

// supervised is our side of guard and supervisor.
type supervised struct {
	cmd      *exec.Cmd // the topmost of them
	lifeline *os.File  // open as long as we want the tree alive
	reports  *os.File
	group    int // the server's process group
}

func startSupervised(c Command, files *stdio) (tree, error) {
	path, err := lookPath(c)
	if err != nil {
		return nil, StartError(c.Args[0], err)
	}
	if !filepath.IsAbs(c.Supervisor[0]) {
		// Its path must be absolute, because the guard has another PATH and directory.
		return nil, fmt.Errorf("supervisor %q: not an absolute path", c.Supervisor[0])
	}
	s, err := newSupervised(c, path, files)
	if err != nil {
		return nil, fmt.Errorf("supervisor: %w", err)
	}
	_ = s.reports.SetReadDeadline(time.Now().Add(startTimeout)) // pipes have deadlines
	if s.group, err = readStart(s.reports, c.Args[0]); err != nil {
		s.kill()
		s.wait()
		return nil, err
	}
	_ = s.reports.SetReadDeadline(time.Time{})
	return s, nil
}

// newSupervised starts the supervisors, which then start the server.
func newSupervised(c Command, path string, files *stdio) (*supervised, error) {
	lifeEnd, lifeline, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer lifeEnd.Close()
	reports, reportEnd, err := os.Pipe()
	if err != nil {
		lifeline.Close()
		return nil, err
	}
	defer reportEnd.Close()
	cmd, err := startSleepers(c, path, files, lifeEnd, reportEnd)
	if err != nil {
		cmd = command(c, supervisorArgs(c, path), files)
		cmd.ExtraFiles = []*os.File{lifeEnd, reportEnd} // supervisor.Run expects them there
		err = cmd.Start()
	}
	if err != nil {
		lifeline.Close()
		reports.Close()
		return nil, StartError(c.Supervisor[0], err)
	}
	return &supervised{cmd: cmd, lifeline: lifeline, reports: reports}, nil
}

// lookPath finds the program of a command on the PATH of its environment.
func lookPath(c Command) (string, error) {
	program := c.Args[0]
	if strings.Contains(program, "/") {
		return program, nil // the kernel finds it, from the server's directory
	}
	env, paths := c.Env, ""
	if env == nil {
		env = os.Environ()
	}
	for _, variable := range env {
		if value, ok := strings.CutPrefix(variable, "PATH="); ok {
			paths = value // the last one counts
		}
	}
	for _, dir := range filepath.SplitList(paths) {
		path := filepath.Join(dir, program)
		absolute := filepath.IsAbs(path)
		if !absolute {
			path, _ = filepath.Abs(filepath.Join(c.Dir, path)) // its error leaves a path that is not found
		}
		if _, err := exec.LookPath(path); err != nil {
			continue
		}
		if !absolute {
			return "", &exec.Error{Name: program, Err: exec.ErrDot}
		}
		return path, nil
	}
	return "", &exec.Error{Name: program, Err: exec.ErrNotFound}
}

func supervisorArgs(c Command, path string) []string {
	args := slices.Concat(c.Supervisor, []string{supervisor.Server, path}, c.Args)
	if supervisor.Guarded {
		args = slices.Concat(c.Supervisor, []string{supervisor.Guard, c.Supervisor[0]}, args)
	}
	return args
}

func (s *supervised) terminate() { _ = s.cmd.Process.Signal(unix.SIGTERM) }

// kill cuts the lifeline, but does not rely on it: a supervisor may be stopped.
func (s *supervised) kill() {
	s.lifeline.Close()
	_ = s.reports.SetReadDeadline(time.Now().Add(forceAfter))
	time.AfterFunc(forceAfter, func() { _ = s.cmd.Process.Kill() })
}

func (s *supervised) wait() Exit {
	exit, reported := readExit(s.reports)
	if !reported {
		signalGroup(s.group, unix.SIGKILL)
		exit = killed
	}
	_ = s.cmd.Wait() // the supervisor's own exit adds nothing
	s.lifeline.Close()
	s.reports.Close()
	return exit
}
