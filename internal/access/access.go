// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package access makes the policy layer of a Gate from a policy's access settings: rules in CEL,
// limits, and the lock of tools. It is separate from package toolvet, so that only programs with
// such rules carry CEL.
//
//	p, err := policy.Load("toolvet.yaml", suite.Demands()...)
//	...
//	enforcer := &access.Enforcer{Server: "files"}
//	options, err := enforcer.Options(p)
//	...
//	gate, err := toolvet.New(append(options, toolvet.WithPolicy(p))...)
package access

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/rule"
)

// An Enforcer makes the options of the Gates of one server, one Gate after the other as the
// policy changes. The counts of limits stay. It may be used concurrently.
type Enforcer struct {
	// Contains says that the caller starts servers in the walls that the policy describes, or starts none.
	Contains bool
	Server   string           // its name in the policy
	Log      *slog.Logger     // is told why a rule could not be evaluated, or a call not be counted; nil discards
	Now      func() time.Time // the time that rules read; nil: time.Now. Limits count by the machine's own
	// View translates a call for rules, as in [rule.Options]; nil: they read the call itself.
	View func(context.Context, *call.Call) (*call.Call, error)
	// Shared opens the store in which several processes count calls together. The store closes itself when nothing
	// uses it any more. Nil: a policy with such limits is an error.
	Shared limit.Opener
	// Counters count the calls, together with those of the other Enforcers that have them; nil:
	// alone.
	Counters *Counters

	own Counters
}

// Counters count calls. The zero Counters are ready, and may be used concurrently.
type Counters struct {
	// Keeper keeps the counts beyond the process; nil: nobody does. It must not change.
	Keeper limit.Keeper

	mu     sync.Mutex
	memory *limit.Memory
	shared *sharedStore
	at     limit.Shared // where shared counts

	collecting bool // the garbage collector will run soon
}

// Options returns the options of a Gate that enforce the access settings of p. The error is a
// policy.Errors with the places in the file, or says why the lock cannot be read or where calls
// cannot be counted.
func (e *Enforcer) Options(p *policy.Policy) ([]toolvet.Option, error) {
	set, err := Rules(p)
	if err != nil || p == nil {
		return nil, err
	}
	var options []toolvet.Option
	if p.Pinning.Lock != "" {
		if options, err = e.pinning(p); err != nil {
			return nil, err
		}
	}
	if set != nil {
		options = append(options, toolvet.WithMoreChecks(rule.NewCheck(set, rule.Options{Log: e.Log, Now: e.Now, View: e.View})))
	}
	limits, err := e.limits(p)
	if err != nil {
		return nil, err
	}
	if limits != nil {
		options = append(options, toolvet.WithInside(engine.Parts{Limiter: limits}))
	}
	if set != nil && p.HideRefused {
		options = append(options, toolvet.WithInside(engine.Parts{Visible: e.visibility(set)}))
	}
	return options, nil
}

// pinning compares definitions with the lock: for calls and other requests, and for listings.
func (e *Enforcer) pinning(p *policy.Policy) ([]toolvet.Option, error) {
	lock, err := pin.Load(p.Pinning.Lock)
	if err != nil {
		return nil, err
	}
	o := pin.Options{Server: e.Server, Changed: p.Pinning.Changed, Unknown: p.Pinning.Unknown}
	pinned := pin.NewCheck(lock, o)
	options := []toolvet.Option{toolvet.WithMoreChecks(pinned)}
	said := p.Check(pinned.Name)
	if said.Observe || said.Severity != nil && *said.Severity == check.Warning {
		o.Changed, o.Unknown = check.Warning, check.Warning
	}
	if !said.Off {
		options = append(options, toolvet.WithInside(engine.Parts{Listed: pin.NewListing(lock, o, e.Log)}), toolvet.WithInside(engine.Parts{Needs: pin.NewNeeds(lock, o)}))
	}
	return options, nil
}

// visibility is what a session may call with some arguments.
func (e *Enforcer) visibility(set *rule.Set) func(context.Context, *call.Call) bool {
	now := e.Now
	if now == nil {
		now = time.Now
	}
	return func(ctx context.Context, c *call.Call) bool {
		return set.For(c).Visible(ctx, rule.InputOf(c, now()))
	}
}

// Checks returns the checks that Options may add, for their documentation. They refuse every
// call.
func Checks() []*check.Check {
	return []*check.Check{pin.NewCheck(nil, pin.Options{}), rule.NewCheck(nil, rule.Options{})}
}

// Rules compiles the rules of a policy. The set is nil if there are none.
func Rules(p *policy.Policy) (*rule.Set, error) {
	if p == nil || len(p.Rules) == 0 {
		return nil, nil
	}
	set, err := rule.Compile(RulesOf(p), rule.Limits{})
	var wrong rule.Errors
	if errors.As(err, &wrong) {
		return nil, Located(p, wrong)
	}
	return set, err
}

// RulesOf are the rules of a policy, in their order.
func RulesOf(p *policy.Policy) []rule.Rule {
	rules := make([]rule.Rule, len(p.Rules))
	for i, r := range p.Rules {
		rules[i] = rule.Rule{Name: r.Name, Tools: r.Tools, Requests: r.Requests, When: r.When, Message: r.Message, Suggestion: r.Suggestion, Observe: r.Observe}
		switch r.Effect {
		case policy.Ask:
			rules[i].Effect = rule.Ask
		case policy.Allow:
			rules[i].Effect = rule.Allow
		}
	}
	return rules
}

// Located puts errors of rules at their places in the policy's file.
func Located(p *policy.Policy, wrong rule.Errors) policy.Errors {
	errs := make(policy.Errors, len(wrong))
	for i, e := range wrong {
		r := p.Rules[e.Index]
		errs[i] = r.Errorf(e.Field, e.Line, e.Column, "rule %q: %s", e.Rule, e.Message)
	}
	return errs
}
