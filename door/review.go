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

// Review runs the output layer over what a server sends: a result, an error, or the params of
// a request or notification. Method is that of the request that is answered, or of the message
// itself. C is the call that is answered, or names the server alone.
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

// unread withholds what cannot be read.
func unread(err error) toolvet.Reviewed {
	f := check.Finding{Check: "policy", Stage: check.Output, Level: check.SecurityLevel, Message: err.Error(), Suggestion: "ask for less at once"}
	syntax, message := (*strictjson.Error)(nil), (*call.Error)(nil)
	switch {
	case errors.As(err, &syntax):
		f.Message = "the answer is no message that every reader reads alike: it " + syntax.Rule // without the place, which may repeat a name
		if syntax.Kind != strictjson.TooDeep && syntax.Kind != strictjson.TooLarge {
			f.Suggestion = ""
		}
	case errors.As(err, &message):
		f.Suggestion = ""
	}
	return toolvet.Reviewed{Verdict: toolvet.Verdict{Findings: []check.Finding{f}}}
}

// noted logs what was found in a result that is shown.
func (d *Door) noted(tool string, v toolvet.Verdict) {
	for _, f := range v.Findings {
		d.Logger.Info("found in what the server sent", "server", d.Server, "tool", tool, "check", f.Check, "at", f.Pointer)
	}
}

// Annotate returns a result as the client gets it: with the changes of a review, and with what
// the review found, in _meta and, for a model, as text behind the content. Every other byte
// stays as the server wrote it.
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
	if len(a.Text) == 0 || len(content) == 0 || content[0] != '[' { // _meta alone tells it
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
