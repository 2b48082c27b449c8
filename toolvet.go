// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package toolvet judges MCP tool calls before they run.
//
// A [Gate] combines a list of checks with a policy. The proxy, the validate tool, the
// middleware for Go servers and "toolvet check" all call [Gate.Judge], so a dry run
// reaches the same findings as the real run.
//
//	client ─ decode ─ schema ─ semantic ─ policy ─▶ tool
//	         └──────── Gate.Judge ──────┘
//
// Package call decodes calls, package check defines checks, and checks/suite lists
// the checks of the default Gate. A Go server built on the official SDK installs a
// Gate with package mcpgate; the command "toolvet proxy" guards any other server.
//
// Everything fails closed: a check that panics, breaks or does not finish refuses
// the call, and the zero [Verdict] is a no-go.
package toolvet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/schema"
)

// Version is toolvet's semantic version.
const Version = "0.1.0"

// A Point is the place where a verdict applies.
type Point int

// The points. The zero Point is a live call.
const (
	PointLibrary  Point = iota // a Go server judges a call before its handler runs
	PointProxy                 // the proxy judges a call before it forwards it
	PointValidate              // a dry run: nothing runs afterwards
)

// live reports whether a call runs after a go. A live call needs no further stage once one has
// refused it.
func (p Point) live() bool { return p != PointValidate }

// A Gate judges calls. It is safe for concurrent use and immutable after [New]. A nil Gate and the zero one refuse every
// call, hide every tool and withhold every result.
type Gate struct {
	stages  []stage
	schemas *schema.Cache
	policy  *policy.Policy
	tools   []policy.Tool                          // demands made in code, beside the policy
	visible func(context.Context, *call.Call) bool // nil: all
	listed  func(context.Context, *call.Call) bool // nil: all
	needs   func(*call.Call) []string              // nil: none
	limiter engine.Limiter                         // nil: none
	timeout time.Duration
	logger  *slog.Logger

	leavesOutput bool // a check of small results may be left behind
	server       string
	caller       call.Session
	observe      Observer // nil: none

	named atomic.Pointer[judgedCatalog] // see misnamed
	left  atomic.Int32                  // calls of what options gave that have not returned; see await

	definitions map[string]*call.Catalog // of inner tools, by file

	tokens binding.Tokens // of dry runs
}

// void reports whether no New has made the Gate, as where a changed policy no longer names its server.
func (g *Gate) void() bool { return g == nil || g.schemas == nil }

// voidFinding is why a Gate that nobody made lets nothing pass.
func voidFinding() check.Finding {
	return check.Finding{Check: "policy", Stage: check.Policy, Level: check.SecurityLevel, Message: "no policy is in force for the server, so nothing can judge its calls and results"}
}

// A stage holds the checks of one layer, in the order of the suite.
type stage struct {
	name   check.Stage
	checks []planned
}

// A planned is a check with its settings from the policy.
type planned struct {
	*check.Check
	settings policy.Check
}

// New makes a Gate. Without options it runs suite.Default with the default policy.
// New reports every fault of the checks and the policy, so none surfaces at call time. A nil option is an error.
func New(opts ...Option) (*Gate, error) {
	cfg := config{checks: suite.Default(), timeout: time.Second, logger: slog.New(slog.DiscardHandler)}
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("toolvet: option %d is nil", i)
		}
		opt.apply(&cfg)
	}
	cfg.checks = slices.Concat(cfg.checks, cfg.more)
	if err := errors.Join(errors.Join(cfg.faults...), cfg.partErrors(), check.Validate(cfg.checks), cfg.policy.Validate(cfg.checks), cfg.demandErrors(), cfg.policyErrors()); err != nil {
		return nil, fmt.Errorf("toolvet: %w", err)
	}
	inner, err := definitions(cfg.policy)
	if err != nil {
		return nil, fmt.Errorf("toolvet: %w", err)
	}
	g := &Gate{definitions: inner, policy: cfg.policy, tools: cfg.tools, visible: cfg.visible, listed: cfg.listed, needs: cfg.needs, limiter: cfg.limiter, timeout: cfg.timeout, logger: cfg.logger, server: cfg.server, caller: cfg.caller, observe: cfg.observe, schemas: schema.NewCache(cfg.schema, schemaCacheSize)}
	for name := check.Schema; name <= check.Output; name++ {
		s := stage{name: name}
		for _, c := range cfg.checks {
			if settings := cfg.policy.Check(c.Name); c.Stage == name && !settings.Off {
				s.checks = append(s.checks, planned{c, settings})
				g.leavesOutput = g.leavesOutput || name == check.Output && !c.Bounded.Holds()
			}
		}
		if len(s.checks) > 0 {
			g.stages = append(g.stages, s)
		}
	}
	return g, nil
}

// A Source gives the Gate in force, which may change from call to call. A *Gate is a Source of itself.
type Source interface {
	// Current returns the Gate in force. It must be safe for concurrent use.
	Current() *Gate
}

// Current returns g. It implements [Source].
func (g *Gate) Current() *Gate { return g }

func (g innerGate) Server() string {
	if g.void() {
		return ""
	}
	return g.server
}

func (g innerGate) Caller() call.Session {
	if g.void() {
		return call.Session{}
	}
	s := g.caller
	if s.Subject == "" && g.policy != nil {
		s.Subject = g.policy.Session.Subject
	}
	return s
}

func (g innerGate) Observer() Observer {
	if g.void() {
		return nil
	}
	return g.observe
}

// schemaCacheSize is the number of compiled schemas in a Gate's cache. It exceeds the
// number of tools of the largest known servers, so only churn evicts.
const schemaCacheSize = 4096

// judge is Judge without limits. Dry may be nil.
func (g *Gate) judge(ctx context.Context, c *call.Call, at Point, dry *dryRun) Verdict {
	return g.judgeAt(ctx, c, at, dry, 0)
}

// judgeAt judges a call that lies within depth others.
func (g *Gate) judgeAt(ctx context.Context, c *call.Call, at Point, dry *dryRun, depth int) Verdict {
	var v Verdict
	switch {
	case c == nil:
		return v
	case c.Unread != nil: // no policy can let it in
		dry.loosen()
		return Verdict{Findings: []check.Finding{unread(c.Unread)}}
	case len(g.stages) == 0:
		return v
	}
	if finding := g.misplaced(c, at); finding != nil {
		dry.loosen()
		return Verdict{Findings: []check.Finding{*finding}}
	}
	var values []check.Canonical
	c, filled, finding := g.fill(c)
	if finding != nil {
		dry.loosen()
		return Verdict{Findings: []check.Finding{*finding}}
	}
	bound, err := g.bind(c, false)
	if err != nil {
		dry.loosen()
		if !errors.Is(err, call.ErrShape) {
			g.logger.Error("applying the policy broke", append([]any{"server", c.Server, "tool", c.Name}, logged(err)...)...)
		}
		return Verdict{Findings: []check.Finding{unbound(err)}}
	}
	parts := g.parts(c, at)
	if kind := foreign(c, parts); kind != "" {
		dry.loosen()
		return Verdict{Findings: []check.Finding{{Check: "call", Stage: check.Schema, Level: check.SyntaxLevel,
			Message: fmt.Sprintf("the arguments hold %s, which checks cannot read: make the call with call.NewCall", kind)}}}
	}
	judged := judgement{call: c, at: at, bound: bound, places: bound.In(c.Arguments, occasion(c, at)), evaluate: g.evaluator(c, dry), dry: dry}
	stages := g.before(c)
	dry.begin(stages, judged)
	for _, s := range stages {
		values = append(values, g.runStage(ctx, s, judged, &v)...)
		if s.name != check.Policy { // rules read the whole request
			g.runParts(ctx, s, parts, &v)
		}
		if _, final := v.refused(); final && at.live() {
			break
		}
	}
	// No policy, whichever checks it turns off, can let in a call that no check has looked
	// at, or a call of an unusable tool.
	if _, final := v.refused(); c.Tool == nil && !final { // even if the policy turns off known-tool
		v.Findings = append(v.Findings, check.Finding{Check: "known-tool", Stage: check.Schema, Level: check.SyntaxLevel,
			Message: "the server lists no tool of this name, so nothing is known of its arguments"})
	}
	dry.end(&v)
	in := g.inner(ctx, c, at, dry, depth, &v)
	g.subscribed(ctx, c, at, dry, depth, &v)
	v.conclude((len(v.Levels) > 0 || c.Implied()) && c.Tool != nil && c.Tool.Fault == nil)
	v.canonical(c, filled, values, in)
	return v
}

// misplaced refuses a call that the policy in force cannot be applied to: one of a server that it does
// not name, and one over HTTP whose caller nobody has authenticated although the policy demands it.
//
// It also refuses a server's question for the client's roots if the policy names roots. Some servers work in these in place
// of their own directories and open relative paths there, while the Gate judges paths by the policy's.
func (g *Gate) misplaced(c *call.Call, at Point) *check.Finding {
	p := g.policy
	if p == nil {
		return nil
	}
	if c.FromServer {
		if s := p.Server(c.Server); c.Method != "roots/list" || s == nil || s.ClientRoots || len(s.World.Roots) == 0 {
			return nil
		}
		return &check.Finding{Check: "policy", Stage: check.Policy, Level: check.SecurityLevel,
			Message: "the policy names the directories of the server, which does not learn those of the client"}
	}
	why := ""
	switch s := c.Session; {
	case p.Server(c.Server) == nil && slices.ContainsFunc(p.Servers, func(s *policy.Server) bool { return s.Name != "" }):
		why = fmt.Sprintf("the policy names other servers, and not %q, so nothing in it holds for this call", c.Server)
	case p.Authorization != nil && s != nil && s.Transport == "http" && !s.Authenticated:
		why = "the policy has authorization, and nobody has authenticated the caller"
	default:
		return nil
	}
	return &check.Finding{Check: "policy", Stage: check.Policy, Level: check.SecurityLevel, Message: why}
}

// unread is the finding about a call that cannot be read.
func unread(err error) check.Finding {
	f := check.Finding{Check: "call", Stage: check.Schema, Level: check.SyntaxLevel, Message: err.Error()}
	if at := (*jsonrpc.Error)(nil); errors.As(err, &at) && at.Pointer != "" {
		f.Pointer, f.Message = at.Pointer, at.Fault
	}
	return f
}

// before returns the stages that judge a call before it runs.
func (g *Gate) before(c *call.Call) []stage {
	stages := g.stages
	if last := len(stages) - 1; last >= 0 && stages[last].name == check.Output {
		stages = stages[:last] // see Review
	}
	if last := len(stages) - 1; last >= 0 && stages[last].name == check.Policy && (c.Validation || c.Answering) {
		stages = stages[:last] // access rules apply to the call described in the request, not to the request
	}
	return stages
}

// A judgement is one call on its way through the stages.
type judgement struct {
	call     *call.Call
	at       Point
	bound    *policy.Binding
	places   *policy.Places // of bound, in the arguments of call
	evaluate func() (*schema.Evaluation, error)
	review   *review // nil before the tool has run
	dry      *dryRun // nil of a live call
	part     bool    // of a request, beside its arguments
}

// occasion returns the situation in which a call is judged.
func occasion(c *call.Call, at Point) policy.Occasion {
	switch {
	case c.Session != nil && c.Session.Unattended:
		return policy.Unattended
	case !at.live():
		return policy.DryRun
	}
	return policy.Live
}

func (g innerGate) Waits(c *call.Call) bool {
	if g.void() {
		return false
	}
	bound, err := g.bind(c, false)
	if err != nil {
		return false // Judge refuses it at once
	}
	if g.callsOf(c) != nil || c.Method == subscriptions {
		return true // the inner call may
	}
	places := bound.In(c.Arguments, occasion(c, PointProxy))
	for _, s := range g.stages {
		for _, p := range s.checks {
			if s.name != check.Output && p.concerns(s.name, judgement{call: c}) && p.Level == check.RuntimeLevel && (p.Demand == nil || places.Demands(p.Check)) {
				return true
			}
		}
	}
	return false
}

func (g innerGate) Levels() []check.Level {
	if g.void() {
		return nil
	}
	var seen levelSet
	for _, s := range g.stages {
		for _, c := range s.checks {
			seen.add(c.Level)
		}
	}
	return seen.list()
}

// errNoTool is the error of the evaluator if the server does not list the tool.
var errNoTool = errors.New("the tool is unknown")

// evaluator returns a function that validates the arguments against the tool's schema on
// its first call. Checks of one call may call it concurrently.
func (g *Gate) evaluator(c *call.Call, dry *dryRun) func() (*schema.Evaluation, error) {
	return once(func() (e *schema.Evaluation, err error) {
		defer func() {
			if err != nil {
				dry.loosen() // it may have run out of time
			}
		}()
		if c.Tool == nil {
			return nil, errNoTool
		}
		s, err := c.Tool.Schema(g.schemas)
		if err != nil {
			return nil, err
		}
		return s.Evaluate(c.Arguments)
	})
}

// outputEvaluator does the same for the structured content of a result and the tool's output
// schema. The evaluation is nil if either is missing.
func (g *Gate) outputEvaluator(c *call.Call, r *result.Result) func() (*schema.Evaluation, error) {
	return once(func() (*schema.Evaluation, error) {
		if c.Tool == nil || c.Tool.OutputSchema == nil {
			return nil, nil
		}
		path, _ := r.Tool()
		raw := r.Member(append(path, "structuredContent")...)
		if raw == nil {
			return nil, nil
		}
		s, err := g.schemas.Get(c.Tool.OutputSchema)
		if err != nil {
			return nil, err
		}
		return s.EvaluateJSON(raw)
	})
}
