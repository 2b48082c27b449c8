// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/protocol"
)

// A rehearser makes calls where they can do no harm; see [Server].
type rehearser func(context.Context, []*call.Call) (json.RawMessage, error)

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

// rehearse answers a call of the tool that rehearses. The calls that it describes must be such as may be made, all
// of one server, and the report passes the output layer as the result of each.
func (s *session) rehearse(ctx context.Context, r *request, p *pool, c *call.Call) (json.RawMessage, error) {
	found, targets, refused := s.rehearsed(ctx, p, c)
	if refused != nil {
		return s.refusal(ctx, r, c, *refused), nil
	}
	for _, t := range targets {
		began := time.Now()
		v := found.Gate.Judge(ctx, t.call, toolvet.PointValidate)
		e := &toolvet.Event{Call: t.call, Request: string(r.id), Point: toolvet.PointValidate, Verdict: v, Took: time.Since(began)}
		if door.Judged(ctx, s.g.cfg.Observer, e, s.g.log); !e.Verdict.Go {
			words := protocol.NewResult(t.asked, e.Verdict)
			return words.Refusal(r.modern), nil
		}
	}
	run := s.g.rehearserOf(found.Server)
	if run == nil {
		return s.refusal(ctx, r, c, cannotRehearse("calls of this server cannot be rehearsed")), nil
	}
	var calls []*call.Call
	for _, t := range targets {
		calls = append(calls, t.call)
	}
	raw, err := run(ctx, calls)
	if err != nil {
		return s.refusal(ctx, r, c, cannotRehearse("the calls could not be rehearsed: "+err.Error())), nil
	}
	return s.shownRehearsal(ctx, r, found, calls, raw)
}

// A rehearsed is a call that is to be rehearsed, and the tool's name as the client has it.
type rehearsed struct {
	call  *call.Call
	asked string
}

// rehearsed are the calls that are to be rehearsed, at least one, and the server that they are of; or why the request
// for them is refused.
func (s *session) rehearsed(ctx context.Context, p *pool, c *call.Call) (found validate.Found, targets []rehearsed, refused *toolvet.Verdict) {
	refuse := func(message string) (validate.Found, []rehearsed, *toolvet.Verdict) {
		v := cannotRehearse(message)
		return found, nil, &v
	}
	list, err := protocol.DecodeRehearsal(c.Raw, s.limits)
	if err != nil {
		return refuse(err.Error())
	}
	for i, raw := range list {
		var asked struct {
			Tool string `json:"tool"`
		}
		_ = json.Unmarshal(raw, &asked) // what is no name is of no tool
		of, name := s.find(ctx, p, asked.Tool, false)
		switch {
		case of.Unknown != nil:
			return found, nil, of.Unknown
		case i == 0:
			found = of
			if v := s.mayAsk(ctx, c, found); !v.Go {
				return found, nil, &v
			}
		case of.Server != found.Server:
			return refuse(fmt.Sprintf("call %d: is of another server: the calls of a rehearsal are made by one", i+1))
		}
		q, err := protocol.DecodeRequest(raw, found.Tools, s.limits)
		if err != nil {
			return refuse(fmt.Sprintf("call %d: %v", i+1, err))
		}
		target := q.Call
		target.Server, target.Meta, target.Session, target.Name = found.Server, c.Meta, c.Session, name
		target.Resolve(found.Tools)
		targets = append(targets, rehearsed{target, asked.Tool})
	}
	return found, targets, nil
}

// mayAsk is the verdict on the request itself.
func (s *session) mayAsk(ctx context.Context, c *call.Call, found validate.Found) toolvet.Verdict {
	own := *c
	own.Server, own.Tool, own.Known, own.Validation = found.Server, s.g.rehearsal.tool, found.Tools, true
	return found.Gate.Judge(ctx, &own, toolvet.PointProxy)
}

// shownRehearsal is the report of a rehearsal as the client gets it.
func (s *session) shownRehearsal(ctx context.Context, r *request, found validate.Found, calls []*call.Call, raw json.RawMessage) (json.RawMessage, error) {
	seen := map[string]bool{}
	for _, c := range calls {
		if seen[c.Name] {
			continue
		}
		seen[c.Name] = true
		var reviewed toolvet.Reviewed
		if read, err := result.Read("tools/call", raw); err == nil {
			reviewed = found.Gate.Review(ctx, &call.Call{Server: found.Server, Name: c.Name, Session: c.Session}, read)
		}
		if !reviewed.Go {
			words := protocol.NewResult(c.Name, reviewed.Verdict)
			return words.Withheld(r.modern), nil
		}
		raw = reviewed.Raw
	}
	return s.complete(r, raw, "")
}

func cannotRehearse(message string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: "rehearsal", Stage: check.Schema, Level: check.SyntaxLevel, Message: message}}}
}
