// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// maxCall bounds a call, in bytes.
const maxCall = strictjson.DefaultBytes

// A judger judges calls in the form of files. It is safe for concurrent use.
type judger interface {
	judge(ctx context.Context, raw []byte) judged
}

// A judge judges calls of the tools of one list or server.
type judge struct {
	gate    *toolvet.Gate
	tools   *toolSet
	server  string // its name in the policy
	session *call.Session
	log     *slog.Logger

	client     servers.Client // of the server that runs; nil: none does
	schemaOnly bool           // no check runs beside that of the schema
}

func (j *judge) close(ctx context.Context) {
	if j.client != nil {
		j.client.Close(ctx)
	}
}

// A judged call has a result and its exit code. Err says why there is no verdict.
type judged struct {
	result protocol.Result
	code   int
	err    error
}

// A refusal makes a call a no-go before any check sees it, because the call is ambiguous or over a
// limit. The proxy would refuse it, too.
type refusal struct{ error }

func notJudged(err error) judged {
	return judged{result: failed(err), code: exitNotJudged, err: err}
}

// undecided judges a call that cannot be read.
func undecided(err error) judged {
	var refused refusal
	if errors.As(err, &refused) {
		return judged{result: failed(err), code: exitNoGo}
	}
	return notJudged(err)
}

// failed makes the result of a call that no check has seen.
func failed(err error) protocol.Result {
	r := protocol.NewResult("", toolvet.Verdict{})
	r.Errors = []string{err.Error()}
	return r
}

func (j *judge) judge(ctx context.Context, raw []byte) judged {
	c, err := j.decode(raw)
	if err != nil {
		return undecided(err)
	}
	c.Server, c.Session = j.server, j.session
	v := j.gate.Judge(ctx, c, toolvet.PointValidate)
	if err := ctx.Err(); err != nil {
		return notJudged(err)
	}
	out := judged{result: protocol.NewResult(c.Name, v)}
	if j.schemaOnly {
		out.result.Method = protocol.MethodSchemaOnly
	}
	if v.Go {
		j.askNative(ctx, c, (&protocol.Request{Call: c}).Native(v.Arguments), &out.result)
	}
	if out.result.Method == protocol.MethodSchemaOnly {
		j.log.Warn("judged by the tool's schema alone", "tool", c.Name, "method", out.result.Method)
	}
	if err := ctx.Err(); err != nil {
		return notJudged(err)
	}
	if !out.result.Valid {
		out.code = exitNoGo
	}
	return out
}

// nativeTime bounds an answer of the server's own validation.
const nativeTime = 10 * time.Second

// askNative asks the server's own validation, as the proxy does, if the server runs and announces it.
func (j *judge) askNative(ctx context.Context, c *call.Call, arguments json.RawMessage, r *protocol.Result) {
	if j.client == nil || c.Tool == nil || j.tools.listed.Tool(c.Name) != c.Tool {
		return
	}
	name, ok := j.client.NativeValidation()
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, nativeTime)
	defer cancel()
	d := door.Door{Gate: func() *toolvet.Gate { return j.gate }, Server: j.server, Point: toolvet.PointProxy, Logger: j.log, Vetted: new(door.Vetted)}
	n := door.Native{Name: name, Tools: j.tools.listed, Send: func(ctx context.Context, p *door.Passage) (json.RawMessage, error) {
		return j.client.Call(ctx, name, arguments)
	}}
	before := r.Method
	answer, err := d.Native(ctx, n, c, arguments, door.Request{})
	if r.AddNative(answer, err); r.Method == before {
		j.log.Warn("the server's own validation could not be used", "tool", c.Name, "method", r.Method, "err", err)
	}
}

func (j *judge) decode(raw []byte) (*call.Call, error) {
	tool, arguments, err := parts(raw)
	if err != nil {
		return nil, err
	}
	return j.newCall(tool, arguments)
}

// parts reads {"tool": …, "arguments": {…}}. It ignores other members, but only if "arguments" is there;
// otherwise one of them may be a misspelling of it.
func parts(raw []byte) (tool, arguments json.RawMessage, err error) {
	members, whole := strictjson.Members(raw, call.Limits{Bytes: maxCall})
	if whole != nil { // the arguments may be at fault, which their reader tells as at a door
		if members, err = strictjson.Outline(raw, call.Limits{Bytes: maxCall}); err != nil {
			return nil, nil, classify(whole)
		}
	}
	other := ""
	for _, m := range members {
		switch {
		case m.Key == "tool":
			tool = m.Raw
		case m.Key == "arguments":
			arguments = m.Raw
		case strings.EqualFold(m.Key, "tool"), strings.EqualFold(m.Key, "arguments"):
			return nil, nil, refusal{fmt.Errorf("the call has the key %q, which some readers take for %q: spell it that way",
				strictjson.Printable(m.Key, 64), strings.ToLower(m.Key))}
		default:
			other = strictjson.Printable(m.Key, 64)
		}
	}
	switch {
	case tool == nil:
		return nil, nil, errors.New(`the call has no "tool": a call is {"tool": …, "arguments": {…}}`)
	case arguments == nil && other != "":
		return nil, nil, fmt.Errorf(`the call has no "arguments", but %q: a call is {"tool": …, "arguments": {…}}`, other)
	case arguments == nil:
		arguments = json.RawMessage("{}")
	}
	if whole != nil {
		if _, err := call.DecodeArguments(arguments, call.Limits{}); err == nil {
			return nil, nil, classify(whole)
		}
	}
	return tool, arguments, nil
}

func (j *judge) newCall(tool, arguments json.RawMessage) (*call.Call, error) {
	catalog, name, err := j.tools.find(tool)
	if err != nil {
		return nil, classify(err)
	}
	c := &call.Call{Name: name}
	_ = c.Read(arguments, call.Limits{}) // the verdict on c tells
	c.Resolve(catalog)
	return c, nil
}

// classify distinguishes a call that the proxy would refuse (see refusal) from text that is no call.
func classify(err error) error {
	var text *strictjson.Error
	if errors.As(err, &text) {
		switch text.Kind {
		case strictjson.Syntax, strictjson.TrailingData, strictjson.NotObject:
			return err
		}
		return refusal{err}
	}
	return err
}

// writeJSON writes v on one line, with <, > and & as they are.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
