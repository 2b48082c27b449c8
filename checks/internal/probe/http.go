// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// A Request is a GET or HEAD; only the status of its answer counts.
type Request struct {
	Method    string
	URL       string
	Header    http.Header
	Private   bool // private addresses are allowed
	Redirects int  // how many are followed
	// SameOrigin stops redirects to another scheme, host or port, because the header is for one
	// server alone.
	SameOrigin bool
}

var errRedirects = errors.New("the redirect is not allowed")

// maxHeader bounds the header of an answer, in bytes.
const maxHeader = 64 << 10

// Status sends a request, and returns the status of the answer. Without redirects to follow,
// that of a redirect counts. No body is read, no proxy is used, nothing is left open.
func (n Network) Status(ctx context.Context, r Request) (int, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, nil)
	if err != nil {
		return 0, err
	}
	request.Header = r.Header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("User-Agent", "toolvet")
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return n.dialHTTP(ctx, address, r.Private)
		},
		TLSClientConfig:        &tls.Config{RootCAs: n.Roots, Time: n.Now, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: r.redirect}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	_ = response.Body.Close() // its status is known
	return response.StatusCode, nil
}

func (n Network) dialHTTP(ctx context.Context, address string, private bool) (net.Conn, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	return n.Connect(ctx, host, port, private)
}

// redirect judges the next request. Its address is judged when it is dialed.
func (r Request) redirect(next *http.Request, before []*http.Request) error {
	last := before[len(before)-1]
	next.Header.Del("Referer") // the first URL may hold what is meant for one server alone
	switch {
	case r.Redirects == 0:
		return http.ErrUseLastResponse
	case len(before) > r.Redirects:
		return errRedirects
	case next.URL.User != nil, last.URL.Scheme == "https" && next.URL.Scheme != "https",
		next.URL.Scheme != "http" && next.URL.Scheme != "https":
		return errRedirects
	case r.SameOrigin && (next.URL.Scheme != last.URL.Scheme || next.URL.Host != last.URL.Host):
		return errRedirects
	}
	return nil
}

// URLFault says why a policy's URL cannot be asked, or "".
func URLFault(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "is needed"
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "must be an absolute URL with the scheme https or http"
	case u.User != nil:
		return "must not hold a user name or password: they would stand in logs"
	case u.Fragment != "":
		return "must not have a fragment"
	}
	return ""
}

// Origin is the scheme and host of a URL that has no fault: what a message may show of it.
func Origin(text string) (origin, host string) {
	u, err := url.Parse(text)
	if err != nil {
		return "the URL", ""
	}
	return u.Scheme + "://" + u.Host, u.Hostname()
}

// Statuses words the statuses that are fine.
func Statuses(list []int) string {
	if len(list) == 0 {
		return "200 to 299"
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = strconv.Itoa(s)
	}
	return strings.Join(texts, " or ")
}

// HeaderName reports whether a name is valid for a header, and does not set a request's target or
// length.
func HeaderName(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "", "Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Trailer":
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

// HeaderValue reports whether a text can be the value of a header, in one line.
func HeaderValue(value string) bool {
	return value != "" && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
