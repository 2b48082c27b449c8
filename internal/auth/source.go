// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// maxAnswer is the size of the largest answer of an authorization server, in bytes.
const maxAnswer = 1 << 20

// newClient makes the client for authorization servers. It does not follow redirects: the policy trusts a URL, not
// its redirects.
func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &http.Client{
		Transport:     transport,
		Timeout:       fetchTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// A source is the place of an issuer's keys.
type source struct {
	issuer string
	jwks   string // URL of the keys; "": from the issuer's metadata
	client *http.Client
}

func (s source) keys(ctx context.Context) ([]jose.JSONWebKey, error) {
	where := s.jwks
	if where == "" {
		var err error
		if where, err = s.discover(ctx); err != nil {
			return nil, err
		}
	}
	text, _, err := s.get(ctx, where)
	if err != nil {
		return nil, err
	}
	return readKeys(text)
}

// discover fetches the issuer's metadata from the places that MCP names (2025-11-25 and 2026-07-28, Authorization
// Server Metadata Discovery).
func (s source) discover(ctx context.Context) (jwks string, err error) {
	var errs []error
	for _, where := range metadataURLs(s.issuer) {
		_, answer, err := s.get(ctx, where)
		if err == nil {
			jwks, err = s.jwksOf(answer)
		}
		if err == nil {
			return jwks, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("looking for the issuer's metadata: %w", errors.Join(errs...))
}

// metadataURLs are RFC 8414, section 3, and OpenID Connect Discovery 1.0, section 4.
func metadataURLs(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	list := []string{origin + "/.well-known/oauth-authorization-server" + path, origin + "/.well-known/openid-configuration" + path}
	if path != "" {
		list = append(list, origin+path+"/.well-known/openid-configuration")
	}
	return list
}

func (s source) jwksOf(answer any) (string, error) {
	metadata, _ := answer.(map[string]any)
	if metadata["issuer"] != s.issuer {
		return "", errors.New("the metadata is that of another issuer (RFC 8414, section 3.3)")
	}
	jwks, _ := metadata["jwks_uri"].(string)
	u, err := url.Parse(jwks)
	if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !policy.Loopback(u.Hostname())) {
		return "", errors.New("jwks_uri of the metadata is no https URL")
	}
	return jwks, nil
}

// get fetches JSON that every reader reads alike.
func (s source) get(ctx context.Context, where string) (text []byte, value any, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%s answers with status %d", where, resp.StatusCode)
	}
	if text, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1)); err != nil {
		return nil, nil, fmt.Errorf("reading the answer of %s: %w", where, err)
	}
	if value, err = strictjson.Parse(text, strictjson.Limits{Bytes: maxAnswer, Depth: 32}); err != nil {
		return nil, nil, fmt.Errorf("reading the answer of %s: %w", where, err)
	}
	return text, value, nil
}
