// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package limit bounds how often tools are called: by rate, at once, and by quota.
//
//	limiter, err := limit.New(limits, nil)
//	…
//	ticket, err := limiter.Take(ctx, limit.Key{Identity: "alice", Server: "github", Tool: "search"})
//	if err != nil {
//		return err // a *Refusal says when to retry; any other error refuses, too
//	}
//	defer ticket.Release()
//
// Each [Limit] keeps an account for each caller that it tells apart (Limit.Per): by default
// each identity with each tool of each server. A caller without an identity is the identity
// "", which all such callers share. Of an account's key only a SHA-256 hash is kept, over
// fields with their lengths before them, so that no choice of names meets another's account.
// Per session bounds what goes wrong in one session, and not a caller, who can begin another.
//
// All limits that hold for a call are asked at once. Either each has one call left and each
// spends it, or none spends anything.
//
// # Rate
//
// A rate with a burst is a token bucket, kept as GCRA (ITU-T I.371): any span of length d lets
// at most Burst + d·rate calls through, and the burst is by default as many calls as the rate
// names. With "10/s" a caller who was silent may so call ten times at once, and then every
// 100 ms. The interval between calls is rounded up to a microsecond, which makes the fastest
// rate that is allowed, 10,000 a second, at most 1 % slower than it says, and never faster.
//
// # Concurrency
//
// A call holds its slot from Take until [Ticket.Release].
//
// # Quota
//
// A quota counts the calls of an hour, day or month of the calendar, in the limit's time zone.
// A day has 23 or 25 hours where the clock is changed.
//
// # Roll back
//
// [Ticket.Rollback] is for a call that was refused later or never forwarded. Slot and quota are
// given back whole. Of the rate as much is given back as cannot let more calls through than the
// limit says: the whole call, unless the bucket has filled up again since, and but for a part
// if tickets that were taken at nearly the same time from a nearly full bucket are rolled back
// in mixed order.
//
// # Dry runs
//
// [Limiter.Peek] tells what is left, and the refusal that Take would make, and spends nothing.
// What a validate tool itself may be called is a matter of Take with Key.Validation, which has
// accounts of its own: validating never spends what calls need.
//
// # Stores
//
// A [Memory] counts for one process, in a bounded number of accounts. When there is no room, and
// nothing is settled that could go, new callers are refused with [ErrFull]: an account that has
// been spent is never forgotten to make room. Rates run on the monotonic clock, which nobody can
// set; quotas on the wall clock. Package limit/redisstore counts for several processes.
//
// Accounts belong to the store, by the limit's name. A Limiter made for a changed policy over
// the same store goes on counting where the last one stopped.
package limit
