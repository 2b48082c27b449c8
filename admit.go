// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
)

// A Limiter bounds the number of calls of a caller. Package policyfile makes one from a policy. Its methods are called
// concurrently, with calls without their Raw. They should return once ctx is done: nobody waits longer, a ticket that comes
// later is rolled back, and the call is refused.
type Limiter interface {
	// Take spends one call. Its findings refuse the call; then Take spends nothing and
	// returns no ticket.
	Take(ctx context.Context, c *call.Call) (Ticket, []check.Finding)
	// Peek returns the allowances and the findings of a Take, but spends nothing.
	Peek(ctx context.Context, c *call.Call) ([]Allowance, []check.Finding)
}

// A Ticket permits one call. Its holder must call one of its methods, however the call ends.
// Only the first such call counts; later ones do nothing. A Ticket is safe for concurrent use.
type Ticket interface {
	Release()  // the call has ended
	Rollback() // the call was not made: the limits take it back
}

// A freeTicket is the ticket of an uncounted call.
type freeTicket struct{}

func (freeTicket) Release()  {}
func (freeTicket) Rollback() {}

// An Allowance states how much of a limit a caller has left.
type Allowance struct {
	Limit      string // its name
	Meter      string // "rate", "concurrency" or "quota"
	Max        int    // the most calls a caller can have left
	Remaining  int    // calls the caller can make now
	RetryAfter time.Duration
}

// CodeRateLimit replaces the code of the stage in the findings of limits.
const CodeRateLimit = "RATE_LIMIT"

// limitCheck is the name of limits in findings.
const limitCheck = "limit"

// Admit is [Gate.Judge] for a call about to be made: the Gate's limits count it on a go.
// The caller must release the ticket, which is never nil, when the call has ended, or roll it
// back if the call is not made after all.
func (g *Gate) Admit(ctx context.Context, c *call.Call, at Point) (Verdict, Ticket) {
	if finding := g.barred(c); finding != nil {
		return Verdict{Findings: []check.Finding{*finding}}, freeTicket{}
	}
	c = g.seen(ctx, c)
	v := g.judge(ctx, c, at, nil)
	t := g.count(ctx, c, at, &v)
	return v, g.countInner(ctx, at, &v, t)
}

// A tally is the answer of a Limiter.
type tally struct {
	ticket     Ticket
	allowances []Allowance
	findings   []check.Finding
}

// forgo gives back what nobody waits for any more.
func (t tally) forgo() {
	if t.ticket != nil {
		t.ticket.Rollback()
	}
}

// count asks the limits about a call, and counts it if it is live and a go.
func (g *Gate) count(ctx context.Context, c *call.Call, at Point, v *Verdict) (t Ticket) {
	t = freeTicket{}
	if g.limiter == nil || c == nil {
		return t
	}
	caller, stage := ctx, withTimeout(ctx, g.timeout)
	defer stage.end()
	ctx = stage
	c = textless(c)
	var counted tally
	var err error
	switch {
	case !at.live() && c.Tool != nil: // the allowance of an unknown tool would reveal hidden tools
		counted, err = await(ctx, &g.left, func() (n tally) {
			n.allowances, n.findings = g.limiter.Peek(ctx, c)
			return n
		}, tally.forgo)
	case v.Go:
		counted, err = await(ctx, &g.left, func() (n tally) {
			n.ticket, n.findings = g.limiter.Take(ctx, c)
			return n
		}, tally.forgo)
	}
	findings := counted.findings
	if err != nil && caller.Err() == nil {
		g.logger.Error("counting a call broke", append([]any{"server", c.Server, "tool", c.Name}, logged(err)...)...)
	}
	if err != nil {
		findings = []check.Finding{{Check: limitCheck, Stage: check.Policy, Level: check.SecurityLevel, Code: CodeRateLimit,
			Message: "calls cannot be counted, and the reason is in toolvet's log, so the call is refused"}}
	}
	if counted.ticket != nil {
		t = counted.ticket
	}
	if counted.allowances != nil {
		v.Allowances = counted.allowances
	}
	v.refuse(findings...)
	if err := caller.Err(); err != nil && len(findings) > 0 {
		v.Stopped = err
	}
	return t
}

// Judge runs the checks over a call and returns their findings and a go or no-go.
// A live call stops at the first stage that refuses it. In a dry run ([PointValidate])
// all stages run, as far as they can, and Judge consults the limits without spending them.
// Judge counts a live call as if it had ended at once; a door that knows when it ends uses
// [Gate.Admit].
//
// Judge never changes the call. Its only side effect is on the limits. Judge returns at most
// one time-out (see [WithTimeout]) after a stage has begun, or when ctx is done. A check
// that has not finished by then refuses a live call.
func (g *Gate) Judge(ctx context.Context, c *call.Call, at Point) Verdict {
	v, t := g.Admit(ctx, c, at)
	t.Release()
	return v
}

// refuse adds findings to v and makes v a no-go if one of them refuses the call.
func (v *Verdict) refuse(findings ...check.Finding) {
	v.Findings = append(v.Findings, findings...)
	v.Go = v.Go && !v.refused()
}
