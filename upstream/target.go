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
)

// newSchemaGate makes the Gate that holds where there is no policy: the checks of the stage
// schema.
func newSchemaGate() (*toolvet.Gate, error) {
	var checks []*check.Check
	for _, c := range suite.Default() {
		if c.Stage == check.Schema {
			checks = append(checks, c)
		}
	}
	return toolvet.New(toolvet.WithChecks(checks...))
}

// gate is the gate of a server at this moment, and whether it is of a policy.
func (s *Set) gate(server string) (g *toolvet.Gate, own bool) {
	if s.cfg.Gate != nil {
		if g := s.cfg.Gate(server); g != nil {
			return g, true
		}
	}
	return s.schema, false
}

// A target is the tool that a name means, and the connection on which it was found.
type target struct {
	*peer
	call *call.Call
	link *link
}

// An unjudged error says why a call could not be judged: the server is not available. Others
// are faults of the call itself.
type unjudged struct{ error }

func (u unjudged) Unwrap() error { return u.error }

// target finds the tool that a call names, and reads its arguments. The tool may be unknown;
// that is for the checks to say. The error is an unjudged one if the fault is not the call's.
func (s *Set) target(ctx context.Context, name string, arguments json.RawMessage, o callOptions) (*target, error) {
	server, tool, err := ParseName(name)
	if err != nil {
		return nil, err
	}
	p, err := s.peer(server)
	if err != nil {
		return nil, err
	}
	c := &call.Call{Server: server, Name: tool, Raw: arguments, Session: o.session}
	if arguments == nil {
		c.Raw = json.RawMessage("{}")
	}
	if c.Arguments, err = call.DecodeArguments(c.Raw, p.cfg.Limits); err != nil {
		return nil, err
	}
	if meta := memberOf(o.Params, "_meta", p.cfg.Limits); meta != nil {
		if c.Meta, err = call.DecodeArguments(meta, p.cfg.Limits); err != nil {
			return nil, fmt.Errorf(`"_meta" cannot be used: %w`, err)
		}
	}
	tools, l, err := p.tool(ctx, tool)
	if err != nil {
		return nil, unjudged{fmt.Errorf("the server's tools could not be listed, so the call cannot be judged: %w", err)}
	}
	c.Resolve(tools)
	return &target{peer: p, call: c, link: l}, nil
}

// noGo is the verdict on a call that no check has seen.
func noGo(err error) toolvet.Verdict {
	name := "call"
	var unknown *UnknownServerError
	var late unjudged
	switch {
	case errors.As(err, &unknown):
		name = "known-server"
	case errors.As(err, &late):
		name = "known-tool"
	}
	f := check.Finding{Check: name, Stage: check.Schema, Level: check.SyntaxLevel, Message: err.Error()}
	if unknown != nil && unknown.Near != "" {
		f.Suggestion = fmt.Sprintf("did you mean %q?", unknown.Near)
	}
	return toolvet.Verdict{Findings: []check.Finding{f}}
}
