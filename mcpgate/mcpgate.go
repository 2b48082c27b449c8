// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpgate puts a [toolvet.Gate] into a server that is built on the official
// Go SDK (github.com/modelcontextprotocol/go-sdk).
//
// After [Install] every tools/call is judged before the SDK's own validation and
// before its handler, a no-go is answered as a tool execution error (SEP-1303), and
// the server has the validate tool of the validation protocol, announced in both
// places of both handshakes.
//
//	client ─▶ SDK ─▶ your middleware ─▶ mcpgate ─▶ SDK's validation ─▶ handler
//	                                       └─ Gate.Judge                    │
//	client ◀──────────────────────────────── Gate.Review ◀────────────────┘
//
// # Order
//
// Install first, right after [mcp.NewServer]: middleware that is added later wraps
// what is there. So nothing can change a call between its judgement and its handler,
// and mcpgate sees every tool that the server has. Middleware that was added before
// stands between mcpgate and the tools: what it changes in a call is not judged, the
// tools/list that it answers is what mcpgate takes for the server's tools (a tool
// that it hides there is refused as unknown, even if it would run it), and it sees
// one tools/list before each call, by which mcpgate looks the tool up.
//
// # What the SDK decides first
//
// Arguments reach the gate as the bytes that the client sent, and the handler gets
// the same bytes: two equal keys in them, invalid UTF-8 and numbers that some readers
// cannot hold are refused with the JSON-RPC error -32602. What is around the
// arguments has been read by the SDK before any middleware runs: of two equal keys in
// the message, in params or in _meta the last counts, keys in another case are
// dropped, numbers in _meta are float64, and a line that is no JSON ends a stdio
// session. The handler sees what the SDK has read, which is also what is judged, so
// there is no second reading; but the proxy ("toolvet proxy") refuses such messages
// and this package cannot. Typed tools ([mcp.AddTool]) then fill in the schema's
// defaults, which are the server author's own values and are not judged.
//
// The SDK looks a tool up once more when it runs it. A tool that is replaced between
// the verdict and that look runs a call which was judged by its predecessor's schema.
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
// is a tool execution error that does not repeat the panic's value, and is logged
// with its stack (see [WithLogger]). Panics in goroutines that a tool starts, and in
// prompts, resources and other middleware, are beyond its reach.
package mcpgate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/protocol"
)

// An Option changes what [Install] does.
type Option interface{ apply(*guard) }

type optionFunc func(*guard)

func (f optionFunc) apply(g *guard) { f(g) }

// WithToolName names the validate tool. The default is protocol.ToolName, "validate".
//
// A tool of the server's own is never shadowed, whether it is registered before or
// after Install: while the server lists a tool of this name, the validate tool is
// called protocol.OtherToolName ("toolvet_validate"), and if that is taken too,
// toolvet_validate_2, toolvet_validate_3 and so on. The name in force is the method
// of the capability in the same handshake.
func WithToolName(name string) Option {
	return optionFunc(func(g *guard) { g.name = name })
}

// WithValidation says what the validate tool may do: batches, kept verdicts. Its limits are
// those of [WithLimits]. It gives no tasks, which the SDK does not know.
func WithValidation(c validate.Config) Option {
	return optionFunc(func(g *guard) { g.validation = c })
}

// WithServer says which of a policy's servers this one is, and who makes all calls of a session
// whose transport does not tell. The default is a server without a name, and a caller of whom
// nothing is known but a bearer token that the SDK has verified. Caller may be nil.
func WithServer(name string, caller *call.Session) Option {
	return optionFunc(func(g *guard) { g.server, g.caller = name, caller })
}

// WithLimits bounds the arguments of a call; zero fields mean the defaults of
// [call.Limits]. The SDK's transports have limits of their own, which come first.
func WithLimits(l call.Limits) Option {
	return optionFunc(func(g *guard) { g.limits = l })
}

// WithLogger says where recovered panics and tools that cannot be listed are reported.
// The default is slog.Default(), because a panic that nobody sees is worse than a
// crash. Records hold the tool's name, the panic's value and its stack, which may
// repeat an argument if the tool's author put it there.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(g *guard) {
		if l != nil {
			g.logger = l
		}
	})
}

// Install puts gate in front of the tools of server. Call it once, before other
// middleware is added (see the package documentation) and before the server is
// connected; tools may be added and removed at any time. It fails for a nil server or
// gate and for a name that no tool may have.
//
// If the server announces a toolValidation capability of its own, Install's takes its
// place; all other capabilities stay as they are.
func Install(server *mcp.Server, gate *toolvet.Gate, opts ...Option) error {
	if server == nil || gate == nil {
		return errors.New("mcpgate: Install needs a server and a gate")
	}
	g := &guard{gate: gate, name: protocol.ToolName, logger: slog.Default()}
	for _, opt := range opts {
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
		Gate: func() *toolvet.Gate { return g.gate }, Server: g.server, Point: toolvet.PointLibrary,
		Observer: g.observer, Logger: g.logger, Limits: g.limits,
	}
	server.AddReceivingMiddleware(g.middleware)
	server.AddSendingMiddleware(g.sending)
	return nil
}

// The methods that a guard does not pass on unseen.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodListTools  = "tools/list"
	methodCallTool   = "tools/call"
)

// A guard stands in front of one server's tools.
type guard struct {
	gate   *toolvet.Gate
	name   string // wanted for the validate tool
	limits call.Limits
	logger *slog.Logger

	server string        // its name in a policy
	caller *call.Session // nil: see sessionOf

	observer toolvet.Observer // nil: nobody

	validation validate.Config
	validator  *validate.Validator
	door       door.Door

	next     mcp.MethodHandler // the SDK, and middleware that was installed before
	tools    inventories
	sessions sessionIDs
}

// middleware is called once, by AddReceivingMiddleware.
func (g *guard) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	g.next = next
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case methodInitialize, methodDiscover:
			return g.handshake(ctx, method, req)
		case methodListTools:
			return g.listTools(ctx, req)
		case methodCallTool:
			return g.callTool(ctx, req)
		}
		res, err := next(ctx, method, req)
		return g.review(ctx, method, res, err)
	}
}
