// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/door"
)

// A catalog caches the server's list of tools. It learns from the client's listings, and
// forgets when the server announces a change. It is safe for concurrent use.
type catalog struct {
	ttl time.Duration // of a list without its own; 0: until the server announces a change

	mu      sync.Mutex
	known   *call.Catalog // nil: not listed yet
	expires time.Time     // zero: when the server announces a change
	learned time.Time     // when known was listed
	flight  *flight       // the proxy's own last listing
	epoch   int           // counts changes, to recognize an answer from before the last one

	pages  []*call.Tool // the pages so far of the client's listing
	cursor string       // its next page
}

// current returns the tools, or nil if the proxy must list them.
func (c *catalog) current() *call.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.expires.IsZero() && time.Now().After(c.expires) {
		return nil
	}
	return c.known
}

// now returns the current epoch, for a listing that begins now.
func (c *catalog) now() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// changed forgets the tools, after the server has announced a change.
func (c *catalog) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	c.known = nil
	c.pages, c.cursor = nil, ""
}

// fresh reports whether the tools were listed only a moment ago, so another listing would
// bring nothing new.
func (c *catalog) fresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known != nil && time.Since(c.learned) < time.Second
}

// learn stores a complete listing that began in an epoch.
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

// learnPage stores the page of the client's listing at cursor. It returns the known tools of
// all pages up to this one.
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
	case !follows: // a page from the middle does not give the whole list
	case page.Next == "":
		c.set(tools, page.TTL, epoch)
		c.pages, c.cursor = nil, ""
	case len(all) <= maxTools:
		c.pages, c.cursor = all, page.Next
	}
	return tools
}
