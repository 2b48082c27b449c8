// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// A Task is what a client under test does: it reads one a line, and writes its [Reply] as a line.
type Task struct {
	ID     int        `json:"id"`
	Server TaskServer `json:"server"`
	// One of these is set: the calls to ask about, or the path of an option.
	Validate      map[string]any `json:"validate,omitempty"` // tool, arguments and, maybe, levels
	Batch         map[string]any `json:"batch,omitempty"`    // calls
	HasCapability string         `json:"hasCapability,omitempty"`
}

// A TaskServer is how the client reaches the server that the kit plays.
type TaskServer struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// A Reply is a client's answer to a Task.
type Reply struct {
	ID     int      `json:"id"`
	Result any      `json:"result"` // the verdict, or a boolean for hasCapability
	Error  string   `json:"error,omitempty"`
	Log    []string `json:"log"` // what the client logged
}

// PlayClient plays the scenarios for clients. The Dialer starts the client. Behind returns the command of the server that the
// kit plays, and the requests that it got.
func (r *Run) PlayClient(ctx context.Context, behind func(s *Scenario) (command []string, requests func() ([]any, error), err error)) ([]Result, error) {
	all, err := Scenarios()
	if err != nil {
		return nil, err
	}
	p, err := dial(ctx, r.Dialer, "", r.timeout(), r.stderr())
	if err != nil {
		return nil, err
	}
	defer func() { p.close() }()
	var results []Result
	for _, s := range all {
		if s.Peer != Client || !r.wanted(s) {
			continue
		}
		began := time.Now()
		result := Result{Scenario: s, Status: Passed}
		if err := r.askClient(ctx, p, s, behind); err != nil {
			result.Status, result.Why = failure(s), err.Error()
		}
		result.Took = time.Since(began)
		results = append(results, result)
		if r.Report != nil {
			r.Report(result)
		}
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		if p.isGone() {
			p.close()
			if p, err = dial(ctx, r.Dialer, "", r.timeout(), r.stderr()); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}

func (r *Run) askClient(ctx context.Context, p *peer, s *Scenario, behind func(*Scenario) ([]string, func() ([]any, error), error)) error {
	command, requests, err := behind(s)
	if err != nil {
		return err
	}
	ask := maps.Clone(s.Ask)
	var reply message
	for range max(1, s.Times) {
		ask["id"], ask["server"] = p.next(), TaskServer{command[0], command[1:]}
		line, err := json.Marshal(ask)
		if err != nil {
			return err
		}
		if reply, err = p.exchange(ctx, string(line), fmt.Sprint(ask["id"])); err != nil {
			return err
		}
	}
	sent, err := requests()
	if err != nil {
		return err
	}
	for _, e := range s.Expect {
		if err := holds(e, map[string]any{"reply": reply, "behind": sent, "log": reply["log"]}); err != nil {
			return err
		}
	}
	return nil
}
