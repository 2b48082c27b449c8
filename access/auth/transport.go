// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/toolvet/toolvet/policy"
)

// ErrCredentials is in the errors of a [Transport] that has no credentials to show, so that nothing
// was sent.
var ErrCredentials = errors.New("no credentials for the server")

// A Transport shows a server the credentials that the policy has for it. It takes the header
// Authorization off every request first, so that what a client has shown toolvet does not get there.
//
// It sends requests to the server's own origin alone (scheme, host and port): a redirect to another
// fails, in a client that follows any. Where the server answers with status 401, and there are other
// credentials by now, the request is sent once more, if it has no body or GetBody.
//
// It is safe for concurrent use.
type Transport struct {
	base   http.RoundTripper
	origin string
	fixed  http.Header
	files  map[string]string
	client *clientTokens // nil: none
}

// NewTransport makes the transport to s, which has a URL and Credentials. Requests go through base;
// nil means the default of net/http. Options are for the authorization server.
func NewTransport(s *policy.Server, base http.RoundTripper, o Options) (*Transport, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || s.Credentials == nil {
		return nil, fmt.Errorf("the server %q has no URL, or no credentials", s.Name)
	}
	if base == nil {
		base = http.DefaultTransport
	}
	t := &Transport{base: base, origin: originOf(u), fixed: http.Header{}, files: s.Credentials.HeaderFiles}
	for name, value := range s.Credentials.Headers {
		t.fixed.Set(name, value)
	}
	if s.Credentials.Client != nil {
		t.client = newClientTokens(s, o)
	}
	return t, nil
}

// originOf is scheme, host and port, comparable (RFC 6454, section 4).
func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// RoundTrip sends a request with the credentials. The error may be an [ErrCredentials].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	shown, err := t.headers(req.Context(), "")
	if err == nil && originOf(req.URL) != t.origin {
		err = fmt.Errorf("%w: the request goes to another origin than the server's", ErrCredentials)
	}
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := t.base.RoundTrip(with(req, req.Body, shown))
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	if again := t.again(req, shown); again != nil {
		discard(resp.Body)
		return t.base.RoundTrip(again)
	}
	return resp, nil
}

// again is the request with other credentials than those that were refused; nil if there are none.
func (t *Transport) again(req *http.Request, refused http.Header) *http.Request {
	body := req.Body
	if body != nil && body != http.NoBody {
		if req.GetBody == nil {
			return nil
		}
		var err error
		if body, err = req.GetBody(); err != nil {
			return nil
		}
	}
	shown, err := t.headers(req.Context(), refused.Get("Authorization"))
	if err != nil || maps.EqualFunc(shown, refused, func(a, b []string) bool { return a[0] == b[0] }) {
		if body != nil {
			body.Close()
		}
		return nil
	}
	return with(req, body, shown)
}

func with(req *http.Request, body io.ReadCloser, shown http.Header) *http.Request {
	r := req.Clone(req.Context())
	r.Body = body
	r.Header.Del("Authorization")
	maps.Copy(r.Header, shown)
	return r
}

// maxDiscarded bounds what is read of an answer so that its connection can be used again, in bytes.
const maxDiscarded = 64 << 10

func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxDiscarded) // what fails costs the connection alone
	body.Close()
}

// headers are the credentials, other than an Authorization that was refused where that is possible.
func (t *Transport) headers(ctx context.Context, refused string) (http.Header, error) {
	h := t.fixed.Clone()
	for name, file := range t.files {
		value, err := readSecret(file)
		if err != nil {
			return nil, fmt.Errorf("%w: the header %s: %w", ErrCredentials, name, err)
		}
		h.Set(name, value)
	}
	if t.client != nil {
		token, err := t.client.token(ctx, strings.TrimPrefix(refused, "Bearer "))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCredentials, err)
		}
		h.Set("Authorization", "Bearer "+token)
	}
	return h, nil
}

// maxSecret bounds a file with a secret, in bytes.
const maxSecret = 64 << 10

// readSecret reads a file each time it is needed, so that a new secret counts at once.
func readSecret(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", err
	}
	value := strings.TrimSpace(string(text))
	if value == "" || len(text) > maxSecret || !httpguts.ValidHeaderFieldValue(value) {
		return "", fmt.Errorf("the file %s holds no secret: it is empty, larger than 64 KiB, or has more than one line", name)
	}
	return value, nil
}
