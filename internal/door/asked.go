// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Ask judges and records a request of the server to the client: sampling, elicitation, roots. Rules
// and limits that name its method hold for it. The output layer reviews its params apart from this
// (see [Door.Review]). If the passage refuses the request, its Refusal is the answer for the server.
// Otherwise the caller must end it with [Passage.Answered] or [Passage.Unanswered].
func (d *Door) Ask(ctx context.Context, method string, params []byte, who *call.Session, r Request) *Passage {
	c, err := call.DecodeAsked(method, params, d.Limits)
	c.Server, c.Session = d.Server, who
	if err != nil {
		return d.Refuse(ctx, c, r, Fault("call", err.Error()))
	}
	p := d.Enter(ctx, c, r)
	p.Sending()
	p.Sent()
	return p
}

// Reply returns a passage for the client's answer to a request that is not known.
func (d *Door) Reply(who *call.Session, r Request) *Passage {
	return d.passage(&call.Call{Server: d.Server, Method: "elicitation/create", Name: "elicitation/create", Tool: call.RequestOf("elicitation/create").Tool, FromServer: true, Session: who}, r)
}

// Answered judges the client's answer to a request of the server, and records it. Raw is the result, or the
// JSON-RPC error if isErr is set. The values that a user gave to elicitation/create are judged like the
// arguments of a tool. The server gets the error in place of the answer.
func (p *Passage) Answered(ctx context.Context, raw json.RawMessage, isErr bool) error {
	if p == nil {
		return nil
	}
	defer p.Close()
	v := toolvet.Reviewed{Verdict: p.answer(ctx, raw)} // an error, too, must read the same to all
	p.returned(ctx, &v, len(raw), isErr)
	if v.Go {
		return nil
	}
	words := protocol.NewResult(p.event.Call.Name, v.Verdict)
	p.door.tell(slog.LevelWarn, "withheld what the client answered", p.event.Call, &words, inAnswer)
	return errors.New("the client's answer is withheld: " + words.Text())
}

func (p *Passage) answer(ctx context.Context, raw json.RawMessage) toolvet.Verdict {
	form, err := Lend(ctx, func(map[string]any) *call.Session { return p.event.Call.Session }, len(raw))
	if err != nil {
		return Fault("call", err.Error())
	}
	c, err := p.event.Call.DecodeAnswer(raw, p.door.Limits)
	form.Of(c)
	if err != nil {
		return Fault("call", err.Error())
	}
	return p.door.Gate().Judge(ctx, c, p.door.Point)
}

// Unanswered records that the client does not answer a request of the server.
func (p *Passage) Unanswered(ctx context.Context) {
	if p != nil {
		Lost(ctx, p)
		p.Close()
	}
}

// Questions judges what a message of the server asks of the client inside its result, error, or params of
// a notification: inputRequests (2026-07-28), and URLs to open in an error (2025-11-25). Each is judged
// like a request of the server's own. The client answers in a later request, which is judged, too. Raw is
// what the client would get. Questions returns a no-go that names the refused request.
func (d *Door) Questions(ctx context.Context, who *call.Session, r Request, raw json.RawMessage, isErr bool) toolvet.Verdict {
	if len(raw) == 0 || raw[0] != '{' || !isErr && !mayAsk(raw) {
		return toolvet.Verdict{Go: true}
	}
	limits, read := d.Limits, jsonrpc.Questions
	limits.Bytes = max(limits.Bytes, len(raw))
	if isErr {
		read = jsonrpc.ErrorQuestions
	}
	asked, err := read(raw, limits)
	if err != nil {
		return noResult("call", err.Error())
	}
	refused := toolvet.Verdict{}
	for _, q := range asked {
		question := d.Ask(ctx, q.Method, q.Params, who, r)
		question.Unanswered(ctx)
		if !question.refused {
			continue
		}
		for _, f := range question.verdict.Findings {
			f.Stage, f.Message = check.Output, "the server asks with "+strictjson.Printable(q.Method, 64)+", which is refused: "+f.Message
			refused.Findings = append(refused.Findings, f)
		}
	}
	refused.Go = len(refused.Findings) == 0
	return refused
}

// mayAsk cheaply rules out messages without inputRequests, which are nearly all. The name of the member
// may have escaped letters, or letters of the other case. It looks at the part of the name that no
// letter outside ASCII is a variant of, for a letter that is rare in texts.
func mayAsk(raw []byte) bool {
	const head, at = "inputReque", 7
	for _, q := range []byte{'q', 'Q'} {
		for next := at; next < len(raw); next++ {
			i := bytes.IndexByte(raw[next:], q)
			if i < 0 {
				break
			}
			next += i
			if from := next - at; from+len(head) <= len(raw) && bytes.EqualFold(raw[from:from+len(head)], []byte(head)) {
				return true
			}
		}
	}
	for _, escape := range []string{`\u004`, `\u005`, `\u006`, `\u007`} {
		if bytes.Contains(raw, []byte(escape)) {
			return true
		}
	}
	return false
}
