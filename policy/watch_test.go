// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A watched file, and what came of its loads.
type watched struct {
	t      *testing.T
	file   string
	loads  chan loaded
	logged *lockedBuffer
}

type loaded struct {
	policy *Policy
	err    error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startWatch watches a file until the test ends, and waits for the first load.
func startWatch(t *testing.T, file string) *watched {
	t.Helper()
	w := &watched{t: t, file: file, loads: make(chan loaded), logged: &lockedBuffer{}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() {
		ended <- Watch(ctx, file, func() error {
			p, err := Load(file)
			select {
			case w.loads <- loaded{p, err}:
			case <-ctx.Done():
			}
			return err
		}, slog.New(slog.NewTextHandler(w.logged, nil)))
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Watch: %v", err)
		}
	})
	if first := <-w.loads; first.err != nil {
		t.Fatal(first.err)
	}
	return w
}

// wants waits for a load that takes a policy with a preset; those of unfinished writes
// before it may fail.
func (w *watched) wants(preset string) {
	w.t.Helper()
	for l := range w.loads {
		if l.err == nil && l.policy.Preset == preset {
			return
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "toolvet.yaml")
	write(t, file, "version: 1\npreset: observe\n")
	w := startWatch(t, file)

	write(t, file, "version: 1\npreset: standard\n")
	w.wants("standard")

	// As editors do: a new file takes the place of the old one, again and again.
	for _, preset := range []string{"strict", "observe"} {
		write(t, file+"~", "version: 1\npreset: "+preset+"\n")
		if err := os.Rename(file+"~", file); err != nil {
			t.Fatal(err)
		}
		w.wants(preset)
	}

	// Or the old one moves away first.
	if err := os.Rename(file, file+".bak"); err != nil {
		t.Fatal(err)
	}
	write(t, file, "version: 1\npreset: strict\n")
	w.wants("strict")

	// A wrong one is told, and does not end the watch.
	write(t, file+"~", "version: 1\npresett: observe\n")
	if err := os.Rename(file+"~", file); err != nil {
		t.Fatal(err)
	}
	if l := <-w.loads; l.err == nil {
		t.Error("a wrong policy was loaded")
	}
	write(t, file, "version: 1\npreset: standard\n") // loaded after the wrong one was logged
	w.wants("standard")
	if got := w.logged.String(); !strings.Contains(got, "stays in force") || !strings.Contains(got, "presett") {
		t.Errorf("log: %s", got)
	}
}

// TestWatchLink swaps a link, as ConfigMaps of Kubernetes are updated, and changes the
// file behind it.
func TestWatchLink(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	dir, one, two := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(one, "p"), "version: 1\npreset: observe\n")
	write(t, filepath.Join(two, "p"), "version: 1\npreset: strict\n")
	file := filepath.Join(dir, "toolvet.yaml")
	if err := os.Symlink(filepath.Join(one, "p"), file); err != nil {
		t.Fatal(err)
	}
	w := startWatch(t, file)
	write(t, filepath.Join(one, "p"), "version: 1\npreset: standard\n")
	w.wants("standard")
	if err := os.Symlink(filepath.Join(two, "p"), file+"~"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+"~", file); err != nil {
		t.Fatal(err)
	}
	w.wants("strict")
	write(t, filepath.Join(two, "p"), "version: 1\npreset: observe\n")
	w.wants("observe")
}

func TestWatchNoDirectory(t *testing.T) {
	t.Parallel()
	called := false
	err := Watch(t.Context(), filepath.Join(t.TempDir(), "missing", "toolvet.yaml"), func() error { called = true; return nil }, nil)
	if err == nil || called {
		t.Errorf("error %v, load called %v, want an error before any load", err, called)
	}
}
