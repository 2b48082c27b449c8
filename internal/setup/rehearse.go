// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/rehearse"
)

// rehearsalTime bounds a judgement with a rehearsal, which may have to start the server.
const rehearsalTime = 60 * time.Second

// newPool makes a pool of rehearsals of a policy's only server. The command starts the server; nil stands for
// the policy's. A server that the pool keeps ready ends by itself.
func newPool(p *policy.Policy, command []string) (*rehearse.Pool, error) {
	cfg := rehearse.Config{Command: command, Dir: p.Servers[0].Dir, Pass: p.Rehearsal.Env, Network: p.Rehearsal.Network}
	if command == nil {
		cfg.Command = p.Servers[0].Command
	}
	var err error
	if cfg.Init, err = SandboxInit(); err != nil {
		return nil, err
	}
	if cfg.Env, err = p.Servers[0].Environ(os.LookupEnv); err != nil {
		return nil, err
	}
	return rehearse.NewPool(cfg), nil
}

// NewRehearsingGate makes the gate of a policy's only server, which rehearses calls where the policy
// demands it.
func (c Checks) NewRehearsingGate(e *access.Enforcer, p *policy.Policy, command []string) (*toolvet.Gate, error) {
	if len(p.Rehearsal.Before) == 0 {
		return c.NewGate(e, p)
	}
	pool, err := newPool(p, command)
	if err != nil {
		return nil, err
	}
	return c.NewGate(e, p, toolvet.WithMoreChecks(rehearse.NewCheck(p.Rehearsal, pool.Take)), toolvet.WithTimeout(rehearsalTime))
}

// A Rehearser makes calls in a sandbox and returns a CallToolResult with the report.
type Rehearser = func(context.Context, []*call.Call) (json.RawMessage, error)

// NewRehearser implements the tool "rehearse"; it returns nil if the policy does not offer the tool.
func NewRehearser(p *policy.Policy, command []string) (Rehearser, error) {
	if !p.Rehearsal.Allow {
		return nil, nil
	}
	pool, err := newPool(p, command)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, calls []*call.Call) (json.RawMessage, error) {
		ctx, cancel := context.WithTimeout(ctx, rehearsalTime)
		defer cancel()
		session, err := pool.Take(ctx)
		if err != nil {
			return nil, err
		}
		defer session.Close()
		for _, c := range calls {
			session.Call(ctx, rehearse.Call{Tool: c.Name, Arguments: c.Raw})
		}
		report, err := session.Finish(ctx)
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		if err := report.WriteText(&text); err != nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": text.String()}}})
	}, nil
}
