// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package httpguard protects an endpoint from web pages in browsers on the same machine.
package httpguard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// A Guard keeps out web pages that a browser on this machine shows. Their requests come from a trusted
// address, but name a foreign host (DNS rebinding) or origin (2026-07-28,
// basic/transports/streamable-http, Security & Endpoint).
//
// The host of a request must be the address of its connection, localhost if that is a loopback address,
// or one of Hosts. An Origin, if there is one, must have the same host or be one of Origins.
type Guard struct {
	Hosts   []string // names or addresses, without a port
	Origins []string // such as https://app.example.org; its pages may read answers, too (CORS)
}

// Handler puts the guard in front of next.
func (g Guard) Handler(next http.Handler) (http.Handler, error) {
	for _, origin := range g.Origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			return nil, fmt.Errorf("%q is no origin: write it like https://app.example.org", origin)
		}
	}
	for _, host := range g.Hosts {
		if host == "" || hostOf(host) != host || strings.Contains(host, "*") {
			return nil, fmt.Errorf("%q is no name of a host: leave out the port, and write the whole name in lower case", host)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !g.host(r):
			forbid(w, "the Host is none of this machine's: use its address, or let it be named with --allow-host, in a Go program in HandlerConfig.Hosts")
		case !g.origin(w, r):
			forbid(w, "the Origin is not allowed here: it can be with --allow-origin, in a Go program with HandlerConfig.Origins")
		case r.Method == http.MethodOptions && r.Header.Get("Origin") != "":
			w.WriteHeader(http.StatusNoContent)
		default:
			next.ServeHTTP(w, r)
		}
	}), nil
}

// forbid answers with an error without an id.
func forbid(w http.ResponseWriter, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, jsonrpc.InvalidRequest, why)
}

// hostOf returns a host without its port, in lower case.
func hostOf(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

func (g Guard) host(r *http.Request) bool {
	host := hostOf(r.Host)
	if slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return false
	}
	if loopback := at.Addr().Unmap().IsLoopback(); loopback && host == "localhost" {
		return true
	}
	named, err := netip.ParseAddr(host)
	return err == nil && named.Unmap() == at.Addr().Unmap()
}

// origin reports whether a request comes from an allowed page, or from none. It sets the headers that
// let the page read the answer.
func (g Guard) origin(w http.ResponseWriter, r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	if u, err := url.Parse(origins[0]); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return true
	}
	if !slices.Contains(g.Origins, origins[0]) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origins[0])
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
		h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		h.Set("Access-Control-Max-Age", "600")
	}
	return true
}
