// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A daemon is a program that runs until somebody ends it.
type daemon struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer // complete when ended is closed
	ended  chan struct{}
}

// startDaemon starts a program with additional environment. The program ends when ctx is done.
func startDaemon(ctx context.Context, env []string, command ...string) (*daemon, error) {
	d := &daemon{cmd: exec.CommandContext(ctx, command[0], command[1:]...), ended: make(chan struct{})}
	d.cmd.Env = append(os.Environ(), env...)
	d.cmd.Stderr = &d.stderr
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(os.Interrupt) } // so that it ends its own programs
	d.cmd.WaitDelay = 10 * time.Second
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(d.ended)
		_ = d.cmd.Wait() // its exit status does not matter
	}()
	return d, nil
}

func (d *daemon) pid() int { return d.cmd.Process.Pid }

// failed reports that the program has ended by itself.
func (d *daemon) failed() error {
	stderr := d.stderr.Bytes()
	return fmt.Errorf("%s has ended: %s", filepath.Base(d.cmd.Path), stderr[max(0, len(stderr)-2000):])
}

// close ends the program, and kills it if it does not end.
func (d *daemon) close() {
	if d.cmd.Process.Signal(os.Interrupt) != nil {
		_ = d.cmd.Process.Kill() // Windows has no signals
	}
	kill := time.AfterFunc(15*time.Second, func() { _ = d.cmd.Process.Kill() })
	defer kill.Stop()
	<-d.ended
}

// freePort returns a free port of this machine.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
