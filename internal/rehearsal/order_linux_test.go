// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/policy"
)

// TestOrder holds that methods out of their order are errors, and that none of them loses a change in silence.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	s := startSession(t, serverConfig(t, dir))
	s.Call(t.Context(), Call{Tool: "run", Arguments: arguments(t, map[string]string{"script": "echo 1 >file"})})
	if made, err := s.Commit(t.Context()); made != 0 || err == nil || !strings.Contains(err.Error(), "Finish") {
		t.Errorf("Commit before Finish: %d, %v", made, err)
	}
	first := finish(t, s)
	if again := finish(t, s); again != first || len(again.Changes) != 1 {
		t.Errorf("a second Finish: %+v", again)
	}
	if made, err := s.Commit(t.Context()); made != 1 || err != nil {
		t.Errorf("Commit: %d, %v", made, err)
	}
	if text, err := os.ReadFile(file); string(text) != "1\n" {
		t.Errorf("committed: %q, %v", text, err)
	}
	s.Close()
	if _, err := s.Commit(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("Commit after Close: %v", err)
	}
	unfinished := startSession(t, serverConfig(t, dir))
	unfinished.Close()
	if _, err := unfinished.Finish(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("Finish after Close: %v", err)
	}
}

// TestCanonicalCall: a rehearsed call has the canonical arguments of a live one.
func TestCanonicalCall(t *testing.T) {
	p, err := policy.Parse("toolvet.yaml", []byte("version: 1\npreset: none\nservers: {test: {tools: {run: {fill_defaults: true}}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := serverConfig(t, t.TempDir())
	cfg.Server = "test"
	if cfg.Gate, err = toolvet.New(toolvet.WithPolicy(policy.Seal(p)), toolvet.WithServer("test")); err != nil {
		t.Fatal(err)
	}
	s := startSession(t, cfg)
	defer s.Close()
	if done := s.Call(t.Context(), Call{Tool: "run"}); !strings.Contains(string(done.Result), "by default") {
		t.Errorf("the call was made without its default: %+v", done)
	}
}

// TestWiring holds that a wiring that cannot rehearse says which part is wrong.
func TestWiring(t *testing.T) {
	right := serverConfig(t, t.TempDir())
	startSession(t, right).Close()
	for name, tt := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"no command":        {func(c *Config) { c.Command = nil }, "give its command"},
		"no Init":           {func(c *Config) { c.Init = nil }, "give Init"},
		"Init without Run":  {func(c *Config) { c.Init = []string{"/bin/true"} }, "does not call Run"},
		"Init that is none": {func(c *Config) { c.Init = []string{"/absent"} }, "/absent"},
	} {
		cfg := right
		tt.change(&cfg)
		if s, err := Start(t.Context(), cfg); s != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if cfg.Command == nil {
			continue // Probe starts none
		}
		if _, err := Probe(t.Context(), cfg.Init); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Probe: %v, want %q", name, err, tt.want)
		}
	}
}

// TestBefore holds that a missing Init is an error when the policy is loaded, not at each call, and that a policy that is
// loaded again does not start the server anew.
func TestBefore(t *testing.T) {
	cfg := serverConfig(t, t.TempDir())
	if _, err := Before(cfg.Command, nil)(policy.Seal(&policy.Policy{Servers: []*policy.Server{{Name: "s"}}})); !errors.Is(err, errNoInit) {
		t.Errorf("without Init: %v", err)
	}
	var pools pools
	of := func(name, dir string) *Pool {
		t.Helper()
		pool, err := pools.of(&policy.Policy{Servers: []*policy.Server{{Name: name, Dir: dir}}}, cfg.Command, cfg.Init)
		if err != nil {
			t.Fatal(err)
		}
		return pool
	}
	first := of("s", "")
	if of("s", "") != first {
		t.Error("the same server has another pool when its policy is loaded again")
	}
	if of("other", "") == first || of("s", cfg.Dir) == first {
		t.Error("servers that start in different ways share a pool")
	}
}
