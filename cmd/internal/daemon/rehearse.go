// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/rehearsal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"
)

// rehearser rehearses calls of jobs, each with a server of its own in a sandbox.
func (p *Plan) rehearser(servers jobServers) func(context.Context, string, json.RawMessage, *call.Session) (*schedule.Rehearsal, error) {
	return func(ctx context.Context, tool string, arguments json.RawMessage, owner *call.Session) (*schedule.Rehearsal, error) {
		server, name, err := upstream.ParseName(tool)
		if err != nil {
			return nil, err
		}
		described, gate := servers.lookup(server)
		if described == nil {
			return nil, fmt.Errorf("there is no server %q", server)
		}
		added, err := described.Environ(os.LookupEnv)
		switch {
		case err != nil:
			return nil, err
		case len(described.Command) == 0 || described.World.Remote:
			return nil, fmt.Errorf("toolvet does not start the server %q on this machine", server)
		}
		init, err := backend.SandboxInit()
		if err != nil {
			return nil, err
		}
		session, err := rehearsal.Start(ctx, rehearsal.Config{
			Command: described.Command, Env: added, Pass: p.Policy.Rehearsal.Env, Dir: described.Dir, Init: init, Gate: gate, Server: server, Session: owner,
		})
		if err != nil {
			var missing *rehearsal.UnsupportedError
			if errors.As(err, &missing) {
				return nil, fmt.Errorf("%w ('toolvet doctor' lists what is missing)", err)
			}
			return nil, err
		}
		defer session.Close()
		done := session.Call(ctx, rehearsal.Call{Tool: name, Arguments: arguments})
		report, err := session.Finish(ctx)
		if err != nil {
			return nil, err
		}
		report.Conceal(func(path string) bool {
			return backend.MayRead(ctx, &call.Call{Server: server, Known: session.Tools(), Session: owner}, path, func(ctx context.Context, c *call.Call) bool {
				return gate.Judge(ctx, c, toolvet.PointValidate).Go
			})
		})
		r := &schedule.Rehearsal{Faults: faults(done)}
		for _, f := range rehearsal.Judge(report, server, p.Policy.Rehearsal.Effects) {
			r.Faults = append(r.Faults, f.Message)
		}
		var text strings.Builder
		if err := report.WriteText(&text); err != nil {
			return nil, err
		}
		r.Text = text.String()
		r.Report, err = json.Marshal(report)
		return r, err
	}
}

// maxFault bounds how much of a tool's error is repeated, in characters.
const maxFault = 100

// faults explains why a rehearsed call did not succeed.
func faults(done rehearsal.Called) []string {
	if done.Failed != "" {
		return []string{"the call failed: " + done.Failed}
	}
	var result struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	switch {
	case json.Unmarshal(done.Result, &result) != nil:
		return []string{"the result cannot be read"}
	case result.IsError && len(result.Content) > 0 && result.Content[0].Text != "":
		return []string{"the tool reports an error: " + strictjson.Printable(strings.Join(strings.Fields(result.Content[0].Text), " "), maxFault)}
	case result.IsError:
		return []string{"the tool reports an error"}
	}
	return nil
}
