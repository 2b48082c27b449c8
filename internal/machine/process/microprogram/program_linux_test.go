// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package microprogram_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/process/microprogram"
)

// run runs a program and returns what it wrote, and its exit code.
func run(t *testing.T, p *microprogram.Program, args ...string) (output string, code int) {
	t.Helper()
	image, err := p.Image()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, image, 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(file, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return string(out), code
}

func write(p *microprogram.Program, text string) *microprogram.Step {
	return p.Call(unix.SYS_WRITE, p.Constant(1), p.Constant(p.Text(text)), p.Constant(uint64(len(text))))
}

func exit(p *microprogram.Program, code microprogram.Word) {
	var again microprogram.Label
	p.Mark(&again)
	p.Call(unix.SYS_EXIT_GROUP, code).Then(&again)
}

// A comparison with each outcome goes its own way. The way of Equal is the interpreter's last code, so the image has all of it.
func TestBranches(t *testing.T) {
	for _, tt := range []struct {
		a, b, against int64
		want          string
	}{
		{7, 5, 2, "equal"},
		{7, 5, 3, "less"},
		{7, 5, 1, "greater"},
		{5, 7, 0, "less"},
		{5, 7, -2, "equal"},
		{5, 7, -3, "greater"},
		{0, -1 << 62, 1 << 61, "greater"},
	} {
		p := microprogram.New()
		word := func(n int64) microprogram.Word { return p.Constant(uint64(n)) }
		var less, equal, greater, end microprogram.Label
		p.Subtract(word(tt.a), word(tt.b)).Against(word(tt.against)).Less(&less).Equal(&equal).Greater(&greater)
		p.Mark(&less)
		write(p, "less").Then(&end)
		p.Mark(&equal)
		write(p, "equal").Then(&end)
		p.Mark(&greater)
		write(p, "greater").Then(&end)
		p.Mark(&end)
		exit(p, word(0))
		if got, code := run(t, p); got != tt.want || code != 0 {
			t.Errorf("%d - %d against %d: got %q and code %d, want %q", tt.a, tt.b, tt.against, got, code, tt.want)
		}
	}
}

// A child has the program's words, and words of its own from then on. The kernel writes into words, too.
func TestFork(t *testing.T) {
	p := microprogram.New()
	var child microprogram.Label
	pid, status, code := p.Variable(), p.Variable(), p.Variable()
	p.Subtract(p.Constant(20), p.Constant(9)).Into(code)
	p.Call(unix.SYS_CLONE, p.Constant(uint64(unix.SIGCHLD))).Into(pid).Equal(&child)
	p.Call(unix.SYS_WAIT4, pid, p.Constant(uint64(status))).Against(pid).Less(&child).Greater(&child)
	p.Subtract(status, p.Constant(11<<8-5)).Into(code)
	write(p, " parent")
	exit(p, code)
	p.Mark(&child)
	write(p, "child")
	exit(p, code)
	if got, code := run(t, p); got != "child parent" || code != 5 {
		t.Errorf("got %q and code %d, want the child's words, the parent's, and 5", got, code)
	}
}

// A failed call leaves a negative number, and the process continues; one that works becomes the other program.
func TestExec(t *testing.T) {
	p := microprogram.New()
	reason := p.Variable()
	args, env := p.Constant(p.Texts([]string{"sh", "-c", `echo "$1-$A-$B"; exit 3`, "sh", "argument"})), p.Constant(p.Texts([]string{"A=1", "B=2"}))
	var failed microprogram.Label
	p.Call(unix.SYS_EXECVE, p.Constant(p.Text("/no/such/program")), args, env).Into(reason)
	p.Subtract(reason, p.Constant(0)).Against(p.Constant(^uint64(unix.ENOENT) + 1)).Less(&failed).Greater(&failed)
	p.Call(unix.SYS_EXECVE, p.Constant(p.Text("/bin/sh")), args, env)
	p.Mark(&failed)
	exit(p, p.Constant(99))
	if got, code := run(t, p); got != "argument-1-2\n" || code != 3 {
		t.Errorf("got %q and code %d", got, code)
	}
}

func TestImageRefuses(t *testing.T) {
	open := microprogram.New()
	open.Call(unix.SYS_GETPID)
	long := microprogram.New()
	for range 1000 {
		exit(long, long.Constant(0))
	}
	for name, p := range map[string]*microprogram.Program{"a program that runs past its end": open, "a program that is too long": long, "an empty program": microprogram.New()} {
		if _, err := p.Image(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
