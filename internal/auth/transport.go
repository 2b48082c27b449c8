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

	"github.com/toolvet/toolvet/internal/policy"
)

// ErrCredentials is in the errors of a [Transport] without credentials. Nothing was sent then.
var ErrCredentials = errors.New("no credentials for the server")

// A Transport presents credentials from the policy to a server. It first removes the header Authorization from every
// request, so that a client's credentials do not reach the server.
//
// It sends requests only to the server's own origin (scheme, host and port). A redirect to another origin fails if
// the client follows redirects. If the server answers with status 401 and there are new credentials by now, the
// transport sends the request once more, provided that it has no body or has GetBody.
//
// It is safe for concurrent use.
type Transport struct {
	base   http.RoundTripper
	origin string
	fixed  http.Header
	files  map[string]string
	client *clientTokens // nil: none
}

// NewTransport makes the transport to s, which needs a URL and Credentials. Requests go through base; nil means the
// default of net/http. Options are for the authorization server.
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

// originOf returns scheme, host and port in comparable form (RFC 6454, section 4).
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

// again returns the request with other credentials than the refused ones, or nil if there are none.
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

// maxDiscarded bounds the part of an answer that is read to keep its connection usable, in bytes.
const maxDiscarded = 64 << 10

func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxDiscarded) // a failure costs only the connection
	body.Close()
}

// headers returns the credentials. It avoids the refused Authorization if it can.
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

// readSecret reads a file at each use, so that a new secret counts at once.
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
