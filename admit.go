// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A Limiter bounds how many calls a caller may make. Package access makes one from a policy.
type Limiter interface {
	// Take spends one call. Its findings refuse the call; then nothing is spent, and there
	// is no ticket.
	Take(ctx context.Context, c *call.Call) (Ticket, []check.Finding)
	// Peek tells what Take would find, and what is left, and spends nothing.
	Peek(ctx context.Context, c *call.Call) ([]Allowance, []check.Finding)
}

// A Ticket is the leave to make one call. Whoever has it calls one of its methods, however the
// call ends. The first that is called counts; later ones do nothing. Tickets may be used
// concurrently.
type Ticket interface {
	Release()  // the call has ended
	Rollback() // the call was not made: what it spent is given back
}

// A freeTicket is that of a call that nobody counts.
type freeTicket struct{}

func (freeTicket) Release()  {}
func (freeTicket) Rollback() {}

// An Allowance is what a limit has left for a caller.
type Allowance struct {
	Limit      string // its name
	Meter      string // "rate", "concurrency" or "quota"
	Max        int    // calls that a caller can have left at most
	Remaining  int    // calls that can be made now
	RetryAfter time.Duration
}

// CodeRateLimit is the code of findings of limits, in place of their stage's.
const CodeRateLimit = "RATE_LIMIT"

// limitCheck is the name of limits in findings.
const limitCheck = "limit"

// Admit is [Gate.Judge] for a call that is then made: a go has also been counted by the
// Gate's limits. The ticket, which is never nil, is released when the call has ended, or rolled
// back if it is not made after all.
func (g *Gate) Admit(ctx context.Context, c *call.Call, at Point) (Verdict, Ticket) {
	c = g.seen(ctx, c)
	v := g.judge(ctx, c, at, nil)
	t := g.count(ctx, c, at, &v)
	return v, t
}

// count asks the limits about a call, and counts it if it is live and a go.
func (g *Gate) count(ctx context.Context, c *call.Call, at Point, v *Verdict) (t Ticket) {
	t = freeTicket{}
	if g.limiter == nil || c == nil {
		return t
	}
	defer func() {
		if r := recover(); r != nil {
			g.logger.Error("counting a call broke", "server", c.Server, "tool", c.Name, "err", r)
			v.refuse(check.Finding{Check: limitCheck, Stage: check.Policy, Level: check.SecurityLevel, Code: CodeRateLimit,
				Message: "calls cannot be counted, and the reason is in toolvet's log, so the call is refused"})
		}
	}()
	stage := withTimeout(ctx, g.timeout)
	defer stage.end()
	ctx = stage
	var findings []check.Finding
	switch {
	case !at.live() && c.Tool != nil: // what is left of an unknown tool would tell of hidden ones
		v.Allowances, findings = g.limiter.Peek(ctx, c)
	case v.Go:
		var taken Ticket
		if taken, findings = g.limiter.Take(ctx, c); taken != nil {
			t = taken
		}
	}
	v.refuse(findings...)
	return t
}

// Judge runs the checks over a call and returns what they found, and go or no-go.
// On a live call the first stage that refuses it is the last; in a dry run
// ([PointValidate]) all stages run, as far as they can, and limits are asked and not spent.
// A live call is counted as if it had ended at once; doors that know when it ends use
// [Gate.Admit].
//
// Judge never changes the call and has no side effects but on limits. It returns at the
// latest one time-out (see [WithTimeout]) after a stage has begun, or when ctx is done;
// what has not finished by then refuses a live call.
func (g *Gate) Judge(ctx context.Context, c *call.Call, at Point) Verdict {
	v, t := g.Admit(ctx, c, at)
	t.Release()
	return v
}

// refuse adds findings that refuse the call.
func (v *Verdict) refuse(findings ...check.Finding) {
	v.Findings = append(v.Findings, findings...)
	v.Go = v.Go && !v.refused()
}
