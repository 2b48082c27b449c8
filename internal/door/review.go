// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/logname"
	"github.com/toolvet/toolvet/internal/machine/budget"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Review runs the output layer over a result, an error, or the params of a request or
// notification from a server. For an answer, method is the method of its request; otherwise it
// is the message's own. C is the call behind an answer, or names only the server.
//
// Findings in a definition, such as a list of tools, in a question and in a notification are recorded here. A passage records those in
// its answer.
func (d *Door) Review(ctx context.Context, c *call.Call, method string, raw json.RawMessage) toolvet.Reviewed {
	v := d.look(ctx, c, method, raw)
	if len(v.Findings) == 0 || d.observer() == nil {
		return v
	}
	known, own := call.RequestOf(method), call.KnownAsk(method) || strings.HasPrefix(method, "notifications/")
	if own || known != nil && known.Implied {
		of := &call.Call{Server: d.Server, Method: method, Name: method, Session: c.Session, FromServer: own}
		if known != nil {
			of.Tool = known.Tool
		}
		p := d.passage(of, Request{})
		p.quiet, p.verdict = true, toolvet.Verdict{Go: true}
		p.event.Began = time.Now()
		p.returned(ctx, &v, len(raw), false)
	}
	return v
}

// ReviewError is Review for a JSON-RPC error, which has what the model must be told behind its message. False says that it must
// not be shown.
func (d *Door) ReviewError(ctx context.Context, c *call.Call, method string, raw json.RawMessage) (json.RawMessage, bool) {
	v := d.Review(ctx, c, method, raw)
	if !v.Go {
		return nil, false
	}
	shown, err := annotateError(&v)
	return shown, err == nil
}

// look is Review without a record.
func (d *Door) look(ctx context.Context, c *call.Call, method string, raw json.RawMessage) toolvet.Reviewed {
	gate := d.Gate()
	if !inside.Of(gate).Reviews() {
		return toolvet.Reviewed{Verdict: toolvet.Verdict{Go: true}, Raw: raw}
	}
	sum, list := sumOf(method, raw)
	if list && d.Vetted.has(gate, sum) {
		return toolvet.Reviewed{Verdict: toolvet.Verdict{Go: true}, Raw: raw}
	}
	reviewed := d.reviewBy(ctx, gate, c, method, raw)
	if list {
		d.Vetted.learn(gate, sum, raw, &reviewed)
	}
	return reviewed
}

// short is the largest result, in bytes, that waits for no other.
const short = 64 << 10

// reviewWait bounds the wait of a large result for the reviews of others.
const reviewWait = 10 * time.Second

func (d *Door) reviewBy(ctx context.Context, gate *toolvet.Gate, c *call.Call, method string, raw json.RawMessage) toolvet.Reviewed {
	var loan *budget.Loan
	var err error
	if len(raw) > short {
		loan, err = budget.Work.Take(ctx, "server "+d.Server, len(raw), reviewWait)
		defer loan.Return()
	}
	var read *result.Result
	if err == nil {
		read, err = result.Read(method, raw)
	}
	if err != nil {
		d.Logger.Error("what a server sent is withheld: it could not be read", "server", d.Server, "method", logname.Method(method), "err", err)
		return unread(err)
	}
	return gate.Review(ctx, c, read)
}

// unread returns a no-go for an unreadable message.
func unread(err error) toolvet.Reviewed {
	f := check.Finding{Check: "policy", Stage: check.Output, Level: check.SecurityLevel, Message: err.Error(), Suggestion: "ask for less at once"}
	syntax, message := (*strictjson.Error)(nil), (*jsonrpc.Error)(nil)
	switch {
	case errors.As(err, &syntax):
		f.Message = "the answer is no message that every reader reads alike: it " + syntax.Rule // without the place, which may contain a name
		if syntax.Kind != strictjson.TooDeep && syntax.Kind != strictjson.TooLarge {
			f.Suggestion = ""
		}
	case errors.As(err, &message):
		f.Suggestion = ""
	}
	return toolvet.Reviewed{Verdict: toolvet.Verdict{Findings: []check.Finding{f}}}
}

// noted logs the findings in a result that the client gets.
func (d *Door) noted(tool string, v toolvet.Verdict) {
	logname.Findings(v.Findings, inAnswer, func(attributes ...any) {
		d.Logger.Info("found in what the server sent", append([]any{"server", d.Server, "tool", tool}, attributes...)...)
	})
}

// Annotate returns a result with the changes and findings of its review. The findings go into
// _meta and, for the model, into text blocks after the content. Every other byte stays as the
// server wrote it. An error reports a result in which a model would read no note beside the text.
func Annotate(tool string, v *toolvet.Reviewed) (json.RawMessage, error) {
	a := protocol.Annotate(tool, v)
	if a.Meta == nil {
		return v.Raw, nil
	}
	limits := call.Limits{Bytes: len(v.Raw)}
	d := splice.New(v.Raw, limits)
	if err := d.Set(a.Meta, "_meta", protocol.VerdictKey); err != nil {
		return nil, err
	}
	if len(a.Text) == 0 {
		return d.Text(), nil
	}
	path, err := contentOf(d, v.Raw, limits)
	if path == nil { // only _meta has room for it
		return d.Text(), err
	}
	content := bytes.TrimSpace(d.Get(path...))
	if len(content) == 0 || string(content) == "null" {
		content = []byte("[]") // clients show the structured content of such a result
	}
	if content[0] != '[' {
		return nil, errors.New("the content of the result is no array")
	}
	empty := splice.Empty(content)
	for _, block := range a.Text {
		content = splice.Append(content, empty, block)
		empty = false
	}
	if err := d.Set(content, path...); err != nil {
		return nil, err
	}
	return d.Text(), nil
}

// contentOf returns the path to the content of a tool's result, in a call's answer or in a task
// (SEP-2663), or nil if there is no such result. The error reports a variant of a name that some clients
// take for the member.
func contentOf(d *splice.Document, raw []byte, limits call.Limits) ([]string, error) {
	for _, name := range shownMembers {
		if err := plainMembers(raw, name, limits); err != nil {
			return nil, err
		}
	}
	for _, parent := range [][]string{nil, {"result"}} {
		for _, name := range shownMembers {
			if d.Get(append(slices.Clip(parent), name)...) != nil {
				return append(slices.Clip(parent), "content"), nil
			}
		}
	}
	return nil, nil
}

// shownMembers are the members of a tool's result that clients show a model.
var shownMembers = []string{"content", "structuredContent"}

// annotateError returns an error with the notes of its review behind its message, which clients show a
// model in place of a result.
func annotateError(v *toolvet.Reviewed) (json.RawMessage, error) {
	if len(v.Notes) == 0 {
		return v.Raw, nil
	}
	limits := call.Limits{Bytes: len(v.Raw)}
	if err := plainMembers(v.Raw, "message", limits); err != nil {
		return nil, err
	}
	d := splice.New(v.Raw, limits)
	var message string
	if json.Unmarshal(d.Get("message"), &message) != nil {
		return nil, errors.New("the error has no message")
	}
	noted, err := json.Marshal(strings.Join(append([]string{message}, v.Notes...), "\n"))
	if err != nil {
		return nil, err
	}
	if err := d.Set(noted, "message"); err != nil {
		return nil, err
	}
	return d.Text(), nil
}
