// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/enforce"
)

// TestLiveGate holds that a policy counts as soon as its file changes, and that a wrong
// one leaves in force what was.
func TestLiveGate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "toolvet.yaml")
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save("version: 1\nservers: {s: {command: [server]}, other: {command: [x]}}\n")
	var logged syncBuffer
	g, err := openLiveGate(enforce.Source{Policy: file, Checks: suite.Default()}, []string{"server"}, nil, nil, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil || g.source.Server != "s" {
		t.Fatalf("server %q, error %v", g.source.Server, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	read, began := g.current.Load(), g.watcher.InForce()
	go func() { defer close(done); g.watch(ctx) }()

	save("version: 1\nserver: {}\n")
	eventually(t, func() bool { return strings.Contains(logged.String(), "the one before it stays in force") }, "the fault is not told")
	if now := g.watcher.InForce(); g.current.Load() != read || now.Problem == "" || now.Digest != began.Digest {
		t.Errorf("a wrong policy is in force: %+v", now)
	}
	save("version: 1\nservers: {s: {command: [server]}}\nlog: {file: log.jsonl}\n")
	eventually(t, func() bool { return strings.Contains(logged.String(), "another log") }, "another log is not told")
	if g.current.Load() != read {
		t.Error("a policy is in force whose log nobody writes")
	}
	save("version: 1\nservers: {s: {command: [another]}}\n")
	eventually(t, func() bool { return g.current.Load() != read }, "the new policy does not count")
	eventually(t, func() bool { return strings.Contains(logged.String(), "that of the command line counts") }, "the new command is not told")
	eventually(t, func() bool { return g.watcher.InForce().Digest != began.Digest }, "the digest in force is the old one")
	if now := g.watcher.InForce(); now.Problem != "" || now.Digest == began.Digest || !now.Since.After(began.Since) {
		t.Errorf("in force is %+v, and before %+v", now, began)
	}
	stop()
	<-done
}

func eventually(t *testing.T, ok func() bool, otherwise string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(otherwise)
		}
	}
}

// A syncBuffer may be read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
