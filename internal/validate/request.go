// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/protocol"
)

// A Request is one call of the validate tool or of the batch tool. It is used until its
// answer is known, which may be after Answer has returned a task: nothing in it may change.
type Request struct {
	Call   *call.Call    // as it came in, with its server and session
	Method string        // name of the validate tool
	Tools  *call.Catalog // where targets are looked up
	Gate   *toolvet.Gate
	Modern bool // the request speaks 2026-07-28 or later
	Tasks  bool // the door serves tasks

	// Find finds the server of a tool, where there are several, and the tool's name there. Nil:
	// all tools are in Tools.
	Find func(ctx context.Context, tool string) (Found, string)

	// Judged is told of each verdict on a target, and may refuse what it was told: a hook
	// for logs. It returns the verdict that counts. Nil: nobody is told.
	Judged func(ctx context.Context, target *call.Call, v toolvet.Verdict, took time.Duration) toolvet.Verdict
	// Refused is told of a request that is refused itself, alone or in a batch, as the call of
	// the validate tool that it is. It returns the verdict that counts. Nil: nobody is told.
	Refused func(ctx context.Context, own *call.Call, v toolvet.Verdict) toolvet.Verdict
	// Native asks the server's own validate tool, whose CallToolResult it returns, within a
	// bounded time. Nil: it has none.
	Native func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error)
	// Progress tells the client of progress; it fills in the token. Nil: it need not be told.
	Progress func(protocol.Progress)
}

// Found is what a [Request] says of one server, for the calls of its tools.
type Found struct {
	Server string
	Tools  *call.Catalog
	Gate   *toolvet.Gate
	Native func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error)
	// Unknown is the verdict on a tool that is no server's, or whose server does not answer; nil
	// for others.
	Unknown *toolvet.Verdict
}

// at is where a call is judged whose tool has this name at its door, and the name there.
func (r *Request) at(ctx context.Context, tool any) (Found, string) {
	if name, ok := tool.(string); ok && r.Find != nil && name != r.Method && name != protocol.BatchName(r.Method) {
		return r.Find(ctx, name)
	}
	return Found{Server: r.Call.Server, Tools: r.Tools, Gate: r.Gate, Native: r.Native}, ""
}

// Answer answers a call for which [Validator.Answers] is true with a CallToolResult, or, to a
// client that knows tasks, with a CreateTaskResult if that takes long. It returns nil if ctx
// is done before: then nobody waits any more.
func (v *Validator) Answer(ctx context.Context, r *Request) json.RawMessage {
	t := newTeller(r.Progress)
	defer t.stop()
	if r.Tasks && r.Modern && v.cfg.TaskAfter > 0 && protocol.DeclaresTasks(r.Call.Meta) {
		return v.tasks.run(ctx, ownerOf(r.Call.Session), v.cfg.TaskAfter, t, func(ctx context.Context) json.RawMessage { return v.answer(ctx, r, t) })
	}
	return v.answer(ctx, r, t)
}

func (v *Validator) answer(ctx context.Context, r *Request, t *teller) json.RawMessage {
	if r.Call.Name == protocol.BatchName(r.Method) {
		return v.answerBatch(ctx, r, t)
	}
	q, refused := v.admit(ctx, r, r.Call.Raw, r.Call.Arguments)
	if refused != nil {
		return r.refusal(*refused)
	}
	result := v.judge(ctx, r, q, t.checks)
	return result.Answer(r.Modern)
}

// An admitted is a request that is to be judged, and where.
type admitted struct {
	*protocol.Request
	Found
}

// admit judges a request of the validate tool, alone or in a batch, as the live call of that
// tool that it is, with the limits of that tool, and reads it. One of the results is nil.
func (v *Validator) admit(ctx context.Context, r *Request, raw json.RawMessage, arguments map[string]any) (*admitted, *toolvet.Verdict) {
	at, name := r.at(ctx, arguments["tool"])
	own := &call.Call{
		Server: at.Server, Name: r.Method, Tool: v.validate, Known: at.Tools, Arguments: arguments, Raw: raw,
		Meta: r.Call.Meta, Session: r.Call.Session, Validation: true,
	}
	if verdict := at.Gate.Judge(ctx, own, toolvet.PointLibrary); !verdict.Go {
		return nil, r.refuse(ctx, own, verdict)
	}
	q, err := protocol.DecodeRequest(raw, at.Tools, v.cfg.Limits)
	if err != nil {
		return nil, r.refuse(ctx, own, malformed(err.Error()))
	}
	q.Call.Server, q.Call.Meta, q.Call.Session = at.Server, r.Call.Meta, r.Call.Session
	if name != "" {
		q.Call.Name = name
		q.Call.Resolve(at.Tools)
	} else if tool := v.definition(q.Call.Name, r.Method); tool != nil {
		q.Call.Tool, q.Call.Validation = tool, true
	}
	return &admitted{q, at}, nil
}

func malformed(message string) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{
		Check: "input-schema", Stage: check.Schema, Level: check.SyntaxLevel, Message: message,
	}}}
}

// refuse tells of a request that is refused itself.
func (r *Request) refuse(ctx context.Context, own *call.Call, v toolvet.Verdict) *toolvet.Verdict {
	if r.Refused != nil {
		v = r.Refused(ctx, own, v)
	}
	return &v
}

// refusal is the answer to a request that is refused itself.
func (r *Request) refusal(v toolvet.Verdict) json.RawMessage {
	result := protocol.NewResult(r.Call.Name, v)
	return result.Refusal(r.Modern)
}

// judge answers a request that was admitted.
func (v *Validator) judge(ctx context.Context, r *Request, q *admitted, progress func(toolvet.Progress)) protocol.Result {
	began := time.Now()
	if q.Unknown != nil {
		return r.unknown(ctx, q)
	}
	verdict, kept := v.kept.verdict(ctx, q.Gate, q.Request, progress)
	q.Gate.Peek(ctx, q.Call, &verdict)
	found := len(verdict.Findings)
	if r.Judged != nil {
		verdict = r.Judged(ctx, q.Call, verdict, time.Since(began))
	}
	result := protocol.NewResult(q.Call.Name, verdict)
	switch {
	case q.Found.Native == nil || !q.Gate.Visible(ctx, q.Call):
		kept.tell(&result, found == kept.findings && len(verdict.Findings) == found)
	case asksNative(q.Levels):
		kept.tell(&result, false) // how long the other's answer holds is not known
		result.AddNative(q.Found.Native(ctx, q.Request.Native()))
	default:
		kept.tell(&result, false)
		result.SkipNative()
	}
	return result
}

// unknown answers for a tool that is no server's.
func (r *Request) unknown(ctx context.Context, q *admitted) protocol.Result {
	verdict := *q.Unknown
	if r.Judged != nil {
		verdict = r.Judged(ctx, q.Call, verdict, 0)
	}
	return protocol.NewResult(q.Call.Name, verdict)
}
