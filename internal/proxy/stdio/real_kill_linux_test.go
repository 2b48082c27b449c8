// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/npm"
)

// TestKill kills one process of a running session, at a moment chosen by chance.
// Nothing of the session is left, what the client asked is answered if the proxy
// lives, and the exit code is passed on.
func TestKill(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("TOOLVET_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("to repeat: TOOLVET_SEED=%d", seed)
	chance := mathrand.New(mathrand.NewPCG(seed, 0))
	script := npm.Script(t, "recorder.mjs")
	for round := range 30 {
		victim := []string{"client", "proxy", "guard", "supervisor", "server"}[round%5]
		r := killRound{victim: victim, wrapped: chance.IntN(2) == 0, answers: chance.IntN(50), flight: 1 + chance.IntN(40)}
		if round < 5 {
			r.answers = 0 // while all of it starts
		}
		t.Run(fmt.Sprintf("%d_%s_after_%d", round, victim, r.answers), func(t *testing.T) {
			t.Parallel()
			r.mark = rand.Text()
			r.server = append(script, "lenient", filepath.Join(t.TempDir(), "ran"))
			if r.wrapped { // as npx does
				r.server = []string{"sh", "-c", `"$@"; true`, "wrapper", r.server[0], r.server[1], r.server[2], r.server[3]}
			}
			r.run(t)
		})
	}
}

// TestKillBacklog kills a server that has stopped to read, while the client writes on.
// All that the client had written by then is answered.
func TestKillBacklog(t *testing.T) {
	t.Parallel()
	r := killRound{victim: "server", mark: rand.Text()}
	r.server = append(npm.Script(t, "recorder.mjs"), "lenient", filepath.Join(t.TempDir(), "ran"))
	p, cmd := start(t, as("as-proxy", r.server...), markVariable+r.mark)
	s := &floodSession{w: p.stdin}
	s.begin()
	s.more()
	answered := map[string]int{}
	for range 2 {
		line, err := p.next()
		if err != nil {
			t.Fatal(err)
		}
		answered[string(decode(t, line).ID)]++
	}
	r.signal(t, cmd.Process.Pid, syscall.SIGSTOP)
	// The pipes to the proxy and from it to the server hold 64 KiB each, and the
	// proxy's buffer as much; when they are full, writing takes no more.
	stdin := p.stdin.(interface{ SetWriteDeadline(time.Time) error })
	for s.err == nil {
		if err := stdin.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		s.more()
	}
	r.signal(t, cmd.Process.Pid, syscall.SIGKILL)
	for {
		line, err := p.next()
		if err == errEnd {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		answered[string(decode(t, line).ID)]++
	}
	s.expectAnswers(t, answered)
}

// A killRound is one session with one death.
type killRound struct {
	victim  string
	wrapped bool     // the server runs under a shell
	server  []string // its command
	answers int      // how many the client gets before
	flight  int      // how many calls are on their way at once
	mark    string   // a variable of the environment of every process
}

const markVariable = "TOOLVET_TEST_MARK="

func (r killRound) run(t *testing.T) {
	command := as("as-proxy", r.server...)
	if r.victim == "client" {
		command = as("as-client", append([]string{strconv.Itoa(r.flight)}, command...)...)
	}
	p, cmd := start(t, command, markVariable+r.mark)
	s := &floodSession{w: p.stdin, flight: r.flight}
	if r.victim == "client" {
		s.w = io.Discard // the client process does it
	}
	s.begin()
	answered := map[string]int{}
	for n := 0; n < r.answers; n++ {
		line, err := p.next()
		if err != nil {
			t.Fatalf("after %d answers: %v", n, err)
		}
		answered[string(decode(t, line).ID)]++
		s.more()
	}
	r.signal(t, cmd.Process.Pid, syscall.SIGKILL)
	for {
		line, err := p.next()
		if err == errEnd {
			break
		}
		if err != nil {
			t.Fatalf("after the death of the %s: %v", r.victim, err)
		}
		answered[string(decode(t, line).ID)]++
	}
	code := p.wait()
	r.expectNothingLeft(t)
	if r.victim != "client" && r.victim != "proxy" && r.answers > 0 {
		s.expectAnswers(t, answered)
		if want := r.exitCode(); code != want {
			t.Errorf("exit code %d, want %d", code, want)
		}
	}
}

func (r killRound) exitCode() int {
	if r.wrapped && r.victim == "server" {
		return 0 // the shell goes on
	}
	return 128 + int(syscall.SIGKILL)
}

// signal sends the victim a signal as soon as it is there.
func (r killRound) signal(t *testing.T, top int, signal syscall.Signal) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for pid, role := range r.processes(t) {
			if role == r.victim {
				_ = syscall.Kill(pid, signal)
				return
			}
		}
		if syscall.Kill(top, 0) != nil {
			break
		}
	}
	t.Fatalf("there is no %s", r.victim)
}

func (r killRound) expectNothingLeft(t *testing.T) {
	t.Helper()
	var left map[int]string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if left = r.processes(t); len(left) == 0 {
			return
		}
	}
	t.Errorf("left behind: %v", left)
}

// processes returns the processes that have the mark, with their roles.
func (r killRound) processes(t *testing.T) map[int]string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, dir := range dirs {
		environ, err := os.ReadFile(dir + "/environ")
		if err != nil || !bytes.Contains(environ, []byte(markVariable+r.mark)) {
			continue
		}
		cmdline, err := os.ReadFile(dir + "/cmdline")
		if err != nil {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			name, _ := os.ReadFile(dir + "/comm")
			found[pid] = roleOf(strings.TrimSpace(string(name)), strings.Split(string(cmdline), "\x00"))
		}
	}
	return found
}

// roleOf returns the role of a process by its name and arguments. A sleeping supervisor has the guard's arguments.
func roleOf(name string, args []string) string {
	switch {
	case len(args) < 3:
		return "unknown"
	case args[1] == "as-client":
		return "client"
	case args[1] == "as-proxy":
		return "proxy"
	case args[1] == "as-supervisor" && args[2] == "guard" && name != "toolvet-super":
		return "guard"
	case args[1] == "as-supervisor":
		return "supervisor"
	case filepath.Base(args[0]) == "node":
		return "server"
	}
	return "wrapper"
}
