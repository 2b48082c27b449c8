// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/machine/process/supervisor"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// roles are what the test binary does when its first argument names one.
var roles = map[string]func(args []string){
	"as-supervisor": func(args []string) { os.Exit(supervisor.Run(args)) },
	"as-echo":       func([]string) { io.Copy(os.Stdout, os.Stdin) },
	"as-talker":     func(args []string) { fmt.Fprint(os.Stderr, strings.Join(args, " ")) },
	"as-env":        reportSurroundings,
	"as-exit": func(args []string) {
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	},
}

func reportSurroundings([]string) {
	dir, _ := os.Getwd()
	fmt.Println(os.Getenv("PROCESS_TEST"), dir)
}

func TestMain(m *testing.M) {
	maps.Copy(roles, platformRoles)
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			role(os.Args[2:])
			return
		}
	}
	// Under the race detector, a program that ends waits for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	code := m.Run()
	if left := leakedGoroutines(); left != "" {
		fmt.Fprintf(os.Stderr, "goroutines of this package are left:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// leakedGoroutines returns the stacks, other than TestMain's, that run code of
// this package and do not end.
func leakedGoroutines() (left string) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		left = ""
		buf := make([]byte, 1<<20)
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "internal/machine/process.") && !strings.Contains(stack, "TestMain") {
				left += stack + "\n\n"
			}
		}
		if left == "" {
			return ""
		}
	}
	return left
}

func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// start starts this binary in a role and stops it when the test is over.
func start(t testing.TB, c Command, role ...string) *Process {
	t.Helper()
	c.Args = append([]string{self(t)}, role...)
	p, err := Start(c)
	if err != nil {
		t.Fatalf("Start(%q): %v", role, err)
	}
	t.Cleanup(func() {
		stopNow(p)
		p.Stdout().Close()
	})
	return p
}

func stopNow(p *Process) Exit {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return p.End(ctx, Grace{})
}

// within fails the test when f does not end.
func within[T any](t testing.TB, what string, f func() T) T {
	t.Helper()
	got := make(chan T, 1)
	go func() { got <- f() }()
	select {
	case v := <-got:
		return v
	case <-time.After(patience):
		t.Fatalf("%s: still waiting after %v", what, patience)
		panic("unreachable")
	}
}

// eventually polls until f holds.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not after %v", what, patience)
		}
	}
}

func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	return within(t, "read to the end", func() string {
		b, err := io.ReadAll(r)
		if err != nil {
			return "error: " + err.Error()
		}
		return string(b)
	})
}

// readLine reads one line, byte by byte, so that r stays where it is.
func readLine(t testing.TB, r io.Reader) string {
	t.Helper()
	return within(t, "read a line", func() string {
		var line []byte
		for b := make([]byte, 1); ; line = append(line, b[0]) {
			if _, err := r.Read(b); err != nil || b[0] == '\n' {
				return string(line)
			}
		}
	})
}
