// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package urlstate

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/url"
)

// A network is what URLs are looked up in.
type network struct {
	resolver resolver
	dial     dialFunc
	slots    chan struct{} // one is taken for each URL that is being looked at
	tls      *tls.Config   // nil: the system's certificates
}

// maxRedirects bounds how often a server may send on.
const maxRedirects = 5

// visit looks at a URL and at those that its server sends on to. A URL that is refused by
// its text is not asked for; package url has said so of the first.
func (n *network) visit(ctx context.Context, o *url.Options, raw string) []check.Finding {
	place, findings := leads.OfURLs(o).Judge(raw)
	if refused(findings) || place.Name == "" && !place.Addr.IsValid() {
		return nil
	}
	var told []check.Finding
	for hop := 0; ; hop++ {
		addrs, findings := n.resolve(ctx, o, place)
		told = append(told, sentOn(hop, findings)...)
		if !o.Reachable || addrs == nil {
			return told
		}
		next, findings := n.ask(ctx, o, raw, place, addrs)
		told = append(told, sentOn(hop, findings)...)
		switch {
		case next == "":
			return told
		case hop == maxRedirects:
			return append(told, check.Finding{Message: "the server redirects more than five times: give its final URL"})
		}
		raw = next
		place, findings = leads.OfURLs(o).Judge(raw)
		told = append(told, sentOn(hop+1, findings)...)
		if refused(findings) {
			return told
		}
	}
}

func refused(findings []check.Finding) bool {
	for i := range findings {
		if findings[i].Severity == check.Error {
			return true
		}
	}
	return false
}

// sentOn says of findings that they are of a redirect's target.
func sentOn(hop int, findings []check.Finding) []check.Finding {
	if hop == 0 {
		return findings
	}
	for i := range findings {
		findings[i].Message = "the server redirects, and where it leads, " + findings[i].Message
	}
	return findings
}

// resolve returns the addresses of a host, nil if it must not or cannot be connected to.
func (n *network) resolve(ctx context.Context, o *url.Options, place leads.Host) ([]netip.Addr, []check.Finding) {
	if place.Addr.IsValid() {
		return []netip.Addr{place.Addr}, nil // judged with the URL
	}
	addrs, err := n.resolver.LookupNetIP(ctx, "ip", place.Name)
	if err != nil || len(addrs) == 0 {
		return nil, []check.Finding{unresolved(ctx, o, err)}
	}
	var findings []check.Finding
	told := map[string]bool{}
	for _, addr := range addrs {
		f := leads.OfURLs(o).JudgeAddr("the host resolves to", addr)
		if f == nil || told[f.Message] {
			continue
		}
		told[f.Message] = true
		f.Level = check.SecurityLevel
		findings = append(findings, *f)
	}
	if refused(findings) {
		return nil, findings
	}
	return addrs, findings
}

// unresolved says why a host has no addresses.
func unresolved(ctx context.Context, o *url.Options, err error) check.Finding {
	var dns *net.DNSError
	switch {
	case err == nil || errors.As(err, &dns) && dns.IsNotFound:
		return check.Finding{Message: "the host does not exist: the resolver knows no address for it", Suggestion: "check how the host is spelt"}
	case ctx.Err() != nil || errors.As(err, &dns) && dns.IsTimeout:
		return late(o)
	}
	f := unknown(o)
	f.Message = "the host could not be resolved, because the resolver failed; nothing is known of its addresses"
	return f
}
