// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpgate puts a [toolvet.Gate] into a server built on the official Go SDK
// (github.com/modelcontextprotocol/go-sdk).
//
// After [Install] the gate judges every tools/call before the SDK's own validation and
// before the handler. A no-go becomes a tool execution error (SEP-1303). The server also
// gets the validate tool of the validation protocol, announced in both places of both
// handshakes.
//
//	client ─▶ SDK ─▶ your middleware ─▶ mcpgate ─▶ SDK's validation ─▶ handler
//	                                       └─ Gate.Judge                    │
//	client ◀──────────────────────────────── Gate.Review ◀────────────────┘
//
// # Order
//
// Install first, right after [mcp.NewServer]. Later middleware wraps mcpgate, so nothing
// can change a call between its judgement and its handler, and mcpgate sees every tool
// of the server. Earlier middleware stands between mcpgate and the tools, with three
// consequences. The gate does not see its changes to a call. Its tools/list is the
// server's list for mcpgate, which refuses a tool missing there as unknown even if the
// middleware would run it. It sees an extra tools/list before each call, because
// mcpgate uses one to look up the tool.
//
// # What the SDK decides first
//
// The gate and the handler both get the arguments as the client's own bytes. The gate
// refuses duplicate keys in them, invalid UTF-8 and numbers beyond the range of some
// readers with the JSON-RPC error of the other doors, -32602 or -32700. A tool that the server
// does not list is refused as there, with a tool execution error.
//
// The SDK decodes the rest of the message before any middleware runs. Of duplicate keys
// in the message, in params or in _meta the last counts. Keys in another case are
// dropped. Numbers in _meta become float64. A line of invalid JSON ends a stdio session.
// The gate judges the same decoded values as the handler sees, so the two cannot read a
// message differently. But this package cannot refuse such messages, as the proxy
// ("toolvet proxy") does.
//
// Typed tools ([mcp.AddTool]) fill in the schema's defaults after the verdict. These are
// the server author's own values, and the gate does not judge them.
//
// The SDK looks up the tool again to run it. If the tool is replaced between the verdict
// and that lookup, the new tool runs a call judged by its predecessor's schema.
//
// # Cost
//
// Before it judges a call, mcpgate lists the server's tools inside the process: tens of
// nanoseconds a tool and tens of microseconds a page, and one call of
// mcp.ServerOptions.SetCacheable a page. A server with hundreds of tools should leave
// PageSize at its default, which puts a thousand on a page.
//
// # Panics
//
// The SDK does not recover panics: one in a tool ends the process. Behind mcpgate it
// becomes a tool execution error without the panic's value, and goes to the log with its
// stack (see [WithLogger]). Mcpgate cannot recover panics in a tool's own goroutines, or
// in prompts, resources and other middleware.
package mcpgate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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

// WithToolName names the validate tool. The default is protocol.ToolName, "validate".
//
// The validate tool never shadows one of the server's own tools, registered before or after
// Install. While the server lists a tool of this name, the validate tool takes the name
// protocol.OtherToolName ("toolvet_validate"), and if that is taken too, toolvet_validate_2,
// toolvet_validate_3 and so on. The name in force is the method of the capability in the
// same handshake. A call that describes other calls (see docs/protocol.md, section 4.1) is answered under a name that an earlier
// handshake announced, too: it never runs a tool that was registered later.
func WithToolName(name string) Option {
	return optionFunc(func(g *guard) { g.name = name })
}

// WithLimits bounds the arguments of a call; zero fields mean the defaults of [call.Limits].
// The SDK's transports apply their own limits first.
func WithLimits(l call.Limits) Option {
	return optionFunc(func(g *guard) { g.limits = l })
}

// WithLogger sets the logger for recovered panics and failed listings. The default is
// slog.Default(), because an unseen panic is worse than a crash. Log lines contain the tool's
// name, the panic's value and its stack. They repeat an argument if the tool's author put it
// into the panic.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(g *guard) {
		if l != nil {
			g.logger = l
		}
	})
}

// installed are the servers that have a gate, as weak pointers.
var installed sync.Map

// Install puts the gate of source in front of the tools of server. Source is a *toolvet.Gate, or gives the one
// in force at each request, as a policyfile.File does. The gate names the server, the caller of sessions
// without a token, and the observer of calls.
//
// Call Install once for each server, before adding other middleware (see the package documentation) and
// before connecting the server. Tools may be added and removed at any time. Install fails for a nil server,
// source or option, for a server that has a gate already, and for an invalid tool name.
//
// Install's toolValidation capability replaces the server's own, if there is one. All other
// capabilities stay as they are.
func Install(server *mcp.Server, source toolvet.Source, opts ...Option) error {
	gate := (*toolvet.Gate)(nil)
	if source != nil && source != toolvet.Source(gate) {
		gate = source.Current()
	}
	if server == nil || gate == nil {
		return errors.New("mcpgate: Install needs a server and a gate; a policy for several servers needs the name of this one")
	}
	g := &guard{source: source, server: inside.Of(gate).Server(), name: protocol.ToolName, logger: slog.Default()}
	for i, opt := range opts {
		if opt == nil {
			return fmt.Errorf("mcpgate: option %d is nil", i)
		}
		opt.apply(g)
	}
	if !protocol.ValidMethod(g.name) {
		return fmt.Errorf("mcpgate: %q cannot name the validate tool: use 1 to 122 letters, digits, underscores, hyphens and dots", g.name)
	}
	g.validation.Limits = g.limits
	var err error
	if g.validator, err = validate.New(g.validation); err != nil {
		return fmt.Errorf("mcpgate: %w", err)
	}
	g.door = door.Door{
		Gate: source.Current, Server: g.server, Point: toolvet.PointLibrary, Logger: g.logger, Limits: g.limits,
	}
	key := weak.Make(server)
	if _, again := installed.LoadOrStore(key, true); again {
		return errors.New("mcpgate: the server has a gate already")
	}
	runtime.AddCleanup(server, func(key weak.Pointer[mcp.Server]) { installed.Delete(key) }, key)
	server.AddReceivingMiddleware(g.middleware)
	server.AddSendingMiddleware(g.sending)
	return nil
}

// The methods handled by a guard.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodListTools  = "tools/list"
	methodCallTool   = "tools/call"
)

// A guard stands in front of one server's tools.
type guard struct {
	source toolvet.Source
	name   string // the preferred name of the validate tool
	limits call.Limits
	logger *slog.Logger

	server string // its name in a policy

	validation validate.Config
	validator  *validate.Validator
	door       door.Door

	announced door.Announced

	next     mcp.MethodHandler // the SDK, and earlier middleware
	tools    inventories
	sessions sessionIDs
}

// gate returns the gate in force.
func (g *guard) gate() *toolvet.Gate { return g.source.Current() }

// middleware is called once, by AddReceivingMiddleware.
func (g *guard) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	g.next = next
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch {
		case method == methodCallTool:
			return g.callTool(ctx, req)
		case strings.HasPrefix(method, "notifications/"): // the SDK knows those of MCP alone
			return next(ctx, method, req)
		}
		return g.request(ctx, method, req)
	}
}
