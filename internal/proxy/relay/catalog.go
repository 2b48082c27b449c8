// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
)

// A catalog is what the proxy knows of the server's tools. It learns from the
// listings that the client asks for, and forgets when the server says that the list
// has changed. It may be used concurrently.
type catalog struct {
	ttl time.Duration // of a list that gives none; 0: until the server says so

	mu      sync.Mutex
	known   *call.Catalog // nil: nothing is known
	expires time.Time     // zero: when the server says so
	learned time.Time     // when known was listed
	flight  *flight       // the last listing of the proxy's own
	epoch   int           // counts the changes, so that an answer from before one is told apart

	pages  []*call.Tool // of a listing of the client that is under way
	cursor string       // of its next page
}

// current returns the tools, or nil if they must be listed.
func (c *catalog) current() *call.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.expires.IsZero() && time.Now().After(c.expires) {
		return nil
	}
	return c.known
}

// now returns the epoch that a listing which begins now belongs to.
func (c *catalog) now() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// changed forgets the tools: the server has said that the list has changed.
func (c *catalog) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	c.known = nil
	c.pages, c.cursor = nil, ""
}

// fresh reports whether the tools were listed only a moment ago, so that asking again
// would tell nothing new.
func (c *catalog) fresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known != nil && time.Since(c.learned) < time.Second
}

// learn takes a whole listing that began in an epoch.
func (c *catalog) learn(tools *call.Catalog, ttl time.Duration, epoch int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(tools, ttl, epoch)
}

func (c *catalog) set(tools *call.Catalog, ttl time.Duration, epoch int) {
	if epoch != c.epoch {
		return
	}
	c.known = tools
	c.learned = time.Now()
	c.expires = time.Time{}
	if ttl <= 0 {
		ttl = c.ttl
	}
	if ttl > 0 {
		c.expires = time.Now().Add(ttl)
	}
}

// learnPage takes one page of a listing of the client: the one that cursor asked
// for. It returns the tools of all pages up to it, as far as they are known.
func (c *catalog) learnPage(page *door.ToolsPage, cursor string, epoch int) *call.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	follows := cursor == "" || c.pages != nil && cursor == c.cursor
	if cursor == "" || !follows {
		c.pages = nil
	}
	all := append(c.pages, page.Tools...)
	tools := call.NewCatalog(all)
	switch {
	case !follows: // a page from the middle tells nothing of the whole
	case page.Next == "":
		c.set(tools, page.TTL, epoch)
		c.pages, c.cursor = nil, ""
	case len(all) <= maxTools:
		c.pages, c.cursor = all, page.Next
	}
	return tools
}
