// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/toolvet/toolvet/internal/policy"
)

const (
	testResource = "https://mcp.example.org/mcp"
	testIssuer   = "https://login.example.org/realm"
	testKeys     = testIssuer + "/keys"
)

// Keys are made once, because RSA keys are slow to make.
var (
	rsaKey    = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	weakKey   = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 1024)) })
	ecKey     = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	ecKey384  = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)) })
	edKey     = sync.OnceValue(func() ed25519.PrivateKey { _, key, err := ed25519.GenerateKey(rand.Reader); return must(key, err) })
	strangers = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// An authority is an authorization server without a network, and works in a synctest bubble.
type authority struct {
	mu      sync.Mutex
	keys    []jose.JSONWebKey
	answer  func(w http.ResponseWriter, req *http.Request) // in place of the keys; nil: the keys
	fetches atomic.Int64
}

// newAuthority makes a key of each kind. The id of a key is its algorithm, and "rsa" for RSA.
func newAuthority() *authority {
	return &authority{keys: []jose.JSONWebKey{
		public("rsa", rsaKey()), public("ES256", ecKey()), public("ES384", ecKey384()), public("EdDSA", edKey()),
	}}
}

func public(id string, key crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{Key: key.Public(), KeyID: id, Use: "sig"}
}

func (a *authority) set(keys ...jose.JSONWebKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.keys = keys
}

func (a *authority) behave(answer func(w http.ResponseWriter, req *http.Request)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer = answer
}

func (a *authority) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	a.fetches.Add(1)
	a.mu.Lock()
	keys, answer := jose.JSONWebKeySet{Keys: a.keys}, a.answer
	a.mu.Unlock()
	if answer != nil {
		answer(w, req)
		return
	}
	json.NewEncoder(w).Encode(keys)
}

// RoundTrip answers in the process.
func (a *authority) RoundTrip(req *http.Request) (*http.Response, error) {
	return inProcess{a}.RoundTrip(req)
}

// inProcess turns a handler into a transport.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, req)
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// claims returns the claims of a good token with changes; nil removes a claim.
func claims(changes map[string]any) map[string]any {
	now := time.Now()
	c := map[string]any{
		"iss": testIssuer, "sub": "ann", "aud": testResource, "client_id": "editor", "scope": "mcp files:read",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// header returns the header of a good token with changes.
func header(changes map[string]any) map[string]any {
	h := map[string]any{"alg": "ES256", "kid": "ES256", "typ": "at+jwt"}
	maps.Copy(h, changes)
	maps.DeleteFunc(h, func(_ string, v any) bool { return v == nil })
	return h
}

// good makes a token that is accepted.
func good() string { return sign(header(nil), claims(nil), ecKey()) }

// sign makes a token, good or bad. Header and claims are values, or JSON in a string.
func sign(header, claims any, key any) string {
	algorithm := "ES256"
	if h, ok := header.(map[string]any); ok {
		if a, ok := h["alg"].(string); ok {
			algorithm = a
		}
	}
	input := encode(header) + "." + encode(claims)
	return input + "." + base64.RawURLEncoding.EncodeToString(signature(algorithm, input, key))
}

func encode(v any) string {
	text, ok := v.(string)
	if !ok {
		text = string(must(json.Marshal(v)))
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// signature signs by RFC 7518, section 3.
func signature(algorithm, input string, key any) []byte {
	if algorithm == "none" {
		return nil
	}
	hash := map[string]crypto.Hash{"256": crypto.SHA256, "384": crypto.SHA384, "512": crypto.SHA512}[algorithm[2:]]
	digest := []byte(input)
	if hash != 0 {
		h := hash.New()
		h.Write(digest)
		digest = h.Sum(nil)
	}
	switch key := key.(type) {
	case []byte:
		mac := hmac.New(hash.New, key)
		mac.Write([]byte(input))
		return mac.Sum(nil)
	case *ecdsa.PrivateKey:
		r, s, err := ecdsa.Sign(rand.Reader, key, digest)
		size := (key.Params().BitSize + 7) / 8
		return append(must(r, err).FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	case *rsa.PrivateKey:
		if algorithm[0] == 'P' {
			return must(rsa.SignPSS(rand.Reader, key, hash, digest, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}))
		}
		return must(rsa.SignPKCS1v15(rand.Reader, key, hash, digest))
	case ed25519.PrivateKey:
		return ed25519.Sign(key, digest)
	}
	panic("no such key")
}

// testPolicy trusts the test's issuer, and one static token.
func testPolicy(change func(a *policy.Authorization)) *policy.Authorization {
	a := &policy.Authorization{
		Resource:  testResource,
		Issuers:   []policy.Issuer{{Issuer: testIssuer, JWKS: testKeys}},
		Tokens:    []policy.Token{{SHA256: Digest(staticToken), Subject: "ci", Claims: map[string]any{"team": "ops", "scope": "mcp"}}},
		Scopes:    []string{"mcp"},
		ClockSkew: policy.DefaultClockSkew,
	}
	if change != nil {
		change(a)
	}
	return a
}

const staticToken = "toolvet_ABCDEFGHIJKLMNOPQRSTUVWXYZ"

func newResource(t testing.TB, a *policy.Authorization, transport http.RoundTripper) *Resource {
	t.Helper()
	r, err := New(a, Options{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ask makes one request, and returns the answer and the principal.
func ask(r *Resource, change func(req *http.Request)) (*http.Response, *Principal) {
	req := httptest.NewRequest(http.MethodPost, testResource, nil)
	if change != nil {
		change(req)
	}
	var seen *Principal
	w := httptest.NewRecorder()
	r.Handler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		seen = FromContext(req.Context())
		if len(req.Header.Values("Authorization")) > 0 {
			http.Error(w, "the token is passed on", http.StatusInternalServerError)
		}
	})).ServeHTTP(w, req)
	return w.Result(), seen
}

func showing(token string) func(req *http.Request) {
	return func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+token) }
}

// status makes a request with a token, and returns the status.
func status(r *Resource, token string) int {
	resp, _ := ask(r, showing(token))
	return resp.StatusCode
}
