// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/mcphttp"
)

const (
	sessionHeader = mcphttp.SessionID

	jsonType   = mcphttp.JSON
	streamType = mcphttp.Events
)

// passedOn lists the client's headers that go to the server, beside those that begin with Mcp-.
// Any other header may be a credential, and credentials are meant for us, not for the server
// (MCP, Security Best Practices, Token Passthrough).
var passedOn = []string{"Accept", "Accept-Language", "Content-Type", "Last-Event-Id", "User-Agent", "Traceparent", "Tracestate", "Baggage"}

// passedBack lists the server's headers that go to the client.
var passedBack = []string{"Allow", "Cache-Control", "Content-Type", "Retry-After", "X-Accel-Buffering"}

// neverPassed lists headers that belong to one connection or that the proxy sets itself.
var neverPassed = []string{
	"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Expect", "Forwarded", "Host", "Keep-Alive", "Origin",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Via",
}

func passHeaders(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if canonical == "" || slices.Contains(neverPassed, canonical) || strings.HasPrefix(canonical, "Proxy-") {
			return nil, fmt.Errorf("the header %q cannot be passed on: it belongs to the connection", name)
		}
		if strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c) }) {
			return nil, fmt.Errorf("%q is no name of a header", name)
		}
		out = append(out, canonical)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// toServer returns the server's headers for a client's request.
func (p *Proxy) toServer(client http.Header) http.Header {
	h := http.Header{"Accept-Encoding": {"identity"}}
	for name, values := range client {
		if strings.HasPrefix(name, "Mcp-") || slices.Contains(passedOn, name) || slices.Contains(p.pass, name) {
			h[name] = values
		}
	}
	if h["User-Agent"] == nil {
		h["User-Agent"] = nil // otherwise net/http sets its own
	}
	return h
}

// toClient copies the client's headers from the server's answer.
func (p *Proxy) toClient(client, server http.Header) {
	for name, values := range server {
		if slices.Contains(passedBack, name) || strings.HasPrefix(name, "Mcp-") && name != sessionHeader {
			client[name] = values
		}
	}
	if slices.Contains(p.pass, "Authorization") && server["Www-Authenticate"] != nil {
		client["Www-Authenticate"] = server["Www-Authenticate"]
	}
	client.Set("X-Content-Type-Options", "nosniff")
}

// owner returns a digest of the principal behind a request and the credentials passed on.
func (p *Proxy) owner(who *call.Session, h http.Header) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q", who.Principal())
	for _, name := range p.pass {
		fmt.Fprintf(sum, "%q", h[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}
