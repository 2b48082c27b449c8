// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/rehearsal"
)

// rehearsalTime bounds a rehearsal, which may have to start the server.
const rehearsalTime = 60 * time.Second

// Before makes the check that rehearses calls before they run, of a policy's only server. The command starts
// the server; nil stands for the policy's.
func Before(command []string) enforce.Before {
	return func(p *policy.Sealed) (*check.Check, error) {
		init, err := SandboxInit()
		if err != nil {
			return nil, err
		}
		return rehearsal.Before(command, init)(p)
	}
}

// A Rehearser makes calls in a sandbox and returns a CallToolResult with the report.
type Rehearser = func(context.Context, []*call.Call) (json.RawMessage, error)

// NewRehearser implements the tool "rehearse"; it returns nil if the policy does not offer the tool.
func NewRehearser(p *policy.Policy, command []string) (Rehearser, error) {
	if !p.Rehearsal.Allow {
		return nil, nil
	}
	init, err := SandboxInit()
	if err != nil {
		return nil, err
	}
	pool, err := rehearsal.PoolOf(p, command, init)
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
			session.Call(ctx, rehearsal.Call{Tool: c.Name, Arguments: c.Raw})
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
