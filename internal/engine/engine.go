// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package engine holds what toolvet's own packages give a Gate and get from it, beyond the options and answers that
// programs use: limits with their tickets, what a session sees, and dry runs whose verdicts are kept.
package engine

import (
	"context"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/footing"
)

// Parts are the parts of a Gate that enforce a policy's access keys. Nil members add nothing. It is an error to give
// a Gate the same part twice.
type Parts struct {
	// Visible decides which tools a session may know of. Nobody waits for the function longer than a time-out, and then
	// the tool is hidden. It reads calls without their Raw.
	Visible func(context.Context, *call.Call) bool
	// Listed decides which definitions appear in a list of tools, prompts, resources or resource templates, where a
	// model reads them. A tool left out of the list can still be called, and its calls are judged like any other.
	Listed func(context.Context, *call.Call) bool
	// Needs tells which lists of the server must be known to judge a request, by their methods.
	Needs func(*call.Call) []string
	// Limiter bounds the number of calls of each caller.
	Limiter Limiter
}

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

// An Allowance is that of package toolvet.
type Allowance struct {
	Limit      string
	Meter      string
	Max        int
	Remaining  int
	RetryAfter time.Duration
}

// CodeRateLimit replaces the code of the stage in the findings of limits.
const CodeRateLimit = "RATE_LIMIT"

// A DryRun holds the options of a dry run. The zero DryRun runs every check.
type DryRun struct {
	// Levels restricts the semantic stage to checks of these levels; empty means all. The
	// schema and policy stages always run whole: the first establishes the form of the
	// arguments, and the second decides whether the caller may ask.
	Levels []check.Level
	// Progress, unless nil, is called after each check, before DryRun returns and never
	// concurrently.
	Progress func(Progress)
}

// A Progress reports how far a dry run has come.
type Progress struct {
	Check string // the check that has just finished
	Done  int    // checks finished so far
	Total int    // checks in this dry run
}

// A Basis records what else the verdict of a dry run depends on, beyond the call, its session,
// the server's list of tools and the Gate. It tells a cache how long the verdict holds.
type Basis struct {
	footing.Footing
	Runtime bool // a check has looked at files, networks or databases
}

// AllowWarnings returns a copy of s, or of the zero Session if s is nil, that allows warnings. A rehearsal needs it: a call
// before this one may make the file that is missing now.
func AllowWarnings(s *call.Session) *call.Session {
	var who call.Session
	if s != nil {
		who = *s
	}
	who.AllowWarnings = true
	return &who
}

// Asks reports whether the door of a session asks a person about calls whose verdict is to ask. S may be nil.
func Asks(s *call.Session) bool { return s != nil && s.Asks }
