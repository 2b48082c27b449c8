// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/proxy/stdio"
)

// The tests of the files real_*_test.go run the proxy in front of real servers, and
// behind real clients, as processes. Package npm says how to install those.

// roles are what the test binary does instead of testing when its first argument names
// one of them.
var roles = map[string]func(args []string) int{
	"as-supervisor": supervisor.Run,
	"as-proxy":      runProxy,
	"as-sdk-server": runSDKServer,
	"as-client":     runClient,
}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			os.Exit(role(os.Args[2:]))
		}
	}
	// Under the race detector, a program that ends waits for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// runProxy is what "toolvet proxy" does.
func runProxy(command []string) int {
	gate, err := toolvet.New()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	cfg := configure(gate, command)
	if strings.HasPrefix(command[0], "http://") {
		cfg = configureURL(gate, command[0])
	}
	cfg.Stdin, cfg.Stdout, cfg.Stderr = os.Stdin, os.Stdout, os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	code, err := stdio.Run(ctx, cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return code
}

func configure(gate *toolvet.Gate, command []string) stdio.Config {
	return stdio.Config{
		Config:     relay.Config{Gate: func() *toolvet.Gate { return gate }},
		Command:    command,
		Supervisor: as("as-supervisor"),
	}
}

// as is the command that runs this binary in a role.
func as(role string, args ...string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return slices.Concat([]string{self, role}, args)
}

func newGate(t testing.TB, opts ...toolvet.Option) *toolvet.Gate {
	t.Helper()
	gate, err := toolvet.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// patience bounds what should take no time, so that a fault fails and does not hang.
const patience = 30 * time.Second

// start starts a command whose standard input and output are a peer's, and kills it
// when the test is over.
func start(t testing.TB, command []string, env ...string) (*peer, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not StdoutPipe: Wait would close it before everything is read.
	stdout, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = theirs
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	p := newPeer(t, stdin, stdout, func() int {
		_ = cmd.Wait() // its error repeats the state
		return exitCode(cmd.ProcessState)
	})
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return p, cmd
}

// exitCode is that of a shell: 128 and the signal for a process that was killed.
func exitCode(state *os.ProcessState) int {
	if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// behind puts a proxy of this process in front of a server.
func behind(t testing.TB, cfg stdio.Config) *peer {
	t.Helper()
	in, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cfg.Stdin, cfg.Stdout = in, stdout
	return newPeer(t, stdin, out, func() int {
		defer in.Close()
		defer stdout.Close()
		code, err := stdio.Run(t.Context(), cfg)
		if err != nil {
			t.Errorf("proxy: %v", err)
		}
		return code
	})
}
