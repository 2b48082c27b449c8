// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/lazy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// A Rehearser makes calls of one server, one after the other, where they can do no harm, and
// returns a CallToolResult with a report of their effects. May reports whether the caller may make another call
// of the server; the report shows no content of a file that no such call could read.
type Rehearser = func(ctx context.Context, calls []*call.Call, may func(context.Context, *call.Call) bool) (json.RawMessage, error)

// A Rehearsal holds the functions behind the rehearse tool.
type Rehearsal struct {
	// Find returns the server of a tool, and the tool's name there.
	Find func(ctx context.Context, tool string) (found validate.Found, name string)
	// Rehearser returns the rehearser of a server, or nil if its calls cannot be rehearsed.
	Rehearser func(server string) Rehearser
}

// RehearseTool returns the definition of the rehearse tool, both for listing and for judging.
var RehearseTool = lazy.Pair(func() (*call.Tool, error) {
	definition, err := protocol.NewRehearseTool().Encode()
	if err != nil {
		return nil, err
	}
	return call.DecodeTool(definition, call.Limits{})
})

// Rehearse answers a call of the rehearse tool. The described calls must all get a go and must
// all be of one server. The report passes the output layer as the result of each call.
func (d *Door) Rehearse(ctx context.Context, c *call.Call, r Request, h Rehearsal) json.RawMessage {
	found, targets, refused := d.rehearsed(ctx, c, h)
	if refused != nil {
		return d.answer(d.Refuse(ctx, c, r, *refused))
	}
	at := *d
	at.Gate, at.Server = func() *toolvet.Gate { return found.Gate }, found.Server // one gate for all, even if the policy changes
	calls := make([]*call.Call, len(targets))
	for i, t := range targets {
		calls[i] = t.call
		if v := at.DryRun(ctx, t.call, r); !v.Go {
			words := protocol.NewResult(t.asked, v)
			return words.Refusal(r.Modern)
		}
	}
	run := h.Rehearser(found.Server)
	if run == nil {
		return d.answer(d.Refuse(ctx, c, r, Fault("rehearsal", "calls of this server cannot be rehearsed")))
	}
	raw, err := run(ctx, calls, func(ctx context.Context, c *call.Call) bool {
		return found.Gate.Judge(ctx, c, toolvet.PointValidate).Go
	})
	if err != nil {
		return d.answer(d.Refuse(ctx, c, r, Fault("rehearsal", "the calls could not be rehearsed: "+err.Error())))
	}
	return at.report(ctx, targets, raw, r)
}

func (d *Door) answer(p *Passage) json.RawMessage {
	answer, _ := p.Refusal()
	return answer.Raw
}

// A rehearsed is a call to rehearse, with the tool's name in the client's spelling.
type rehearsed struct {
	call  *call.Call
	asked string
}

// rehearsed returns the calls to rehearse, at least one, and their server, or the verdict that
// refuses the request.
func (d *Door) rehearsed(ctx context.Context, c *call.Call, h Rehearsal) (found validate.Found, targets []rehearsed, refused *toolvet.Verdict) {
	refuse := func(v toolvet.Verdict) (validate.Found, []rehearsed, *toolvet.Verdict) { return found, nil, &v }
	found = validate.Found{Server: d.Server, Gate: d.Gate()}
	if first := firstTool(c.Arguments); first != "" {
		found, _ = h.Find(ctx, first)
	}
	if found.Unknown != nil {
		return refuse(*found.Unknown)
	}
	tool, err := RehearseTool()
	if err != nil {
		return refuse(Fault("rehearsal", err.Error()))
	}
	own := *c
	own.Server, own.Tool, own.Known, own.Validation = found.Server, tool, found.Tools, true
	if v := found.Gate.Judge(ctx, &own, d.Point); !v.Go {
		return refuse(v)
	}
	list, err := protocol.DecodeRehearsal(c.Raw, d.Limits)
	if err != nil {
		return refuse(Fault("input-schema", err.Error()))
	}
	for i, raw := range list {
		var asked struct {
			Tool string `json:"tool"`
		}
		_ = json.Unmarshal(raw, &asked) // the schema has ensured a string
		of, name := h.Find(ctx, asked.Tool)
		switch {
		case of.Unknown != nil:
			return refuse(*of.Unknown)
		case of.Server != found.Server:
			return refuse(Fault("rehearsal", fmt.Sprintf("call %d is of another server: all calls of a rehearsal must be of one", i+1)))
		}
		q, err := protocol.DecodeRequest(raw, found.Tools, d.Limits)
		if err != nil {
			return refuse(Fault("input-schema", fmt.Sprintf("call %d: %v", i+1, err)))
		}
		target := q.Call
		target.Server, target.Meta, target.Session, target.Name = found.Server, c.Meta, engine.AllowWarnings(c.Session), name
		target.Resolve(found.Tools)
		targets = append(targets, rehearsed{target, asked.Tool})
	}
	return found, targets, nil
}

// firstTool returns the tool of the first call of a rehearsal, or "".
func firstTool(arguments map[string]any) string {
	if calls, ok := arguments["calls"].([]any); ok && len(calls) > 0 {
		arguments, _ = calls[0].(map[string]any)
	}
	name, _ := arguments["tool"].(string)
	return name
}

// report reviews the report of a rehearsal for the client.
func (d *Door) report(ctx context.Context, targets []rehearsed, raw json.RawMessage, r Request) json.RawMessage {
	gate, seen := d.Gate(), map[string]bool{}
	var noted toolvet.Reviewed
	for _, t := range targets {
		if seen[t.call.Name] {
			continue
		}
		seen[t.call.Name] = true
		v := d.reviewBy(ctx, gate, &call.Call{Server: d.Server, Name: t.call.Name, Session: t.call.Session}, "tools/call", raw)
		if !v.Go {
			words := protocol.NewResult(t.asked, v.Verdict)
			return words.Withheld(r.Modern)
		}
		if raw = v.Raw; len(v.Notes) > 0 {
			noted = v
		}
	}
	if len(noted.Notes) > 0 {
		noted.Raw = raw
		var err error
		if raw, err = Annotate("", &noted); err != nil { // impossible: the report has content
			words := protocol.NewResult("", noResult("policy", "the report has no place for what was found in it"))
			return words.Withheld(r.Modern)
		}
	}
	if !r.Modern || splice.Get(raw, call.Limits{Bytes: len(raw)}, "resultType") != nil {
		return raw
	}
	whole, err := splice.Set(raw, call.Limits{Bytes: len(raw)}, []byte(`"complete"`), "resultType")
	if err != nil { // impossible: the review has read it
		return raw
	}
	return whole
}
