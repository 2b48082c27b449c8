// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// supervisors are the ways to look after a server: asleep, and as a program that starts at once. That is for machines that run
// no files in memory, and for programs that are not our own, as a link is taken to be.
func supervisors(t *testing.T) map[string]Command {
	t.Helper()
	link := filepath.Join(t.TempDir(), "program")
	if err := os.Symlink(self(t), link); err != nil {
		t.Fatal(err)
	}
	return map[string]Command{
		"asleep": {Supervisor: []string{self(t), "as-supervisor"}},
		"awake":  {Supervisor: []string{link, "as-supervisor"}},
	}
}

func eachSupervisor(t *testing.T, f func(t *testing.T, c Command)) { each(t, supervisors(t), f) }

// platformRoles are servers that misbehave, and a proxy.
var platformRoles = map[string]func(args []string){
	"as-sleeper":      func([]string) { say("ready"); sleep() },
	"as-deaf":         func([]string) { deafen(); say("ready"); sleep() },
	"as-child":        func([]string) { deafen(); os.NewFile(3, "ready").Write([]byte{1}); sleep() },
	"as-orphan-maker": func([]string) { spawn(os.NewFile(3, "ready"), true, "as-child") },
	"as-brood":        func([]string) { deafen(); brood(); say("ready"); sleep() },
	"as-ancestor":     func([]string) { ancestor(); say("ready"); sleep() },
	"as-deserter":     func([]string) { brood(); say("ready"); os.Exit(3) },
	"as-polite":       func([]string) { politeChild() },
	"as-launcher":     func([]string) { launcher() },
	"as-breeder":      func([]string) { deafen(); breed() },
	"as-suicide":      suicide,
	"as-stdin-closer": func([]string) { os.Stdin.Close(); say("ready"); sleep() },
	"as-mute":         func([]string) { say("bye"); os.Stdout.Close(); sleep() },
	"as-pipe-lister":  func([]string) { listPipes() },
	"as-proxy":        beProxy,
}

func say(line string) { fmt.Println(line) }

func sleep() {
	for {
		time.Sleep(time.Hour)
	}
}

func deafen() { signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGPIPE) }

// spawn starts a child that holds our standard files and ready.
func spawn(ready *os.File, setsid bool, role string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", role)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{ready}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: setsid}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// brood starts three deaf processes: a child, a child in a session of its own,
// and one in a session of its own whose parent is gone.
func brood() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	spawn(w, false, "as-child")
	spawn(w, true, "as-child")
	if err := spawn(w, true, "as-orphan-maker").Wait(); err != nil {
		panic(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 3)); err != nil {
		panic(err)
	}
}

// ancestor has descendants that end as orphans.
func ancestor() {
	for range 20 {
		if err := exec.Command("/bin/sh", "-c", "(sleep 0.01 &)").Run(); err != nil {
			panic(err)
		}
	}
}

// launcher starts a child in a group of its own, and lives as long as that does.
func launcher() {
	signal.Notify(make(chan os.Signal, 1), unix.SIGTERM)
	cmd := politeChild()
	say("ready")
	cmd.Wait()
	os.Exit(5)
}

// politeChild starts a child that says goodbye at SIGTERM.
func politeChild() *exec.Cmd {
	r, w, _ := os.Pipe()
	cmd := exec.Command("/bin/sh", "-c", `trap 'echo goodbye; exit' TERM; echo >&3; while :; do sleep 0.01; done`)
	cmd.Stdout, cmd.ExtraFiles = os.Stdout, []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	r.Read(make([]byte, 1))
	return cmd
}

// breed goes on starting processes in sessions of their own.
func breed() {
	for n := 1; n <= 500; n++ {
		cmd := exec.Command("/bin/sleep", "1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			break
		}
		if n == 20 {
			say("ready")
		}
	}
	sleep()
}

func suicide(args []string) {
	for n := syscall.Signal(1); n < 32; n++ {
		if unix.SignalName(n) == args[0] {
			signal.Reset(n)
			// The Go runtime catches some of the signals even so; the shell does not.
			unix.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$; sleep 1000", n)}, os.Environ())
		}
	}
}

// listPipes prints the pipes that it has open besides its standard files.
func listPipes() {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && strings.HasPrefix(to, "pipe:") && !slices.Contains([]string{"0", "1", "2"}, e.Name()) {
			fmt.Println(e.Name(), to)
		}
	}
}

// beProxy starts a server with a supervisor and in a role, and passes its standard output on.
func beProxy(args []string) {
	say("starting")
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	p, err := Start(Command{
		Args:       append([]string{self}, args[1:]...),
		Supervisor: []string{args[0], "as-supervisor"},
	})
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, p.Stdout())
	sleep()
}
