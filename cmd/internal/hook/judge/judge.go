// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package judge judges what hosts of coding agents tell their hooks: it is the door in front of an agent's own tools.
//
//	link.Request ─ decode ─▶ hook.Event ─┬─ before a tool ─▶ door.Enter ────────┬─▶ hook.Answer ─ encode ─▶ link.Reply
//	                                     ├─ after it ──────▶ Passage.Returned ──┤
//	                                     └─ anything else ──────────────────────┘
//
// A host's own tools are those of a server with the host's name, which the package builtin lists. A tool of an MCP server is that server's,
// as at the proxy. The judge judges it also behind "toolvet proxy": the proxy knows neither the agent's session nor the preset of agents.
package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/builtin"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/record"
)

// A Judge answers requests. It is safe for concurrent use.
type Judge struct {
	checks enforce.Checks
	log    *slog.Logger
	state  string // the directory for what outlives the process; "" for none

	mu       sync.Mutex
	policies map[string]*policyFile // by file and preset
	records  []*record.Recorder     // those of logs that the policies no longer have
	starts   map[string]string      // where sessions were first seen at work, by host and session
	open     map[string]*entered    // calls that have not ended, by what names them
	diaries  map[string]string      // of sessions, if state is ""
}

// New returns a Judge with checks. The directory state keeps the counts of limits and the memory of sessions for the next judge; "" keeps nothing.
func New(checks enforce.Checks, state string, log *slog.Logger) *Judge {
	return &Judge{checks: checks, log: log, state: state, policies: map[string]*policyFile{}, starts: map[string]string{}, open: map[string]*entered{}, diaries: map[string]string{}}
}

// Answer judges a request. It always answers: a fault, also a panic, is a denial.
func (j *Judge) Answer(ctx context.Context, r *link.Request) (reply hook.Reply) {
	host, ok := hook.Lookup(r.Host)
	if !ok {
		return hook.Reply{Stderr: []byte("toolvet: unknown host of a hook\n"), Exit: 2}
	}
	defer func() {
		if v := recover(); v != nil {
			j.log.Error("a hook's judge panicked", "host", host.Name, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			reply = host.Refuse("toolvet has a fault, so it refuses: the reason is in its log.")
		}
	}()
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Timeout)
		defer cancel()
	}
	j.record(host, r)
	event, err := host.Decode(r.Payload, r.Getenv)
	if err != nil {
		return host.Refuse("toolvet cannot read what " + host.Title + " tells its hook, so it refuses: " + err.Error())
	}
	if event.Dir == "" {
		event.Dir = r.Dir
	}
	event = j.placed(event, r)
	return host.Encode(event, j.event(ctx, host, event, r))
}

// event answers an event.
func (j *Judge) event(ctx context.Context, host *hook.Host, e hook.Event, r *link.Request) hook.Answer {
	p, err := j.policy(r)
	switch {
	case err == nil:
	case e.Kind == hook.BeforeTool || e.Kind == hook.Permission || e.Kind == hook.AfterTool:
		return hook.Answer{Decision: hook.Deny, Reason: "toolvet's policy cannot be used, so toolvet refuses every call: " + firstLine(err), Notice: firstLine(err)}
	default: // the next call of a tool is refused, and the user has to be able to mend the policy
		return hook.Answer{Decision: hook.None, Notice: "toolvet's policy cannot be used, so toolvet will refuse every call of a tool: " + firstLine(err)}
	}
	switch e.Kind {
	case hook.BeforeTool, hook.Permission:
		return j.before(ctx, host, p, e, r)
	case hook.AfterTool:
		return j.after(ctx, host, p, e, r)
	case hook.Prompt:
		return j.prompt(ctx, host, p, e, r)
	}
	return hook.Answer{Decision: hook.None}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "toolvet: "), "\n")
	return line
}

// An entered call has passed the gate, and its result is still to come.
type entered struct {
	passage *door.Passage
	at      time.Time
}

// key names a call, for the event after it.
func key(e hook.Event) string {
	id := e.Call
	if id == "" {
		id = e.Tool + "\x00" + string(e.Input)
	}
	return e.Host + "\x00" + e.Session + "\x00" + id
}

// before judges a call that is about to run.
func (j *Judge) before(ctx context.Context, host *hook.Host, p *policyFile, e hook.Event, r *link.Request) hook.Answer {
	memory, certain := j.remembered(e)
	d, c, known, answer := j.door(host, p, e, r, memory)
	if d == nil {
		return answer
	}
	if e.Kind == hook.Permission { // the host asks its user next, and the event before the tool has counted the call
		v := d.Gate().Judge(ctx, c, toolvet.PointValidate)
		if v.Go || v.Ask {
			return hook.Answer{Decision: hook.None}
		}
		return refusal(c, v)
	}
	beside, question, err := j.besides(ctx, host, p, e, c, memory)
	switch {
	case err != nil:
		return hook.Answer{Decision: hook.Deny, Reason: "toolvet cannot judge what this call amounts to, so it refuses: " + firstLine(err)}
	case !beside.Go && !beside.Ask:
		return refusal(c, beside)
	}
	passage := d.Enter(ctx, c, door.Request{ID: e.Call})
	v := passage.Verdict()
	if _, refused := passage.Refusal(); refused {
		return refusal(c, v)
	}
	passage.Sending()
	passage.Sent()
	passage.Abandon() // the user may deny it, and not every host tells the end of a call
	j.keep(ctx, key(e), passage)
	reached := toolvet.Verdict{}
	if c.Server == host.Name && !p.spares(host.Name, lineIn(e)) {
		reached = j.reached(ctx, p, e, c, memory)
	}
	for _, asked := range []*toolvet.Verdict{&v, &beside} { // who consents to one question consents to the line
		for _, f := range reached.Findings {
			if asked.Ask && !slices.ContainsFunc(asked.Findings, func(old check.Finding) bool { return old.Source == f.Source }) {
				asked.Findings = append(slices.Clip(asked.Findings), f)
			}
		}
	}
	kinds := slices.Concat(matters(v), matters(beside), matters(reached))
	if !known {
		kinds = append(kinds, readForeign)
	}
	if err := j.note(host, e, kinds); err != nil {
		return hook.Answer{Decision: hook.Deny, Reason: "toolvet cannot remember what this session reads, so it refuses: " + firstLine(err) + ". TOOLVET_HOOK_DIR names the directory for that: it has to be writable."}
	}
	switch {
	case v.Ask:
		return hook.Answer{Decision: hook.Ask, Reason: "toolvet asks you about this call:\n" + said(c, v, because(memory, certain, v))}
	case question != "" && len(beside.Findings) == 1 && beside.Findings[0].Check == "implied":
		return hook.Answer{Decision: hook.Ask, Reason: "toolvet asks you about this call: " + question}
	case beside.Ask:
		return hook.Answer{Decision: hook.Ask, Reason: "toolvet asks you about what this call amounts to:\n" + said(c, beside, because(memory, certain, beside))}
	case !known:
		if told := d.Asks(ctx, c, door.Request{ID: e.Call}, asking("the MCP server is unknown: neither the policy nor the host's configuration names it")); !told.Ask {
			return refusal(c, told)
		}
		earlier := ""
		if memory.Secret {
			earlier = afterSecret(certain) + ".\n"
		}
		return hook.Answer{Decision: hook.Ask, Reason: earlier + "toolvet does not know the MCP server " + c.Server + ": neither the policy nor the configuration of " + host.Title + " names it.\n  fix: configure it in " + host.Title + ", or name it in the hook's policy: servers: {" + strconv.Quote(c.Server) + ": {}}"}
	case c.Server != host.Name && deeper(c.Arguments, 0):
		return asks(ctx, d, c, e, "its arguments are nested deeper than toolvet reads them")
	case reached.Ask:
		if told := d.Asks(ctx, c, door.Request{ID: e.Call}, reached); !told.Ask {
			return refusal(c, told)
		}
		return hook.Answer{Decision: hook.Ask, Reason: "toolvet asks you about this call:\n" + said(c, reached, "")}
	case memory.Secret && carries(host.Name, e, c.Server) != "":
		return asks(ctx, d, c, e, afterSecret(certain)+", and "+carries(host.Name, e, c.Server))
	case (memory.Foreign || p.preset == "strict") && c.Server == host.Name && spreads(lineIn(e)):
		why := "it writes files that it does not name, and one may tell agents, builds or tests what to do"
		if memory.Foreign {
			why = afterStranger(certain) + ": " + why
		}
		return asks(ctx, d, c, e, why)
	}
	return hook.Answer{Decision: hook.None}
}

// asks asks about a call without the finding of a check.
func asks(ctx context.Context, d *door.Door, c *call.Call, e hook.Event, why string) hook.Answer {
	if told := d.Asks(ctx, c, door.Request{ID: e.Call}, asking(why)); !told.Ask {
		return refusal(c, told)
	}
	return hook.Answer{Decision: hook.Ask, Reason: "toolvet asks you about this call: " + why}
}

// refusal is the answer to a refused call.
func refusal(c *call.Call, v toolvet.Verdict) hook.Answer {
	if v.Ask {
		return hook.Answer{Decision: hook.Ask, Reason: said(c, v, "")}
	}
	v.Findings = slices.DeleteFunc(slices.Clone(v.Findings), func(f check.Finding) bool { return f.Asks() }) // consent would not help
	return hook.Answer{Decision: hook.Deny, Reason: fmt.Sprintf("toolvet refused the call to %s before it ran:\n%s\nNothing was executed. Fix the errors above before you call it again; "+
		"if they are not yours to fix, do not repeat the call, and tell the user.", c.Name, said(c, v, ""))}
}

// Calls that never end are forgotten: the user may have denied them.
const (
	maxOpen = 4096
	maxAge  = 24 * time.Hour
)

// keep remembers a call that runs.
func (j *Judge) keep(ctx context.Context, key string, p *door.Passage) {
	j.mu.Lock()
	old := j.open[key]
	j.open[key] = &entered{p, time.Now()}
	var lost []*door.Passage
	if old != nil {
		lost = append(lost, old.passage)
	}
	if len(j.open) > maxOpen {
		for k, o := range j.open {
			if time.Since(o.at) > maxAge || len(j.open) > maxOpen {
				lost = append(lost, o.passage)
				delete(j.open, k)
			}
		}
	}
	j.mu.Unlock()
	for _, p := range lost {
		p.Over()
	}
	door.Lost(ctx, lost...)
}

// take returns the call that has ended; nil if it is not known.
func (j *Judge) take(key string) *door.Passage {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := j.open[key]
	delete(j.open, key)
	if e == nil {
		return nil
	}
	return e.passage
}

// after reviews the result of a call.
func (j *Judge) after(ctx context.Context, host *hook.Host, p *policyFile, e hook.Event, r *link.Request) hook.Answer {
	j.ended(host, e)
	d, c, _, answer := j.door(host, p, e, r, policy.Memory{})
	if d == nil {
		return answer
	}
	passage := j.take(key(e))
	if passage == nil { // another process let it in, or the host told of no event before it
		passage = d.Resume(c, door.Request{ID: e.Call})
	}
	defer passage.Over()
	out, err := readOutput(e.Output)
	if err != nil {
		return hook.Answer{Decision: hook.Deny, Reason: "toolvet cannot read the result, so it is withheld: " + err.Error()}
	}
	shown := passage.Returned(ctx, out.result(e.Failed))
	switch {
	case shown.Withheld:
		return hook.Answer{Decision: hook.Deny, Reason: "toolvet withheld the result of " + c.Name + ":\n" + said(c, shown.Verdict, "")}
	case !shown.Changed:
		return hook.Answer{Decision: hook.None}
	}
	changed, err := out.with(shown.Raw)
	if err != nil {
		return hook.Answer{Decision: hook.Deny, Reason: "toolvet changed the result in a way that does not fit the host, so it is withheld"}
	}
	answer = hook.Answer{Decision: hook.None, Context: strings.Join(shown.Notes, "\n")}
	if changed != nil {
		answer.Output = changed
		if !host.ReplacesOutput || e.Failed {
			err := j.note(host, e, []string{readSecret})
			if j.ended(host, e); err != nil {
				j.log.Warn("what a session has read is not remembered", "err", err)
			}
			answer.Notice = "toolvet found in the result of " + c.Name + ", and " + host.Title + " shows it to the model all the same:\n" + said(c, shown.Verdict, "")
			answer.Context = strings.TrimPrefix(answer.Context+"\n"+said(c, shown.Verdict, ""), "\n")
		}
	}
	return answer
}

// prompt tells the user of secrets in what they sent.
func (j *Judge) prompt(ctx context.Context, host *hook.Host, p *policyFile, e hook.Event, r *link.Request) hook.Answer {
	gate, err := p.gate(host.Name, e, true, policy.Memory{})
	if err != nil || e.Prompt == "" {
		return hook.Answer{Decision: hook.None}
	}
	text, err := json.Marshal(e.Prompt)
	if err != nil {
		return hook.Answer{Decision: hook.None}
	}
	out, err := readOutput(text)
	if err != nil {
		return hook.Answer{Decision: hook.None}
	}
	d := &door.Door{Gate: func() *toolvet.Gate { return gate }, Server: host.Name, Point: toolvet.PointProxy, Logger: j.log}
	v := d.Review(ctx, &call.Call{Server: host.Name, Name: "prompt"}, "tools/call", out.result(false))
	for _, f := range v.Findings {
		if f.Check == "secret" {
			return hook.Answer{Decision: hook.None, Notice: "toolvet: the prompt holds what looks like a secret (" + f.Source + "), and the model has it now"}
		}
	}
	return hook.Answer{Decision: hook.None}
}

// door returns the door of an event's server and the event's call, and whether somebody has named the server. A nil door means that the answer stands.
func (j *Judge) door(host *hook.Host, p *policyFile, e hook.Event, r *link.Request, memory policy.Memory) (*door.Door, *call.Call, bool, hook.Answer) {
	server, name, own := host.Name, e.Tool, true
	if e.Server != "" && e.MCPTool != "" {
		listed, err := builtin.Catalog(host.Name)
		if err != nil || listed.Tool(e.Tool) == nil {
			server, name, own = e.Server, e.MCPTool, false
		}
	}
	if name == "" {
		return nil, nil, false, hook.Answer{Decision: hook.Deny, Reason: "toolvet refuses this: " + host.Title + " does not tell which tool it calls"}
	}
	gate, err := p.gate(server, e, own, memory)
	if err != nil {
		return nil, nil, false, hook.Answer{Decision: hook.Deny, Reason: "toolvet cannot judge this, so it refuses: " + firstLine(err)}
	}
	known, granted := own || p.names(server), []string(nil)
	if !own {
		var found bool
		granted, found = configured(server, e, r)
		known = known || found
	}
	c := &call.Call{Server: server, Name: name, Session: p.session(host, e)}
	c.Session.Roots = append(c.Session.Roots, granted...)
	input := e.Input
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	_ = c.Read(input, call.Limits{}) // the verdict on c tells
	tools, err := catalog(host.Name, c, own)
	if err != nil {
		return nil, nil, false, hook.Answer{Decision: hook.Deny, Reason: "toolvet cannot judge this, so it refuses: " + firstLine(err)}
	}
	c.Resolve(tools)
	d := &door.Door{Gate: func() *toolvet.Gate { return gate }, Server: server, Point: toolvet.PointProxy, Observer: p.observer(), Logger: j.log}
	return d, c, known, hook.Answer{}
}
