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
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/logname"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Door judges and records the calls of one server. Gate and Logger are required.
// A Door is safe for concurrent use if its Gate function is.
type Door struct {
	// Gate returns the gate in force. A passage calls it once before the call and once when
	// the result comes, so a policy changed in between applies to the result.
	Gate func() *toolvet.Gate

	Server   string           // the server's name in policies and records; may be ""
	Point    toolvet.Point    // where live calls are judged
	Observer toolvet.Observer // records calls; nil: the Gate's observer does
	Logger   *slog.Logger     // logs refusals and faults: tool, check and place, never a value
	Limits   call.Limits      // bound the decoding of messages
	Vetted   *Vetted          // remembers lists; nil: each is reviewed
}

// observer returns who records calls; nil: nobody.
func (d *Door) observer() toolvet.Observer {
	if d.Observer != nil || d.Gate == nil {
		return d.Observer
	}
	if g := d.Gate(); g != nil {
		return inside.Of(g).Observer()
	}
	return nil
}

// Listed tells the observer of the server's tools.
func (d *Door) Listed(ctx context.Context, tools *call.Catalog) {
	if o := d.observer(); o != nil {
		o.Listed(ctx, d.Server, tools)
	}
}

// A Request identifies the request that a passage answers.
type Request struct {
	ID     string // as the client spelt it; "" if the transport does not know it
	Modern bool   // the client speaks [jsonrpc.Modern] or later, so results have a resultType
}

// Decode reads the tools/call m. It records an unreadable call as refused, and
// returns a *[jsonrpc.Error] for the client.
//
// Validates reports whether a tool is toolvet's own validate or batch tool. A call of it describes other
// calls, and [Door.Validate] answers it even if these cannot be read: then the call has Unread set.
// Nil: there is no such tool.
func (d *Door) Decode(ctx context.Context, m jsonrpc.Envelope, session func(meta map[string]any) *call.Session, r Request, validates func(tool string) bool) (*call.Call, error) {
	form, err := Lend(ctx, session, len(m.Params))
	var c *call.Call
	if err == nil {
		if c, err = call.DecodeParams(m.Params, d.Limits); err == nil {
			err = m.Unread
		}
	}
	if c != nil && c.Unread != nil && validates != nil && validates(c.Name) {
		err = nil
	}
	if err != nil {
		form.Of(nil)
		d.Unreadable(ctx, &call.Call{Name: nameIn(m.Params, d.Limits), Session: session(nil)}, r, err)
		return nil, err
	}
	form.Of(c)
	c.Server, c.Session = d.Server, session(c.Meta)
	return c, nil
}

// nameIn returns the name of the tool in params that cannot be read otherwise, or "".
func nameIn(params []byte, limits call.Limits) string {
	members, _ := strictjson.Outline(params, limits)
	for _, m := range members {
		if m.Key == "name" {
			v, _ := strictjson.Parse(m.Raw, limits)
			name, _ := v.(string)
			return name
		}
	}
	return ""
}

// DecodeRequest is Decode for a request other than tools/call, or a notification.
func (d *Door) DecodeRequest(ctx context.Context, method string, params []byte, session func(meta map[string]any) *call.Session, r Request) (*call.Call, error) {
	form, err := Lend(ctx, session, len(params))
	c := &call.Call{Method: method, Name: method}
	if err == nil {
		c, err = call.DecodeRequest(method, params, d.Limits)
	}
	form.Of(c)
	if err != nil {
		c.Session = session(nil)
		d.Unreadable(ctx, c, r, err)
		return nil, err
	}
	c.Server, c.Session = d.Server, session(c.Meta)
	return c, nil
}

// Unreadable records a request that holds no readable call and gets err as its answer. C holds
// the known parts of the call.
func (d *Door) Unreadable(ctx context.Context, c *call.Call, r Request, err error) {
	c.Server, c.Unread = d.Server, err
	d.Enter(ctx, c, r)
}

// Refused records a client's request that a transport refuses with err before any passage. Of a message that
// cannot be read as a whole, perhaps only m's id and method are known. Responses and notifications leave no record.
// Refused returns the error to answer with: err, or the fault of the message's own params, whose place is known.
func (d *Door) Refused(ctx context.Context, session func(meta map[string]any) *call.Session, m jsonrpc.Envelope, err error) error {
	r, c, unread := Request{ID: string(m.ID)}, &call.Call{}, error(nil)
	switch isCall := m.Method == jsonrpc.ToolsCall; {
	case m.Method == "" || m.ID == nil && !isCall:
		return err
	case m.Params == nil && isCall:
		c.Session = session(nil)
	case isCall:
		c, unread = d.Decode(ctx, m, session, r, nil)
	default:
		c, unread = d.DecodeRequest(ctx, m.Method, m.Params, session, r)
	}
	switch {
	case unread == nil: // otherwise it is recorded with its own fault
		d.Unreadable(ctx, c, r, err)
	case m.Unread != nil:
		return unread
	}
	return err
}

// Unread returns the verdict on a call that cannot be read, which is that of any gate.
func Unread(err error) toolvet.Verdict {
	return new(toolvet.Gate).Judge(context.Background(), &call.Call{Unread: err}, toolvet.PointLibrary)
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
	v, ticket := inside.Of(d.Gate()).Admit(ctx, c, d.Point)
	p.ticket = ticket
	if p.judged(ctx, v, time.Since(began)); p.refused {
		ticket.Rollback()
		return p
	}
	// The arguments may be large, and the result does not need them.
	p.event.Call = &call.Call{Server: c.Server, Method: c.Method, Name: c.Name, Tool: c.Tool, Meta: c.Meta, Session: c.Session, Behind: c.Behind, FromServer: c.FromServer}
	return p
}

// Refuse refuses a call for good, and records it: also one that never reached a gate.
func (d *Door) Refuse(ctx context.Context, c *call.Call, r Request, v toolvet.Verdict) *Passage {
	p := d.passage(c, r)
	v.Go, v.Ask = false, false
	p.judged(ctx, v, 0)
	return p
}

// Asks records that a person was asked about a call for a reason that no gate has, and returns that verdict, or a no-go if it cannot be recorded.
func (d *Door) Asks(ctx context.Context, c *call.Call, r Request, v toolvet.Verdict) toolvet.Verdict {
	e := &toolvet.Event{Call: c, Request: r.ID, Point: d.Point, Verdict: v}
	d.record(ctx, e, false)
	return e.Verdict
}

// Resume returns the passage of a call that the caller knows to run, though no passage of this process has let it in. It counts for no limit.
func (d *Door) Resume(c *call.Call, r Request) *Passage {
	p := d.passage(c, r)
	p.verdict, p.sent, p.event.Began = toolvet.Verdict{Go: true}, true, time.Now()
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
	d.record(ctx, e, false)
	return e.Verdict
}

// record passes a verdict to the observer, and makes it a no-go if that fails. It ignores the
// cancellation of ctx, so a client cannot keep a call out of the records by cancelling it. Nothing
// is recorded of a quiet request.
func (d *Door) record(ctx context.Context, e *toolvet.Event, quiet bool) {
	observer := d.observer()
	if observer == nil || quiet {
		e.Began = time.Now()
		return
	}
	if err := observer.Judged(context.WithoutCancel(ctx), e); err != nil {
		d.Logger.Error("a verdict could not be recorded", "tool", logname.Tool(e.Call), "err", err)
		e.Verdict = toolvet.Verdict{Findings: []check.Finding{{Check: "log", Stage: check.Policy, Level: check.SecurityLevel,
			Message: "the call cannot be recorded, so it is refused; the reason is in toolvet's log"}}}
	}
	e.Began = time.Now()
}

// inCall prepares places in the arguments of c for the log, and inAnswer places in an answer.
func inCall(c *call.Call) func(string) string {
	return func(pointer string) string { return logname.Call(pointer, c) }
}

func inAnswer(pointer string) string { return logname.Pointer(pointer, nil) }

// tell logs the reasons for refusing c or withholding its result; place prepares their places. In a Go
// server the log belongs to the program, so lines below a warning go to the debug level.
func (d *Door) tell(level slog.Level, message string, c *call.Call, words *protocol.Result, place func(pointer string) string) {
	if d.Point == toolvet.PointLibrary && level < slog.LevelWarn {
		level = slog.LevelDebug
	}
	about := []any{"server", d.Server, "tool", logname.Tool(c)}
	for i := range words.Findings {
		if logname.Hidden(&words.Findings[i], c) {
			about = append(about, "hidden", true)
		}
	}
	logname.Findings(words.Findings, place, func(attributes ...any) {
		d.Logger.Log(context.Background(), level, message, append(about[:len(about):len(about)], attributes...)...)
	})
}
