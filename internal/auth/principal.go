// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"time"
)

// A Principal identifies the party behind a request. It is read-only.
type Principal struct {
	Subject  string         // the claim sub, or the subject of a static token in the policy
	Issuer   string         // the claim iss; "" of a static token
	ClientID string         // the program that acts for the subject; "" if unknown
	Claims   map[string]any // all claims of the token, as decoded from JSON, numbers as json.Number
	Scopes   []string       // in the order of the token
	Digest   string         // SHA-256 of the token, in hexadecimal digits
	Expires  time.Time      // expiry of the token, clock skew included; zero: never
}

// Identity names the principal uniquely among all issuers, for limits, sessions and logs. It is ISSUER#SUBJECT, or
// SUBJECT for a static token. The two forms cannot be confused: an issuer has no fragment, and the subject of a
// static token has no #.
func (p *Principal) Identity() string {
	if p.Issuer == "" {
		return p.Subject
	}
	return p.Issuer + "#" + p.Subject
}

type contextKey struct{}

// FromContext returns the principal of the request of ctx, or nil outside [Resource.Handler].
func FromContext(ctx context.Context) *Principal {
	p, _ := ctx.Value(contextKey{}).(*Principal)
	return p
}
