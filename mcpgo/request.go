// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// received is the hook that sees a request as the client wrote it. It refuses what two readers could read differently, and
// judges requests other than tools/call. The error is the answer.
func (g *guard) received(ctx context.Context, _ any, message any) (err error) {
	if isInward(ctx) {
		return nil
	}
	defer func() {
		if value := recover(); value != nil {
			g.panicked("judging a request", "", value)
			err = errors.New("the request could not be judged; the reason is in toolvet's log")
		}
	}()
	raw, ok := message.(json.RawMessage)
	if !ok {
		return errors.New("the request cannot be read, so it cannot be judged")
	}
	who := func(meta map[string]any) *call.Session { return g.sessionOf(ctx, meta) }
	m, err := jsonrpc.DecodeEnvelope(raw, g.limits)
	if err != nil && m.Unread == nil {
		return g.door.Refused(ctx, who, m, err)
	}
	if m.Method == jsonrpc.ToolsCall {
		// The middleware judges it, and sees the text of its arguments, but not that of the other members.
		switch c, unread := call.DecodeParams(m.Params, g.limits); {
		case unread != nil && (c == nil || c.Unread == nil || !g.describes(ctx, c)):
			return g.door.Refused(ctx, who, m, unread)
		case unread == nil && m.Unread != nil:
			return g.door.Refused(ctx, who, m, m.Unread)
		}
		return nil
	}
	return g.judgeRequest(ctx, m, who)
}

// describes reports whether a call is a dry run.
func (g *guard) describes(ctx context.Context, c *call.Call) bool {
	inv, err := g.inventory(ctx)
	return err == nil && g.announced.Method(c, g.validator, inv.Method) != ""
}

// judgeRequest judges a request other than tools/call. mcp-go does not tell when it is over, so limits of concurrency
// do not count it.
func (g *guard) judgeRequest(ctx context.Context, m jsonrpc.Envelope, who func(map[string]any) *call.Session) error {
	d := g.door
	if known := call.RequestOf(m.Method); known != nil && known.Implied {
		d.Limits = call.Limits{} // the limits of arguments are not those of the handshake
	}
	c, err := d.DecodeRequest(ctx, m.Method, m.Params, who, door.Request{ID: string(m.ID)})
	if err != nil {
		return err
	}
	g.door.Inform(ctx, c, g.entries)
	p := g.door.Enter(ctx, c, door.Request{ID: string(m.ID), Modern: jsonrpc.IsModern(c.Meta)})
	defer p.Close()
	if answer, refused := p.Refusal(); refused {
		var wire struct{ Message string }
		if json.Unmarshal(answer.Raw, &wire) != nil || wire.Message == "" {
			wire.Message = "the request is refused"
		}
		return errors.New(wire.Message)
	}
	p.Sending()
	p.Sent()
	p.Delivered(ctx)
	return nil
}

// entries lists the server's prompts, resources or templates on behalf of the caller of ctx.
func (g *guard) entries(ctx context.Context, method string) (*call.Catalog, error) {
	return door.Entries(ctx, method, call.Limits{Bytes: maxList}, func(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
		switch answer := g.ask(ctx, new(inward), method, params).(type) {
		case mcp.JSONRPCResponse:
			return json.Marshal(answer.Result)
		case mcp.JSONRPCError:
			return nil, answeredError(answer.Error.Code)
		}
		return nil, errors.New("the server does not answer")
	})
}

// maxList is the size of the largest page of a list, in bytes.
const maxList = 64 << 20

// An answeredError is the server's JSON-RPC error, without its text.
type answeredError int

func (e answeredError) Error() string {
	return fmt.Sprintf("the server answers with the error %d", int(e))
}

// ErrorCode returns the code of the JSON-RPC error.
func (e answeredError) ErrorCode() int { return int(e) }
