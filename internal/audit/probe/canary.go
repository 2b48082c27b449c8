// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/internal/audit/api"
	"github.com/toolvet/toolvet/internal/machine/egress"
)

// The names of the network inside. Every check takes the addresses for public. They do not matter
// otherwise: nothing leaves the sandbox.
const (
	publicHost   = api.Host
	serviceHost  = "api.service-site.com" // of variables that a server asks for; no probe leads there
	loopbackHost = "loop.internal-site.com"
	privateHost  = "priv.internal-site.com"
	rebindOnce   = "turn.internal-site.com" // leads to a public address only once
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

// firstAddress is the first of the addresses for all other names.
var firstAddress = netip.MustParseAddr("93.184.216.1")

// A canary answers every request of a server, and remembers them.
type canary struct {
	body   string       // token of every page
	madeUp api.Answerer // for requests to services that nothing else answers; nil: none

	mu    sync.Mutex
	pages map[string]page  // by path
	hits  map[string][]hit // by path
	total int
	asked requests
	ran   map[string]bool          // paths of pages whose script has run
	avoid map[string]bool          // hosts of probes
	spoke map[string]bool          // names of services that stand-ins answered for
	paths map[string][]servicePath // of requests to services, by an expected name in them
}

// A page is the answer at one path.
type page struct {
	redirect    string
	status      int // of the redirect
	contentType string
	body        string
	repeat      int // repetitions of the body, to make a page large
}

// A hit is a request that arrived.
type hit struct {
	host    string // a name, or the address
	relayed bool   // the path was in the body or the query of a request to another place
	opened  bool   // as a page in the window of a browser
}

func newCanary() *canary {
	return &canary{body: token(), pages: map[string]page{}, hits: map[string][]hit{}, asked: requests{}, ran: map[string]bool{}, avoid: map[string]bool{}, spoke: map[string]bool{}, paths: map[string][]servicePath{}}
}

// expect makes an unguessable path with an answer.
func (c *canary) expect(p page) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := "/" + token()
	c.pages[at] = p
	return at
}

// hit reports whether a request has come to a path, and to which host.
func (c *canary) hit(at string) (hit, bool) {
	return c.last(at, func(h hit) bool { return !h.relayed })
}

// relayed is a host that heard of a path in a request for something else.
func (c *canary) relayed(at string) (host string, ok bool) {
	h, ok := c.last(at, func(h hit) bool { return h.relayed })
	return h.host, ok
}

// told is a host that heard of a name, in any part of a request.
func (c *canary) told(at string) (host string, ok bool) {
	h, ok := c.last(at, func(hit) bool { return true })
	return h.host, ok
}

func (c *canary) last(at string, which func(hit) bool) (hit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range slices.Backward(c.hits[at]) {
		if which(h) {
			return h, true
		}
	}
	return hit{}, false
}

// maxHits bounds the memory for a server with endless requests.
const maxHits = 100_000

// maxBody bounds the part of a request that is looked at, in bytes.
const maxBody = 1 << 20

// serve answers a request. A page of the audit comes first: the stand-in for an API, which may be nil, answers no probe.
func (c *canary) serve(w http.ResponseWriter, r *http.Request, standIn api.Answerer, s *services) {
	w.Header().Set("Connection", "close") // a sandbox has a bounded number of them
	host := egress.TargetOf(r.Context()).Host
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody)) // the beginning of a broken request is enough
	at, p, known := c.page(r)
	c.relays(host, r.URL.RequestURI()+" "+string(body), at)
	if !known && isMetadata(host) { // else the server takes the sandbox for a cloud
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil { // a protocol without it
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_ = conn.Close()
		return
	}
	if !known && c.scripted(r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if !known && c.isService(host) {
		c.notePath(host, r.URL.EscapedPath())
	}
	if !known && standIn != nil && standIn.Answer(w, r) {
		c.answered(host, r, byFile)
		return
	}
	if !known && c.madeUp != nil && !s.fail.Load() && c.isService(host) && c.madeUp.Answer(w, r) {
		s.answered.Add(1)
		c.answered(host, r, byNothing)
		return
	}
	if !known {
		c.answered(host, r, byNobody)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"not found"}`)
		return
	}
	c.note(at, hit{host: host, opened: opened(r)})
	if p.redirect != "" {
		http.Redirect(w, r, p.redirect, p.status)
		return
	}
	if p.body == "" {
		p.contentType, p.body = "text/html; charset=utf-8", "<!doctype html><html><head><title>Page</title></head><body><main><h1>Page</h1><p>"+c.body+"</p><p>"+strings.Repeat("A plain page of plain text. ", 20)+"</p></main>"+script+"</body></html>"
	}
	w.Header().Set("Content-Type", p.contentType)
	_, _ = w.Write(bytes.Repeat([]byte(p.body), max(1, p.repeat))) // the client may be gone
}

// isMetadata reports whether a host is where clouds describe a machine to its programs. Nothing but a probe is answered there:
// this machine is in no cloud.
func isMetadata(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if at, err := netip.ParseAddr(host); err == nil {
		return at.Unmap().IsLinkLocalUnicast() || at == netip.MustParseAddr("fd00:ec2::254")
	}
	return host == "metadata" || strings.HasSuffix(host, ".internal")
}

// isService reports whether a host can be a service of the server's own: a name that no probe leads to.
func (c *canary) isService(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" || !strings.Contains(host, ".") || tokens.MatchString(host) {
		return false
	}
	for _, probes := range []string{publicHost, "internal-site.com", evilHost, "localhost"} {
		if host == probes || strings.HasSuffix(host, "."+probes) {
			return false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.avoid[host]
}

// avoids notes a host of a probe: nothing made up answers there.
func (c *canary) avoids(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.avoid[strings.ToLower(host)] = true
}

// served notes a connection to the stand-in for a service.
func (c *canary) served(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spoke[name] = true
}

// script asks for the page's own path with its name turned around, which is nowhere in the page. Only what runs scripts does so.
const script = `<script>new Image().src = "/" + location.pathname.split("/").pop().split("").reverse().join("")</script>`

// scripted notes that the script of a page has run, and reports whether a request comes from one.
func (c *canary) scripted(r *http.Request) bool {
	turned := []byte(strings.TrimPrefix(r.URL.Path, "/"))
	slices.Reverse(turned)
	at := "/" + string(turned)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.pages[at]; !ok {
		return false
	}
	c.ran[at] = true
	return true
}

// runs reports whether the script of a page has run.
func (c *canary) runs(at string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ran[at]
}

// opened reports whether a browser asks for a page to show in its window. Browsers say so, at unencrypted addresses of others by a wish
// for encryption.
func opened(r *http.Request) bool {
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	return r.Method == http.MethodGet && r.Header.Get("Upgrade-Insecure-Requests") == "1" && strings.HasPrefix(r.Header.Get("Accept"), "text/html")
}

// page finds the requested page, by its name anywhere in the path.
func (c *canary) page(r *http.Request) (string, page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, token := range slices.Backward(tokens.FindAllString(r.URL.Path, 100)) {
		if p, ok := c.pages["/"+token]; ok {
			return "/" + token, p, true
		}
	}
	return "", page{}, false
}

// relays notes pages mentioned in a request for another one.
func (c *canary) relays(host, text, asked string) {
	for _, token := range tokens.FindAllString(text, 100) {
		c.mu.Lock()
		_, known := c.pages["/"+token]
		c.mu.Unlock()
		if known && "/"+token != asked {
			c.note("/"+token, hit{host: host, relayed: true})
		}
	}
}

func (c *canary) note(at string, h hit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.total++; c.total <= maxHits {
		c.hits[at] = append(c.hits[at], h)
	}
}
