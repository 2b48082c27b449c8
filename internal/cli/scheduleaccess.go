// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/access"
	"github.com/toolvet/toolvet/access/limit"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/door"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/schedule/server"
)

// A jobAccess judges what is done to jobs on pages and in resources as a call of the scheduler's
// tool: by the rules and limits of the policy, and into the log.
type jobAccess struct {
	gate     func() *toolvet.Gate // of the moment; nil: the policy has no scheduler any more
	observer toolvet.Observer
	log      *slog.Logger
	tools    func() (*call.Catalog, error)
}

func newJobAccess(gate func() *toolvet.Gate, observer toolvet.Observer, log *slog.Logger) *jobAccess {
	return &jobAccess{gate, observer, log, sync.OnceValues(server.Tools)}
}

// permit says why who may not call a tool. It is Permit of [server.Config].
func (a *jobAccess) permit(ctx context.Context, who call.Session, tool string, arguments any) error {
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
	c.Server, c.Session = scheduleServer, &who
	c.Resolve(tools)
	gate := a.gate()
	if gate == nil {
		return errors.New("the policy has no scheduler any more")
	}
	d := door.Door{Gate: func() *toolvet.Gate { return gate }, Server: scheduleServer, Point: toolvet.PointProxy, Observer: a.observer, Logger: a.log}
	p := d.Enter(ctx, c, door.Request{})
	defer p.Close()
	if v := p.Verdict(); !v.Go {
		return fmt.Errorf("the policy does not let you %s: %s", tool, strings.Join(protocol.NewResult(tool, v).Errors, "; "))
	}
	p.Sending()
	p.Sent()
	if p.Returned(ctx, json.RawMessage("{}")).Withheld {
		return errors.New("what you do cannot be recorded, and so is not done: toolvet's log says why")
	}
	return nil
}

// A jobPolicy is what a policy says of the scheduler's own tools, where these are all that is offered.
type jobPolicy struct {
	enforce *access.Enforcer
	file    string // "": there is no policy
	now     atomic.Pointer[jobPolicyNow]
}

type jobPolicyNow struct {
	policy *policy.Policy
	gate   *toolvet.Gate
}

// load reads the policy. On an error everything stays as it is.
func (j *jobPolicy) load() error {
	p, err := policyForJobs(j.file)
	if err != nil {
		return err
	}
	gate, err := gateBy(j.enforce, p)
	if err == nil {
		j.now.Store(&jobPolicyNow{p, gate})
	}
	return err
}

// policyForJobs is what holds for the scheduler's own tools; file "" is no policy.
func policyForJobs(file string) (*policy.Policy, error) {
	all, word, err := gateFlags{policy: file}.load()
	if err != nil {
		return nil, err
	}
	if err := aboutNames(all); err != nil {
		return nil, err
	}
	if !hasScheduleServer(all) {
		all.Servers = append(all.Servers, &policy.Server{Name: scheduleServer})
	}
	return gateFlags{policy: file, server: scheduleServer}.narrow(all, word, nil)
}

func hasScheduleServer(p *policy.Policy) bool {
	return slices.ContainsFunc(p.Servers, func(s *policy.Server) bool { return s.Name == scheduleServer })
}

func (j *jobPolicy) gate() *toolvet.Gate { return j.now.Load().gate }

// with is Gate of [server.Config].
func (j *jobPolicy) with(more ...toolvet.Option) (*toolvet.Gate, error) {
	return gateBy(j.enforce, j.now.Load().policy, more...)
}

// plainGate is Gate of [server.Config] where the policy is held in front of the scheduler.
func plainGate(log *slog.Logger) func(...toolvet.Option) (*toolvet.Gate, error) {
	return func(more ...toolvet.Option) (*toolvet.Gate, error) {
		return toolvet.New(append(more, toolvet.WithChecks(suite.Default()...), toolvet.WithLogger(log))...)
	}
}

// jobID is an id of a job, as a text in a condition.
var jobID = regexp.MustCompile(`["'][0-9a-f]{23}["']`)

// aboutNames refuses rules for jobs that name an id: rules read names, and such a rule would never hold.
func aboutNames(p *policy.Policy) error {
	var errs policy.Errors
	for _, r := range p.Rules {
		at := jobID.FindStringIndex(r.When)
		holds := func(tool string) bool { return limit.Match(r.Tools, scheduleServer, tool) }
		if at == nil || len(r.Tools) > 0 && !slices.ContainsFunc([]string{"get", "update", "delete", "pause", "resume", "trigger", "executions", "retrieve"}, holds) {
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
