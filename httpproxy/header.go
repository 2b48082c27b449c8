// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpproxy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
)

const (
	sessionHeader = "Mcp-Session-Id"

	jsonType   = "application/json"
	streamType = "text/event-stream"
)

// passedOn are the headers of a client that the server gets, beside all that begin with
// Mcp-. What else a client sends may be a credential, which is for us and not for the server
// (MCP, Security Best Practices, Token Passthrough).
var passedOn = []string{"Accept", "Accept-Language", "Content-Type", "Last-Event-Id", "User-Agent", "Traceparent", "Tracestate", "Baggage"}

// passedBack are the headers of the server that a client gets.
var passedBack = []string{"Allow", "Cache-Control", "Content-Type", "Retry-After", "X-Accel-Buffering"}

// neverPassed belong to one connection, or to what the proxy decides itself.
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

// toServer are the headers that the server gets with a client's request.
func (p *Proxy) toServer(client http.Header) http.Header {
	h := http.Header{"Accept-Encoding": {"identity"}}
	for name, values := range client {
		if strings.HasPrefix(name, "Mcp-") || slices.Contains(passedOn, name) || slices.Contains(p.pass, name) {
			h[name] = values
		}
	}
	if h["User-Agent"] == nil {
		h["User-Agent"] = nil // or net/http names itself
	}
	return h
}

// toClient copies the headers that a client gets with the server's answer.
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

// repeated says which header is given twice, so that two readers could take different ones.
func repeated(h http.Header) string {
	for name, values := range h {
		if len(values) > 1 && (strings.HasPrefix(name, "Mcp-") || name == "Content-Type" || name == "Content-Encoding" || name == "Last-Event-Id") {
			return fmt.Sprintf("the header %s is given more than once", name)
		}
	}
	return ""
}

// owner is a digest of who makes a request: the principal, and the credentials that are
// passed on.
func (p *Proxy) owner(who *call.Session, h http.Header) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q", who.Principal())
	for _, name := range p.pass {
		fmt.Fprintf(sum, "%q", h[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// contentType is the type that a header names, without parameters, in lower case. JSON in
// another charset than UTF-8 is no JSON (RFC 8259, section 8.1), and "".
func contentType(h http.Header) string {
	t, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if charset := params["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return t
}

// encoded reports whether a body is compressed, or otherwise not what it seems.
func encoded(h http.Header) bool {
	e := h.Get("Content-Encoding")
	return e != "" && !strings.EqualFold(e, "identity")
}
