// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/dryrun"
	"github.com/toolvet/toolvet/observe"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/result"
)

// A rehearser makes a call where it can do no harm; see [Server].
type rehearser func(context.Context, *call.Call) (json.RawMessage, error)

// A rehearsalTool is the tool that rehearses calls, as it is listed and as it is judged.
type rehearsalTool struct {
	definition []byte
	tool       *call.Tool
}

func newRehearsalTool(limits call.Limits) (rehearsalTool, error) {
	definition, err := protocol.NewRehearseTool().Encode()
	if err != nil {
		return rehearsalTool{}, err
	}
	tool, err := call.DecodeTool(definition, limits)
	return rehearsalTool{definition, tool}, err
}

// rehearses reports whether calls of any server can be rehearsed.
func (g *Gateway) rehearses() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.servers, func(s Server) bool { return s.Rehearse != nil })
}

// rehearserOf is what rehearses the calls of a server; nil: nothing.
func (g *Gateway) rehearserOf(server string) rehearser {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := indexOf(g.servers, server); i >= 0 {
		return g.servers[i].Rehearse
	}
	return nil
}

// rehearse answers a call of the tool that rehearses. The call that it describes must be one that
// may be made, and its result passes the output layer as if it had been made.
func (s *session) rehearse(ctx context.Context, r *request, p *pool, c *call.Call) (json.RawMessage, error) {
	tool, _ := c.Arguments["tool"].(string)
	found, name := s.find(ctx, p, tool, false)
	if found.Unknown != nil {
		return s.refusal(ctx, r, c, *found.Unknown), nil
	}
	target, refused := s.rehearsed(ctx, c, found, name)
	if refused != nil {
		return s.refusal(ctx, r, c, *refused), nil
	}
	began := time.Now()
	v := found.Gate.Judge(ctx, target, toolvet.PointValidate)
	e := &toolvet.Event{Call: target, Request: string(r.id), Point: toolvet.PointValidate, Verdict: v, Took: time.Since(began)}
	if observe.Judged(ctx, s.g.cfg.Observer, e, s.g.log); !e.Verdict.Go {
		words := protocol.NewResult(tool, e.Verdict)
		return words.Refusal(r.modern), nil
	}
	run := s.g.rehearserOf(found.Server)
	if run == nil {
		return s.refusal(ctx, r, c, cannotRehearse("calls of this server cannot be rehearsed")), nil
	}
	raw, err := run(ctx, target)
	if err != nil {
		return s.refusal(ctx, r, c, cannotRehearse("the call could not be rehearsed: "+err.Error())), nil
	}
	return s.shownRehearsal(ctx, r, found, target, raw)
}

// rehearsed is the call that is to be rehearsed, or why the request for it is refused.
func (s *session) rehearsed(ctx context.Context, c *call.Call, found dryrun.Found, name string) (*call.Call, *toolvet.Verdict) {
	own := *c
	own.Server, own.Tool, own.Known, own.Validation = found.Server, s.g.rehearsal.tool, found.Tools, true
	if v := found.Gate.Judge(ctx, &own, toolvet.PointProxy); !v.Go {
		return nil, &v
	}
	q, err := protocol.DecodeRequest(c.Raw, found.Tools, s.limits)
	if err != nil {
		v := cannotRehearse(err.Error())
		return nil, &v
	}
	target := q.Call
	target.Server, target.Meta, target.Session, target.Name = found.Server, c.Meta, c.Session, name
	target.Resolve(found.Tools)
	return target, nil
}

// shownRehearsal is the report of a rehearsal as the client gets it.
func (s *session) shownRehearsal(ctx context.Context, r *request, found dryrun.Found, target *call.Call, raw json.RawMessage) (json.RawMessage, error) {
	var reviewed toolvet.Reviewed
	if read, err := result.Read("tools/call", raw); err == nil {
		reviewed = found.Gate.Review(ctx, &call.Call{Server: found.Server, Name: target.Name, Session: target.Session}, read)
	}
	if !reviewed.Go {
		words := protocol.NewResult(target.Name, reviewed.Verdict)
		return words.Withheld(r.modern), nil
	}
	return s.complete(r, reviewed.Raw, "")
}

func cannotRehearse(message string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: "rehearsal", Stage: check.Schema, Level: check.SyntaxLevel, Message: message}}}
}
