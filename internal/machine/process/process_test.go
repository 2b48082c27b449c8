// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ways are the ways to start a server, which must look alike from outside.
func ways(t *testing.T) map[string]Command {
	ways := supervisors(t)
	ways["direct"] = Command{}
	return ways
}

// eachWay runs f for every way, in parallel.
func eachWay(t *testing.T, f func(t *testing.T, c Command)) {
	each(t, ways(t), f)
}

func each(t *testing.T, ways map[string]Command, f func(t *testing.T, c Command)) {
	t.Parallel()
	for name, c := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, c)
		})
	}
}

func TestEcho(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		p := start(t, c, "as-echo")
		for _, want := range []string{"one", "two", strings.Repeat("long ", 10_000)} {
			go io.WriteString(p.Stdin(), want+"\n")
			if got := readLine(t, p.Stdout()); got != want {
				t.Fatalf("echo: got %d bytes, want %d", len(got), len(want))
			}
		}
	})
}

func TestExitCode(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		for arg, want := range map[string]Exit{"0": {Code: 0}, "3": {Code: 3}, "137": {Code: 137}, "255": {Code: 255}} {
			p := start(t, c, "as-exit", arg)
			if got := within(t, "exit", p.Exit); got != want {
				t.Errorf("exit %s: got %+v, want %+v", arg, got, want)
			}
		}
	})
}

// A server that ends when its standard input does is not sent a signal.
func TestStopAtEOF(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		p := start(t, c, "as-echo")
		got := within(t, "stop", func() Exit { return p.End(t.Context(), Grace{EOF: patience}) })
		if want := (Exit{}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

func TestCloseStdin(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		p := start(t, c, "as-echo")
		io.WriteString(p.Stdin(), "last words")
		p.Stdin().Close()
		if got, want := within(t, "exit", p.Exit), (Exit{}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got, want := readAll(t, p.Stdout()), "last words"; got != want {
			t.Errorf("standard output after exit: got %q, want %q", got, want)
		}
	})
}

func TestStopManyTimes(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		p := start(t, c, "as-echo")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got, want := p.End(t.Context(), Grace{EOF: patience}), (Exit{}); got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			})
		}
		within(t, "stop", func() any { all.Wait(); return nil })
		if got, want := stopNow(p), p.Exit(); got != want {
			t.Errorf("once more: got %+v, want %+v", got, want)
		}
	})
}

// Whatever the server has got to, it ends.
func TestStopAtOnce(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		for range 5 {
			p := start(t, c, "as-echo")
			within(t, "stop", func() Exit { return stopNow(p) })
			select {
			case <-p.Done():
			default:
				t.Error("stopped, but not done")
			}
		}
	})
}

func TestStderr(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		var buf bytes.Buffer
		c.Stderr = &buf
		p := start(t, c, "as-talker", "to", "a", "writer")
		within(t, "exit", p.Exit)
		if got, want := buf.String(), "to a writer"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}

		file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		c.Stderr = file
		p = start(t, c, "as-talker", "to", "a", "file")
		within(t, "exit", p.Exit)
		if _, err := file.WriteString("."); err != nil {
			t.Errorf("the caller's file: %v", err)
		}
		if got, _ := os.ReadFile(file.Name()); string(got) != "to a file." {
			t.Errorf("got %q, want %q", got, "to a file.")
		}
	})
}

type badWriter struct{}

func (badWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

// A server must not block, or fail, because nobody takes its standard error.
func TestStderrFails(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		c.Stderr = badWriter{}
		p := start(t, c, "as-talker", strings.Repeat("long ", 20_000))
		if got, want := within(t, "exit", p.Exit), (Exit{}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

func TestEnvAndDir(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		c.Dir, c.Env = dir, []string{"PROCESS_TEST=told"}
		p := start(t, c, "as-env")
		if got, want := readAll(t, p.Stdout()), "told "+dir+"\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestStartErrors(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		dir := t.TempDir()
		plain := filepath.Join(dir, "plain.exe")
		if err := os.WriteFile(plain, []byte("text"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			args []string
			dir  string
			want string
		}{
			{nil, "", "no server command"},
			{[]string{""}, "", "no server command"},
			{[]string{"no-such-program"}, "", `"no-such-program": not found on PATH`},
			{[]string{filepath.Join(dir, "missing")}, "", "no such file"},
			{[]string{plain}, "", "neither a program"},
			{[]string{self(t)}, filepath.Join(dir, "missing"), "no such directory"},
			{[]string{self(t)}, plain, "not a directory"},
		} {
			c.Args, c.Dir = tt.args, tt.dir
			p, err := Start(c)
			if err == nil {
				stopNow(p)
				t.Errorf("Start(%q) in %q: no error", tt.args, tt.dir)
			} else if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Start(%q) in %q: got %q, want %q in it", tt.args, tt.dir, err, tt.want)
			}
		}
	})
}

func TestStartErrorKeepsItsCause(t *testing.T) {
	t.Parallel()
	_, err := Start(Command{Args: []string{"no-such-program"}})
	if !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %#v, want exec.ErrNotFound in it", err)
	}
	_, err = Start(Command{Args: []string{self(t)}, Dir: filepath.Join(t.TempDir(), "missing")})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %#v, want fs.ErrNotExist in it", err)
	}
}

func TestExitString(t *testing.T) {
	t.Parallel()
	for exit, want := range map[Exit]string{
		{}:                             "exited with code 0",
		{Code: 3}:                      "exited with code 3",
		{Code: 143, Signal: "SIGTERM"}: "was killed by SIGTERM",
	} {
		if got := exit.String(); got != want {
			t.Errorf("%#v: got %q, want %q", exit, got, want)
		}
	}
}
