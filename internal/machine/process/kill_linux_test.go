// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

// pidOf waits for the process of a test with a part.
func pidOf(t *testing.T, mark, part string) (pid int) {
	t.Helper()
	eventually(t, "a process "+part, func() bool {
		for _, p := range findMarked(mark) {
			if p.part() == part {
				pid = p.pid
				return true
			}
		}
		return false
	})
	return pid
}

// part returns what a process is for. A sleeping supervisor has the arguments of the guard, and a name of its own.
func (m marked) part() string {
	switch {
	case len(m.args) < 3 || m.args[1] != "as-supervisor":
		return strings.Join(m.args[1:], " ")
	case m.args[2] == supervisor.Server || m.name == "toolvet-super":
		return "supervisor"
	}
	return m.args[2]
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
	for _, part := range []string{"guard", "supervisor", "as-brood"} {
		t.Run(part, func(t *testing.T) {
			eachSupervisor(t, func(t *testing.T, c Command) {
				p, mark := startTree(t, c, "as-brood")
				kill(t, pidOf(t, mark, part), unix.SIGKILL)
				if got := within(t, "exit", p.Exit); got != killed {
					t.Errorf("got %+v, want %+v", got, killed)
				}
				noneLeft(t, mark)
			})
		})
	}
}

// Whichever two of toolvet's processes are killed at once, the third ends the rest.
func TestKillTwo(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"guard", "supervisor"} {
		t.Run("proxy and "+part, func(t *testing.T) {
			eachSupervisor(t, func(t *testing.T, c Command) {
				mark := mark()
				proxy, lines := startProxy(t, c, mark)
				readLine(t, lines)
				stopAndKill(t, pidOf(t, mark, part), proxy.Process.Pid)
				eventually(t, "none is left", func() bool { return len(findMarked(mark)) == 0 })
			})
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
	eachSupervisor(t, func(t *testing.T, c Command) {
		p, mark := startTree(t, c, "as-brood")
		stopAndKill(t, pidOf(t, mark, "supervisor"), pidOf(t, mark, "guard"))
		if got := within(t, "exit", p.Exit); got != killed {
			t.Errorf("got %+v, want %+v", got, killed)
		}
		eventually(t, "the server and its group are gone", func() bool { return len(findMarked(mark)) == 2 })
		killRest(t, mark)
	})
}

func TestKillProxyAndSupervisors(t *testing.T) {
	eachSupervisor(t, func(t *testing.T, c Command) {
		mark := mark()
		proxy, lines := startProxy(t, c, mark)
		readLine(t, lines)
		server := pidOf(t, mark, "as-brood")
		stopAndKill(t, pidOf(t, mark, "supervisor"), pidOf(t, mark, "guard"), proxy.Process.Pid)
		eventually(t, "the server is gone", func() bool {
			return !slices.ContainsFunc(findMarked(mark), func(p marked) bool { return p.pid == server })
		})
		killRest(t, mark)
	})
}

// SIGTERM for guard or supervisor is SIGTERM for the server.
func TestTermReachesTheServer(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"guard", "supervisor"} {
		t.Run(part, func(t *testing.T) {
			eachSupervisor(t, func(t *testing.T, c Command) {
				p, mark := startTree(t, c, "as-sleeper")
				kill(t, pidOf(t, mark, part), unix.SIGTERM)
				if got, want := within(t, "exit", p.Exit), (Exit{143, "SIGTERM"}); got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
				noneLeft(t, mark)
			})
		})
	}
}

// A supervisor that does not react is not waited for.
func TestStoppedSupervisor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits until the others lose patience with it, some seconds")
	}
	for _, part := range []string{"guard", "supervisor"} {
		t.Run(part, func(t *testing.T) {
			eachSupervisor(t, func(t *testing.T, c Command) {
				p, mark := startTree(t, c, "as-brood")
				kill(t, pidOf(t, mark, part), unix.SIGSTOP)
				if got := within(t, "stop", func() Exit { return stopNow(p) }); got != killed {
					t.Errorf("got %+v, want %+v", got, killed)
				}
				eventually(t, "none is left", func() bool { return len(findMarked(mark)) == 0 })
			})
		})
	}
}

// startProxy starts a process that starts a server, and reads its first line.
func startProxy(t *testing.T, c Command, mark string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(self(t), "as-proxy", c.Supervisor[0], "as-brood")
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
	eachSupervisor(t, func(t *testing.T, c Command) {
		mark := mark()
		proxy, lines := startProxy(t, c, mark)
		if got, want := readLine(t, lines), "ready"; got != want {
			t.Fatalf("server said %q, want %q", got, want)
		}
		proxy.Process.Kill()
		eventually(t, "none is left", func() bool { return len(findMarked(mark)) == 0 })
	})
}

// The proxy is killed as soon as so many processes exist: 1 is itself, then come
// guard, supervisor, server and what that starts.
func TestKillProxyWhileItStarts(t *testing.T) {
	t.Parallel()
	for n := range 7 {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			eachSupervisor(t, func(t *testing.T, c Command) {
				mark := mark()
				proxy, _ := startProxy(t, c, mark)
				eventually(t, "processes", func() bool { return len(findMarked(mark)) >= n })
				proxy.Process.Kill()
				proxy.Wait()
				eventually(t, "none is left", func() bool { return len(findMarked(mark)) == 0 })
			})
		})
	}
}
