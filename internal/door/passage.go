// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/logname"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
)

// A Passage is one call on its way through a [Door]. It is safe for concurrent use. On a nil
// Passage, methods without an answer do nothing.
type Passage struct {
	door    *Door
	request Request
	event   toolvet.Event // holds the verdict on the call, and then the verdict on the result
	verdict toolvet.Verdict
	refused bool
	quiet   bool // an admitted request of which nothing is recorded

	mu      sync.Mutex
	ticket  engine.Ticket // nil: the call is not counted, or the ticket is spent or rolled back
	sent    bool          // the server has the call, or may have it
	sending bool          // the call is being sent, and the server may not have taken it
	closed  bool          // Close was called during sending
	held    *time.Timer   // the call was abandoned, and its ticket is released when this ends; else nil
}

// judged records the verdict on the call.
func (p *Passage) judged(ctx context.Context, v toolvet.Verdict, took time.Duration) {
	p.event.Verdict, p.event.Took = v, took
	p.quiet = p.event.Call.Implied() && p.event.Call.Behind == nil && (!p.event.Call.FromServer || p.event.Call.Method == "ping") && v.Go && len(v.Findings) == 0
	p.door.record(ctx, &p.event, p.quiet)
	p.verdict = p.event.Verdict
	if p.refused = !p.verdict.Go && !(p.verdict.Ask && engine.Asks(p.event.Call.Session)); p.refused {
		words := protocol.NewResult(p.event.Call.Name, p.verdict)
		p.door.tell(slog.LevelInfo, "refused a call", p.event.Call, &words, inCall(p.event.Call))
	}
}

// Verdict returns the verdict on the call. If it is to ask and the call is not refused, a person has to consent before the call is sent.
func (p *Passage) Verdict() toolvet.Verdict { return p.verdict }

// An Answer is toolvet's own answer to a request: a CallToolResult for a tools/call, a JSON-RPC
// error for any other, and for an invalid call if the policy says so.
type Answer struct {
	Raw   json.RawMessage
	Error bool // Raw is a JSON-RPC error, not a result
}

// Refusal returns the answer to a refused call: a tool execution error (SEP-1303), or a JSON-RPC
// error if the request calls no tool or could not be read, or if the policy asks for protocol errors and the tool
// is unknown or its schema refuses the call. Ok is false if the call may be made.
func (p *Passage) Refusal() (answer Answer, ok bool) {
	answer, ok = p.ToolRefusal()
	if ok && !answer.Error && Invalid(p.verdict) {
		if protocolErrors, _ := inside.Of(p.door.Gate()).ErrorForms(); protocolErrors {
			words := protocol.NewResult(p.event.Call.Name, p.verdict)
			return Answer{words.CallError().Raw(), true}, true
		}
	}
	return answer, ok
}

// Invalid reports whether a verdict refuses a call because its tool is unknown or the tool's schema refuses its arguments,
// and for no other reason.
func Invalid(v toolvet.Verdict) bool {
	invalid := false
	for _, f := range v.Findings {
		if f.Blocks() && f.Stage != check.Schema {
			return false
		}
		invalid = invalid || f.Blocks()
	}
	return invalid
}

// ToolRefusal is Refusal whatever the policy says about protocol errors.
func (p *Passage) ToolRefusal() (answer Answer, ok bool) {
	if !p.refused {
		return Answer{}, false
	}
	words := protocol.NewResult(p.event.Call.Name, p.verdict)
	switch {
	case p.event.Call.Unread != nil:
		return Answer{unreadable(p.event.Call.Unread), true}, true
	case p.event.Call.FromServer:
		return Answer{words.AskRefusal().Raw(), true}, true
	case !p.event.Call.IsTool():
		return Answer{words.RequestRefusal().Raw(), true}, true
	}
	return Answer{words.Refusal(p.request.Modern), false}, true
}

// unreadable is the JSON-RPC error for a request that cannot be read.
func unreadable(err error) json.RawMessage {
	e := &protocol.Error{Code: jsonrpc.InvalidRequest, Message: err.Error()}
	if own := (*jsonrpc.Error)(nil); errors.As(err, &own) {
		e.Code = own.Code
	}
	return e.Raw()
}

// A MetaChange is a change to the _meta of a request.
type MetaChange struct {
	Key, Value string // an empty Value takes the member out
}

// Meta returns how the _meta of the request for the server differs from the client's. The traceparent makes the server's
// spans children of toolvet's. The token of a verdict is toolvet's own business, and the server gets its own.
func (p *Passage) Meta() (changes []MetaChange) {
	if p == nil || len(p.event.Call.Meta) == 0 {
		return nil
	}
	meta := p.event.Call.Meta
	if p.event.Traceparent != "" && meta["traceparent"] != nil {
		changes = append(changes, MetaChange{"traceparent", p.event.Traceparent})
	}
	if token, given := meta[binding.Key]; given {
		native := ""
		if p.event.Call.IsTool() { // else nobody has redeemed it
			native = binding.NativeOf(token)
		}
		changes = append(changes, MetaChange{binding.Key, native})
	}
	return changes
}

// SetMeta returns a copy of a JSON text with the changes of [Passage.Meta] in the _meta at path. Without changes it returns
// the text itself.
func (p *Passage) SetMeta(text []byte, limits call.Limits, path ...string) ([]byte, error) {
	var err error
	for _, m := range p.Meta() {
		if m.Value == "" {
			text, err = splice.Remove(text, limits, m.Key, path...)
		} else if quoted, e := json.Marshal(m.Value); e == nil {
			text, err = splice.Set(text, limits, quoted, append(path[:len(path):len(path)], m.Key)...)
		} else {
			err = e
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

// Arguments returns the canonical arguments that must replace the client's. Nil means no change.
func (p *Passage) Arguments() json.RawMessage {
	if p == nil {
		return nil
	}
	return p.verdict.Arguments
}

// Context returns ctx with the span that the observer has given the call, for a tool in this process.
func (p *Passage) Context(ctx context.Context) context.Context {
	if p == nil || p.event.Within == nil {
		return ctx
	}
	return p.event.Within(ctx)
}

// Sending notes that the call goes to the server now. From here on the server may have it. The
// caller must follow with [Passage.Sent].
func (p *Passage) Sending() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.sent, p.sending = true, true
	p.mu.Unlock()
}

// Unsent notes that the server did not take the call.
func (p *Passage) Unsent() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.sent = false
	p.mu.Unlock()
}

// Sent notes that sending is over. The server took the call, unless [Passage.Unsent] was
// called before.
func (p *Passage) Sent() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.sending = false
	closed := p.closed
	p.mu.Unlock()
	if closed {
		p.Close()
	}
}

// Made reports whether the server has the call, or may have it.
func (p *Passage) Made() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

// Close ends the passage. It releases the call's ticket, or rolls it back if the call was not
// made after all. While the call is being sent, Close leaves that to [Passage.Sent]. A limit
// may ask a database, so do not call Close with a lock held.
func (p *Passage) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	ticket, sent := p.ticket, p.sent
	switch {
	case p.held != nil && sent:
		p.closed, ticket = p.sending, nil // Sent closes it if the server did not take the call
	case p.sending:
		p.closed, ticket = true, nil
	default:
		p.closed, p.ticket = false, nil
	}
	p.mu.Unlock()
	switch {
	case ticket == nil:
	case sent:
		ticket.Release()
	default:
		ticket.Rollback()
	}
}

// HoldTime is the time after which an abandoned call no longer counts as running, if nobody learns of its end before.
const HoldTime = 10 * time.Minute

// Abandon notes that nobody waits for the answer any more, while the server may still run the call: the client has
// cancelled it or is gone, or its time is over. The ticket of a call that the server may have is then released by
// [Passage.Over], or after [HoldTime], and not by Close. Otherwise a caller could exceed a limit on calls at the same
// time by cancelling them. A server need not tell the end of a cancelled call (MCP, basic/utilities/cancellation).
func (p *Passage) Abandon() {
	if p == nil {
		return
	}
	p.mu.Lock()
	if p.held == nil && p.ticket != nil {
		p.held = time.AfterFunc(HoldTime, p.Over)
	}
	p.mu.Unlock()
	p.Close() // if the server never had the call
}

// Over ends an abandoned passage, since the server runs the call no longer: it has answered, or has ended.
func (p *Passage) Over() {
	if p == nil {
		return
	}
	p.mu.Lock()
	if p.held != nil {
		p.held.Stop()
		p.held = nil
	}
	p.mu.Unlock()
	p.Close()
}

// Shown is a server's answer in the form that the client gets.
type Shown struct {
	Raw      json.RawMessage // the result or error to show
	Error    bool            // Raw is a JSON-RPC error, not a result
	Changed  bool            // Raw differs from the server's text
	Sent     json.RawMessage // the server's text, without definitions that were left out
	Withheld bool            // Raw is toolvet's own, in place of an answer that must not be shown
	Verdict  toolvet.Verdict // of the output layer
	Notes    []string        // for the model; Raw holds them, too
}

// Returned reviews and records the result of the call. The client gets the result, perhaps
// changed and annotated, or in its place a tool execution error, or the JSON-RPC error of a request
// that calls no tool.
func (p *Passage) Returned(ctx context.Context, raw json.RawMessage) Shown {
	return p.show(ctx, p.review(ctx, raw), raw, false)
}

// Refused reviews and records a JSON-RPC error that the server sent as its answer.
func (p *Passage) Refused(ctx context.Context, raw json.RawMessage) Shown {
	return p.show(ctx, p.review(ctx, raw), raw, true)
}

// review reviews an answer. That of a task is the result of the tool behind it.
func (p *Passage) review(ctx context.Context, raw json.RawMessage) toolvet.Reviewed {
	c := p.event.Call
	method := cmp.Or(c.Method, jsonrpc.ToolsCall)
	if c.Behind != nil {
		c = c.Behind
	}
	return p.door.look(ctx, c, method, raw)
}

// Delivered records that the server has a notification, to which no answer comes.
func (p *Passage) Delivered(ctx context.Context) {
	p.returned(ctx, &toolvet.Reviewed{Verdict: toolvet.Verdict{Go: true}}, 0, false)
}

// Unreadable withholds and records an unreadable answer. Err states the reason.
func (p *Passage) Unreadable(ctx context.Context, err error) Shown {
	return p.show(ctx, unread(err), nil, true)
}

// show turns a reviewed result or error into the client's answer, and records it.
func (p *Passage) show(ctx context.Context, v toolvet.Reviewed, raw json.RawMessage, isErr bool) Shown {
	tool := p.event.Call.Name
	if v.Go {
		if asked := p.door.Questions(ctx, p.event.Call.Session, p.request, v.Raw, isErr); !asked.Go {
			v.Verdict = asked
		}
	}
	if v.Go {
		shown, err := p.annotate(&v, isErr)
		if err != nil {
			p.door.Logger.Error("a result could not be annotated", "server", p.door.Server, "tool", tool, "err", err)
			v.Verdict = noResult("policy", "the result has no place for what was found in it; the reason is in toolvet's log")
		}
		v.Raw = shown
	}
	p.returned(ctx, &v, len(raw), isErr || p.event.Call.IsTool() && isError(raw))
	if v.Go {
		p.door.noted(tool, v.Verdict)
		if result := p.toolError(v.Raw, isErr); result != nil {
			return Shown{Raw: result, Changed: true, Verdict: v.Verdict, Notes: v.Notes}
		}
		return Shown{Raw: v.Raw, Error: isErr, Changed: !bytes.Equal(v.Raw, raw), Sent: sentOf(&v, raw), Verdict: v.Verdict, Notes: v.Notes}
	}
	words := protocol.NewResult(tool, v.Verdict)
	p.door.tell(slog.LevelWarn, "withheld what the server sent", p.event.Call, &words, inAnswer)
	if !p.event.Call.IsTool() {
		return Shown{Raw: words.RequestWithheld().Raw(), Error: true, Changed: true, Withheld: true, Verdict: v.Verdict}
	}
	return Shown{Raw: words.Withheld(p.request.Modern), Changed: true, Withheld: true, Verdict: v.Verdict}
}

// toolError returns the tool execution error that the policy wants in place of a server's error, or nil.
func (p *Passage) toolError(raw json.RawMessage, isErr bool) json.RawMessage {
	if !isErr || !p.event.Call.IsTool() {
		return nil
	}
	if _, toolErrors := inside.Of(p.door.Gate()).ErrorForms(); !toolErrors {
		return nil
	}
	var body struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &body) != nil || body.Code != jsonrpc.InvalidParams {
		return nil
	}
	return protocol.ToolError(p.request.Modern, body.Message, body.Data)
}

// annotate returns an answer with what its review found.
func (p *Passage) annotate(v *toolvet.Reviewed, isErr bool) (json.RawMessage, error) {
	switch {
	case isErr:
		return annotateError(v)
	case p.event.Call.IsTool():
		return Annotate(p.event.Call.Name, v)
	}
	return Annotate("", v)
}

// returned records an answer, and withholds it if that fails.
func (p *Passage) returned(ctx context.Context, v *toolvet.Reviewed, size int, failed bool) {
	e := &p.event
	e.Verdict, e.Took, e.Bytes, e.Failed = v.Verdict, time.Since(e.Began), size, failed
	observer := p.door.observer()
	if observer == nil || p.quiet && len(v.Findings) == 0 {
		return
	}
	if p.quiet && p.late(ctx) != nil {
		v.Verdict = noResult("log", "the result cannot be recorded, so it is withheld; the reason is in toolvet's log")
		return
	}
	if err := observer.Returned(context.WithoutCancel(ctx), e); err != nil {
		p.door.Logger.Error("a result could not be recorded", "tool", e.Call.Name, "err", err)
		v.Verdict = noResult("log", "the result cannot be recorded, so it is withheld; the reason is in toolvet's log")
	}
}

// late records the request of a quiet passage, because something was found in its answer.
func (p *Passage) late(ctx context.Context) error {
	e := p.event
	e.Verdict, e.Took, e.Bytes, e.Failed = p.verdict, 0, 0, false
	p.quiet = false
	err := p.door.observer().Judged(context.WithoutCancel(ctx), &e)
	if err != nil {
		p.door.Logger.Error("a request could not be recorded", "tool", logname.Tool(e.Call), "err", err)
	}
	p.event.Keep, p.event.Within = e.Keep, e.Within
	return err
}

// sentOf is what the server sent of what is left after a review of raw.
func sentOf(v *toolvet.Reviewed, raw json.RawMessage) json.RawMessage {
	if v.Sent != nil {
		return v.Sent
	}
	return raw
}

// noResult returns a no-go for a result, regardless of the checks.
func noResult(checkName, why string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: checkName, Stage: check.Output, Level: check.SecurityLevel, Message: why}}}
}

// Failed records that the call has no result, and returns an answer for the client if it still
// waits. Why continues the sentence "The call has no result:".
func (p *Passage) Failed(ctx context.Context, why string) Answer {
	Lost(ctx, p)
	if !p.event.Call.IsTool() {
		return Answer{protocol.RequestFailure(why).Raw(), true}
	}
	return Answer{protocol.Failure(p.event.Call.Name, why, p.Made(), p.request.Modern), false}
}

// Lost records the loss of results of admitted calls, even if ctx is done. It takes at most a
// second for all of them. It ignores nil passages and refused calls.
func Lost(ctx context.Context, passages ...*Passage) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	for _, p := range passages {
		if p == nil || p.refused || p.quiet || p.door.observer() == nil {
			continue
		}
		e := p.event
		e.Took, e.Failed = time.Since(e.Began), true
		if err := p.door.observer().Returned(ctx, &e); err != nil {
			p.door.Logger.Error("it could not be recorded that nothing came back of a call", "tool", e.Call.Name, "err", err)
		}
	}
}

// Call returns the call. An admitted call no longer has its arguments.
func (p *Passage) Call() *call.Call { return p.event.Call }

// isError reports whether a result has isError set.
func isError(raw []byte) bool {
	if !bytes.Contains(raw, []byte("isError")) && !bytes.Contains(raw, []byte(`\u`)) {
		return false // nearly all results
	}
	return string(splice.Get(raw, call.Limits{Bytes: len(raw)}, "isError")) == "true"
}
