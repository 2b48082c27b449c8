// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/test/race"
)

// TestWeight holds what a proxy in front of a server weighs when it has answered: three processes of toolvet, and the memory
// that each of them has for itself. Pages of the program's file are left out: the system shares and drops them.
func TestWeight(t *testing.T) {
	t.Parallel()
	race.Skip(t)
	dir := t.TempDir()
	server := filepath.Join(dir, "server.json")
	if err := os.WriteFile(server, []byte(`{"capabilities":{"tools":{}},"tools":[{"name":"read","inputSchema":{"type":"object"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("toolvet", "proxy", "--", "fakeserver", server)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer stdin.Close()
	lines := bufio.NewReader(stdout)
	ask := func(requests string) {
		if _, err := io.WriteString(stdin, requests); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"result"`) {
			t.Fatalf("the answer is %q, %v", line, err)
		}
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n")
	ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")

	const proxy, busy, helper = 20 << 20, 28 << 20, 256 << 10
	tree := below(t, cmd.Process.Pid)
	if len(tree) != 4 {
		t.Fatalf("the proxy, what it started and the server are %d processes, want 4", len(tree))
	}
	bounds := []int{proxy, helper, helper}
	for i, most := range bounds {
		own := ownMemory(t, tree[i])
		t.Logf("process %d of toolvet: %.1f MB", i+1, float64(own)/1e6)
		if own > most {
			t.Errorf("process %d of toolvet has %d bytes for itself, at most %d are wanted", i+1, own, most)
		}
	}
	for n := 3; n < 4003; n++ {
		ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read","arguments":{}}}`+"\n", n))
	}
	own := ownMemory(t, tree[0])
	t.Logf("after 4,000 calls: %.1f MB", float64(own)/1e6)
	if own > busy {
		t.Errorf("after 4,000 calls the proxy has %d bytes for itself, at most %d are wanted", own, busy)
	}
}

// TestSupervisorIsEarly holds that toolvet looks after a server before most of the program is initialized. By hand it refuses,
// but not earlier than it would work.
func TestSupervisorIsEarly(t *testing.T) {
	t.Parallel()
	count := func(arguments ...string) int {
		cmd := exec.Command("toolvet", arguments...)
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		_ = cmd.Run() // the exit code of one of them is 2
		return strings.Count("\n"+stderr.String(), "\ninit ")
	}
	if early, all := count("supervise", "--"), count("version"); early == 0 || early > all/5 {
		t.Errorf("%d of %d packages are initialized before a supervisor works: its imports put it behind them", early, all)
	}
}

// below returns a process and those below it, each behind its parent.
func below(t *testing.T, pid int) []int {
	t.Helper()
	tree := []int{pid}
	for i := 0; i < len(tree); i++ {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", tree[i]))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range tasks {
			text, _ := os.ReadFile(file) // a thread may have ended
			for _, child := range strings.Fields(string(text)) {
				if n, err := strconv.Atoi(child); err == nil && !slices.Contains(tree, n) {
					tree = append(tree, n)
				}
			}
		}
	}
	return tree
}

// ownMemory returns the memory of a process that no file backs, in bytes.
func ownMemory(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nRssAnon:")
	var kilobytes int
	if _, err := fmt.Sscanf(rest, "%d kB", &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
