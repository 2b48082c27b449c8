// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package limit bounds how often tools are called: by rate, at once, and by quota.
//
//	limiter, err := limit.New(limits, nil)
//	…
//	ticket, err := limiter.Take(ctx, limit.Key{Identity: "alice", Server: "github", Tool: "search"})
//	if err != nil {
//		return err // a *Refusal tells when to retry; any other error refuses the call as well
//	}
//	defer ticket.Release()
//
// Each [Limit] keeps one account for each caller that it distinguishes (Limit.Per): by default, each identity with
// each tool of each server. A caller without an identity has the identity "", and all such callers share it. The
// limiter keeps only a SHA-256 hash of an account's key. Each field is hashed after its length, so no choice of names
// meets another's account. A limit per session bounds mistakes within a session. It does not bound a caller, who can
// begin another session.
//
// All limits that hold for a call decide together. Either each of them has one call left and spends it, or none
// spends anything.
//
// # Rate
//
// A rate with a burst is a token bucket, kept as GCRA (ITU-T I.371): any span of length d lets at most Burst + d·rate
// calls through. The burst is by default the number of calls in the rate: with "10/s", a caller who was silent may
// call ten times at once, and then every 100 ms. The interval between calls is rounded up to a microsecond. The
// fastest rate, 10,000 a second, is therefore at most 1 % slower than its name, and never faster.
//
// # Concurrency
//
// A call holds its slot from Take until [Ticket.Release]. A call that its client cancels may go on at the server. So
// doors release its ticket when the server answers or its process ends, and otherwise after ten minutes
// (door.HoldTime).
//
// # Quota
//
// A quota counts the calls of an hour, day or month of the calendar, in the limit's time zone. A day in which the
// clock changes has 23 or 25 hours.
//
// # Roll back
//
// [Ticket.Rollback] is for a call that was refused later or never forwarded. It gives back slot and quota whole. It
// gives back as much of the rate as it can without letting more calls through than the limit: the whole call, unless
// the bucket has filled up again since. A part is lost if tickets are rolled back in mixed order that were taken
// almost at once from a nearly full bucket.
//
// # Dry runs
//
// [Limiter.Peek] returns the balance and the refusal that Take would return, and spends nothing. Calls of a validate
// tool take tickets with Key.Validation and have accounts of their own, so validating never uses up calls.
//
// # Stores
//
// A [Memory] counts for one process, in a bounded number of accounts. If it has no room and no settled account to
// close, it refuses new callers with [ErrFull]. It never forgets an account with spent calls to make room. Rates run
// on the monotonic clock, because nobody can set it; quotas run on the wall clock. With [Shared], a store of the program counts
// for several processes.
//
// Accounts belong to the store, by the limit's name. A Limiter for a changed policy over the same store goes on
// counting where the last one stopped.
package limit
