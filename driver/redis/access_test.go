// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package redis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/driver/redis"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/test/redistest"
)

func enforcer() *access.Enforcer {
	return &access.Enforcer{Server: "s", Shared: redis.New()}
}

func gate(t *testing.T, e *access.Enforcer, yaml string) *toolvet.Gate {
	t.Helper()
	p, err := policy.Parse(filepath.Join(t.TempDir(), "toolvet.yaml"), []byte("version: 1\n"+yaml), suite.Demands()...)
	if err != nil {
		t.Fatal(err)
	}
	options, err := e.Options(p)
	if err != nil {
		t.Fatal(err)
	}
	g, err := toolvet.New(append(options, toolvet.WithPolicy(policy.Seal(p)), toolvet.WithElsewhere("preset"))...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func callBy(subject string) *call.Call {
	return &call.Call{Server: "s", Name: "read", Tool: &call.Tool{Name: "read", InputSchema: json.RawMessage(`{"type":"object"}`)},
		Arguments: map[string]any{}, Raw: json.RawMessage("{}"), Session: &call.Session{Subject: subject}}
}

func code(v toolvet.Verdict) string {
	for _, f := range v.Errors() {
		return f.Code
	}
	return ""
}

// TestRollback holds that an admitted call that is not made gives back all that it spent, in every counter, also when
// its context has ended.
func TestRollback(t *testing.T) {
	t.Parallel()
	var err error
	for range 10 { // a Redis that takes more than 250 ms is away, and this machine may be busy
		if err = rollBack(t, "shared: {url: \""+redistest.Start(t).URL()+"\"}\n"); err == nil {
			return
		}
	}
	t.Error(err)
}

func rollBack(t *testing.T, shared string) error {
	g := gate(t, enforcer(), "limits: [{name: calls, rate: 1/h, concurrency: 1, quota: 1/month}]\n"+shared)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		v, ticket := inside.Of(g).Admit(ctx, callBy("ann"), toolvet.PointProxy)
		cancel()
		if !v.Go {
			return fmt.Errorf("nothing has been called yet: %v", v)
		}
		if beside := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); beside.Go {
			return fmt.Errorf("a second call: %v", beside)
		}
		ticket.Rollback()
	}
	v, ticket := inside.Of(g).Admit(t.Context(), callBy("ann"), toolvet.PointProxy)
	ticket.Release()
	ticket.Rollback()
	if after := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); !v.Go || after.Go {
		return fmt.Errorf("the one call: %v; and after it: %v", v, after)
	}
	return nil
}

// TestFailsClosed holds that a limit that cannot be counted refuses calls.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	const limits, away = "limits: [{name: calls, rate: 10/s}]\n", `shared: {url: "redis://127.0.0.1:1"`
	t.Run("Redis is away", func(t *testing.T) {
		if v := gate(t, enforcer(), limits+away+"}\n").Judge(t.Context(), callBy("ann"), toolvet.PointProxy); v.Go || code(v) != engine.CodeRateLimit {
			t.Errorf("got %v", v)
		}
	})
	t.Run("Redis dies", func(t *testing.T) {
		server := redistest.Start(t)
		g := gate(t, enforcer(), limits+"shared: {url: \""+server.URL()+"\"}\n")
		eventually(t, "Redis answers in time", func() bool { return g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy).Go })
		server.Kill()
		if v := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); v.Go || code(v) != engine.CodeRateLimit {
			t.Errorf("got %v", v)
		}
		if v := g.Judge(t.Context(), callBy("ann"), toolvet.PointValidate); v.Go {
			t.Errorf("a dry run: got %v", v)
		}
		server.Start(t)
		eventually(t, "Redis is back", func() bool { return g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy).Go })
	})
	t.Run("Redis is away and limits are local", func(t *testing.T) {
		g := gate(t, enforcer(), "limits: [{name: calls, quota: 1/month}]\n"+away+", when_away: local}\n")
		if v := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); !v.Go {
			t.Errorf("got %v", v)
		}
		if v := g.Judge(t.Context(), callBy("ann"), toolvet.PointProxy); v.Go || code(v) != engine.CodeRateLimit {
			t.Errorf("beyond the local limit: got %v", v)
		}
	})
}

// eventually waits for what must come.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestSharedChanges: a policy that counts elsewhere leaves no connection behind, and the calls that run by
// the policy before it keep their slots.
func TestSharedChanges(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	e := enforcer()
	gateOf := func(prefix int) *toolvet.Gate {
		return gate(t, e, fmt.Sprintf("limits: [{name: slots, concurrency: 1}]\nshared: {url: %q, prefix: p%d}\n", server.URL(), prefix))
	}
	admit := func(g *toolvet.Gate) engine.Ticket {
		t.Helper()
		v, ticket := inside.Of(g).Admit(t.Context(), callBy("ann"), toolvet.PointProxy)
		if !v.Go {
			t.Fatalf("refused: %v", v)
		}
		return ticket
	}
	running := admit(gateOf(0))
	for n := 1; n <= 40; n++ {
		admit(gateOf(n)).Release()
	}
	last := gateOf(40)
	client := redis.Look(t, server, 1)
	connections := func() int { return strings.Count(client.ClientList(context.Background()).Val(), "\n") }
	const want = 6 // two each of the policy in force, the running call, and this test
	for end := time.Now().Add(30 * time.Second); connections() > want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d connections are open, want %d at most", connections(), want)
		}
	}
	slots := func() int64 {
		return client.Exists(context.Background(), client.Keys(context.Background(), "{p0}:*:slots").Val()...).Val()
	}
	if slots() == 0 {
		t.Error("the call that runs by the first policy has lost its slot")
	}
	running.Release()
	if slots() != 0 {
		t.Error("the call that ran by the first policy has ended, and has its slot")
	}
	admit(last).Release()
	runtime.KeepAlive(e)
}
