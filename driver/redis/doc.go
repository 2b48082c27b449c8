// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package redis counts the calls of several proxies together, in Redis. It is tested with Redis 7.0, and works
// with any server that has its protocol and its Lua.
//
//	file, err := policyfile.Open("toolvet.yaml", policyfile.Options{Shared: redis.New()})
//
// One script, in one round trip, takes a call from all limits or from none, by the clock of Redis. So the number of
// proxies, their clocks and their crashes do not matter: each call that passes was counted. All keys have the same
// hash tag, so the script also runs in a cluster, where one node does all of the counting.
//
// A slot is a lease of 15 seconds, renewed every 5 seconds while its call runs. If a proxy is killed, its slots are
// free when their leases end. If a proxy is stopped or cut off from Redis for longer than a lease, it loses its slots
// although its calls still run.
//
// The counts last as long as Redis keeps them. Redis forgets calls if it restarts empty, evicts keys (set
// maxmemory-policy to noeviction) or fails over to a replica that lags.
//
// # When Redis is away
//
// No call waits longer than 250 ms for Redis. After a failure, Redis counts as away, for 100 ms at first and for 5 s
// at most; then one call tries again. Meanwhile calls are refused with an error that says so. With `when_away: local`, each
// proxy enforces the limits alone instead, and n proxies let up to n times as many calls through. If Redis may have
// counted a call and its answer was lost, the call stays counted.
//
// While Redis is away, nothing can be rolled back there, and slots are free when their leases end.
package redis
