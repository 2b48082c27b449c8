// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mediate

import (
	"context"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/protocol"
)

// rehearses reports whether a tool is the one that rehearses calls: if it is offered, and the
// server has none of the name.
func (p *Exchange) rehearses(name string, tools *call.Catalog) bool {
	return p.cfg.Rehearse != nil && name == protocol.RehearseName && tools.Tool(name) == nil
}

// answerRehearse answers a call of the tool that rehearses. The call that it describes must be
// one that may be made, and its result passes the output layer as if it had been made.
func (p *Exchange) answerRehearse(ctx context.Context, r *Request, c *call.Call, tools *call.Catalog) {
	own := *c
	own.Tool, own.Validation = p.rehearse, true
	if v := p.gate().Judge(ctx, &own, toolvet.PointProxy); !v.Go {
		p.refuse(r, c, v)
		return
	}
	q, err := protocol.DecodeRequest(c.Raw, tools, p.limits)
	if err != nil {
		p.refuse(r, c, fault("input-schema", err.Error()))
		return
	}
	target := q.Call
	target.Server, target.Session = c.Server, c.Session
	began := time.Now()
	v := p.gate().Judge(ctx, target, toolvet.PointValidate)
	e := &toolvet.Event{Call: target, Request: string(r.id), Point: toolvet.PointValidate, Verdict: v, Took: time.Since(began)}
	if p.judged(ctx, e); !e.Verdict.Go {
		p.refuse(r, target, e.Verdict)
		return
	}
	raw, err := p.cfg.Rehearse(ctx, target)
	if err != nil {
		p.refuse(r, target, fault("rehearsal", "the call could not be rehearsed: "+err.Error()))
		return
	}
	reviewed := p.look(p.gate(), &call.Call{Server: p.cfg.Server, Name: target.Name}, "tools/call", raw)
	if !reviewed.Go {
		words := protocol.NewResult(target.Name, reviewed.Verdict)
		p.answerResult(r, words.Withheld(modern(c.Meta)))
		return
	}
	p.answerResult(r, reviewed.Raw)
}

func fault(name, message string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: name, Stage: check.Schema, Level: check.SyntaxLevel, Message: message}}}
}
