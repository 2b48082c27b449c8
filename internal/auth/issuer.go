// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/toolvet/toolvet/internal/policy"
)

// An issuer is a trusted authorization server.
type issuer struct {
	name       string
	audience   string // "": the resource
	algorithms []jose.SignatureAlgorithm
	types      []string // in lower case, without "application/"; "" is a header without typ
	skew       time.Duration
	keys       *keySet
}

// An identity holds the statements of a verified token.
type identity struct {
	principal *Principal
	audiences []string
	audience  string // one of them must be this; "": the resource
}

// meant reports whether a token is issued for the resource at u (RFC 9068, section 4).
func (i *identity) meant(r resourceURL, u *url.URL) bool {
	if i.audience != "" {
		return slices.Contains(i.audiences, i.audience)
	}
	return slices.Contains(i.audiences, r.id) || slices.Contains(i.audiences, r.at(u.EscapedPath()))
}

func newIssuer(p policy.Issuer, skew time.Duration, client *http.Client, log *slog.Logger) *issuer {
	i := &issuer{name: p.Issuer, audience: p.Audience, skew: skew, types: []string{"at+jwt", "jwt", ""}}
	algorithms := p.Algorithms
	if algorithms == nil {
		algorithms = policy.Algorithms
	}
	for _, a := range algorithms {
		i.algorithms = append(i.algorithms, jose.SignatureAlgorithm(a))
	}
	if p.Types != nil {
		i.types = nil
		for _, t := range p.Types {
			i.types = append(i.types, mediaType(t))
		}
	}
	i.keys = newKeySet(source{issuer: p.Issuer, jwks: p.JWKS, client: client}, log)
	return i
}

// mediaType returns the type of a token without its optional prefix (RFC 7515, section 4.1.9).
func mediaType(typ string) string { return strings.TrimPrefix(strings.ToLower(typ), "application/") }

// verify checks a token, except for its audience, which depends on the request.
func (i *issuer) verify(ctx context.Context, t *token, now time.Time) (*identity, *refusal) {
	if !slices.Contains(i.types, mediaType(t.typ)) {
		return nil, invalid("the token is of a type that is not taken from its issuer: an access token is at+jwt")
	}
	if !slices.Contains(i.algorithms, jose.SignatureAlgorithm(t.algorithm)) {
		return nil, invalid("the token is signed with an algorithm that is not taken from its issuer")
	}
	// Before the signature, so that an expired token costs no fetch of keys.
	expires, bad := t.times(now, i.skew)
	if bad != nil {
		return nil, bad
	}
	if bad := i.checkSignature(ctx, t); bad != nil {
		return nil, bad
	}
	v, bad := t.identity()
	if bad != nil {
		return nil, bad
	}
	v.audience, v.principal.Expires = i.audience, expires
	return v, nil
}

func (i *issuer) checkSignature(ctx context.Context, t *token) *refusal {
	signed, err := jose.ParseSignedCompact(t.text, i.algorithms)
	if err != nil {
		return invalid("the token cannot be read as a signed JWT")
	}
	keys, err := i.keys.find(ctx, t.algorithm, t.keyID)
	if err != nil {
		return cannotTell()
	}
	if len(keys) == 0 {
		return invalid("the token is signed with a key that its issuer does not have")
	}
	for _, key := range keys {
		if _, err := signed.Verify(key); err == nil {
			return nil
		}
	}
	return invalid("the signature of the token is wrong")
}
