// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpgo puts a [toolvet.Gate] into a server built with mcp-go (github.com/mark3labs/mcp-go).
//
// After [Install] the gate judges every tools/call before its handler, and its result before the client gets it. A
// no-go becomes a tool execution error (SEP-1303). The server also gets the validate tool and the batch tool of the
// validation protocol, announced in both places of both handshakes. Package mcpgate is the same for the official SDK.
//
//	client ─▶ mcp-go ─▶ your middleware ─▶ mcpgo ─▶ handler
//	                                       └─ Gate.Judge  │
//	client ◀──────────────────────────── Gate.Review ◀────┘
//
// # Order
//
// Install last, after all options, middleware and tool filters. mcp-go puts later middleware closer to the handler, and nothing
// can change a call between its judgement and its handler then. Tools may be added and removed at any time.
//
// A tool filter that drops the validate tool hides it from clients, who then have no dry runs. Before each call, mcpgo
// lists the server's tools inside the process. Filters and hooks of the server see that as one more tools/list.
//
// # What mcp-go decides first
//
// With server.WithInputSchemaValidation, mcp-go answers calls that do not fit the tool's schema before the gate sees them. The
// gate does this work itself, with better messages: leave the option out.
//
// mcp-go reads messages leniently: of duplicate keys the last counts, and keys match in any case. A hook refuses
// requests that another reader could read differently, with the one code that mcp-go has for it (-32600). Other refusals
// are tool execution errors, also that of an unknown tool, and also if the policy asks for protocol errors. If a middleware
// changes the arguments, the gate judges what the handler will read.
//
// # Other requests
//
// The rules and limits of a policy also hold for requests other than tools/call, and the output layer reviews their
// results. In place of a result that it withholds, the client gets an empty one. mcp-go has no place to look at three
// kinds of messages, and the gate does not see them: requests to the client (sampling, elicitation, roots) that a handler sends by
// itself, notifications, and the errors of handlers of prompts and resources.
//
// Dry runs report no progress, since mcp-go may send a notification behind the answer.
//
// # Tasks
//
// A call that runs as a task is judged when its work begins, and its result when tasks/result gives it.
//
// # Panics
//
// A panic in a tool becomes a tool execution error without the panic's value, and goes to the log with its stack (see
// [WithLogger]). Panics in tasks, and in a tool's own goroutines, are mcp-go's and the program's.
package mcpgo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"weak"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
)

// An Option configures [Install].
type Option interface{ apply(*guard) }

type optionFunc func(*guard)

func (f optionFunc) apply(g *guard) { f(g) }

// WithToolName names the validate tool. The default is "validate". While the server lists a tool of this name, the validate
// tool is called toolvet_validate, and if that is taken too, toolvet_validate_2 and so on.
func WithToolName(name string) Option {
	return optionFunc(func(g *guard) { g.name = name })
}

// WithLimits bounds the messages of a client; zero fields mean the defaults of [call.Limits]. mcp-go's transports apply
// their own limits first.
func WithLimits(l call.Limits) Option {
	return optionFunc(func(g *guard) { g.limits = l })
}

// WithLogger sets the logger for recovered panics, failed listings and withheld results. The default is slog.Default(). Log lines of
// a panic contain the tool's name, the panic's value and its stack.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(g *guard) {
		if l != nil {
			g.logger = l
		}
	})
}

// WithSession lets the program say who makes a request, since mcp-go does not authenticate. F gets the request's
// context, with what the program's server.HTTPContextFunc has put there, and sets the Subject, Claims and Authenticated
// of s. Several goroutines call f at the same time.
func WithSession(f func(ctx context.Context, s *call.Session)) Option {
	return optionFunc(func(g *guard) { g.identify = f })
}

// installed are the servers that have a gate, as weak pointers.
var installed sync.Map

// Install puts the gate of source in front of the tools of s. Source is a *toolvet.Gate, or gives the one in force at each
// request, as a policyfile.File does. The gate names the server, the caller of sessions without a [WithSession], and
// the observer of calls.
//
// Call Install once for each server, as the last step before serving it (see the package documentation). It fails for a nil
// server, source or option, for a server that has a gate already, and for an invalid tool name. Install's toolValidation
// capability replaces the server's own, if there is one. All other capabilities stay as they are.
func Install(s *server.MCPServer, source toolvet.Source, opts ...Option) error {
	gate := (*toolvet.Gate)(nil)
	if source != nil && source != toolvet.Source(gate) {
		gate = source.Current()
	}
	if s == nil || gate == nil {
		return errors.New("mcpgo: Install needs a server and a gate; a policy for several servers needs the name of this one")
	}
	g := &guard{
		server: s, source: source, policyName: inside.Of(gate).Server(), name: protocol.ToolName, logger: slog.Default(),
		session: rand.Text(), own: map[string]server.ServerTool{}, tasks: map[any]*door.Passage{},
	}
	for i, opt := range opts {
		if opt == nil {
			return fmt.Errorf("mcpgo: option %d is nil", i)
		}
		opt.apply(g)
	}
	if !protocol.ValidMethod(g.name) {
		return fmt.Errorf("mcpgo: %q cannot name the validate tool: use 1 to 122 letters, digits, underscores, hyphens and dots", g.name)
	}
	var err error
	// mcp-go does not show its notifications, so nothing could end the life of verdicts that depend on files early.
	if g.validator, err = validate.New(validate.Config{Limits: g.limits, RuntimeTTL: -1}); err != nil {
		return fmt.Errorf("mcpgo: %w", err)
	}
	g.door = door.Door{Gate: source.Current, Server: g.policyName, Point: toolvet.PointLibrary, Logger: g.logger, Limits: g.limits}
	key := weak.Make(s)
	if _, again := installed.LoadOrStore(key, true); again {
		return errors.New("mcpgo: the server has a gate already")
	}
	runtime.AddCleanup(s, func(key weak.Pointer[server.MCPServer]) { installed.Delete(key) }, key)
	g.hook()
	return nil
}

// A guard stands in front of one server's tools.
type guard struct {
	server   *server.MCPServer
	source   toolvet.Source
	name     string // the preferred name of the validate tool
	limits   call.Limits
	logger   *slog.Logger
	identify func(context.Context, *call.Session)
	session  string // the ID of sessions over stdio and in the process

	policyName string // the server's name in a policy

	validator *validate.Validator
	door      door.Door
	announced door.Announced

	mu   sync.Mutex
	last *inventory
	own  map[string]server.ServerTool // toolvet's own, by name

	tasksMu sync.Mutex
	tasks   map[any]*door.Passage // by the request; of calls that run without the middleware
}

// gate returns the gate in force.
func (g *guard) gate() *toolvet.Gate { return g.source.Current() }

// hook adds the guard's hooks, its filter and its middleware to the server, and its tools.
func (g *guard) hook() {
	hooks := g.server.GetHooks()
	if hooks == nil {
		hooks = &server.Hooks{}
		server.WithHooks(hooks)(g.server)
	}
	hooks.AddOnRequestInitialization(g.received)
	hooks.AddBeforeCallTool(g.beforeCall)
	hooks.AddOnSuccess(g.answered)
	hooks.AddOnError(g.failed)
	server.WithToolFilter(collect)(g.server)
	g.server.Use(g.middleware)
	_, _ = g.inventory(context.Background()) // the server has its own tools, and says so in its first handshake
}

// panicked reports a recovered panic to the operator. Only the operator may see its value.
func (g *guard) panicked(while, what string, value any) {
	g.logger.Error("recovered a panic", "while", while, "of", what, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
}
