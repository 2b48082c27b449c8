// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/rehearse"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"
)

// rehearser rehearses the calls of jobs: each with a server of its own, in a sandbox.
func (p *plan) rehearser(servers jobServers) schedule.Rehearser {
	return func(ctx context.Context, tool string, arguments json.RawMessage, who *call.Session) (*schedule.Rehearsal, error) {
		server, name, err := upstream.ParseName(tool)
		if err != nil {
			return nil, err
		}
		said, gate := servers.known(server)
		switch {
		case said == nil:
			return nil, fmt.Errorf("there is no server %q", server)
		case len(said.Command) == 0 || said.World.Remote:
			return nil, fmt.Errorf("the server %q is none that toolvet starts on this machine", server)
		}
		env, err := environment(said)
		if err != nil {
			return nil, err
		}
		init, err := sandboxInit()
		if err != nil {
			return nil, err
		}
		session, err := rehearse.Start(ctx, rehearse.Config{
			Command: said.Command, Env: env, Dir: said.Dir, Init: init, Gate: gate, Server: server, Session: who,
		})
		if err != nil {
			var missing *rehearse.UnsupportedError
			if errors.As(err, &missing) {
				return nil, fmt.Errorf("%w ('toolvet doctor' says what is missing)", err)
			}
			return nil, err
		}
		defer session.Close()
		done := session.Call(ctx, rehearse.Call{Tool: name, Arguments: arguments})
		report, err := session.Finish(ctx)
		if err != nil {
			return nil, err
		}
		r := &schedule.Rehearsal{Faults: faults(done)}
		for _, f := range rehearse.Judge(report, server, p.policy.Rehearsal.Effects) {
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

// faults say why a rehearsed call did not succeed.
func faults(done rehearse.Called) []string {
	if done.Failed != "" {
		return []string{"the call failed: " + done.Failed}
	}
	var said struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	switch {
	case json.Unmarshal(done.Result, &said) != nil:
		return []string{"the result cannot be read"}
	case said.IsError && len(said.Content) > 0 && said.Content[0].Text != "":
		return []string{"the tool reports an error: " + oneLine(said.Content[0].Text, maxDescription)}
	case said.IsError:
		return []string{"the tool reports an error"}
	}
	return nil
}
