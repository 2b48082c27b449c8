// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// mark returns a variable that all processes of one test have in their
// environment, and no other.
func mark() string { return "PROCESS_TEST_MARK=" + rand.Text() }

type marked struct {
	pid  int
	name string
	args []string
}

// findMarked returns the processes with mark in their environment. A zombie has
// none.
func findMarked(mark string) (found []marked) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if slices.Contains(strings.Split(string(env), "\x00"), mark) {
			args, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			name, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "comm"))
			found = append(found, marked{pid, strings.TrimSpace(string(name)), strings.Split(strings.TrimSuffix(string(args), "\x00"), "\x00")})
		}
	}
	return found
}

func noneLeft(t *testing.T, mark string) {
	t.Helper()
	if left := findMarked(mark); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// killRest kills what is beyond reach, so that tests leave nothing.
func killRest(t *testing.T, mark string) {
	t.Helper()
	for _, p := range findMarked(mark) {
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
	eventually(t, "none is left", func() bool { return len(findMarked(mark)) == 0 })
}

// startTree starts a supervised server and waits for its first line.
func startTree(t *testing.T, c Command, role ...string) (p *Process, mark_ string) {
	t.Helper()
	mark_ = mark()
	c.Env = append(os.Environ(), mark_)
	p = start(t, c, role...)
	if got, want := readLine(t, p.Stdout()), "ready"; got != want {
		t.Fatalf("%s said %q, want %q", role, got, want)
	}
	return p, mark_
}

const soon = time.Millisecond

func TestStopGetsHarsher(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		for _, tt := range []struct {
			role  string
			grace Grace
			want  Exit
		}{
			{"as-sleeper", Grace{EOF: soon, Term: patience}, Exit{143, "SIGTERM"}},
			{"as-deaf", Grace{EOF: soon, Term: soon}, Exit{137, "SIGKILL"}},
			{"as-deaf", Grace{EOF: -1, Term: -1}, Exit{137, "SIGKILL"}},
		} {
			mark := mark()
			c.Env = append(os.Environ(), mark)
			p := start(t, c, tt.role)
			readLine(t, p.Stdout())
			got := within(t, "stop", func() Exit { return p.End(t.Context(), tt.grace) })
			if got != tt.want {
				t.Errorf("%s: got %+v, want %+v", tt.role, got, tt.want)
			}
			noneLeft(t, mark)
		}
	})
}

// With its context done, Stop skips graces that would outlast the test.
func TestStopContextDone(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		p := start(t, c, "as-deaf")
		readLine(t, p.Stdout())
		if got := within(t, "stop", func() Exit { return stopNow(p) }); got != killed {
			t.Errorf("got %+v, want %+v", got, killed)
		}
	})
}

// A caller in a hurry does not wait for one that is patient.
func TestStopHurried(t *testing.T) {
	eachSupervisor(t, func(t *testing.T, c Command) {
		p, mark := startTree(t, c, "as-deaf")
		patient := make(chan Exit, 1)
		go func() { patient <- p.End(t.Context(), Grace{EOF: time.Hour, Term: time.Hour}) }()
		within(t, "hurried stop", func() Exit { return stopNow(p) })
		if got := within(t, "patient stop", func() Exit { return <-patient }); got != killed {
			t.Errorf("got %+v, want %+v", got, killed)
		}
		noneLeft(t, mark)
	})
}

func TestStopEndsTheTree(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"as-brood", "as-breeder"} {
		t.Run(role, func(t *testing.T) {
			eachSupervisor(t, func(t *testing.T, c Command) {
				p, mark := startTree(t, c, role)
				if got := within(t, "stop", func() Exit { return p.End(t.Context(), Grace{EOF: soon, Term: soon}) }); got != killed {
					t.Errorf("got %+v, want %+v", got, killed)
				}
				noneLeft(t, mark)
			})
		})
	}
}

// What the server leaves does not keep its standard output open.
func TestServerLeavesGrandchildren(t *testing.T) {
	eachSupervisor(t, func(t *testing.T, c Command) {
		p, mark := startTree(t, c, "as-deserter")
		if got, want := within(t, "exit", p.Exit), (Exit{Code: 3}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got := readAll(t, p.Stdout()); got != "" {
			t.Errorf("standard output: got %q, want its end", got)
		}
		noneLeft(t, mark)
	})
}

func TestLeftoversMaySayGoodbye(t *testing.T) {
	eachSupervisor(t, func(t *testing.T, c Command) {
		p := start(t, c, "as-polite")
		if got, want := readAll(t, p.Stdout()), "goodbye\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// SIGTERM goes to those that the server's process group does not hold, too.
func TestTermReachesGrandchildren(t *testing.T) {
	eachSupervisor(t, func(t *testing.T, c Command) {
		p, _ := startTree(t, c, "as-launcher")
		got := within(t, "stop", func() Exit { return p.End(t.Context(), Grace{EOF: soon, Term: patience}) })
		if want := (Exit{Code: 5}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got, want := readAll(t, p.Stdout()), "goodbye\n"; got != want {
			t.Errorf("standard output: got %q, want %q", got, want)
		}
	})
}

func TestDirectEndsTheGroup(t *testing.T) {
	t.Parallel()
	mark := mark()
	p := start(t, Command{Env: append(os.Environ(), mark)}, "as-deserter")
	within(t, "exit", p.Exit)
	// Two of the three left the group, which is as far as this goes.
	eventually(t, "the third is gone", func() bool { return len(findMarked(mark)) == 2 })
	killRest(t, mark)
}

func TestExitSignal(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		for want, code := range map[string]int{"SIGKILL": 137, "SIGTERM": 143, "SIGSEGV": 139, "SIGABRT": 134} {
			p := start(t, c, "as-suicide", want)
			if got, want := within(t, "exit", p.Exit), (Exit{code, want}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

// Supervisors hold no end of the server's pipes.
func TestServerClosesItsEnds(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		p := start(t, c, "as-stdin-closer")
		readLine(t, p.Stdout())
		eventually(t, "a write fails", func() bool {
			_, err := p.Stdin().Write([]byte("x"))
			return errors.Is(err, unix.EPIPE)
		})
		p = start(t, c, "as-mute")
		if got, want := readAll(t, p.Stdout()), "bye\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		select {
		case <-p.Done():
			t.Errorf("the server %v", p.Exit())
		default:
		}
	})
}

// The server has the pipes that any child of this process has.
func TestServerInheritsNothingElse(t *testing.T) {
	eachWay(t, func(t *testing.T, c Command) {
		want, err := exec.Command(self(t), "as-pipe-lister").Output()
		if err != nil {
			t.Fatal(err)
		}
		p := start(t, c, "as-pipe-lister")
		if diff := cmp.Diff(string(want), readAll(t, p.Stdout())); diff != "" {
			t.Errorf("open pipes (-want +got):\n%s", diff)
		}
	})
}

func TestBadSupervisor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		supervisor []string
		want       string
	}{
		{[]string{"toolvet"}, "not an absolute path"},
		{[]string{"/no/such/program"}, "no such file"},
		{[]string{"/bin/true"}, "ended before it started the server"},
		{[]string{"/bin/sh", "-c", "echo a nonsensical record >&4; exec cat <&3"}, "makes no sense"},
		{[]string{"/bin/sh", "-c", `printf '\4\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377' >&4`}, "supervisor: it cannot look after a server: operation not permitted"},
	} {
		p, err := Start(Command{Args: []string{"/bin/cat"}, Supervisor: tt.supervisor})
		if err == nil {
			stopNow(p)
			t.Errorf("Start with supervisor %q: no error", tt.supervisor)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Start with supervisor %q: got %q, want %q in it", tt.supervisor, err, tt.want)
		}
	}
}

func TestSuperviseByHand(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"server", "/bin/cat", "cat"}, {"terminate"}, {"leftovers"}, {"kill"}, {}} {
		out, err := exec.Command(self(t), append([]string{"as-supervisor"}, args...)...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(out), "does not work by hand") {
			t.Errorf("%q: got %v and %q, want exit status 2 and an explanation", args, err, out)
		}
	}
}

// Not parallel: it counts the open files of this process.
func TestFilesAreClosed(t *testing.T) {
	for name, c := range ways(t) {
		before := openFiles(t)
		for range 3 {
			c.Args, c.Stderr = []string{self(t), "as-exit", "0"}, new(bytes.Buffer)
			p, err := Start(c)
			if err != nil {
				t.Fatal(err)
			}
			within(t, "exit", p.Exit)
			p.Stdout().Close()
			c.Args = []string{"no-such-program"}
			if _, err := Start(c); err == nil {
				t.Fatal("started a program that does not exist")
			}
		}
		if diff := cmp.Diff(before, openFiles(t)); diff != "" {
			t.Errorf("%s: open files (-before +after):\n%s", name, diff)
		}
	}
}

// openFiles lists the open files, without the pollers that Go opens at need.
func openFiles(t *testing.T) (files []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:[event") {
			files = append(files, to)
		}
	}
	slices.Sort(files)
	return files
}
