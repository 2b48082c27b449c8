// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/cron"
	"github.com/toolvet/toolvet/checks/moment"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
)

// An offlineGate judges calls as the proxy would, and makes none. It leaves out limits, which depend on
// earlier calls, and the lock of tools, which depends on the server's present list. Only one goroutine
// may use it.
type offlineGate struct {
	gate   *toolvet.Gate
	server string // its name in the policy
	policy *policy.Policy
	log    *logBuffer
	at     atomic.Pointer[time.Time] // the time of the call, for rules and checks that ask for it
}

// newOfflineGate makes the gate of a server. Without world, the checks that look at files, the network or
// databases are off.
func newOfflineGate(source enforce.Source, world bool) (*offlineGate, error) {
	source.Each = true
	p, err := source.ForServer(nil)
	if err != nil {
		return nil, err
	}
	return offlineGateOf(source.Checks, p, world)
}

// offlineGateOf makes the gate of a policy's only server, with more checks.
func offlineGateOf(checks enforce.Checks, p *policy.Policy, world bool, more ...*check.Check) (g *offlineGate, err error) {
	p = offline(checks, p, world)
	g = &offlineGate{server: p.Servers[0].Name, policy: p, log: &logBuffer{}}
	log := slog.New(slog.NewTextHandler(g.log, &slog.HandlerOptions{ReplaceAttr: timeless}))
	g.gate, err = g.timed(checks).NewGate(&access.Enforcer{Contains: true, Shared: backend.SharedLimits, Server: g.server, Log: log, Now: g.now}, p, toolvet.WithMoreChecks(more...))
	return g, err
}

// now returns the time of the call.
func (g *offlineGate) now() time.Time {
	if at := g.at.Load(); at != nil && !at.IsZero() {
		return *at
	}
	return time.Now()
}

// timed replaces the checks that ask for the time with ones that get the time of the call.
func (g *offlineGate) timed(checks enforce.Checks) enforce.Checks {
	list := slices.Clone(checks)
	for i, c := range list {
		switch c {
		case cron.Check:
			list[i] = cron.New(g.now)
		case moment.Check:
			list[i] = moment.New(g.now)
		}
	}
	return list
}

func timeless(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// offline returns p without the parts that an offlineGate leaves out.
func offline(checks enforce.Checks, p *policy.Policy, world bool) *policy.Policy {
	quiet := *p
	quiet.Limits, quiet.Shared = nil, nil
	quiet.DryRun = policy.BoundCalls{} // neither logs nor tests have tokens
	quiet.HideRefused = false          // a call of a hidden tool names the rule that hides it
	quiet.Checks = map[string]policy.Check{}
	maps.Copy(quiet.Checks, p.Checks)
	if p.Pinning.Lock != "" {
		quiet.Checks[pinnedCheck] = policy.Check{Off: true}
	}
	for _, c := range checks {
		if c.Level == check.RuntimeLevel && !world {
			quiet.Checks[c.Name] = policy.Check{Off: true}
		}
	}
	return &quiet
}

// leftOut names the parts of a policy that an offlineGate leaves out.
func leftOut(p *policy.Policy, world bool) string {
	var what []string
	if !world {
		what = append(what, "files", "network", "databases")
	}
	if len(p.Limits) > 0 {
		what = append(what, "limits")
	}
	if p.Pinning.Lock != "" {
		what = append(what, "the lock of tools")
	}
	if len(p.DryRun.Before) > 0 {
		what = append(what, "dry runs before calls")
	}
	if what == nil {
		return ""
	}
	return "; not asked: " + strings.Join(what, ", ")
}

// A recordedCall is a call, or another request, as a log or a test has it.
type recordedCall struct {
	tool      string
	method    string          // of a request other than tools/call, in place of the tool
	arguments json.RawMessage // of a request, its params
	session   *call.Session
	at        time.Time
}

func (r *recordedCall) decode() (*call.Call, error) {
	if r.method != "" {
		c, err := call.DecodeRequest(r.method, r.arguments, call.Limits{})
		c.Session = r.session
		return c, err
	}
	c := &call.Call{Name: r.tool, Session: r.session}
	return c, c.Read(r.arguments, call.Limits{})
}

// judge judges a call as the proxy would at a time; the zero time stands for now. The catalog need not
// have the tool. The error is that of ctx.
func (g *offlineGate) judge(ctx context.Context, tools *call.Catalog, r recordedCall) (toolvet.Verdict, error) {
	g.log.take()
	g.at.Store(&r.at)
	c, err := r.decode()
	c.Unread = err
	if c.Server = g.server; c.IsTool() {
		c.Resolve(tools)
	}
	v := g.gate.Judge(ctx, c, toolvet.PointProxy)
	return v, ctx.Err()
}

// The checks of package access, for a policy's rules and its lock of tools.
const (
	ruleCheck   = "rule"
	pinnedCheck = "pinned-tool"
)

// A logBuffer keeps the log of one call. It is safe for concurrent use, because a check that ran out of
// time may still write.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// take returns the text, and clears the buffer.
func (b *logBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// policyServer returns the name of a server in the policy, or "" if there can be only one.
func policyServer(p *policy.Policy, name string) (string, error) {
	var names []string
	for _, s := range p.Servers {
		names = append(names, s.Name)
	}
	switch {
	case slices.Contains(names, name):
		return name, nil
	case len(names) == 0 || name == "" && len(names) == 1:
		return "", nil
	case name == "":
		return "", fmt.Errorf("name the server, one of %s", strings.Join(names, ", "))
	}
	return "", errors.New("the policy has no such server")
}
