// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"errors"
	"log/slog"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/policy"
)

// limits is what bounds the number of calls by a policy, or nil if it has no limits.
func (e *Enforcer) limits(p *policy.Policy) (engine.Limiter, error) {
	if len(p.Limits) == 0 {
		return nil, nil
	}
	counters := e.Counters
	if counters == nil {
		counters = &e.own
	}
	store, err := counters.store(p.Shared, e)
	if err != nil {
		return nil, err
	}
	l, err := limit.New(p.Limits, store)
	if err != nil {
		return nil, err
	}
	made := &limiter{limits: l, log: e.log()}
	if _, own := store.(*limit.Memory); own && counters.Keeper == nil {
		made.promise = bounded.Promised()
	}
	return made, nil
}

// store is where calls are counted. It stays while the policy does not name another place.
func (c *Counters) store(shared *limit.Shared, e *Enforcer) (limit.Store, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case shared == nil:
		if c.memory == nil {
			c.memory = limit.NewKept(c.Keeper)
		}
		return c.memory, nil
	case e.Shared == nil:
		return nil, errors.New("the policy's limits are shared, and this program has no store for them: set policyfile.Options.Shared to the counters of driver/redis")
	case c.shared == nil || c.at != *shared:
		store, err := e.Shared.Open(*shared, e.log())
		if err != nil {
			return nil, err
		}
		if c.shared != nil {
			c.collectSoon()
		}
		c.shared, c.at = newSharedStore(store), *shared
	}
	return c.shared, nil
}

func (e *Enforcer) log() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}

// A limiter puts limits into the words of a Gate.
type limiter struct {
	limits  *limit.Limiter
	log     *slog.Logger
	promise bounded.Promise // holds if the counters are in this process
}

// Promise tells the Gate whether Take and Peek may wait.
func (l *limiter) Promise() bounded.Promise { return l.promise }

// keyOf is whom a call counts for: the identity before all.
func keyOf(c *call.Call) limit.Key {
	k := limit.Key{Server: c.Server, Tool: c.Name, Validation: c.Validation}
	if !c.IsTool() {
		k.Request, k.Implied = true, c.Implied()
	}
	if s := c.Session; s != nil {
		k.Identity, k.ClientAddress = s.Subject, s.ClientAddress
		// All that an identity calls without a session counts as one session of its own.
		k.Session = "identity " + s.Subject
		if s.ID != "" {
			k.Session = "session " + s.ID
		}
	}
	return k
}

// Take implements engine.Limiter.
func (l *limiter) Take(ctx context.Context, c *call.Call) (engine.Ticket, []check.Finding) {
	ticket, err := l.limits.Take(ctx, keyOf(c))
	if err != nil {
		return nil, l.findings(c, err)
	}
	return ticket, nil
}

// Peek implements engine.Limiter.
func (l *limiter) Peek(ctx context.Context, c *call.Call) ([]engine.Allowance, []check.Finding) {
	states, err := l.limits.Peek(ctx, keyOf(c))
	left := make([]engine.Allowance, len(states))
	for i, s := range states {
		left[i] = engine.Allowance{Limit: s.Limit, Meter: string(s.Meter), Max: s.Max, Remaining: s.Remaining, RetryAfter: s.RetryAfter}
	}
	return left, l.findings(c, err)
}

func (l *limiter) findings(c *call.Call, err error) []check.Finding {
	if err == nil {
		return nil
	}
	f := check.Finding{Check: "limit", Stage: check.Policy, Level: check.SecurityLevel, Code: engine.CodeRateLimit, Message: err.Error()}
	var refusal *limit.Refusal
	if errors.As(err, &refusal) {
		f.Source = refusal.Limit
	} else {
		l.log.Error("a call could not be counted", "server", c.Server, "tool", c.Name, "err", err)
		f.Message = "calls cannot be counted now, so the call is refused; the reason is in toolvet's log"
	}
	return []check.Finding{f}
}
