// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strings"
)

// A Forwarder forwards requests to hosts that its guard allows, and refuses others.
type Forwarder struct {
	proxy     *httputil.ReverseProxy
	transport *http.Transport
	guard     *Guard
}

// NewForwarder makes a forwarder. The recording, which may be nil, gets each answer as it passes. Roots
// are the trusted authorities of hosts; nil for the machine's.
func NewForwarder(g *Guard, record *Recording, roots *x509.CertPool) *Forwarder {
	f := &Forwarder{guard: g}
	f.transport = &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return g.Dial(ctx, TargetOf(ctx)) },
		// Each request has a connection of its own, because the pool's key is only the name.
		DisableKeepAlives: true, DisableCompression: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ResponseHeaderTimeout: 2 * idle,
	}
	var transport http.RoundTripper = f.transport
	if record != nil {
		transport = recorder{f.transport, record}
	}
	f.proxy = &httputil.ReverseProxy{
		Transport: transport, ErrorLog: log.New(io.Discard, "", 0), FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", TargetOf(r.In.Context()).String()
			if r.In.TLS != nil {
				r.Out.URL.Scheme = "https"
			}
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			noteOf(r.Context()).Failed = "its host could not be reached: " + err.Error()
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	return f
}

// ServeHTTP implements http.Handler.
func (f *Forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to := TargetOf(r.Context())
	switch {
	case r.Method == http.MethodConnect || !f.guard.allows(to):
		Refuse(w, r)
	case !sameHost(r.Host, to) || r.TLS != nil && r.TLS.ServerName != "" && !sameHost(r.TLS.ServerName, to):
		noteOf(r.Context()).Failed = "it names another host than the one that is connected to"
		http.Error(w, fmt.Sprintf("toolvet: the request is for another host than %s", to), http.StatusMisdirectedRequest)
	default:
		noteOf(r.Context()).Passed = true
		f.proxy.ServeHTTP(w, r)
	}
}

// sameHost reports whether a request's Host is the target's. This machine has several names.
func sameHost(host string, to Target) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return canonical(host) == canonical(to.Host)
}

// thisMachine is the canonical name of this machine, for all its addresses.
const thisMachine = "localhost"

// canonical writes a host in lower case, without brackets and a final dot.
func canonical(host string) string {
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if a, err := netip.ParseAddr(host); err == nil && a.Unmap().IsLoopback() {
		return thisMachine
	}
	return host
}
