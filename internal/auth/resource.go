// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/toolvet/toolvet/internal/policy"
)

// A Resource decides which requests to accept. It is safe for concurrent use. A changed policy needs a new one.
type Resource struct {
	resource resourceURL
	scopes   []string // every token must have them
	issuers  map[string]*issuer
	names    []string // of the issuers, in the order of the policy
	static   []static
	verified verified
	log      *slog.Logger
}

// Options are settings beside the policy.
type Options struct {
	// Transport fetches the keys and metadata of issuers. Nil means the network, through the proxy in the
	// environment.
	Transport http.RoundTripper
	// Logger logs refusals and unreachable issuers, never a token. It may be nil.
	Logger *slog.Logger
}

// New makes a Resource. It fetches nothing: an issuer that is down affects only its own tokens. It returns an error
// if a names neither issuers nor tokens, or if its resource is not a URL.
func New(a *policy.Authorization, o Options) (*Resource, error) {
	if a == nil || len(a.Issuers) == 0 && len(a.Tokens) == 0 {
		return nil, errors.New("the policy names neither issuers nor tokens: nobody could get in")
	}
	r := &Resource{scopes: a.Scopes, issuers: map[string]*issuer{}, static: statics(a.Tokens), log: o.Logger}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if r.resource, err = newResourceURL(a.Resource); err != nil {
		return nil, err
	}
	client := newClient(o.Transport)
	for _, i := range a.Issuers {
		r.issuers[i.Issuer] = newIssuer(i, a.ClockSkew, client, r.log)
		r.names = append(r.names, i.Issuer)
	}
	return r, nil
}

// Handler puts the resource in front of next. Next sees only accepted requests, with the principal ([FromContext])
// and without the header Authorization. Handler itself serves the documents of RFC 9728, to anybody.
func (r *Resource) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if id, ok := r.resource.described(req.URL); ok {
			r.describe(w, req, id)
			return
		}
		taken, bad := r.take(req)
		if bad != nil {
			r.refuse(w, req, bad)
			return
		}
		next.ServeHTTP(w, taken)
	})
}

// Take returns an accepted request in the form in which [Resource.Handler] passes it on. It is for doors that answer
// refusals themselves: the error gives the reason, and has nothing of the token.
func (r *Resource) Take(req *http.Request) (*http.Request, error) {
	taken, bad := r.take(req)
	if bad != nil {
		r.tell(req, bad)
		return nil, errors.New(bad.description)
	}
	return taken, nil
}

func (r *Resource) take(req *http.Request) (*http.Request, *refusal) {
	p, bad := r.authenticate(req)
	if bad != nil {
		return nil, bad
	}
	req = req.WithContext(context.WithValue(req.Context(), contextKey{}, p))
	req.Header = req.Header.Clone()
	req.Header.Del("Authorization")
	return req, nil
}

func (r *Resource) authenticate(req *http.Request) (*Principal, *refusal) {
	token, bad := bearer(req)
	if bad != nil {
		return nil, bad
	}
	digest := sha256.Sum256([]byte(token))
	p := find(r.static, digest)
	if p == nil {
		v, err := r.verify(req.Context(), token, digest)
		switch {
		case err != nil:
			return nil, err
		case !v.meant(r.resource, req.URL):
			return nil, invalid("the token is made out to another audience")
		}
		p = v.principal
	}
	for _, scope := range r.scopes {
		if !slices.Contains(p.Scopes, scope) {
			return nil, insufficient()
		}
	}
	return p, nil
}

// verify returns the statements of a token. It remembers verified tokens for a short time.
func (r *Resource) verify(ctx context.Context, token string, digest [sha256.Size]byte) (*identity, *refusal) {
	now := time.Now()
	if known := r.verified.find(digest, now); known != nil {
		return known, nil
	}
	t, bad := parse(token)
	if bad != nil {
		return nil, bad
	}
	issuer := r.issuers[t.issuer]
	if issuer == nil {
		return nil, invalid("the token is of an issuer that is not trusted here")
	}
	v, bad := issuer.verify(ctx, t, now)
	if bad != nil {
		return nil, bad
	}
	v.principal.Digest = hexDigest(digest)
	r.verified.add(digest, v, now)
	return v, nil
}
