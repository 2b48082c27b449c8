// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package redisstore counts the calls of several proxies together, in Redis (tested with
// 7.0; whatever has its protocol and its Lua will do).
//
//	store, err := redisstore.New(limit.Shared{URL: "redis://127.0.0.1:6379"}, logger)
//	…
//	defer store.Close()
//	limiter, err := limit.New(limits, store)
//
// One script, in one round trip, takes a call from all limits or from none, by the clock of
// Redis. So it does not matter how many proxies there are, what their clocks say, or when one
// dies: each call that passes has been counted. All keys have one hash tag, so that the script
// runs in a cluster as well; one node then does all of the counting.
//
// A slot of a concurrency is a lease of 15 seconds, renewed every 5 while its call runs. The
// slots of a proxy that is killed are free again when their leases end. A proxy that is cut off
// from Redis, or stopped, for longer than a lease loses its slots though its calls still run.
//
// What is counted is as lasting as Redis is: one that restarts empty, evicts keys (set
// maxmemory-policy to noeviction) or fails over to a replica that lags has forgotten calls.
//
// # When Redis is away
//
// No call waits longer than 250 ms for Redis. One that fails makes it count as away, for at
// first 100 ms and at last 5 s; then one call tries again. In the meantime calls are refused
// with [limit.ErrAway], or, with [limit.Local], each proxy holds to the limits alone: n proxies
// then let up to n times as many calls through. A call that Redis may have counted though its
// answer was lost stays counted.
//
// While Redis is away nothing can be rolled back there, and slots are freed by the end of their
// leases.
package redisstore
