// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// FuzzRequest: only a signature of the issuer or a token of the policy gets a request in. Every refusal is a
// documented one, and none repeats the token.
func FuzzRequest(f *testing.F) {
	for _, tt := range refusals() {
		f.Add("Bearer "+tt.token, "")
	}
	f.Add("Bearer "+staticToken, "")
	f.Add("Bearer "+good(), "access_token=x")
	f.Add("", "%zz&access%5ftoken")
	f.Add("BEARER  a=", "a;access_token")
	r := newResource(f, testPolicy(nil), newAuthority())
	f.Fuzz(func(t *testing.T, header, query string) {
		req := httptest.NewRequest(http.MethodPost, testResource, nil)
		req.Header.Set("Authorization", header)
		req.URL.RawQuery = query
		var p *Principal
		w := httptest.NewRecorder()
		r.Handler(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { p = FromContext(req.Context()) })).ServeHTTP(w, req)
		_, token, _ := strings.Cut(header, " ")
		token = strings.TrimLeft(token, " ")
		if p != nil {
			if !entitled(token) {
				t.Errorf("%q got in as %+v", header, p)
			}
			return
		}
		var answer refusalAnswer
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code < 400 || w.Code == http.StatusServiceUnavailable {
			t.Errorf("refused with %d %s", w.Code, w.Body)
		}
		challenge := w.Header().Get("WWW-Authenticate")
		if !strings.HasPrefix(challenge, "Bearer ") || strings.Count(challenge, `"`)%2 != 0 {
			t.Errorf("the challenge is %s", challenge)
		}
		if len(token) > 30 && strings.Contains(w.Body.String()+challenge, token) {
			t.Errorf("the refusal repeats the token: %s", w.Body)
		}
	})
}

// entitled reports whether a token is the static one or has a signature of the issuer.
func entitled(token string) bool {
	if token == staticToken {
		return true
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.EdDSA, jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512})
	if err != nil {
		return false
	}
	for _, key := range newAuthority().keys {
		if _, err := signed.Verify(key); err == nil {
			return true
		}
	}
	return false
}

// FuzzToken: parse reads the claims that decide like encoding/json.
func FuzzToken(f *testing.F) {
	for _, tt := range refusals() {
		if header, rest, ok := strings.Cut(tt.token, "."); ok {
			claims, _, _ := strings.Cut(rest, ".")
			f.Add(decoded(header), decoded(claims))
		}
	}
	f.Fuzz(func(t *testing.T, header, claims string) {
		token, bad := parse(encode(header) + "." + encode(claims) + ".")
		if bad != nil {
			return
		}
		body := map[string]any{}
		if json.Unmarshal([]byte(claims), &body) != nil || body["iss"] == nil && token.issuer != "" || body["iss"] != nil && body["iss"] != token.issuer {
			t.Errorf("iss is %q in %s", token.issuer, claims)
		}
		h := map[string]any{}
		if json.Unmarshal([]byte(header), &h) != nil || h["crit"] != nil {
			t.Errorf("took the header %s", header)
		}
		for name, got := range map[string]string{"alg": token.algorithm, "kid": token.keyID, "typ": token.typ} {
			if s, _ := h[name].(string); s != got {
				t.Errorf("%s is %q in %s", name, got, header)
			}
		}
	})
}

func decoded(part string) string {
	text, _ := base64.RawURLEncoding.DecodeString(part)
	return string(text)
}
