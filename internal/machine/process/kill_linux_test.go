// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

// pidOf waits for the one process whose arguments after the program begin so.
func pidOf(t *testing.T, mark string, args ...string) (pid int) {
	t.Helper()
	eventually(t, fmt.Sprintf("a process %q", args), func() bool {
		for _, p := range findMarked(mark) {
			if len(p.args) > len(args) && slices.Equal(p.args[1:1+len(args)], args) {
				pid = p.pid
				return true
			}
		}
		return false
	})
	return pid
}

func kill(t *testing.T, pid int, signal unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, signal); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

// Whichever process is killed, the rest follows, without Stop.
func TestKillOne(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"guard":      {"as-supervisor", supervisor.Guard},
		"supervisor": {"as-supervisor", supervisor.Server},
		"server":     {"as-brood"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, mark := startTree(t, "as-brood")
			kill(t, pidOf(t, mark, args...), unix.SIGKILL)
			if got := within(t, "exit", p.Exit); got != killed {
				t.Errorf("got %+v, want %+v", got, killed)
			}
			noneLeft(t, mark)
		})
	}
}

// stopAndKill kills several processes before any can react to another's end. A
// child comes before its parent: the kernel continues what a parent left stopped.
func stopAndKill(t *testing.T, pids ...int) {
	t.Helper()
	for _, signal := range []unix.Signal{unix.SIGSTOP, unix.SIGKILL} {
		for _, pid := range pids {
			kill(t, pid, signal)
		}
	}
}

func TestKillBothSupervisors(t *testing.T) {
	t.Parallel()
	p, mark := startTree(t, "as-brood")
	stopAndKill(t, pidOf(t, mark, "as-supervisor", supervisor.Server), pidOf(t, mark, "as-supervisor", supervisor.Guard))
	if got := within(t, "exit", p.Exit); got != killed {
		t.Errorf("got %+v, want %+v", got, killed)
	}
	eventually(t, "the server and its group are gone", func() bool { return len(findMarked(mark)) == 2 })
	killRest(t, mark)
}

func TestKillProxyAndSupervisors(t *testing.T) {
	t.Parallel()
	mark := mark()
	proxy, lines := startProxy(t, mark)
	readLine(t, lines)
	server := pidOf(t, mark, "as-brood")
	stopAndKill(t, pidOf(t, mark, "as-supervisor", supervisor.Server), pidOf(t, mark, "as-supervisor", supervisor.Guard), proxy.Process.Pid)
	eventually(t, "the server is gone", func() bool {
		return !slices.ContainsFunc(findMarked(mark), func(p marked) bool { return p.pid == server })
	})
	killRest(t, mark)
}

// SIGTERM for guard or supervisor is SIGTERM for the server.
func TestTermReachesTheServer(t *testing.T) {
	t.Parallel()
	for _, role := range []string{supervisor.Guard, supervisor.Server} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			p, mark := startTree(t, "as-sleeper")
			kill(t, pidOf(t, mark, "as-supervisor", role), unix.SIGTERM)
			if got, want := within(t, "exit", p.Exit), (Exit{143, "SIGTERM"}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			noneLeft(t, mark)
		})
	}
}

// A supervisor that does not react is not waited for.
func TestStoppedSupervisor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits until the others lose patience with it, some seconds")
	}
	for _, role := range []string{supervisor.Guard, supervisor.Server} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			p, mark := startTree(t, "as-brood")
			kill(t, pidOf(t, mark, "as-supervisor", role), unix.SIGSTOP)
			if got := within(t, "stop", func() Exit { return stopNow(p) }); got != killed {
				t.Errorf("got %+v, want %+v", got, killed)
			}
			eventually(t, "none is left", func() bool { return len(findMarked(mark)) == 0 })
		})
	}
}

// startProxy starts a process that starts a server, and reads its first line.
func startProxy(t *testing.T, mark string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(self(t), "as-proxy", "as-brood")
	cmd.Env = append(os.Environ(), mark)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	lines := bufio.NewReader(stdout)
	if got, want := readLine(t, lines), "starting"; got != want {
		t.Fatalf("proxy said %q, want %q", got, want)
	}
	return cmd, lines
}

func TestKillProxy(t *testing.T) {
	t.Parallel()
	mark := mark()
	proxy, lines := startProxy(t, mark)
	if got, want := readLine(t, lines), "ready"; got != want {
		t.Fatalf("server said %q, want %q", got, want)
	}
	proxy.Process.Kill()
	eventually(t, "none is left", func() bool { return len(findMarked(mark)) == 0 })
}

// The proxy is killed as soon as so many processes exist: 1 is itself, then come
// guard, supervisor, server and what that starts.
func TestKillProxyWhileItStarts(t *testing.T) {
	t.Parallel()
	for n := range 7 {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			mark := mark()
			proxy, _ := startProxy(t, mark)
			eventually(t, "processes", func() bool { return len(findMarked(mark)) >= n })
			proxy.Process.Kill()
			proxy.Wait()
			eventually(t, "none is left", func() bool { return len(findMarked(mark)) == 0 })
		})
	}
}
