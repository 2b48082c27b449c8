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
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
)

// A Request is one call of the validate tool or of the batch tool. It is in use until its answer is
// known, which may be after Answer has returned a task, so nothing in it may change.
type Request struct {
	Call   *call.Call    // as received, with its server and session
	Method string        // name of the validate tool
	Tools  *call.Catalog // that contains the targets
	Gate   *toolvet.Gate
	Modern bool // the request speaks 2026-07-28 or later
	Tasks  bool // the door serves tasks

	// Find finds the server of a tool if there are several, and the tool's name there. Nil: all tools
	// are in Tools.
	Find func(ctx context.Context, tool string) (Found, string)

	// Judged receives each verdict on a target, as a hook for logs. It may refuse the call, and returns
	// the final verdict. May be nil.
	Judged func(ctx context.Context, target *call.Call, v toolvet.Verdict, took time.Duration) toolvet.Verdict
	// Refused receives a refused request, alone or in a batch, as a call of the validate tool. It
	// returns the verdict that counts. Nil: nobody is told.
	Refused func(ctx context.Context, own *call.Call, v toolvet.Verdict) toolvet.Verdict
	// Native asks the server's own validate tool about target within a bounded time, and returns its
	// CallToolResult. Only calls with a go reach it. Nil: the server has none.
	Native Native
	// Progress sends progress to the client, with the token filled in. May be nil.
	Progress func(protocol.Progress)
}

// Found describes one server of a [Request], for calls of its tools.
type Found struct {
	Server string
	Tools  *call.Catalog
	Gate   *toolvet.Gate
	Native Native
	// Unknown is the verdict on a tool without a server, or with a server that does not answer; nil for
	// others.
	Unknown *toolvet.Verdict
	// Expose returns the client's name for a tool of the server; nil: both use the same.
	Expose func(own string) string
}

// at finds the server for a tool by its name at the door, and its name at the server.
func (r *Request) at(ctx context.Context, tool any) (Found, string) {
	if name, ok := tool.(string); ok && r.Find != nil && name != r.Method && name != protocol.BatchName(r.Method) {
		return r.Find(ctx, name)
	}
	return Found{Server: r.Call.Server, Tools: r.Tools, Gate: r.Gate, Native: r.Native}, ""
}

// Answer answers a call of one of the Validator's tools (see [Validator.Answers]) with a
// CallToolResult. If that takes long, a client with support for tasks gets a CreateTaskResult. If ctx
// is done before, Answer returns nil.
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
	q, refused := v.admit(ctx, r, r.Call.Raw)
	if refused != nil {
		return r.refusal(*refused)
	}
	result := v.judge(ctx, r, q, t.checks)
	return result.Answer(r.Modern)
}

// An admitted is a request to be judged, with its server.
type admitted struct {
	*protocol.Request
	Found
	asked string // the tool as the client named it
}

// admit judges the call of the validate tool itself, alone or in a batch, with that tool's limits, and
// reads it. One of the results is nil. The arguments of the described call play no part in this: they are
// judged as those of its target, and whatever is wrong with them is told in the verdict on it.
func (v *Validator) admit(ctx context.Context, r *Request, raw json.RawMessage) (*admitted, *toolvet.Verdict) {
	own := &call.Call{Server: r.Call.Server, Name: r.Method, Tool: v.validate, Meta: r.Call.Meta, Session: r.Call.Session, Validation: true}
	var err error
	if own.Arguments, own.Raw, err = protocol.Hollow(raw, v.cfg.Limits); err != nil {
		return nil, r.refuse(ctx, own, malformed(err.Error()))
	}
	if _, has := own.Arguments["arguments"]; !has && !misspelt(own.Arguments) {
		own.Arguments["arguments"] = map[string]any{}
	}
	at, name := r.at(ctx, own.Arguments["tool"])
	own.Server, own.Known = at.Server, at.Tools
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
	asked, _ := own.Arguments["tool"].(string)
	return &admitted{q, at, asked}, nil
}

// misspelt reports whether the arguments of the validate tool have a member that it does not take, which
// may be the one that is missing.
func misspelt(arguments map[string]any) bool {
	for key := range arguments {
		if key != "tool" && key != "levels" {
			return true
		}
	}
	return false
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

// refusal answers a request that is refused itself.
func (r *Request) refusal(v toolvet.Verdict) json.RawMessage {
	result := protocol.NewResult(r.Call.Name, v)
	return result.Refusal(r.Modern)
}

// judge answers an admitted request.
func (v *Validator) judge(ctx context.Context, r *Request, q *admitted, progress func(engine.Progress)) protocol.Result {
	began := time.Now()
	if q.Unknown != nil && q.Call.Unread == nil {
		return r.unknown(ctx, q)
	}
	verdict, kept := v.kept.verdict(ctx, q.Gate, q.Request, progress)
	inside.Of(q.Gate).Peek(ctx, q.Call, &verdict)
	found := len(verdict.Findings)
	if r.Judged != nil {
		verdict = r.Judged(ctx, q.Call, verdict, time.Since(began))
	}
	result := q.result(verdict)
	switch {
	case !q.asks(ctx, verdict):
		kept.tell(&result, found == kept.findings && len(verdict.Findings) == found)
	case asksNative(q.Levels):
		kept.tell(&result, false) // the life of the server's answer is unknown
		result.AddNative(q.Found.Native(ctx, q.Call, q.Request.Native(verdict.Arguments)))
	default:
		kept.tell(&result, false)
		result.SkipNative()
	}
	if result.Valid && len(q.Levels) == 0 && protocol.AsksToken(r.Call.Meta) {
		if token, ok := inside.Of(q.Gate).Token(q.Call, result.NativeToken); ok {
			result.Token = &protocol.Token{Token: token, TTLMS: binding.Life.Milliseconds()}
		}
	}
	return result
}

// unknown answers for a tool without a server.
func (r *Request) unknown(ctx context.Context, q *admitted) protocol.Result {
	verdict := *q.Unknown
	if r.Judged != nil {
		verdict = r.Judged(ctx, q.Call, verdict, 0)
	}
	return q.result(verdict)
}

// result puts a verdict into words, with the names that the client used.
func (q *admitted) result(v toolvet.Verdict) protocol.Result {
	result := protocol.NewResult(q.Call.Name, v)
	if q.Expose != nil {
		result.Called(q.asked, q.Expose)
	}
	return result
}
