// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package servers gives toolvet's own packages the side of package upstream that programs do not need: the lists and
// capabilities of a server as it wrote them, requests beside tool calls, and a client of one server without a gate.
package servers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/upstream"
)

// A Set is what toolvet's own packages ask an upstream.Set.
type Set interface {
	// Ask makes a request other than tools/call for a caller. The gate judges it, the limits of the policy
	// count it, and its result is reviewed. The options of the session and of the request's id apply.
	//
	// The error is an *upstream.RefusedError if toolvet or the server refuses the request, or if the answer is
	// withheld; its Raw is the JSON-RPC error for the caller. Other errors are those of upstream.Set.Do.
	Ask(ctx context.Context, server string, r upstream.Request, options ...upstream.CallOption) (json.RawMessage, error)
	// Enter judges a request other than tools/call that the caller does not make itself, such as a subscription that
	// several callers share. It must end the passage as door.Door.Enter says. The error is an *upstream.RefusedError if
	// the request is refused.
	Enter(ctx context.Context, server string, r upstream.Request, options ...upstream.CallOption) (*door.Passage, error)
	// List returns a list of a server as the pages that the server wrote, from memory if it is known (see
	// upstream.Set.Tools; the minimum of a minute holds for tools only). The output layer may change pages; if it
	// withholds one, List returns an error. A server without the capability has no pages. The entries of the same
	// pages are as the server sent them, for comparison with a lock. Resources and resource templates are named by
	// their URIs.
	List(ctx context.Context, server string, list List) (pages []json.RawMessage, entries *call.Catalog, err error)
	// Capabilities returns the capabilities of a server as it wrote them, or nil if it gave none. The error reports an
	// unknown server, or a server that cannot be connected to.
	Capabilities(ctx context.Context, server string) (json.RawMessage, error)
	// HasCapability reports whether a server announces the capability at a path of member names with dots between them,
	// such as experimental.toolValidation.supported. A name may contain dots itself. An object counts, even an empty one, and so
	// do true, numbers other than 0, and texts and lists that are not empty. The errors are those of Capabilities.
	HasCapability(ctx context.Context, server, path string) (bool, error)
	// Info returns a server's name and version as it wrote them, and its instructions for models, a JSON string. Each
	// is nil if the server gave none. The errors are those of Capabilities.
	Info(ctx context.Context, server string) (info, instructions json.RawMessage, err error)
	// NativeValidation reports whether a server announces the validation protocol itself. Method is the name of its
	// validate tool. The errors are those of Capabilities.
	NativeValidation(ctx context.Context, server string) (method string, ok bool, err error)
	// AskNative asks the validate tool of a server about target, a call of that server with a go, and returns the
	// CallToolResult. The arguments are those of the validate tool. The call passes the gate, the limits and the
	// observer like any other. It takes ten seconds at most.
	AskNative(ctx context.Context, target *call.Call, arguments json.RawMessage, options ...upstream.CallOption) (json.RawMessage, error)
}

// Of returns the inner side of s.
func Of(s *upstream.Set) Set { return s.Inside().(Set) }

// A List is one of the lists of a server, named by its method.
type List = string

// The lists.
const (
	Tools             List = "tools/list"
	Prompts           List = listed.Prompts
	Resources         List = listed.Resources
	ResourceTemplates List = listed.Templates
)

// A Client is a connection to a running server, and judges nothing. Its methods may be called concurrently.
type Client interface {
	// Close ends the session and the server, first politely, then by force, and waits for the end. Once ctx is done,
	// Close uses force at once.
	Close(ctx context.Context)
	// Done returns a channel that is closed when no more answers will come.
	Done() <-chan struct{}
	// Err returns nil until Done is closed, then the reason why no more answers will come.
	Err() error
	// ProtocolVersion returns the version of MCP agreed on in the handshake.
	ProtocolVersion() string
	// ServerInfo returns the server's name and version as it wrote them, or nil if it gave none. The server may claim
	// any name, so no decision may depend on it.
	ServerInfo() json.RawMessage
	// NativeValidation reports whether the server announces the validation protocol itself. Method is the name of its
	// validate tool.
	NativeValidation() (method string, ok bool)
	// Call calls a tool and returns the CallToolResult as the server wrote it. Arguments are a JSON object. The result
	// may report an error of the tool. Err is not nil if there is no result; it is an *upstream.RefusedError if the
	// server answered with an error.
	Call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error)
	// Do makes a request and returns the result as the server wrote it. The error is an *upstream.RefusedError if the
	// server answered with one, and an *upstream.GoneError if it died. When ctx is done, Do cancels the request at the
	// server.
	Do(ctx context.Context, r upstream.Request) (json.RawMessage, error)
	// Tools lists the server's tools, all pages. It leaves out unreadable definitions and reports them in faults. Err
	// is not nil if the list is incomplete.
	Tools(ctx context.Context) (tools *call.Catalog, faults []error, err error)
	// Entries is Tools for the server's prompts, resources or resource templates. The catalog names them by their
	// names or URIs. It is empty if the server has no such list.
	Entries(ctx context.Context, list List) (entries *call.Catalog, faults []error, err error)
}

// Options say how to talk to a server.
type Options struct {
	Stderr  io.Writer        // receives the server's output beside its messages; nil keeps only its end, for errors
	Timeout time.Duration    // of the start with its handshake, of a list, of Client.Call; default upstream.DefaultTimeout
	Limits  call.Limits      // of a message from the server
	Handler upstream.Handler // handles the server's own requests and notifications
	// Capabilities are the client's capabilities for the handshake, a JSON object; nil is {}.
	// Handler.Request must support them.
	Capabilities json.RawMessage
}

// toolkit is what package upstream has for packages of toolvet.
type toolkit interface {
	Connect(ctx context.Context, d upstream.Dialer, stderr io.Writer, timeout time.Duration, limits call.Limits, h upstream.Handler, capabilities json.RawMessage) (any, error)
	WithErrorText(text func(error) string) upstream.CallOption
	WithoutTimeout() upstream.CallOption
}

func tools() toolkit { return upstream.Inside().(toolkit) }

// Connect opens the connection to a server and shakes hands. It offers the protocol version
// 2025-11-25 and accepts the server's choice, back to 2024-11-05. If the server refuses
// initialize, Connect tries server/discover, as of 2026-07-28.
//
// [HandshakeFailed] is true of the error unless the connection could not be opened.
//
// Ctx and o.Timeout bound the start. The connection then lasts until Client.Close, even
// after ctx is done.
func Connect(ctx context.Context, d upstream.Dialer, o Options) (Client, error) {
	c, err := tools().Connect(ctx, d, o.Stderr, o.Timeout, o.Limits, o.Handler, o.Capabilities)
	if err != nil {
		return nil, err
	}
	return c.(Client), nil
}

// HandshakeFailed reports whether err is about a server that was started but did not complete the handshake.
func HandshakeFailed(err error) bool {
	_, ok := errors.AsType[interface {
		error
		HandshakeFailed()
	}](err)
	return ok
}

// WithoutTimeout lifts the CallTimeout of the server. Only the context then bounds the call.
func WithoutTimeout() upstream.CallOption { return tools().WithoutTimeout() }

// WithErrorText sets the description of errors in answers to calls without a result. The
// default is the error's Error method.
func WithErrorText(text func(error) string) upstream.CallOption { return tools().WithErrorText(text) }
