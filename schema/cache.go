// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	clist "container/list"
	"crypto/sha256"
	"sync"
)

// A Cache compiles each schema once. It also remembers the schemas that do not
// compile. It is safe for concurrent use; callers that ask for the same schema
// at the same time share one compilation.
//
// Get hashes the text each time, some microseconds for a schema of usual size:
// who judges many calls of one tool keeps the [*Schema].
type Cache struct {
	limits Limits
	max    int

	mu      sync.Mutex
	entries map[[sha256.Size]byte]*clist.Element
	recent  *clist.List // of *cacheEntry, the most recently used first
}

type cacheEntry struct {
	key     [sha256.Size]byte
	compile func() (*Schema, error) // runs once
}

// NewCache returns a cache of at most maxEntries schemas, compiled with the
// given limits. It forgets the one that was used least recently. A maxEntries
// below 1 means 1024.
func NewCache(limits Limits, maxEntries int) *Cache {
	if maxEntries < 1 {
		maxEntries = 1024
	}
	return &Cache{
		limits: limits.withDefaults(), max: maxEntries,
		entries: map[[sha256.Size]byte]*clist.Element{}, recent: clist.New(),
	}
}

// Get returns the compiled schema, or the [*CompileError] of [Compile].
func (c *Cache) Get(raw []byte) (*Schema, error) {
	if len(raw) > c.limits.Bytes {
		return Compile(raw, c.limits) // refused at once; not worth hashing
	}
	return c.entry(sha256.Sum256(raw), raw).compile()
}

func (c *Cache) entry(key [sha256.Size]byte, raw []byte) *cacheEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[key]; ok {
		c.recent.MoveToFront(at)
		return at.Value.(*cacheEntry)
	}
	text := string(raw) // the caller may reuse raw before a later caller compiles
	entry := &cacheEntry{key: key, compile: sync.OnceValues(func() (*Schema, error) {
		return Compile([]byte(text), c.limits)
	})}
	c.entries[key] = c.recent.PushFront(entry)
	if c.recent.Len() > c.max {
		oldest := c.recent.Back()
		delete(c.entries, c.recent.Remove(oldest).(*cacheEntry).key)
	}
	return entry
}
