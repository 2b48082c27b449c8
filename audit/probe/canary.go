// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/egress"
)

// The names of the network inside. The addresses are those of nobody in particular that every
// check takes for public: nothing leaves the sandbox.
const (
	publicHost   = "www.public-site.com"
	loopbackHost = "loop.internal-site.com"
	privateHost  = "priv.internal-site.com"
	rebindOnce   = "turn.internal-site.com" // leads to a public address once
	rebindTwice  = "later.internal-site.com"
)

func fixedNames() map[string][]netip.Addr {
	public, private := netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("10.20.30.40")
	return map[string][]netip.Addr{
		publicHost:   {public},
		loopbackHost: {netip.MustParseAddr("127.0.0.1")},
		privateHost:  {private},
		rebindOnce:   {public, private},
		rebindTwice:  {public, public, private},
	}
}

// firstAddress is where the addresses of all other names begin.
var firstAddress = netip.MustParseAddr("93.184.216.1")

// A canary answers every request that a server makes, and knows which came where.
type canary struct {
	body string // token of every page

	mu    sync.Mutex
	pages map[string]page  // by path
	hits  map[string][]hit // by path
	total int
}

// A page is what is answered at one path.
type page struct {
	redirect    string
	status      int // of the redirect
	contentType string
	body        string
	repeat      int // how often the body's last part comes, to make a page large
}

// A hit is a request that arrived.
type hit struct {
	host string // a name, or the address
	body bool   // the token was sent
}

func newCanary() *canary {
	return &canary{body: token(), pages: map[string]page{}, hits: map[string][]hit{}}
}

// expect makes a path that nobody knows yet, and what is answered there.
func (c *canary) expect(p page) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := "/" + token()
	c.pages[at] = p
	return at
}

// hit reports whether a request has come to a path, and where.
func (c *canary) hit(at string) (hit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if list := c.hits[at]; len(list) > 0 {
		return list[len(list)-1], true
	}
	return hit{}, false
}

// maxHits bounds what is kept of a server that asks without end.
const maxHits = 100_000

func (c *canary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1<<20)) // what the server sends is no matter
	at, p, known := c.page(r)
	if !known {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"not found"}`)
		return
	}
	c.note(at, hit{host: egress.TargetOf(r.Context()).Host, body: p.redirect == ""})
	if p.redirect != "" {
		http.Redirect(w, r, p.redirect, p.status)
		return
	}
	if p.body == "" {
		p.contentType, p.body = "text/html; charset=utf-8", "<!doctype html><html><head><title>Page</title></head><body><main><h1>Page</h1><p>"+c.body+"</p><p>"+strings.Repeat("A plain page of plain text. ", 20)+"</p></main></body></html>"
	}
	w.Header().Set("Content-Type", p.contentType)
	_, _ = w.Write(bytes.Repeat([]byte(p.body), max(1, p.repeat))) // who went away is told nothing
}

// page finds the page whose path is in the request, wherever in it.
func (c *canary) page(r *http.Request) (string, page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.pages[r.URL.Path]; ok {
		return r.URL.Path, p, true
	}
	for at, p := range c.pages {
		if strings.Contains(r.URL.RequestURI(), at[1:]) {
			return at, p, true
		}
	}
	return "", page{}, false
}

func (c *canary) note(at string, h hit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.total++; c.total <= maxHits {
		c.hits[at] = append(c.hits[at], h)
	}
}
