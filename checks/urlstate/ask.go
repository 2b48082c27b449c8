// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package urlstate

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	neturl "net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/url"
)

// maxHeader bounds the header of an answer, in bytes.
const maxHeader = 16 << 10

// maxTried bounds how many of a host's addresses are tried.
const maxTried = 4

// ask sends HEAD for a URL to one of its host's addresses. next is where the server
// redirects to, or "".
func (n *network) ask(ctx context.Context, o *url.Options, raw string, place leads.Host, addrs []netip.Addr) (next string, findings []check.Finding) {
	target, err := neturl.Parse(raw)
	if err != nil {
		return "", []check.Finding{{Severity: check.Warning, Message: "the URL could not be asked for: percent-encode each % in it as %25"}}
	}
	target.Host = authority(place)
	transport := &http.Transport{
		// No proxy, not even the environment's: it would connect in our place. And no
		// http.Client above: it would send a user name on, keep cookies, follow redirects.
		DialContext:            n.dialer(ctx, o, place.Port, addrs),
		TLSClientConfig:        n.tls.Clone(),
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}
	defer transport.CloseIdleConnections()
	request := (&http.Request{
		Method: http.MethodHead,
		URL:    target,
		Header: http.Header{"User-Agent": {"toolvet"}},
	}).WithContext(ctx)
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", []check.Finding{unanswered(ctx, o, err)}
	}
	response.Body.Close()
	if location := response.Header.Get("Location"); location != "" && response.StatusCode/100 == 3 {
		return follow(target, location), nil
	}
	return "", judgeStatus(response.StatusCode)
}

// authority is the host and port of a request, with the host as it was judged.
func authority(place leads.Host) string {
	host := place.Name
	if place.Addr.IsValid() {
		host = place.Addr.String()
	}
	if place.Scheme == "http" && place.Port == 80 || place.Scheme == "https" && place.Port == 443 {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(int(place.Port)))
}

// dialer connects to one of the judged addresses, even if a resolver would answer differently
// now. Each gets its share of the time that ctx leaves; the transport would dial on in the
// background when ctx is done.
func (n *network) dialer(ctx context.Context, o *url.Options, port uint16, addrs []netip.Addr) func(context.Context, string, string) (net.Conn, error) {
	addrs = addrs[:min(len(addrs), maxTried)]
	control := guard(o)
	return func(context.Context, string, string) (conn net.Conn, err error) {
		for i, addr := range addrs {
			share := longest
			if deadline, ok := ctx.Deadline(); ok {
				share = time.Until(deadline) / time.Duration(len(addrs)-i)
			}
			attempt, cancel := context.WithTimeout(ctx, share)
			conn, err = n.dial(attempt, "tcp", netip.AddrPortFrom(addr.Unmap(), port).String(), control)
			cancel()
			var refusal *refusedError
			if err == nil || errors.As(err, &refusal) {
				return conn, err
			}
		}
		return nil, err
	}
}

// follow returns where a redirect leads, as it is to be judged: with a scheme, and
// otherwise as the server has written it.
func follow(from *neturl.URL, location string) string {
	// Browsers take backslashes for slashes, and leave out tabs.
	seen := strings.TrimLeft(strings.ReplaceAll(location, "\t", ""), " ")
	if len(seen) > 1 && strings.Trim(seen[:2], `/\`) == "" {
		return from.Scheme + ":" + location
	}
	to, err := neturl.Parse(location)
	if err != nil || to.Scheme != "" {
		return location
	}
	return from.ResolveReference(to).String()
}

// judgeStatus says what an answer means. A server that wants a login, another method or a
// form is there.
func judgeStatus(status int) []check.Finding {
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		return []check.Finding{{Message: "the server has nothing at this URL (status " + strconv.Itoa(status) + ")", Suggestion: "check the URL's path"}}
	case status >= 500 && status != http.StatusNotImplemented:
		return []check.Finding{{Severity: check.Warning, Message: "the server fails at this URL (status " + strconv.Itoa(status) + ")"}}
	}
	return nil
}

// unanswered says why there is no answer.
func unanswered(ctx context.Context, o *url.Options, err error) check.Finding {
	var refusal *refusedError
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	var op *net.OpError
	switch {
	case errors.As(err, &refusal):
		return refusal.finding
	case errors.As(err, &certificate):
		return check.Finding{Level: check.SecurityLevel, Message: "this machine does not trust the server's certificate for the host"}
	case ctx.Err() != nil || errors.As(err, &timeout) && timeout.Timeout():
		return late(o)
	case errors.As(err, &op) && op.Op == "dial":
		return check.Finding{Message: "no server answers at the URL's host and port", Suggestion: "check host and port, and that the server runs"}
	}
	return check.Finding{Message: "the server at the URL's host and port does not speak the URL's scheme, or not properly"}
}
