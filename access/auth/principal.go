// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"time"
)

// A Principal is who makes a request. It is read-only.
type Principal struct {
	Subject  string         // the claim sub, or as the policy says of a static token
	Issuer   string         // the claim iss; "" of a static token
	ClientID string         // the program that acts for the subject; "" if the token does not say
	Claims   map[string]any // all claims of the token, as decoded from JSON, numbers as json.Number
	Scopes   []string       // in the order of the token
	Digest   string         // SHA-256 of the token, in hexadecimal digits
	Expires  time.Time      // when the token does, clock skew included; zero: never
}

// Identity names the principal among those of all issuers: for limits, sessions and logs. It is
// ISSUER#SUBJECT, and SUBJECT alone of a static token; neither can be mistaken for the other,
// because an issuer has no fragment and the subject of a static token no #.
func (p *Principal) Identity() string {
	if p.Issuer == "" {
		return p.Subject
	}
	return p.Issuer + "#" + p.Subject
}

type contextKey struct{}

// FromContext returns who makes the request of ctx, or nil outside [Resource.Handler].
func FromContext(ctx context.Context) *Principal {
	p, _ := ctx.Value(contextKey{}).(*Principal)
	return p
}
