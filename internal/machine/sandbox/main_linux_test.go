// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/need"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "as-sandbox":
			os.Exit(Run(os.Args[2:]))
		case "as-sandbox-without":
			for name := range strings.SplitSeq(os.Args[2], ",") {
				leftOut = append(leftOut, wall(name))
			}
			os.Exit(Run(os.Args[3:]))
		case "as-user":
			os.Exit(startWithout(os.Args[2]))
		case "as-attacker":
			os.Exit(attack(os.Args[2], os.Args[3:]))
		}
	}
	os.Exit(m.Run())
}

// nobody is the ordinary user of the tests that run as the superuser.
const nobody = 65534

// TestOrdinaryUser runs the other tests again as an ordinary user.
func TestOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the tests run as an ordinary user already")
	}
	dir := sharedDir(t)
	program := filepath.Join(dir, "sandbox.test")
	raw, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	write(t, program, string(raw), 0o755)
	home := filepath.Join(dir, "home")
	mkdir(t, home)
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.timeout=10m")
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestWrites") {
		t.Fatalf("the tests did not run:\n%s", out)
	}
}

// sharedDir is a directory that every user can reach, and only we can write to.
func sharedDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// start starts a sandbox, or skips the test where none can be had.
func start(t *testing.T, c Config) *Sandbox {
	t.Helper()
	c.Init = []string{self(t), "as-sandbox"}
	if len(c.without) > 0 {
		var names []string
		for _, w := range c.without {
			names = append(names, string(w))
		}
		c.Init = []string{self(t), "as-sandbox-without", strings.Join(names, ",")}
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	s, err := Start(t.Context(), c)
	var missing *UnsupportedError
	if errors.As(err, &missing) {
		need.Namespace.Missing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A ran is the outcome of one run in a sandbox.
type ran struct {
	*Sandbox
	out, err string
}

// run runs a server to its end.
func run(t *testing.T, c Config) ran {
	t.Helper()
	s := start(t, c)
	defer time.AfterFunc(time.Minute, s.Close).Stop()
	errs := make(chan string)
	go func() {
		raw, _ := io.ReadAll(s.Stderr())
		errs <- string(raw)
	}()
	out, _ := io.ReadAll(s.Stdout())
	r := ran{Sandbox: s, out: string(out), err: <-errs}
	select {
	case <-s.Done():
	case <-time.After(time.Minute):
		t.Fatal("the sandbox does not end")
	}
	return r
}

func shell(t *testing.T, dir, script string) ran {
	t.Helper()
	return run(t, Config{Dir: dir, Args: []string{"/bin/sh", "-ec", script}})
}
