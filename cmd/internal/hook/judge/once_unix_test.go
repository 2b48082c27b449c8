// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package judge

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// TestOnceEnds holds that a judge of one request ends with the request's time, although its judgement hangs: here at a policy that is a pipe.
func TestOnceEnds(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "policy.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("there are no pipes here: %v", err)
	}
	var in, out bytes.Buffer
	if err := link.WriteRequest(&in, &link.Request{Host: "claude-code", Policy: pipe, Timeout: 50 * time.Millisecond, Payload: payload(t, "Bash", map[string]any{"command": "ls"}, "/")}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	j := newJudge(t)
	go func() { ended <- j.Once(t.Context(), &in, &out) }()
	select {
	case err := <-ended:
		if !errors.Is(err, context.DeadlineExceeded) || out.Len() > 0 {
			t.Errorf("it ends with %v and the answer %q", err, &out)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}

// TestPipedSettings holds that a pipe in the place of a client's settings does not hold up a call.
func TestPipedSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".codex/config.toml"} {
		mkdir(t, filepath.Dir(filepath.Join(dir, file)))
		if err := syscall.Mkfifo(filepath.Join(dir, file), 0o600); err != nil {
			t.Skipf("there are no pipes here: %v", err)
		}
	}
	if d, why := decision(t, newJudge(t), &link.Request{Host: "claude-code", Env: map[string]string{"HOME": dir}, Payload: payload(t, "mcp__other__read", map[string]any{"path": "README.md"}, dir)}); d != "ask" {
		t.Errorf("%q, %s", d, why)
	}
}

// TestPipedSecrets holds that pipes in the place of the files that a line reaches do not hold up a call. Managers of secrets make such a .env.
func TestPipedSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{".env", ".gitignore", "list"} {
		if err := syscall.Mkfifo(filepath.Join(dir, file), 0o600); err != nil {
			t.Skipf("there are no pipes here: %v", err)
		}
	}
	answers(t, dir, map[string][]string{"ask": {"grep -r SECRET .", "rg -uuu SECRET"}, "": {"rg --hidden TODO", "xargs cat < list"}})
}

// TestEnd holds that the resident judge ends when it is asked to.
func TestEnd(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "judge") // a socket's name must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	address := filepath.Join(dir, "j.sock")
	ended := make(chan error, 1)
	j := newJudge(t)
	go func() { ended <- j.Serve(t.Context(), address, time.Hour) }()
	for late := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if err = link.End(t.Context(), address); err == nil {
			break
		}
		if time.Now().After(late) {
			t.Fatal(err)
		}
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(4 * time.Second): // before it misses its socket
		t.Error("the judge goes on")
	}
}

// TestEndWithout holds that a judge ends when its socket is gone, or has made room for another's.
func TestEndWithout(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"gone": false, "another's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := filepath.Join(t.TempDir(), "j.sock")
			if err := os.WriteFile(address, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			if again { // both are there at once, so that they are two files
				if err := os.WriteFile(address+".new", nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			go func() {
				time.Sleep(50 * time.Millisecond)
				if again {
					_ = os.Rename(address+".new", address)
				} else {
					_ = os.Remove(address)
				}
			}()
			stopped := false
			endWithout(ctx, address, 10*time.Millisecond, func() { stopped = true })
			if !stopped {
				t.Error("the judge goes on")
			}
		})
	}
}
