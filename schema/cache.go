// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	clist "container/list"
	"crypto/sha256"
	"sync"
)

// A Cache compiles each schema of a tool once. It also remembers the schemas that
// do not compile. It is safe for concurrent use; callers that ask for the same
// schema at the same time share one compilation. The zero Cache has the default
// limits, and room for 1024 schemas.
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
	return &Cache{limits: limits, max: maxEntries}
}

// defaultEntries is the room of a cache that sets none.
const defaultEntries = 1024

// Get returns the compiled schema, or a [*CompileError]. The schema must be a JSON
// object, as MCP demands of those of tools; [Compile] takes booleans, too.
func (c *Cache) Get(raw []byte) (*Schema, error) {
	if len(raw) > c.limits.withDefaults().Bytes {
		return compile(raw, c.limits, false) // refused at once; not worth hashing
	}
	return c.entry(sha256.Sum256(raw), raw).compile()
}

func (c *Cache) entry(key [sha256.Size]byte, raw []byte) *cacheEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries, c.recent = map[[sha256.Size]byte]*clist.Element{}, clist.New()
	}
	if at, ok := c.entries[key]; ok {
		c.recent.MoveToFront(at)
		return at.Value.(*cacheEntry)
	}
	text := string(raw) // the caller may reuse raw before a later caller compiles
	entry := &cacheEntry{key: key, compile: sync.OnceValues(func() (*Schema, error) {
		return compile([]byte(text), c.limits, false)
	})}
	c.entries[key] = c.recent.PushFront(entry)
	room := c.max
	if room < 1 {
		room = defaultEntries
	}
	if c.recent.Len() > room {
		oldest := c.recent.Back()
		delete(c.entries, c.recent.Remove(oldest).(*cacheEntry).key)
	}
	return entry
}
