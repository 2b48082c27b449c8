// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package probe is what the checks tcp, http, credential, disk and binary share: cached looks at
// the world, and connections that are confined to allowed addresses.
package probe

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolvet/toolvet/check"
)

// A Look looks at the world. Findings have no pointer. An error says that it could not
// finish; it is never remembered. A Look may outlive its context only while the operating
// system holds it.
type Look func(ctx context.Context) ([]check.Finding, error)

// A Keep says how long what was found is remembered. Zero is not at all.
type Keep struct {
	Success time.Duration // no finding of severity Error
	Failure time.Duration
}

// A Key names a look: equal keys, equal answers.
type Key [sha256.Size]byte

// KeyOf makes a key of everything that an answer depends on. Secrets cannot be read from it.
func KeyOf(parts ...any) Key { return sha256.Sum256(fmt.Appendf(nil, "%#v", parts)) }

// maxKept and maxFlights bound a Cache: answers remembered, and looks at a time.
const (
	maxKept    = 512
	maxFlights = 64
)

// A Cache remembers what was found, and takes each look once at a time however many ask.
// It is safe for concurrent use.
type Cache struct {
	now     func() time.Time
	slots   chan struct{}
	mu      sync.Mutex
	kept    map[Key]answer
	flights map[Key]*flight
}

type answer struct {
	findings []check.Finding
	until    time.Time
}

// A flight is a look under way, shared by all its waiters.
type flight struct {
	waiting  int
	cancel   context.CancelFunc
	canceled bool // nobody waited any more
	done     chan struct{}
	findings []check.Finding
	err      error
}

// NewCache makes a cache that goes by a clock; nil is time.Now.
func NewCache(now func() time.Time) *Cache {
	if now == nil {
		now = time.Now
	}
	return &Cache{now: now, slots: make(chan struct{}, maxFlights), kept: map[Key]answer{}, flights: map[Key]*flight{}}
}

// Do returns what is remembered of a look, or takes it. It returns when ctx is done, with an
// error that wraps ctx's. A look without waiters is canceled. Until it ends, no other look of its
// key starts.
func (c *Cache) Do(ctx context.Context, key Key, keep Keep, look Look) ([]check.Finding, error) {
	for {
		c.mu.Lock()
		if a, found := c.kept[key]; found && c.now().Before(a.until) {
			c.mu.Unlock()
			return a.findings, nil
		}
		f := c.flights[key]
		if f == nil {
			f = c.start(ctx, key, keep, look)
		}
		f.waiting++
		c.mu.Unlock()
		select {
		case <-f.done:
			if f.canceled && ctx.Err() == nil {
				continue // others gave it up before we came
			}
			return f.findings, f.err
		case <-ctx.Done():
			c.leave(f)
			return nil, fmt.Errorf("no answer in time: %w", context.Cause(ctx))
		}
	}
}

func (c *Cache) leave(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.canceled = true
		f.cancel()
	}
}

// start is called with the lock.
func (c *Cache) start(ctx context.Context, key Key, keep Keep, look Look) *flight {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{cancel: cancel, done: make(chan struct{})}
	c.flights[key] = f
	go func() {
		defer cancel()
		findings, err := c.take(ctx, look)
		c.mu.Lock()
		defer c.mu.Unlock()
		f.findings, f.err = findings, err
		delete(c.flights, key)
		if err == nil && !f.canceled {
			c.remember(key, keep, findings)
		}
		close(f.done)
	}()
	return f
}

// take runs a look when there is a slot. A panic becomes an error for all who wait.
func (c *Cache) take(ctx context.Context, look Look) (findings []check.Finding, err error) {
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() {
		<-c.slots
		if r := recover(); r != nil {
			findings, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	return look(ctx)
}

// remember is called with the lock.
func (c *Cache) remember(key Key, keep Keep, findings []check.Finding) {
	ttl := keep.Success
	for _, f := range findings {
		if f.Severity == check.Error {
			ttl = keep.Failure
		}
	}
	now := c.now()
	if ttl <= 0 {
		return
	}
	if len(c.kept) >= maxKept {
		c.forget(now)
	}
	c.kept[key] = answer{findings, now.Add(ttl)}
}

// forget makes room: of every past entry, or of the earliest.
func (c *Cache) forget(now time.Time) {
	var first Key
	until := time.Time{}
	for key, a := range c.kept {
		if !now.Before(a.until) {
			delete(c.kept, key)
		} else if until.IsZero() || a.until.Before(until) {
			first, until = key, a.until
		}
	}
	if len(c.kept) >= maxKept {
		delete(c.kept, first)
	}
}

// Each judges all targets of a pass at the same time, and reports what is found at each.
// The text is why one could not be looked at, or "".
func Each(ctx context.Context, pass *check.Pass, judge func(ctx context.Context, t check.Target) ([]check.Finding, string, error)) error {
	type result struct {
		findings []check.Finding
		skip     string
		err      error
	}
	results := make([]chan result, len(pass.Targets))
	for i, t := range pass.Targets {
		results[i] = make(chan result, 1)
		go func() {
			var r result
			defer func() {
				if p := recover(); p != nil {
					r = result{err: fmt.Errorf("panic: %v", p)}
				}
				results[i] <- r
			}()
			r.findings, r.skip, r.err = judge(ctx, t)
		}()
	}
	var errs []error
	for i, t := range pass.Targets {
		r := <-results[i]
		for _, f := range r.findings {
			f.Pointer = t.Pointer
			pass.Report(f)
		}
		if r.skip != "" {
			pass.Skipf("not looked: %s", r.skip)
		}
		if r.err != nil {
			errs = append(errs, fmt.Errorf("looking for what is demanded at %q: %w", t.Pointer, r.err))
		}
	}
	return errors.Join(errs...)
}
