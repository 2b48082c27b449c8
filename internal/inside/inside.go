// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package inside gives toolvet's doors the side of a Gate that programs do not need.
package inside

import (
	"context"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
)

// A Gate is what doors ask a toolvet.Gate, which may be nil.
type Gate interface {
	// Server returns the name of toolvet.WithServer.
	Server() string
	// Caller returns the caller of sessions over a transport without authentication.
	Caller() call.Session
	// Observer returns the observer of toolvet.WithObserver, or nil.
	Observer() toolvet.Observer
	// Levels returns the levels of the Gate's checks, each once.
	Levels() []check.Level

	// Admit is Judge for a call about to be made: the Gate's limits count it on a go. The caller must release the
	// ticket, which is never nil, when the call has ended, or roll it back if the call is not made after all.
	Admit(ctx context.Context, c *call.Call, at toolvet.Point) (toolvet.Verdict, engine.Ticket)
	// DryRun judges a call like Judge at toolvet.PointValidate, but ignores limits. Its verdict can be cached for as
	// long as its basis holds.
	DryRun(ctx context.Context, c *call.Call, d engine.DryRun) (toolvet.Verdict, *engine.Basis)
	// Peek adds the caller's allowances to the verdict of a dry run, and refuses the call if a limit has nothing left.
	Peek(ctx context.Context, c *call.Call, v *toolvet.Verdict)
	// Token returns a token that binds a live call to its dry run, after a go. Native is the token of the server behind, or
	// "". Ok is false if the call cannot be bound.
	Token(c *call.Call, native string) (token string, ok bool)
	// DemandsToken reports whether the policy refuses the call without a token.
	DemandsToken(c *call.Call) bool
	// Waits reports whether judging c may block on files, names or databases. Otherwise Judge needs only the processor.
	Waits(c *call.Call) bool
	// Needs returns the methods of the lists that c must have in its Listed to be judged. A door asks the server for
	// them first. The Gate refuses a request whose lists are missing.
	Needs(c *call.Call) []string

	// ErrorForms reports whether invalid calls are answered with protocol errors, and whether a server's "Invalid params" becomes
	// a tool error.
	ErrorForms() (protocol, tool bool)

	// Hides reports whether the Gate may leave tools out of a list.
	Hides() bool
	// Visible reports whether the session of c may know of c's tool. The Gate judges a call of an invisible tool as a
	// call of an unknown one. If the decision breaks, the tool is hidden.
	Visible(ctx context.Context, c *call.Call) bool
	// Lists reports whether c's tool appears in the lists of c's session: it must be visible, and a model must be
	// allowed to read its definition. If the decision breaks, the tool is left out.
	Lists(ctx context.Context, c *call.Call) bool
	// Reviews reports whether the Gate looks at results at all.
	Reviews() bool
	// Repeats reports whether another review of the same list would come out the same. Checks of a program's own may
	// look at more than the list.
	Repeats() bool
}

// Of returns the inner side of g.
func Of(g *toolvet.Gate) Gate { return g.Inside().(Gate) }
