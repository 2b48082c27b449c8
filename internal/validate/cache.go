// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
	"github.com/toolvet/toolvet/internal/protocol"
)

// Bounds of the cache.
const (
	maxKept      = 4096
	maxKeptBytes = 8 << 20 // about
)

// A cache keeps verdicts of dry runs, without the answers of limits. Live calls never use it. It is
// safe for concurrent use.
type cache struct {
	pure, runtime time.Duration // life of verdicts; 0: none are kept
	looks         chan struct{} // slots for looks at files

	mu    sync.Mutex
	byKey map[place]*list.Element
	order *list.List // of *entry, the most recently used first
	bytes int
}

// A place is the key of a verdict in the cache. It includes the Gate, because another Gate has another
// policy. The cache keeps no unused Gate alive; its verdicts go first.
type place struct {
	gate weak.Pointer[toolvet.Gate]
	key  binding.Sum
}

// An entry is a verdict in the cache.
type entry struct {
	place   place
	verdict toolvet.Verdict
	basis   *engine.Basis
	made    time.Time
	until   time.Time
	bytes   int
}

func newCache(cfg Config) *cache {
	return &cache{
		pure: max(cfg.TTL, 0), runtime: min(max(cfg.RuntimeTTL, 0), max(cfg.TTL, 0)),
		looks: make(chan struct{}, 64), byKey: map[place]*list.Element{}, order: list.New(),
	}
}

// A keeping describes a verdict's time in the cache.
type keeping struct {
	hit      bool
	age, ttl time.Duration // ttl is the time left; 0: not in the cache
	findings int           // of the verdict in the cache
}

// tell adds to a result the age of its verdict and, if allowed, the time for which clients can keep it.
func (k keeping) tell(r *protocol.Result, lasts bool) {
	if k.hit {
		r.Cached, r.AgeMS = true, k.age.Milliseconds()
	}
	if lasts {
		r.TTLMS = k.ttl.Milliseconds()
	}
}

// verdict judges a request, or takes the verdict on an equal one from the cache.
func (c *cache) verdict(ctx context.Context, gate *toolvet.Gate, q *protocol.Request, progress func(engine.Progress)) (toolvet.Verdict, keeping) {
	k, usable := keyOf(q)
	usable = usable && c.pure > 0
	at := place{weak.Make(gate), k}
	if usable {
		if e := c.find(ctx, at); e != nil {
			now := time.Now()
			v := e.verdict
			v.Findings = slices.Clip(v.Findings) // other users append findings
			return v, keeping{hit: true, age: now.Sub(e.made), ttl: e.until.Sub(now), findings: len(v.Findings)}
		}
	}
	v, basis := inside.Of(gate).DryRun(ctx, q.Call, engine.DryRun{Levels: q.Levels, Progress: progress})
	kept := keeping{findings: len(v.Findings)}
	if ttl := c.lasts(basis); usable && ttl > 0 {
		kept.ttl = ttl
		now := time.Now()
		c.add(&entry{place: at, verdict: v, basis: basis, made: now, until: now.Add(ttl), bytes: sizeOf(v, basis)})
	}
	return v, kept
}

// lasts returns the life of a verdict with this basis.
func (c *cache) lasts(basis *engine.Basis) time.Duration {
	switch {
	case basis.Fleeting():
		return 0
	case basis.Runtime:
		return c.runtime
	}
	return c.pure
}

// find returns a verdict that is still valid, or nil.
func (c *cache) find(ctx context.Context, at place) *entry {
	e := c.get(at)
	if e == nil {
		return nil
	}
	if time.Now().Before(e.until) && c.holds(ctx, e.basis) {
		return e
	}
	c.drop(e)
	return nil
}

// maxLook bounds a look at the files behind a verdict. If a file system takes longer, the checks run
// again and report it.
const maxLook = 100 * time.Millisecond

func (c *cache) holds(ctx context.Context, basis *engine.Basis) bool {
	if basis.Files() == 0 {
		return true
	}
	select {
	case c.looks <- struct{}{}:
	default:
		return false
	}
	holds := make(chan bool, 1)
	go func() {
		defer func() { <-c.looks }()
		holds <- basis.Holds()
	}()
	late := time.NewTimer(maxLook)
	defer late.Stop()
	select {
	case h := <-holds:
		return h
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

func (c *cache) get(at place) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.byKey[at]
	if found == nil {
		return nil
	}
	c.order.MoveToFront(found)
	return found.Value.(*entry)
}

func (c *cache) add(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.byKey[e.place]; at != nil {
		c.remove(at)
	}
	c.byKey[e.place] = c.order.PushFront(e)
	c.bytes += e.bytes
	for len(c.byKey) > maxKept || c.bytes > maxKeptBytes {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(at *list.Element) {
	e := c.order.Remove(at).(*entry)
	delete(c.byKey, e.place)
	c.bytes -= e.bytes
}

func (c *cache) drop(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.byKey[e.place]; at != nil && at.Value == e {
		c.remove(at)
	}
}

// dropRuntime removes verdicts that depend on more than the call and the policy.
func (c *cache) dropRuntime() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.order.Front(); at != nil; {
		next := at.Next()
		if at.Value.(*entry).basis.Runtime {
			c.remove(at)
		}
		at = next
	}
}

// sizeOf estimates the size of a verdict in memory, in bytes.
func sizeOf(v toolvet.Verdict, basis *engine.Basis) int {
	const perEntry, perText, perFile = 512, 128, 256
	n := perEntry + perFile*basis.Files()
	for _, f := range v.Findings {
		n += perText + len(f.Pointer) + len(f.Message) + len(f.Suggestion) + len(f.Value)
	}
	for _, s := range v.Skipped {
		n += perText + len(s.Why)
	}
	return n
}

// keyOf returns the key of a request, or false if its verdict must not be kept. It notes whether there is a trace, but not
// which, because each request has another.
func keyOf(q *protocol.Request) (binding.Sum, bool) {
	sum, ok := binding.SumOf(q.Call)
	if !ok {
		return sum, false
	}
	levels := slices.Sorted(slices.Values(q.Levels))
	traced := q.Call.Session != nil && q.Call.Session.Traceparent != ""
	return binding.Hash(sum[:], fmt.Append(nil, slices.Compact(levels), traced)), true
}
