// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/splice"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/protocol"
)

// Review runs the output layer over a result, an error, or the params of a request or
// notification from a server. For an answer, method is the method of its request; otherwise it
// is the message's own. C is the call behind an answer, or names only the server.
func (d *Door) Review(ctx context.Context, c *call.Call, method string, raw json.RawMessage) toolvet.Reviewed {
	gate := d.Gate()
	if !gate.Reviews() {
		return toolvet.Reviewed{Verdict: toolvet.Verdict{Go: true}, Raw: raw}
	}
	return d.reviewBy(ctx, gate, c, method, raw)
}

func (d *Door) reviewBy(ctx context.Context, gate *toolvet.Gate, c *call.Call, method string, raw json.RawMessage) toolvet.Reviewed {
	read, err := result.Read(method, raw)
	if err != nil {
		d.Logger.Error("what a server sent is withheld: it could not be read", "server", d.Server, "method", method, "err", err)
		return unread(err)
	}
	return gate.Review(ctx, c, read)
}

// unread returns a no-go for an unreadable message.
func unread(err error) toolvet.Reviewed {
	f := check.Finding{Check: "policy", Stage: check.Output, Level: check.SecurityLevel, Message: err.Error(), Suggestion: "ask for less at once"}
	syntax, message := (*strictjson.Error)(nil), (*call.Error)(nil)
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
	for _, f := range v.Findings {
		d.Logger.Info("found in what the server sent", "server", d.Server, "tool", tool, "check", f.Check, "at", f.Pointer)
	}
}

// Annotate returns a result with the changes and findings of its review. The findings go into
// _meta and, for the model, into text blocks after the content. Every other byte stays as the
// server wrote it.
func Annotate(tool string, v *toolvet.Reviewed) (json.RawMessage, error) {
	a := protocol.Annotate(tool, v)
	if a.Meta == nil || len(v.Raw) == 0 || v.Raw[0] != '{' {
		return v.Raw, nil
	}
	d := splice.New(v.Raw, call.Limits{Bytes: len(v.Raw)})
	if err := d.Set(a.Meta, "_meta", protocol.VerdictKey); err != nil {
		return nil, err
	}
	content := bytes.TrimSpace(d.Get("content"))
	if len(a.Text) == 0 || len(content) == 0 || content[0] != '[' { // only _meta has room for it
		return d.Text(), nil
	}
	empty := splice.Empty(content)
	for _, block := range a.Text {
		content = splice.Append(content, empty, block)
		empty = false
	}
	if err := d.Set(content, "content"); err != nil {
		return nil, err
	}
	return d.Text(), nil
}
