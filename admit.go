// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/engine"
)

// A promising Limiter is toolvet's own. It needs no goroutine if its promise holds.
type promising interface{ Promise() bounded.Promise }

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

// MarshalJSON encodes a as the validation protocol has it (docs/protocol.md), with RetryAfter in milliseconds.
func (a Allowance) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name         string `json:"name"`
		Meter        string `json:"meter"`
		Max          int    `json:"max"`
		Remaining    int    `json:"remaining"`
		RetryAfterMS int64  `json:"retryAfterMs,omitempty"`
	}{a.Limit, a.Meter, a.Max, a.Remaining, a.RetryAfter.Milliseconds()})
}

// limitCheck is the name of limits in findings.
const limitCheck = "limit"

func (g innerGate) Admit(ctx context.Context, c *call.Call, at Point) (Verdict, engine.Ticket) {
	if finding := g.barred(c); finding != nil {
		return Verdict{Findings: []check.Finding{*finding}}, freeTicket{}
	}
	c = g.seen(ctx, c)
	v := g.judge(ctx, c, at, nil)
	spent := g.redeem(c, at, &v)
	t := g.count(ctx, c, at, &v)
	t = g.countInner(ctx, at, &v, t)
	if spent == nil {
		return v, t
	}
	if !v.admits(c.Session) {
		spent.Rollback()
		return v, t
	}
	return v, tickets{t, spent}
}

// tokenCheck is the name of tokens in findings.
const tokenCheck = "token"

// A spentToken is the ticket of a call that a token of its dry run let in. A call that is not made gives it back.
type spentToken struct{ binding.Redeemed }

func (spentToken) Release()    {}
func (t spentToken) Rollback() { t.Return() }

// redeem spends the token of a live call, and refuses the call if the token is not valid, or if the policy demands one and
// there is none (docs/protocol.md, section 5.8). It returns nil if no token is spent.
//
// Nobody asks for a dry run of a scheduled call: the scheduler judges it when it is created, and again before it fires.
func (g *Gate) redeem(c *call.Call, at Point, v *Verdict) engine.Ticket {
	if !at.live() || !c.IsTool() || c.Validation || !v.admits(c.Session) {
		return nil
	}
	value, given := c.Meta[binding.Key]
	if !given {
		if g.demandsToken(c) || slices.ContainsFunc(v.Inner, g.demandsToken) {
			v.refuse(tokenFinding("the policy lets the tool run only after a dry run of the same call, which gives a token"))
		}
		return nil
	}
	redeemed, err := g.tokens.Redeem(c, value)
	if err != nil {
		v.refuse(tokenFinding("the token " + err.Error()))
		return nil
	}
	return spentToken{redeemed}
}

func (g *Gate) demandsToken(c *call.Call) bool {
	unattended := c.Session != nil && c.Session.Unattended
	return g.policy != nil && !unattended && g.policy.DryRun.Covers(c.Server, c.Name)
}

func (g innerGate) DemandsToken(c *call.Call) bool { return !g.void() && g.demandsToken(c) }

func tokenFinding(message string) check.Finding {
	return check.Finding{Check: tokenCheck, Stage: check.Policy, Level: check.SecurityLevel, Message: message,
		Suggestion: "ask for a dry run of this call, with a token"}
}

func (g innerGate) Token(c *call.Call, native string) (string, bool) {
	if g.void() || !c.IsTool() || c.Validation {
		return "", false
	}
	return g.tokens.Issue(c, native)
}

// A tally is the answer of a Limiter.
type tally struct {
	ticket     engine.Ticket
	allowances []engine.Allowance
	findings   []check.Finding
}

// forgo gives back what nobody waits for any more.
func (t tally) forgo() {
	if t.ticket != nil {
		t.ticket.Rollback()
	}
}

// count asks the limits about a call, and counts it if it is live and may run.
func (g *Gate) count(ctx context.Context, c *call.Call, at Point, v *Verdict) (t engine.Ticket) {
	t = freeTicket{}
	if g.limiter == nil || c == nil {
		return t
	}
	caller, stage := ctx, withTimeout(ctx, g.timeout)
	defer stage.end()
	ctx = stage
	c = textless(c)
	ask := func(count func() tally) (tally, error) {
		if own, ok := g.limiter.(promising); ok && own.Promise().Holds() {
			return here(ctx, count)
		}
		answer, err := await(ctx, &g.left, func() any { return count() }, func(late any) { late.(tally).forgo() })
		counted, _ := answer.(tally)
		return counted, err
	}
	var counted tally
	var err error
	switch {
	case !at.live() && c.Tool != nil: // the allowance of an unknown tool would reveal hidden tools
		counted, err = ask(func() (n tally) {
			n.allowances, n.findings = g.limiter.Peek(ctx, c)
			return n
		})
	case v.admits(c.Session):
		counted, err = ask(func() (n tally) {
			n.ticket, n.findings = g.limiter.Take(ctx, c)
			return n
		})
	}
	findings := counted.findings
	if err != nil {
		why := "its caller stopped the call before it was counted"
		if caller.Err() == nil {
			g.logger.Error("counting a call broke", append([]any{"server", c.Server, "tool", c.Name}, logged(err)...)...)
			why = "calls cannot be counted, and the reason is in toolvet's log, so the call is refused"
		}
		findings = []check.Finding{{Check: limitCheck, Stage: check.Policy, Level: check.SecurityLevel, Code: engine.CodeRateLimit, Message: why}}
	}
	if counted.ticket != nil {
		t = counted.ticket
	}
	for _, a := range counted.allowances {
		v.Allowances = append(v.Allowances, Allowance(a))
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
// Judge counts a live call as if it had ended at once.
//
// Judge never changes the call. Its only side effect is on the limits. Judge returns at most
// one time-out (see [WithTimeout]) after a stage has begun, or when ctx is done. A check
// that has not finished by then refuses a live call. Only a local disk that does not answer can hold Judge longer: on Linux the
// check path-state asks local file systems in the caller's goroutine.
func (g *Gate) Judge(ctx context.Context, c *call.Call, at Point) Verdict {
	v, t := innerGate{g}.Admit(ctx, c, at)
	t.Release()
	return v
}

// refuse adds findings to v and makes v a no-go if one of them refuses the call.
func (v *Verdict) refuse(findings ...check.Finding) {
	v.Findings = append(v.Findings, findings...)
	v.conclude(v.Go || v.Ask)
}
