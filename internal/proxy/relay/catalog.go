// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/machine/budget"
)

// A catalog caches the server's list of tools. It learns from the client's listings, and
// forgets when the server announces a change. It is safe for concurrent use.
type catalog struct {
	owner string        // takes loans for the memory of lists
	ttl   time.Duration // of a list without its own; 0: until the server announces a change

	mu      sync.Mutex
	known   *call.Catalog // nil: not listed yet
	expires time.Time     // zero: when the server announces a change
	learned time.Time     // when known was listed
	flight  *flight       // the proxy's own last listing
	epoch   int           // counts changes, to recognize an answer from before the last one

	begun *begun // the client's listing so far; nil: there is none, or it is too large

	page *door.ToolsPage // the only page that known comes from; nil: there were more
	sum  pageSum         // of page
}

// A pageSum tells pages apart, as the server sent them and as their review left them. A server
// cannot make two with one sum, because the seed is secret.
type pageSum uint64

var pageSeed = maphash.MakeSeed()

func sumOf(reviewed, sent []byte) pageSum {
	var h maphash.Hash
	h.SetSeed(pageSeed)
	for _, text := range [][]byte{sent, reviewed} {
		fmt.Fprintf(&h, "%d:", len(text))
		h.Write(text)
	}
	return pageSum(h.Sum64())
}

// A begun listing has more pages to come.
type begun struct {
	tools  []*call.Tool
	size   int    // of the pages, in bytes
	cursor string // of the next page
	loan   *budget.Loan
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
	c.known, c.page = nil, nil
	c.forget()
}

// forget forgets the client's listing so far.
func (c *catalog) forget() {
	if c.begun != nil {
		c.begun.loan.Return()
		c.begun = nil
	}
}

// fresh reports whether the tools were listed only a moment ago, so another listing would
// bring nothing new.
func (c *catalog) fresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known != nil && time.Since(c.learned) < time.Second
}

// learn stores a complete listing that began in an epoch.
func (c *catalog) learn(tools *call.Catalog, size int, ttl time.Duration, epoch int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(tools, size, ttl, epoch)
}

// set keeps a list of a size in bytes if its memory is free. Otherwise the next call asks for the list again.
func (c *catalog) set(tools *call.Catalog, size int, ttl time.Duration, epoch int) {
	if epoch != c.epoch {
		return
	}
	c.known, c.page = nil, nil
	loan, err := budget.Lists.Take(context.Background(), c.owner, size, 0)
	if err != nil {
		return
	}
	budget.Until(loan, tools)
	c.known = tools
	c.learned, c.expires = time.Now(), c.until(ttl)
}

// until returns when a list with a time to live expires.
func (c *catalog) until(ttl time.Duration) time.Time {
	if ttl = cmp.Or(max(ttl, 0), c.ttl); ttl > 0 {
		return time.Now().Add(ttl)
	}
	return time.Time{}
}

// again returns the known page and tools if a server lists the same in one page again, so that
// nothing is decoded anew and what was worked out for the tools stays. Otherwise the page is nil.
func (c *catalog) again(sum pageSum, cursor string, epoch int) (*door.ToolsPage, *call.Catalog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || c.page == nil || c.sum != sum || cursor != "" || epoch != c.epoch {
		return nil, nil
	}
	c.forget()
	c.learned, c.expires = time.Now(), c.until(c.page.TTL)
	return c.page, c.known
}

// learnPage stores the page of the client's listing at cursor. It returns the known tools of
// all pages up to this one.
func (c *catalog) learnPage(page *door.ToolsPage, sum pageSum, cursor string, epoch int) *call.Catalog {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cursor == "" {
		c.forget()
		c.begin()
	}
	b := c.begun
	if b == nil || cursor != b.cursor { // a page from the middle does not give the whole list
		c.forget()
		return call.NewCatalog(page.Tools)
	}
	b.tools, b.size, b.cursor = append(b.tools, page.Tools...), b.size+page.Bytes, page.Next
	tools := call.NewCatalog(b.tools)
	switch {
	case page.Next == "":
		c.forget()
		c.set(tools, b.size, page.TTL, epoch)
		if cursor == "" && c.known != nil {
			c.page, c.sum = page, sum
		}
	case len(b.tools) > maxTools, b.size > maxBytes, b.loan.Grow(context.Background(), b.size, 0) != nil:
		c.forget()
	}
	return tools
}

// begin begins to learn a listing of the client. Its memory counts until it is forgotten, or its session is.
func (c *catalog) begin() {
	c.begun = &begun{loan: budget.Lists.Open(c.owner)}
	budget.Until(c.begun.loan, c.begun)
}
