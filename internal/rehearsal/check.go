// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	internal "github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/subpath"
	"github.com/toolvet/toolvet/policy"
)

//go:embed README.md
var doc string

// NewCheck makes the check "rehearsal". It rehearses the calls in r, in sessions from take, and refuses calls whose
// effects r does not allow. The Gate needs a time-out that is long enough for a server to start.
func NewCheck(r internal.Rehearsal, take func(context.Context) (*Session, error)) *check.Check {
	return &check.Check{
		Name: "rehearsal", Doc: doc, Stage: check.Policy, Level: check.RuntimeLevel, Bounded: bounded.Unpromised(),
		Run: func(ctx context.Context, pass *check.Pass) error { return run(ctx, pass, r, take) },
	}
}

// Before returns a function that makes the check "rehearsal" for the policy of one server, in sessions of a pool. The
// command starts the server; nil stands for the policy's. Init is as in [Config]. It is what policyfile.Options take.
//
// Policies that start a server in the same way share its pool. A server that the pool keeps ready ends by itself, a
// minute after the last call or with the program.
func Before(command, init []string) func(*policy.Policy) (*check.Check, error) {
	var pools pools
	return func(sealed *policy.Policy) (*check.Check, error) {
		p := internal.Unseal(sealed)
		pool, err := pools.of(p, command, init)
		if err != nil {
			return nil, err
		}
		return NewCheck(p.Rehearsal, pool.Take), nil
	}
}

// pools are those of several servers. A policy that is loaded again and starts its server as before has the same pool.
type pools struct {
	mu     sync.Mutex
	latest map[string]*Pool // by server
}

func (ps *pools) of(p *internal.Policy, command, init []string) (*Pool, error) {
	if len(init) == 0 {
		return nil, errNoInit
	}
	pool := PoolOf(p, command, init)
	ps.mu.Lock()
	defer ps.mu.Unlock()
	server := p.Servers[0].Name
	if before := ps.latest[server]; before != nil && reflect.DeepEqual(before.cfg, pool.cfg) {
		return before, nil
	}
	if ps.latest == nil {
		ps.latest = map[string]*Pool{}
	}
	ps.latest[server] = pool
	return pool, nil
}

// PoolOf makes a pool for a policy's only server, with its environment and directory. Command and init are as in [Before].
// A server that the pool keeps ready ends by itself. Of a server whose environment lacks a variable, the pool has no sessions.
func PoolOf(p *internal.Policy, command, init []string) *Pool {
	server := p.Servers[0]
	env, err := server.Environ(os.LookupEnv)
	if command == nil {
		command = server.Command
	}
	return NewPool(Config{Init: init, Command: command, Dir: server.Dir, Env: env, Pass: p.Rehearsal.Env, Network: p.Rehearsal.Network, fault: err})
}

func run(ctx context.Context, pass *check.Pass, r internal.Rehearsal, take func(context.Context) (*Session, error)) error {
	c := pass.Call
	if c.Validation || !c.IsTool() || !r.Covers(c.Server, c.Name) {
		return nil
	}
	pass.Fleeting()
	report, err := once(ctx, take, Call{Tool: c.Name, Arguments: c.Raw})
	if err != nil {
		pass.Report(check.Finding{Message: fmt.Sprintf("the call could not be rehearsed, which the policy demands: %v", err)})
		return nil
	}
	for _, f := range Judge(report, c.Server, r.Effects) {
		pass.Report(f)
	}
	return nil
}

// once rehearses one call.
func once(ctx context.Context, take func(context.Context) (*Session, error), c Call) (*Report, error) {
	s, err := take(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if done := s.Call(ctx, c); done.Result == nil {
		return nil, errors.New("the server gave no result")
	}
	return s.Finish(ctx)
}

// Judge returns a finding for each limit on effects that a report exceeds. Actions of the server as it started do not
// count. A finding has the name of the limit and no paths, because the model may have chosen the names of files.
func Judge(r *Report, server string, limits []internal.Effect) []check.Finding {
	var found []check.Finding
	for i := range limits {
		e := &limits[i]
		if !slices.ContainsFunc(r.Calls, func(c Called) bool { return e.Covers(server, c.Tool) }) {
			continue
		}
		for _, why := range breaches(r, e) {
			found = append(found, check.Finding{Source: e.Name, Message: fmt.Sprintf("the rehearsal shows that the call %s: the limit %q does not allow it", why, e.Name)})
		}
	}
	return found
}

func breaches(r *Report, e *internal.Effect) []string {
	var changes, deleted, outside int
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.AtStart {
			continue
		}
		changes++
		if c.Kind == Deleted || c.Kind == Renamed {
			deleted++
		}
		if len(e.Below) > 0 && (!below(c.Path, e.Below) || c.From != "" && !below(c.From, e.Below)) {
			outside++
		}
	}
	var why []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	add(e.NoDeletes && deleted > 0, "deletes or moves away %d files or directories", deleted)
	add(outside > 0, "changes %d files or directories outside %s", outside, strings.Join(e.Below, " and "))
	add(e.MaxChanges > 0 && changes > e.MaxChanges, "changes %d files and directories, more than %d", changes, e.MaxChanges)
	add(e.NoNetwork && slices.ContainsFunc(r.Network, func(a Attempt) bool {
		return !a.AtStart && a.Answer != Itself && !strings.HasPrefix(a.Address, "unix:")
	}), "wants to connect to the network")
	add(e.NoProcesses && slices.ContainsFunc(r.Processes, func(p Process) bool { return !p.AtStart }), "starts other programs")
	add(r.Incomplete, "did more than could be seen")
	add(r.Uncertain, "may do more than was seen")
	add(slices.ContainsFunc(r.Calls, func(c Called) bool { return c.fails() }), "fails, so the effects of its success are unknown")
	return why
}

func below(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return subpath.In(path, dir) })
}
