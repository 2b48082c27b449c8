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

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/api"
	"github.com/toolvet/toolvet/internal/machine/egress"
	"github.com/toolvet/toolvet/internal/machine/sandbox"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// Root stands for the server's directory in a command or its environment.
const Root = "{ROOT}"

// Config says what to audit. Command and Init are required.
type Config struct {
	Command []string // the server's program and its arguments; [Root] is replaced
	Env     []string // NAME=VALUE, in addition to those of every program; [Root] is replaced
	Dir     string   // its working directory; "" is the root, or ours if the server does not start there
	// Init is the command of a new process that calls [sandbox.Run], without the arguments for
	// it.
	Init []string
	// SkipDestructive leaves out tools that delete or stop something. Everything happens in the
	// sandbox.
	SkipDestructive bool

	// Times count what the server's programs take by themselves, waiting or working, and no waiting for a processor. Nothing
	// takes more than ten times its limit.
	CallTimeout  time.Duration  // of one call; default 6 s
	StartTimeout time.Duration  // of a start, and of the list of tools; default [upstream.DefaultTimeout]
	Budget       time.Duration  // of all calls of a session; default 5 min
	Limits       sandbox.Limits // OpenFiles: default 1,000
	// Contain puts the walls of a contained server (see package contain) into the sandbox. Of the audit's world, the
	// server may then change its root alone. Nil: none.
	Contain *policy.Containment
	// Suspected are cells that are suspected by the server's code. They are tried first and in full, whatever the
	// parameter's name. A cell without a parameter stands for all of its tool.
	Suspected []audit.Cell
	// Replay answers requests to the hosts of a file, and never a probe's; other requests get an error. Nil: requests to
	// services get made-up content ([api.Plausible]).
	Replay *api.File
	Stderr io.Writer // receives the server's standard error; nil discards it
	// Progress learns which tool is tried next, and how many of all steps are done. Several goroutines call it. Nil: nobody wants to know.
	Progress func(tool string, done, all int)
}

// A Result is the outcome of all probes.
type Result struct {
	Facts  []audit.Fact
	Tools  []string
	Server string   // the server's own name and version
	Notes  []string // gaps, with their reasons
	// Controls are the cells with a harmless call that worked, and Catalog has the tools as the server listed them.
	Controls []audit.Cell
	Catalog  *call.Catalog
	// Refused has the harmless calls that did not work, by the cell.
	Refused map[audit.Cell]Refusal
}

// A Refusal is the answer to a harmless call that did not work.
type Refusal struct {
	Lines    []string
	Findings []Finding // of the policy that refuses it; nil: none does
	Ended    bool      // the server ended, or gave no answer to toolvet in front of it
}

// A Finding is one reason of a policy.
type Finding struct{ Pointer, Message, Check, Code string }

// Run audits a server in a sandbox. An error means that the server did not start, or says why no
// sandbox can run here (a [sandbox.UnsupportedError]). If a server ends, hangs or writes too much
// after its start, the result is partial or empty, with notes.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("it is not known how to start the server: give its command")
	}
	cfg.CallTimeout = cmp.Or(max(cfg.CallTimeout, 0), 6*time.Second)
	cfg.StartTimeout = cmp.Or(max(cfg.StartTimeout, 0), upstream.DefaultTimeout)
	cfg.Budget = cmp.Or(max(cfg.Budget, 0), 5*time.Minute)
	cfg.Limits.OpenFiles = cmp.Or(max(cfg.Limits.OpenFiles, 0), openFiles)
	w, err := newWorld()
	if err != nil {
		return nil, err
	}
	defer w.remove()
	authority, err := egress.NewAuthority()
	if err != nil {
		return nil, err
	}
	x := &experiment{cfg: cfg, world: w, canary: newCanary()}
	if cfg.Replay == nil {
		x.canary.madeUp = api.Plausible{}
	}
	x.launcher = &launcher{init: cfg.Init, timeout: cfg.StartTimeout, world: w, canary: x.canary, replay: cfg.Replay, authority: authority, limits: cfg.Limits}
	defer x.launcher.close()
	x.start = x.launcher.start
	if cfg.Contain != nil {
		if err := x.launcher.contain(cfg.Contain); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, min(4*cfg.Budget, cfg.Budget+maxOther))
	defer cancel()
	a := x.auditor()
	defer a.end()
	if err := a.begin(ctx); err != nil {
		return nil, err
	}
	if err := a.learn(ctx); err != nil {
		a.note("nothing was tried: %s", strictjson.Printable(err.Error(), 1000))
		a.fact(audit.Fact{Cell: audit.Cell{Class: audit.Schema}, Verdict: audit.Inconclusive, Why: "the server's tools could not be listed"})
		return &a.result, nil
	}
	a.probe(ctx)
	a.noteRequests()
	return &a.result, nil
}

// openFiles is more than a rehearsal's: Node.js opens all modules of a large server at once as it loads them. It is less than the usual
// limit of the user's other programs (1,024), to which the kernel compares the descriptors that the user has in flight.
const openFiles = 1000

// maxOther bounds the time of an audit besides the budget: for the starts of the server, and the machine's other work.
const maxOther = 3 * time.Minute

// An experiment is shared by all auditors of one server.
type experiment struct {
	cfg      Config
	world    *world
	canary   *canary
	launcher *launcher
	start    func(context.Context, *services) (*session, error)
	limit    int // of the calls of one auditor; 0: none

	settlements []settlement // calls at the beginning of each session
	accepted    []string     // directories whose paths tools took in place of the root's
}

func (x *experiment) auditor() *auditor {
	return &auditor{experiment: x, late: map[string]int{}, ends: map[string]int{}, slow: map[string]bool{}, leaves: map[string]int{}, stoodIn: map[string]bool{}}
}

// An auditor tries a server in one session after another.
type auditor struct {
	*experiment
	session  *session
	result   Result
	restarts int
	late     map[string]int  // calls without an answer, by tool
	ends     map[string]int  // of the server during or behind calls, by tool
	last     string          // the tool of the last call
	slow     map[string]bool // tools with slow answers
	leaves   map[string]int  // calls with a program still running behind them, by tool
	dead     error           // the server cannot be started any more
	calls    int
	took     time.Duration   // of the server's programs, in calls
	leftOut  int             // cells
	events   []sandbox.Event // with a host or a marked path, since the last look
	stoodIn  map[string]bool // programs that a stand-in replaced
	tools    []*tool
	services services

	rootGiven bool // in the command or its environment
}

// maxRestarts bounds the restarts of a server that ends.
const maxRestarts = 40

// maxLate is the number of unanswered calls after which a tool is given up. After maxSilent tools, one such call of another
// is enough: they all wait for the same, and each call costs its whole time and a start of the server. maxEnds is the number of ends of the server
// at a tool's calls after which the tool is given up, so that starts are left for others.
const (
	maxLate   = 3
	maxSilent = 3
	maxEnds   = maxRestarts / 2
)

// silent reports whether a tool is given up.
func (a *auditor) silent(t *tool) bool {
	given := 0
	for _, n := range a.late {
		if n >= maxLate {
			given++
		}
	}
	return a.late[t.Name] >= maxLate || a.ends[t.Name] >= maxEnds || given >= maxSilent && a.late[t.Name] > 0
}

func (a *auditor) end() {
	if a.session != nil {
		a.leave()
	}
}

// leave ends the session.
func (a *auditor) leave() {
	a.gather()
	list, _ := a.session.programs(0)
	for _, args := range list {
		if name := a.world.standsIn(args); name != "" {
			a.stoodIn[name] = true
		}
	}
	a.session.close()
	a.session = nil
}

// learn asks the server for its tools.
func (a *auditor) learn(ctx context.Context) error {
	var info struct{ Name, Version string }
	_ = json.Unmarshal(a.session.client.ServerInfo(), &info) // a server need not describe itself
	a.result.Server = strictjson.Printable(strings.TrimSpace(info.Name+" "+info.Version), 128)
	d := a.session.within(ctx, a.cfg.StartTimeout)
	catalog, faults, err := a.session.client.Tools(d.ctx)
	d.stop()
	if err != nil {
		return fmt.Errorf("listing the server's tools: %w", err)
	}
	if len(faults) > 0 {
		a.note("%d tool definitions cannot be used and were not tried", len(faults))
		a.leaveOut(audit.Cell{Class: audit.Schema}, "there are tools whose definitions cannot be used")
	}
	a.result.Catalog = catalog
	names := catalog.Names()
	for _, name := range names[:min(len(names), maxTools)] {
		t := catalog.Tool(name)
		a.result.Tools = append(a.result.Tools, show(name))
		if t.Fault != nil {
			a.note("tool %s: its definition cannot be used", show(name))
			a.leaveOut(audit.Cell{Tool: show(name), Class: audit.Schema}, "its definition cannot be used")
			continue
		}
		u := understand(t)
		u.suspect(a.cfg.Suspected)
		a.tools = append(a.tools, u)
		a.beyond(u)
	}
	if len(names) > maxTools {
		a.note("the server lists %d tools: the first %d were tried", len(names), maxTools)
		for _, name := range names[maxTools:] {
			a.leaveOut(audit.Cell{Tool: show(name), Class: audit.Schema}, fmt.Sprintf("there are too many tools: the first %d were tried", maxTools))
		}
	}
	return nil
}

// beyond notes the parameters of a tool that are too deep to be tried, or too many.
func (a *auditor) beyond(t *tool) {
	if n := len(t.beyond); n > 0 {
		a.note("tool %s has many parameters for free text: only the first %d were tried", show(t.Name), maxParameters)
		for _, p := range t.beyond {
			if class := p.class(); class != "" {
				a.leaveOut(cell(t, p, class), fmt.Sprintf("the tool has too many parameters: the first %d were tried", maxParameters))
			}
		}
	}
	if t.cut {
		a.note("tool %s: its schema is too large, too deep or leads in circles: not all parameters were found", show(t.Name))
	}
}

// maxLeftOut bounds the untried cells in a report.
const maxLeftOut = 2000

// leaveOut notes that a cell was not tried, because there was too much.
func (a *auditor) leaveOut(c audit.Cell, why string) {
	if a.leftOut++; a.leftOut > maxLeftOut {
		a.note("more than %d places were left out: not all are named", maxLeftOut)
		return
	}
	a.fact(audit.Fact{Cell: c, Verdict: audit.Skipped, Why: why})
}

// maxTools bounds the tools in one audit.
const maxTools = 300

// show makes a server's text fit for a report.
func show(s string) string { return strictjson.Printable(s, 128) }

func (a *auditor) note(format string, args ...any) {
	if n := withoutTokens(fmt.Sprintf(format, args...)); !slices.Contains(a.result.Notes, n) {
		a.result.Notes = append(a.result.Notes, n)
	}
}

func cell(t *tool, p parameter, c audit.Class) audit.Cell {
	return audit.Cell{Tool: show(t.Name), Param: strictjson.Printable(p.pointer, 256), Class: c}
}

func whole(t *tool, c audit.Class) audit.Cell { return audit.Cell{Tool: show(t.Name), Class: c} }

// worked notes that a harmless call of a cell worked.
func (a *auditor) worked(c audit.Cell) {
	if !slices.Contains(a.result.Controls, c) {
		a.result.Controls = append(a.result.Controls, c)
	}
}

// Bounds of the answer to a harmless call that did not work.
const (
	maxRefusalLines = 8
	maxRefusalLine  = 300
)

// refused keeps the answer to a harmless call that did not work.
func (a *auditor) refused(c audit.Cell, r reply) {
	if r.ok() {
		return
	}
	refusal := verdict(r.raw)
	if refusal.Findings == nil {
		refusal.Lines = answered(r)
	}
	refusal.Ended = refusal.Ended || r.gone
	a.keepRefusal(c, refusal)
}

// verdict reads what toolvet in front of the server says of a call without a result. The lines are the reasons of a policy, each with its place, its
// check and its code.
func verdict(raw json.RawMessage) (r Refusal) {
	var m struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(raw, &m) // none of it is toolvet's otherwise
	var v struct{ Findings []Finding }
	_ = json.Unmarshal(m.Meta[protocol.VerdictKey], &v)
	_, r.Ended = m.Meta[jsonrpc.UnansweredKey]
	r.Findings = v.Findings
	for i, f := range r.Findings {
		if i == 0 {
			r.Lines = append(r.Lines, "the policy refuses it:")
		}
		if len(r.Lines) < maxRefusalLines {
			r.Lines = append(r.Lines, fmt.Sprintf("- %s: %s [%s, %s]", show(f.Pointer), withoutTokens(strictjson.Printable(f.Message, maxRefusalLine)), show(f.Check), show(f.Code)))
		}
	}
	return r
}

// answered is an answer in lines.
func answered(r reply) (lines []string) {
	var m struct{ Content []struct{ Text string } }
	said := cmp.Or(r.failed, r.text) // of an error, its message
	if json.Unmarshal(r.raw, &m) == nil && len(m.Content) > 0 {
		said = m.Content[0].Text
	}
	for line := range strings.Lines(said) {
		if line = strings.TrimRight(withoutTokens(strictjson.Printable(strings.TrimRight(line, "\r\n"), maxRefusalLine)), " "); line != "" && len(lines) < maxRefusalLines {
			lines = append(lines, line)
		}
	}
	if r.refused != nil && len(lines) > 0 {
		lines[0] += fmt.Sprintf(" (error %d)", r.refused.Code)
	}
	return lines
}

// keepRefusal keeps the first answer for a cell, or the first refusal by a policy: of several forms, others fail for reasons of their own.
func (a *auditor) keepRefusal(c audit.Cell, r Refusal) {
	known, has := a.result.Refused[c]
	if len(r.Lines) == 0 || has && (known.Findings != nil || r.Findings == nil) {
		return
	}
	if a.result.Refused == nil {
		a.result.Refused = map[audit.Cell]Refusal{}
	}
	a.result.Refused[c] = r
}

func (a *auditor) fact(f audit.Fact) {
	f.Method = audit.Dynamic
	f.Why = withoutTokens(f.Why)
	if f.Proof != nil {
		f.Proof.Arguments, f.Proof.Seen = withoutTokens(f.Proof.Arguments), withoutTokens(f.Proof.Seen)
	}
	a.result.Facts = append(a.result.Facts, f)
}
