// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// newSchemaGate makes the Gate for servers without a policy. It has only the checks of the
// stage schema.
func newSchemaGate() (*toolvet.Gate, error) {
	var checks []*check.Check
	for _, c := range suite.Default() {
		if c.Stage == check.Schema {
			checks = append(checks, c)
		}
	}
	return toolvet.New(toolvet.WithChecks(checks...))
}

// gate returns the gate of a server at this moment, and whether it comes from a policy.
func (s *Set) gate(server string) (g *toolvet.Gate, own bool) {
	if s.cfg.Gate != nil {
		return s.cfg.Gate(server), true
	}
	return s.schema, false
}

// A target is the tool of a call and the connection to its server.
type target struct {
	*peer
	call *call.Call
	link *link
}

// An unjudged error reports an unavailable server. Its calls cannot be judged. Other errors are
// faults of the call itself.
type unjudged struct{ err error }

func (u unjudged) Error() string {
	return "the server's tools could not be listed, so the call cannot be judged: " + u.err.Error()
}

func (u unjudged) Unwrap() error { return u.err }

// target finds the tool of a call and reads the arguments. The tool may be unknown: the checks
// report that. The error is an unjudged one if the fault is not the call's. Beside an error, c
// holds the readable parts of the call. In a dry run the verdict tells of unreadable arguments.
func (s *Set) target(ctx context.Context, name string, arguments json.RawMessage, o callOptions, dry bool) (t *target, c *call.Call, err error) {
	c = &call.Call{Name: name, Session: o.session}
	server, tool, err := ParseName(name)
	var p *peer
	if err == nil {
		c.Name = tool
		p, err = s.peer(server)
	}
	var limits call.Limits
	if p != nil {
		c.Server, limits = server, messages
	}
	form, fault := door.Lend(ctx, func(map[string]any) *call.Session { return o.session }, len(arguments))
	if fault == nil {
		fault = read(c, arguments, o.Params, limits)
	}
	form.Of(c)
	switch {
	case c.Unread == nil:
	case dry:
		fault = nil
	default: // refused as a call, and without the text, which may be no JSON
		c.Raw, c.Unread = nil, nil
	}
	if err == nil {
		err = fault
	}
	if err == nil {
		var tools *call.Catalog
		var l *link
		if tools, l, err = p.tool(ctx, tool); err == nil {
			c.Resolve(tools)
			return &target{peer: p, call: c, link: l}, c, nil
		}
		err = unjudged{err}
	}
	c.Name = strictjson.Printable(c.Name, 128)
	return nil, c, err
}

// read reads the arguments of a call, and the other members of its params.
func read(c *call.Call, arguments, params json.RawMessage, limits call.Limits) error {
	if arguments == nil {
		arguments = json.RawMessage("{}")
	}
	if err := c.Read(arguments, limits); err != nil {
		return err
	}
	if params == nil {
		return nil
	}
	// The other members, without the arguments, which are read already.
	rest, err := withMembers(params, limits, strictjson.Member{Key: "name", Raw: json.RawMessage(`"tool"`)}, strictjson.Member{Key: "arguments"})
	if err != nil {
		return err
	}
	others, err := call.DecodeParams(rest, limits)
	if err != nil {
		return err
	}
	c.Meta, c.Inputs, c.Unknown, c.Extra = others.Meta, others.Inputs, others.Unknown, others.Extra
	return nil
}

// noGo returns the verdict on a call that reached no check. Text describes an error of the server.
func noGo(err error, text func(error) string) toolvet.Verdict {
	var unknown *unknownServerError
	var late unjudged
	switch {
	case errors.As(err, &unknown):
		v := door.Fault("known-server", err.Error())
		if unknown.Near != "" {
			v.Findings[0].Suggestion = fmt.Sprintf("did you mean %q?", unknown.Near)
		}
		return v
	case errors.As(err, &late):
		if down := (*UnavailableError)(nil); errors.As(late.err, &down) && errors.As(down.Err, new(*RefusedError)) { // of the handshake, in the server's words
			hidden := *down
			hidden.Err = errors.New("it refuses to connect")
			return door.Unlisted(errors.New(text(&hidden)))
		}
		return door.Unlisted(described{late.err, text(late.err)})
	}
	return door.Unread(err)
}

// A described error carries the caller's own text.
type described struct {
	error
	text string
}

func (d described) Error() string { return d.text }
func (d described) Unwrap() error { return d.error }
