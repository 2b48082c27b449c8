// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"context"
	"fmt"
	"slices"
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

// answerRehearse answers a call of the tool that rehearses. The calls that it describes must be such
// as may be made, and the report passes the output layer as the result of each.
func (p *Exchange) answerRehearse(ctx context.Context, r *Request, c *call.Call, tools *call.Catalog) {
	own := *c
	own.Tool, own.Validation = p.rehearse, true
	if v := p.gate().Judge(ctx, &own, toolvet.PointProxy); !v.Go {
		p.refuse(r, c, v)
		return
	}
	targets, err := p.rehearsed(c, tools)
	if err != nil {
		p.refuse(r, c, fault("input-schema", err.Error()))
		return
	}
	for _, target := range targets {
		began := time.Now()
		v := p.gate().Judge(ctx, target, toolvet.PointValidate)
		e := &toolvet.Event{Call: target, Request: string(r.id), Point: toolvet.PointValidate, Verdict: v, Took: time.Since(began)}
		if p.judged(ctx, e); !e.Verdict.Go {
			p.refuse(r, target, e.Verdict)
			return
		}
	}
	raw, err := p.cfg.Rehearse(ctx, targets)
	if err != nil {
		p.refuse(r, targets[0], fault("rehearsal", "the calls could not be rehearsed: "+err.Error()))
		return
	}
	for _, name := range names(targets) {
		reviewed := p.look(p.gate(), &call.Call{Server: p.cfg.Server, Name: name}, "tools/call", raw)
		if !reviewed.Go {
			words := protocol.NewResult(name, reviewed.Verdict)
			p.answerResult(r, words.Withheld(modern(c.Meta)))
			return
		}
		raw = reviewed.Raw
	}
	p.answerResult(r, raw)
}

// rehearsed are the calls that are to be rehearsed, at least one.
func (p *Exchange) rehearsed(c *call.Call, tools *call.Catalog) ([]*call.Call, error) {
	list, err := protocol.DecodeRehearsal(c.Raw, p.limits)
	if err != nil {
		return nil, err
	}
	var targets []*call.Call
	for i, raw := range list {
		q, err := protocol.DecodeRequest(raw, tools, p.limits)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", i+1, err)
		}
		q.Call.Server, q.Call.Session = c.Server, c.Session
		targets = append(targets, q.Call)
	}
	return targets, nil
}

// names are the tools of calls, each once.
func names(calls []*call.Call) []string {
	var list []string
	for _, c := range calls {
		if !slices.Contains(list, c.Name) {
			list = append(list, c.Name)
		}
	}
	return list
}

func fault(name, message string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: name, Stage: check.Schema, Level: check.SyntaxLevel, Message: message}}}
}
