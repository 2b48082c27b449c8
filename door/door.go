// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package door carries a tool call from its request to its answer. The stdio proxy, the HTTP
// proxy, the gateway, the Go middleware and package upstream move bytes; this package judges,
// records, refuses, counts, reviews, annotates and withholds for all of them, so that the same
// call gets the same answer and the same records wherever it enters.
//
//	decode ─ resolve ─┬─▶ Enter ─┬─▶ Sending ─ server ─┬─▶ Returned ─▶ result, annotated or withheld
//	                  │          │                     ├─▶ Unreadable ─▶ withheld
//	                  │          │                     └─▶ Failed ─▶ the call has no result
//	                  └─▶ Refuse ┴─▶ Refusal
//
// A [Door] guards one server. A [Passage] is one call on its way through it. [Door.Validate]
// answers dry runs and [Door.Rehearse] rehearsals; both judge and record the described calls
// in the same way.
//
// The package knows no transport and no SDK.
package door

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/protocol"
)

// A Door judges and records the calls of one server. Gate and Logger are required.
// A Door is safe for concurrent use if its Gate function is.
type Door struct {
	// Gate returns the gate in force. A passage calls it once before the call and once when
	// the result comes, so a policy changed in between applies to the result.
	Gate func() *toolvet.Gate

	Server   string           // the server's name in policies and records; may be ""
	Point    toolvet.Point    // where live calls are judged
	Observer toolvet.Observer // records calls; nil: nothing is recorded
	Logger   *slog.Logger     // logs refusals and faults: tool, check and place, never a value
	Limits   call.Limits      // bound the decoding of messages
}

// A Request identifies the tools/call that a passage answers.
type Request struct {
	ID     string // as the client spelt it; "" if the transport does not know it
	Modern bool   // the client speaks [call.Modern] or later, so results have a resultType
}

// Decode reads the params of a tools/call. It records an unreadable call as refused, and
// returns a *[call.Error] for the client.
func (d *Door) Decode(ctx context.Context, params []byte, session func(meta map[string]any) *call.Session, r Request) (*call.Call, error) {
	c, err := call.DecodeParams(params, d.Limits)
	if err != nil {
		var name string
		_ = json.Unmarshal(splice.Get(params, d.Limits, "name"), &name) // a call without a name gets a record without one
		d.Unreadable(ctx, &call.Call{Name: name, Session: session(nil)}, r, err)
		return nil, err
	}
	c.Server, c.Session = d.Server, session(c.Meta)
	return c, nil
}

// Unreadable records a request that holds no readable call and gets err as its answer. C holds
// the known parts of the call.
func (d *Door) Unreadable(ctx context.Context, c *call.Call, r Request, err error) {
	c.Server = d.Server
	d.Refuse(ctx, c, r, Fault("call", err.Error()))
}

// Fault returns a no-go for a call that no check has judged. CheckName and why state the reason.
func Fault(checkName, why string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: checkName, Stage: check.Schema, Level: check.SyntaxLevel, Message: why}}}
}

// A coded error is a server's answer with a JSON-RPC error.
type coded interface{ ErrorCode() int }

// Unlisted returns the verdict on a call whose server failed to list its tools. It repeats no
// text of the server.
func Unlisted(err error) toolvet.Verdict {
	const why = "the server's tools could not be listed, so the call cannot be judged: "
	if answer := coded(nil); errors.As(err, &answer) {
		return Fault("known-tool", why+"the server answers tools/list with the error "+strconv.Itoa(answer.ErrorCode()))
	}
	return Fault("known-tool", why+err.Error())
}

// Enter judges a call. If the gate lets it in, the limits of the policy count it, and the
// caller must end the passage with [Passage.Close].
func (d *Door) Enter(ctx context.Context, c *call.Call, r Request) *Passage {
	p := d.passage(c, r)
	began := time.Now()
	v, ticket := d.Gate().Admit(ctx, c, d.Point)
	p.ticket = ticket
	if p.judged(ctx, v, time.Since(began)); p.refused {
		ticket.Rollback()
		return p
	}
	// The arguments may be large, and the result does not need them.
	p.event.Call = &call.Call{Server: c.Server, Name: c.Name, Tool: c.Tool, Meta: c.Meta, Session: c.Session}
	return p
}

// Refuse refuses a call that never reached a gate, and records it.
func (d *Door) Refuse(ctx context.Context, c *call.Call, r Request, v toolvet.Verdict) *Passage {
	p := d.passage(c, r)
	v.Go = false
	p.judged(ctx, v, 0)
	return p
}

func (d *Door) passage(c *call.Call, r Request) *Passage {
	return &Passage{door: d, request: r, event: toolvet.Event{Call: c, Request: r.ID, Point: d.Point}}
}

// DryRun judges a call without making it, and records the verdict.
func (d *Door) DryRun(ctx context.Context, c *call.Call, r Request) toolvet.Verdict {
	began := time.Now()
	v := d.Gate().Judge(ctx, c, toolvet.PointValidate)
	return d.RecordDryRun(ctx, c, r, v, time.Since(began))
}

// RecordDryRun records the verdict of a dry run and returns it, or a no-go if it cannot be
// recorded.
func (d *Door) RecordDryRun(ctx context.Context, c *call.Call, r Request, v toolvet.Verdict, took time.Duration) toolvet.Verdict {
	e := &toolvet.Event{Call: c, Request: r.ID, Point: toolvet.PointValidate, Verdict: v, Took: took}
	d.record(ctx, e)
	return e.Verdict
}

// record passes a verdict to the observer, and makes it a no-go if that fails. It ignores the
// cancellation of ctx, so a client cannot keep a call out of the records by cancelling it.
func (d *Door) record(ctx context.Context, e *toolvet.Event) {
	if d.Observer == nil {
		return
	}
	if err := d.Observer.Judged(context.WithoutCancel(ctx), e); err != nil {
		d.Logger.Error("a verdict could not be recorded", "tool", e.Call.Name, "err", err)
		e.Verdict = toolvet.Verdict{Findings: []check.Finding{{Check: "log", Stage: check.Policy, Level: check.SecurityLevel,
			Message: "the call cannot be recorded, so it is refused; the reason is in toolvet's log"}}}
	}
	e.Began = time.Now()
}

// tell logs the reasons for refusing a call or withholding a result. In a Go server the log
// belongs to the program, so lines below a warning go to the debug level.
func (d *Door) tell(level slog.Level, message string, words *protocol.Result) {
	if d.Point == toolvet.PointLibrary && level < slog.LevelWarn {
		level = slog.LevelDebug
	}
	for _, f := range words.Findings {
		d.Logger.Log(context.Background(), level, message, "server", d.Server, "tool", words.Tool, "code", f.Code, "check", f.Check, "at", f.Pointer)
	}
}
