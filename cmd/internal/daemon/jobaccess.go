// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/jobs/server"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
)

// A jobAccess judges operations on jobs that come from web pages and resources like calls of the scheduler's
// tools: the policy's rules and limits apply, and the log records them.
type jobAccess struct {
	gate     func() *toolvet.Gate // of the moment; returns nil if the policy has no scheduler any more
	observer toolvet.Observer
	log      *slog.Logger
	tools    func() (*call.Catalog, error)
}

func newJobAccess(gate func() *toolvet.Gate, observer toolvet.Observer, log *slog.Logger) *jobAccess {
	return &jobAccess{gate, observer, log, sync.OnceValues(server.Tools)}
}

// permit implements Permit of [server.Config]: its error says why the session may not call a tool.
func (a *jobAccess) permit(ctx context.Context, session call.Session, tool string, arguments any) error {
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	c, err := call.DecodeParams(params, call.Limits{})
	if err != nil {
		return errors.New("the request cannot be read as a call of the scheduler's tools")
	}
	tools, err := a.tools()
	if err != nil {
		return err
	}
	c.Server, c.Session = SchedulerName, &session
	c.Resolve(tools)
	gate := a.gate()
	if gate == nil {
		return errors.New("the policy has no scheduler any more")
	}
	d := door.Door{
		Gate: func() *toolvet.Gate { return gate }, Server: SchedulerName, Point: toolvet.PointProxy,
		Observer: a.observer, Logger: a.log,
	}
	p := d.Enter(ctx, c, door.Request{})
	defer p.Close()
	if v := p.Verdict(); !v.Go {
		return fmt.Errorf("the policy does not let you %s: %s", tool, strings.Join(protocol.NewResult(tool, v).Errors, "; "))
	}
	p.Sending()
	p.Sent()
	if p.Returned(ctx, json.RawMessage("{}")).Withheld {
		return errors.New("nothing was done, because it could not be recorded: toolvet's log says why")
	}
	return nil
}

// A jobGate is the gate of a scheduler that stands alone, and changes with the policy.
type jobGate struct {
	enforce *access.Enforcer
	source  enforce.Source
	current atomic.Pointer[jobPolicy]
}

type jobPolicy struct {
	policy *policy.Policy
	gate   *toolvet.Gate
}

// beside lists the files that are part of the policy; none if it could not be read.
func (j *jobPolicy) beside() []string {
	if j == nil {
		return nil
	}
	return j.policy.Beside()
}

// load reads the policy with a text, and makes its gate, but does not put it in force.
func (j *jobGate) load(text []byte) (*jobPolicy, error) {
	source := j.source
	source.Text = text
	p, err := SchedulerPolicy(source)
	if err != nil {
		return nil, err
	}
	gate, err := j.source.Checks.NewGate(j.enforce, p)
	return &jobPolicy{p, gate}, err
}

// SchedulerPolicy reads the policy for the scheduler's own tools.
func SchedulerPolicy(source enforce.Source) (*policy.Policy, error) {
	source.Each = true
	all, presetName, err := source.Load()
	if err != nil {
		return nil, err
	}
	if err := checkJobRules(all); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all.Servers, func(s *policy.Server) bool { return s.Name == SchedulerName }) {
		all.Servers = append(all.Servers, &policy.Server{Name: SchedulerName})
	}
	source.Server = SchedulerName
	return source.Narrow(all, presetName, nil)
}

func (j *jobGate) gate() *toolvet.Gate { return j.current.Load().gate }

// with implements Gate of [server.Config].
func (j *jobGate) with(more ...toolvet.Option) (*toolvet.Gate, error) {
	return j.source.Checks.NewGate(j.enforce, j.current.Load().policy, more...)
}

// jobID matches the id of a job in a condition.
var jobID = lazyregexp.New(`["'][0-9a-f]{23}["']`)

// checkJobRules refuses rules for jobs that name an id: rules read names, and such a rule would never hold.
func checkJobRules(p *policy.Policy) error {
	var errs policy.Errors
	for _, r := range p.Rules {
		at := jobID.FindStringIndex(r.When)
		holds := func(tool string) bool { return limit.Match(r.Tools, SchedulerName, tool) }
		if at == nil || len(r.Tools) > 0 && !slices.ContainsFunc([]string{"get", "update", "delete", "pause", "resume", "trigger", "executions", "retrieve", "cancel", "replay"}, holds) {
			continue
		}
		before := r.When[:at[0]]
		line := strings.Count(before, "\n")
		column := len([]rune(before[strings.LastIndex(before, "\n")+1:]))
		errs = append(errs, r.Errorf("when", line+1, column, "rule %q: names a job by its id: write the job's name, which is what rules read", r.Name))
	}
	if errs == nil {
		return nil
	}
	return errs
}
