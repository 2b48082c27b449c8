// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/toolvet/toolvet/internal/policy"
)

// BenchmarkHandler measures the cost of authorization: with a remembered token, with a token that is verified each
// time, and with a static token among a hundred.
func BenchmarkHandler(b *testing.B) {
	tokens := testPolicy(nil).Tokens
	for range 99 {
		tokens = append(tokens, policy.Token{SHA256: Digest(NewToken()), Subject: "other"})
	}
	rs256 := sign(header(map[string]any{"alg": "RS256", "kid": "rsa"}), claims(nil), rsaKey())
	for _, bb := range []struct {
		name, token string
		forget      bool
	}{{"remembered", good(), false}, {"ES256", good(), true}, {"RS256", rs256, true}, {"static", staticToken, false}, {"forged", changed(good()), false}} {
		b.Run(bb.name, func(b *testing.B) {
			r := newResource(b, testPolicy(func(a *policy.Authorization) { a.Tokens = tokens }), newAuthority())
			h := r.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			req := httptest.NewRequest(http.MethodPost, testResource, nil)
			showing(bb.token)(req)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), req)
				if bb.forget {
					clear(r.verified.entries)
				}
			}
		})
	}
}
