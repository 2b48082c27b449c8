// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/audit"
	"github.com/toolvet/toolvet/infer"
	"github.com/toolvet/toolvet/internal/egress"
	"github.com/toolvet/toolvet/internal/sandbox"
	"github.com/toolvet/toolvet/internal/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// Root, in a command or its environment, stands for the directory that the server may use.
const Root = "{ROOT}"

// Config says what to audit. Command and Init are required.
type Config struct {
	Command []string // the server's program and its arguments; [Root] is replaced
	Env     []string // NAME=VALUE, besides what every program gets; [Root] is replaced
	Dir     string   // its working directory; "" is the root, or ours where the server does not start there
	// Init is the command, without arguments to come, that calls [sandbox.Run] in a new process.
	Init []string
	// Destructive has tools tried that delete or stop something, too. All happens in the sandbox.
	Destructive bool

	CallTimeout  time.Duration // of one call; default 6 s
	StartTimeout time.Duration // of a start; default [upstream.DefaultTimeout]
	Budget       time.Duration // of everything; default 5 min
	Limits       sandbox.Limits
	Stderr       io.Writer // receives what the server says beside its messages; nil discards
}

// A Result is what the probes found out.
type Result struct {
	Facts  []audit.Fact
	Tools  []string
	Server string   // what the server says it is
	Notes  []string // what was not tried, and why
}

// Run audits a server in a sandbox. The error says that it could not be started, or why nothing
// can be run in a sandbox here (a [sandbox.UnsupportedError]). A server that ends, hangs or says
// too much gives a partial result, with notes.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("it is not known how to start the server: give its command")
	}
	cfg.CallTimeout = cmp.Or(max(cfg.CallTimeout, 0), 6*time.Second)
	cfg.StartTimeout = cmp.Or(max(cfg.StartTimeout, 0), upstream.DefaultTimeout)
	cfg.Budget = cmp.Or(max(cfg.Budget, 0), 5*time.Minute)
	w, err := newWorld()
	if err != nil {
		return nil, err
	}
	defer w.remove()
	authority, err := egress.NewAuthority()
	if err != nil {
		return nil, err
	}
	a := &auditor{cfg: cfg, world: w, canary: newCanary()}
	answers := &egress.Server{Authority: authority, Handler: a.canary}
	defer answers.Close()
	a.launcher = &launcher{
		init: cfg.Init, timeout: cfg.StartTimeout, world: w, answers: answers, authority: authority, stderr: cfg.Stderr, limits: cfg.Limits,
	}
	a.start = a.launcher.start
	ctx, cancel := context.WithTimeout(ctx, cfg.Budget)
	defer cancel()
	if err := a.begin(ctx); err != nil {
		return nil, err
	}
	defer a.end()
	if err := a.learn(ctx); err != nil {
		return nil, err
	}
	a.probe(ctx)
	return &a.result, nil
}

// An auditor is one audit under way.
type auditor struct {
	cfg      Config
	world    *world
	canary   *canary
	launcher *launcher
	start    func(context.Context) (*session, error)
	session  *session
	result   Result
	restarts int
	late     map[string]int // calls without an answer, by tool
	dead     error          // the server cannot be started any more
	calls    int
	limit    int // of calls; 0: none
	tools    []*tool
	said     map[string]bool // facts by cell and rule
}

// maxRestarts bounds how often a server that ends is started again.
const maxRestarts = 40

// maxLate is after how many calls without an answer a tool is given up.
const maxLate = 3

func (a *auditor) end() {
	if a.session != nil {
		a.session.close()
	}
}

// learn asks the server for its tools.
func (a *auditor) learn(ctx context.Context) error {
	var info struct{ Name, Version string }
	_ = json.Unmarshal(a.session.client.ServerInfo(), &info) // a server may say nothing of itself
	a.result.Server = strictjson.Printable(strings.TrimSpace(info.Name+" "+info.Version), 128)
	catalog, faults, err := a.session.client.Tools(ctx)
	if err != nil {
		return fmt.Errorf("listing the server's tools: %w", err)
	}
	if len(faults) > 0 {
		a.note("%d tool definitions cannot be used and were not tried", len(faults))
	}
	names := catalog.Names()
	if len(names) > maxTools {
		a.note("the server lists %d tools: the first %d were tried", len(names), maxTools)
		names = names[:maxTools]
	}
	for _, name := range names {
		t := catalog.Tool(name)
		a.result.Tools = append(a.result.Tools, show(name))
		if t.Fault != nil {
			a.note("tool %s: its definition cannot be used", show(name))
			continue
		}
		a.tools = append(a.tools, understand(t))
	}
	return nil
}

// maxTools bounds the tools that are tried.
const maxTools = 300

// show is a server's text as a report may print it.
func show(s string) string { return strictjson.Printable(s, 128) }

func (a *auditor) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(a.result.Notes, n) {
		a.result.Notes = append(a.result.Notes, n)
	}
}

// probe tries each tool: those first that say that they only read.
func (a *auditor) probe(ctx context.Context) {
	a.late, a.said = map[string]int{}, map[string]bool{}
	tools := slices.Clone(a.tools)
	slices.SortStableFunc(tools, func(x, y *tool) int { return x.order() - y.order() })
	for _, t := range tools {
		if t.destructive && !a.cfg.Destructive {
			a.skip(t, "its name or its annotations say that it is destructive; --allow-destructive tries it in the sandbox")
			continue
		}
		a.tool(ctx, a.discover(ctx, t))
	}
	a.robust(ctx, tools)
	if a.restarts > 0 {
		a.note("the server ended or hung %d times and was started again", a.restarts)
	}
	if ctx.Err() != nil {
		a.note("the time for the audit ran out: what was not tried is inconclusive")
	}
	if a.dead != nil {
		a.note("the server could not be started any more: what was not tried is inconclusive")
	}
}

func (u *tool) order() int {
	switch {
	case u.destructive:
		return 2
	case u.readOnly:
		return 0
	}
	return 1
}

// tool tries one tool, class by class.
func (a *auditor) tool(ctx context.Context, t *tool) {
	for _, p := range t.parameters {
		switch {
		case p.kind == infer.URL, p.kind == "" && urlName(p):
			a.url(ctx, t, p)
		case p.kind == infer.Path, p.kind == "" && t.names(p):
			a.path(ctx, t, p)
		}
		a.command(ctx, t, p)
	}
	if !t.discovered {
		a.schema(ctx, t)
	}
}

// skip says of each cell of a tool that it was not tried.
func (a *auditor) skip(t *tool, why string) {
	for _, p := range t.parameters {
		if class := p.class(); class != "" {
			a.fact(audit.Fact{Cell: cell(t, p, class), Verdict: audit.Skipped, Why: why})
		}
	}
	if len(t.parameters) > 0 || len(t.required) > 0 {
		a.fact(audit.Fact{Cell: whole(t, audit.Schema), Verdict: audit.Skipped, Why: why})
	}
}

// class is the class that a parameter's kind makes relevant, or "".
func (p *parameter) class() audit.Class {
	switch p.kind {
	case infer.Path:
		return audit.Path
	case infer.URL:
		return audit.URL
	case infer.Command:
		return audit.Command
	}
	return ""
}

func cell(t *tool, p parameter, c audit.Class) audit.Cell {
	return audit.Cell{Tool: show(t.Name), Param: strictjson.Printable(p.pointer, 256), Class: c}
}

func whole(t *tool, c audit.Class) audit.Cell { return audit.Cell{Tool: show(t.Name), Class: c} }

func (a *auditor) fact(f audit.Fact) {
	f.Method = audit.Dynamic
	a.result.Facts = append(a.result.Facts, f)
}

// call makes a call, and starts the server again if it has ended or hangs. Of a tool that has not
// answered too often, no more is asked.
func (a *auditor) call(ctx context.Context, t *tool, arguments map[string]any) reply {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return reply{failed: "the arguments cannot be written"}
	}
	switch {
	case a.limit > 0 && a.calls >= a.limit:
		return reply{failed: "too many calls would have been made"}
	case a.late[t.Name] >= maxLate:
		return reply{late: true, failed: "the tool did not answer before"}
	case ctx.Err() != nil:
		return reply{failed: "the time for the audit ran out"}
	case !a.ready(ctx):
		return reply{failed: "the server could not be started any more"}
	}
	a.calls++
	r := a.session.call(ctx, t.Name, raw, a.cfg.CallTimeout)
	if r.late || r.gone {
		a.late[t.Name]++
		a.stop()
	}
	return r
}

// stop ends the session: what it made stays to be seen until the next one begins.
func (a *auditor) stop() { a.session.broken = true }

// ready has a server running.
func (a *auditor) ready(ctx context.Context) bool {
	if a.session != nil && !a.session.broken && !a.session.gone() {
		return true
	}
	if a.dead != nil {
		return false
	}
	if a.session != nil {
		if !a.session.spent {
			a.restarts++
		}
		a.session.close()
		a.session = nil
	}
	if a.restarts > maxRestarts {
		a.dead = errors.New("it ended too often")
		return false
	}
	s, err := a.start(ctx)
	if err != nil {
		a.dead = err
		return false
	}
	a.session = s
	return true
}
