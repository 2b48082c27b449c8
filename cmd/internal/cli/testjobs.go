// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/cmd/internal/jobs/server"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"
)

// scheduler returns the gate and the tools of the scheduler with an empty store. The gate judges a new job
// together with the call that it describes.
func (t *loadedTests) scheduler() (*offlineGate, *call.Catalog, error) {
	tools, err := server.Tools()
	if err != nil || t.gates[daemon.SchedulerName] != nil {
		return t.gates[daemon.SchedulerName], tools, err
	}
	p, err := daemon.SchedulerPolicy(enforce.Source{Policy: t.beside(t.Policy), Checks: t.checks})
	if err != nil {
		return nil, nil, err
	}
	var gate *offlineGate
	now := func() time.Time { return gate.now() }
	jobs, err := schedule.New(schedule.Config{Store: noJobs{}, Caller: &offlineCaller{t, now}, AllowSkip: p.Schedule.SkipValidation, Now: now})
	if err != nil {
		return nil, nil, err
	}
	gate, err = offlineGateOf(t.checks, p, t.Runtime, server.NewCheck(jobs))
	if err == nil {
		t.gates[daemon.SchedulerName] = gate
	}
	return gate, tools, err
}

// noJobs is a store without jobs.
type noJobs struct{ schedule.Store }

func (noJobs) Now(context.Context) (time.Time, error) { return time.Time{}, nil }

func (noJobs) Job(context.Context, string) (*schedule.Job, error) { return nil, schedule.ErrNotFound }

// An offlineCaller judges the calls of jobs by the gates of the tests.
type offlineCaller struct {
	tests *loadedTests
	now   func() time.Time
}

var errOffline = errors.New("a test of a policy makes no calls")

// Validate implements [schedule.Caller].
func (o *offlineCaller) Validate(ctx context.Context, name string, arguments json.RawMessage, options ...upstream.CallOption) (toolvet.Validation, error) {
	of, tool, err := upstream.ParseName(name)
	if err != nil {
		return protocol.NewResult(name, unknownTo(err)).Validation, nil
	}
	gate, tools, err := o.tests.server(of, true)
	if err != nil {
		return protocol.NewResult(tool, unknownTo(err)).Validation, nil
	}
	v, err := gate.judge(ctx, tools, recordedCall{tool: tool, arguments: arguments, session: upstream.SessionOf(options...), at: o.now()})
	return protocol.NewResult(tool, v).Validation, err
}

// unknownTo returns the verdict on a call of an unknown server.
func unknownTo(err error) toolvet.Verdict {
	return toolvet.Verdict{Findings: []check.Finding{{Check: "known-server", Stage: check.Schema, Level: check.SyntaxLevel, Message: err.Error()}}}
}

// Call implements [schedule.Caller].
func (o *offlineCaller) Call(context.Context, string, json.RawMessage, ...upstream.CallOption) (*upstream.Outcome, error) {
	return nil, errOffline
}

// Tools implements [schedule.Caller].
func (o *offlineCaller) Tools(context.Context, string, ...upstream.CallOption) (*call.Catalog, error) {
	return nil, errOffline
}
