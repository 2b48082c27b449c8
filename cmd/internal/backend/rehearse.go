// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package backend

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
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

// A Rehearser makes calls in a sandbox and returns a CallToolResult with the report, as gateway.Server describes.
type Rehearser = func(ctx context.Context, calls []*call.Call, may func(context.Context, *call.Call) bool) (json.RawMessage, error)

// NewRehearser implements the tool "rehearse"; it returns nil if the policy does not offer the tool.
func NewRehearser(p *policy.Policy, command []string) (Rehearser, error) {
	if !p.Rehearsal.Allow {
		return nil, nil
	}
	init, err := SandboxInit()
	if err != nil {
		return nil, err
	}
	pool := rehearsal.PoolOf(p, command, init)
	return func(ctx context.Context, calls []*call.Call, may func(context.Context, *call.Call) bool) (json.RawMessage, error) {
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
		report.Conceal(func(path string) bool { return MayRead(ctx, calls[0], path, may) })
		var text strings.Builder
		if err := report.WriteText(&text); err != nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": text.String()}}})
	}, nil
}

// MayRead reports whether the caller of a call may read a file by any tool of the same server. May judges a call.
func MayRead(ctx context.Context, of *call.Call, path string, may func(context.Context, *call.Call) bool) bool {
	return slices.ContainsFunc(of.Known.Names(), func(name string) bool {
		raw := preset.Reading(of.Known.Tool(name), path)
		if raw == nil {
			return false
		}
		arguments, err := call.DecodeArguments(raw, call.Limits{})
		if err != nil {
			return false
		}
		c := &call.Call{Server: of.Server, Name: name, Arguments: arguments, Raw: raw, Session: of.Session}
		c.Resolve(of.Known)
		return may(ctx, c)
	})
}
