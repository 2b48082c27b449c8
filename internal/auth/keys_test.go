// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/toolvet/toolvet/internal/policy"
)

func signedBy(kid string) string {
	return sign(header(map[string]any{"kid": kid}), claims(map[string]any{"jti": kid + time.Now().String()}), ecKey())
}

// expect makes a request with a new token of a key.
func expect(t *testing.T, r *Resource, kid string, want int, fetches int64, a *authority) {
	t.Helper()
	if got := status(r, signedBy(kid)); got != want {
		t.Errorf("a token signed with %s: status %d, want %d", kid, got, want)
	}
	synctest.Wait()
	if got := a.fetches.Load(); got != fetches {
		t.Errorf("the keys were fetched %d times, want %d", got, fetches)
	}
}

// TestRotation: a new key counts at once, and a withdrawn one for a few minutes at most.
func TestRotation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority()
		a.set(public("old", ecKey()))
		r := newResource(t, testPolicy(nil), a)
		expect(t, r, "old", 200, 1, a)
		expect(t, r, "old", 200, 1, a)
		time.Sleep(pauseKeys)
		a.set(public("old", ecKey()), public("new", ecKey()))
		expect(t, r, "new", 200, 2, a)
		expect(t, r, "old", 200, 2, a)
		a.set(public("new", ecKey()))
		time.Sleep(earlyKeys)
		expect(t, r, "new", 200, 3, a) // renewed behind its back
		expect(t, r, "old", 401, 3, a)
	})
}

// TestWithdrawn: six minutes after the issuer withdrew a key, no token of it is accepted any more, however
// long the door was idle before, and whether the door has seen the token.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	const promise = renewKeys + maxRemembered
	synctest.Test(t, func(t *testing.T) {
		for idle := time.Duration(0); idle < 70*time.Minute; idle += 10 * time.Second {
			a := newAuthority()
			a.set(public("old", ecKey()))
			a.behave(func(w http.ResponseWriter, _ *http.Request) {
				a.mu.Lock()
				keys := a.keys // as the issuer has them when the request comes
				a.mu.Unlock()
				time.Sleep(time.Second)
				json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: keys})
			})
			r := newResource(t, testPolicy(nil), a)
			known := signedBy("old")
			if got := status(r, known); got != 200 {
				t.Fatalf("before the key is withdrawn: status %d", got)
			}
			a.set(public("new", ecKey()))
			withdrawn := time.Now()
			time.Sleep(idle)
			for range 3 { // the last chance to be remembered anew
				for name, token := range map[string]string{"known": known, "unknown": signedBy("old")} {
					if got := status(r, token); got == 200 && time.Since(withdrawn) > promise {
						t.Errorf("after %v without a request, a token that was %s is accepted %v after its key was withdrawn", idle, name, time.Since(withdrawn))
					}
				}
				time.Sleep(time.Until(withdrawn.Add(promise + time.Second)))
			}
			if got := status(r, signedBy("new")); got != 200 {
				t.Errorf("after %v without a request: a token of the new key: status %d", idle, got)
			}
		}
	})
}

// TestWithdrawnWhileDown: an issuer that was out of reach is asked again within a minute, before its old keys count.
func TestWithdrawnWhileDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority()
		a.set(public("old", ecKey()))
		r := newResource(t, testPolicy(nil), a)
		expect(t, r, "old", 200, 1, a)
		a.behave(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) })
		for range 20 {
			time.Sleep(time.Minute)
			if got := status(r, signedBy("old")); got != 200 {
				t.Fatalf("while the issuer is down: status %d", got)
			}
		}
		a.behave(nil)
		a.set(public("new", ecKey()))
		time.Sleep(maxPause)
		if got := status(r, signedBy("old")); got != 401 {
			t.Errorf("a minute after the issuer is back: status %d", got)
		}
	})
}

// TestRemembered: after its key is withdrawn, a remembered token is accepted for a minute longer, and never longer
// than it lives.
func TestRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority()
		r := newResource(t, testPolicy(nil), a)
		token, short := good(), sign(header(nil), claims(map[string]any{"exp": time.Now().Add(-30 * time.Second).Unix()}), ecKey())
		if status(r, token) != 200 || status(r, short) != 200 {
			t.Fatal("the tokens are not taken")
		}
		time.Sleep(30 * time.Second)
		if got := status(r, short); got != 401 {
			t.Errorf("an expired token: status %d", got)
		}
		a.set(public("ES256", strangers()))
		r.issuers[testIssuer].keys.renewed.renewSoon()
		time.Sleep(maxRemembered/2 - time.Second)
		if got := status(r, token); got != 200 {
			t.Errorf("before it is forgotten: status %d", got)
		}
		time.Sleep(time.Second)
		if got := status(r, token); got != 401 {
			t.Errorf("after it is forgotten: status %d", got)
		}
	})
}

func TestRememberedIsBounded(t *testing.T) {
	t.Parallel()
	var v verified
	now := time.Now()
	i := &identity{principal: &Principal{Expires: now.Add(time.Hour)}}
	for n := range maxVerified + 100 {
		v.add(Digest(fmt.Sprint(n)), i, now)
	}
	if len(v.entries) != maxVerified {
		t.Errorf("remembers %d tokens, want %d", len(v.entries), maxVerified)
	}
}

// TestUnknownKeys: unknown keys cost the issuer one request in a while.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority()
		r := newResource(t, testPolicy(nil), a)
		expect(t, r, "ES256", 200, 1, a)
		for n := range 100 {
			expect(t, r, fmt.Sprint(n), 401, 1, a)
		}
		time.Sleep(pauseKeys)
		for n := range 100 {
			expect(t, r, fmt.Sprint(n), 401, 2, a)
		}
	})
}

// TestHerd: a crowd of clients causes one request.
func TestHerd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority()
		a.behave(func(w http.ResponseWriter, req *http.Request) {
			time.Sleep(time.Second)
			json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: a.keys})
		})
		r := newResource(t, testPolicy(nil), a)
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				if got := status(r, signedBy("ES256")); got != 200 {
					t.Errorf("status %d", got)
				}
			})
		}
		wg.Wait()
		if got := a.fetches.Load(); got != 1 {
			t.Errorf("the keys were fetched %d times", got)
		}
	})
}

// TestDown: an issuer that is down is asked less and less, and its keys are trusted for an hour.
func TestDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority()
		down := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) }
		a.behave(down)
		r := newResource(t, testPolicy(nil), a)
		for range 3 {
			expect(t, r, "ES256", 503, 1, a)
		}
		time.Sleep(firstPause)
		expect(t, r, "ES256", 503, 2, a)
		time.Sleep(firstPause)
		expect(t, r, "ES256", 503, 2, a)
		time.Sleep(firstPause)
		expect(t, r, "ES256", 503, 3, a)
		if got := status(r, staticToken); got != 200 {
			t.Errorf("a static token: status %d", got)
		}
		a.behave(nil)
		time.Sleep(maxPause)
		expect(t, r, "ES256", 200, 4, a)
		a.behave(down)
		time.Sleep(keepKeys - time.Second)
		expect(t, r, "ES256", 200, 5, a)
		time.Sleep(firstPause)
		expect(t, r, "ES256", 503, 6, a)
		expect(t, r, "unknown", 503, 6, a)
	})
}

// TestHangs: a request to an issuer that does not answer is given up.
func TestHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority()
		a.behave(func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
		r := newResource(t, testPolicy(nil), a)
		began := time.Now()
		expect(t, r, "ES256", 503, 1, a)
		if took := time.Since(began); took != fetchTimeout {
			t.Errorf("it took %v, want %v", took, fetchTimeout)
		}
	})
}

// TestGarbage: a malformed set of keys is refused, and does no harm.
func TestGarbage(t *testing.T) {
	t.Parallel()
	write := func(text string) func(w http.ResponseWriter, req *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	set := func(keys ...jose.JSONWebKey) string {
		return string(must(json.Marshal(jose.JSONWebKeySet{Keys: keys})))
	}
	key := string(must(public("ES256", ecKey()).MarshalJSON()))
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter, req *http.Request)
		want   int
	}{
		"nothing":        {write(""), 503},
		"HTML":           {write("<html>"), 503},
		"another object": {write("{}"), 503},
		"a list":         {write("[]"), 503},
		"keys no list":   {write(`{"keys":{}}`), 503},
		"keys twice":     {write(`{"keys":[],"keys":[` + key + `]}`), 503},
		"too large":      {write(`{"keys":[` + key + `],"x":"` + strings.Repeat("x", maxAnswer) + `"}`), 503},
		"too many":       {write(`{"keys":[` + strings.Repeat(key+",", maxKeys) + key + `]}`), 503},
		"too deep":       {write(strings.Repeat("[", 100)), 503},
		"a redirect": {func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, testIssuer+"/other", http.StatusFound)
		}, 503},
		"a panic":         {func(http.ResponseWriter, *http.Request) { panic("x") }, 503},
		"no keys":         {write(`{"keys":[]}`), 401},
		"no key":          {write(`{"keys":[1,null,"x",[],{},{"kty":"EC","crv":"P-256","x":"AA","y":"AA","kid":"ES256"}]}`), 401},
		"a key too":       {write(`{"keys":[{"kty":"XX"},` + key + `]}`), 200},
		"a private key":   {write(set(jose.JSONWebKey{Key: ecKey(), KeyID: "ES256"})), 401},
		"for encryption":  {write(strings.Replace(set(public("ES256", ecKey())), `"use":"sig"`, `"use":"enc"`, 1)), 401},
		"for signing":     {write(strings.Replace(set(public("ES256", ecKey())), `"use":"sig"`, `"key_ops":["sign"]`, 1)), 401},
		"for verifying":   {write(strings.Replace(set(public("ES256", ecKey())), `"use":"sig"`, `"key_ops":["verify"]`, 1)), 200},
		"for another alg": {write(strings.Replace(set(public("ES256", ecKey())), `"use":"sig"`, `"alg":"ES384"`, 1)), 401},
		"one id twice":    {write(set(public("ES256", strangers()), public("ES256", ecKey()))), 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority()
			a.behave(tt.answer)
			if got := status(newResource(t, testPolicy(nil), a), good()); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
		})
	}
}

// An endless body counts the bytes that are read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read += len(p)
	return len(p), nil
}

func (e *endless) Close() error { return nil }

// TestEndless: an endless answer is read up to the bound.
func TestEndless(t *testing.T) {
	t.Parallel()
	body := &endless{}
	r := newResource(t, testPolicy(nil), roundTrip(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: body, Request: req}, nil
	}))
	if got := status(r, good()); got != http.StatusServiceUnavailable || body.read > 2*maxAnswer {
		t.Errorf("status %d, after %d bytes", got, body.read)
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	metadata := func(issuer, jwks string) string {
		return fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q}`, issuer, jwks)
	}
	good := metadata(testIssuer, testKeys)
	const (
		oauth  = "https://login.example.org/.well-known/oauth-authorization-server/realm"
		oidc   = "https://login.example.org/.well-known/openid-configuration/realm"
		before = testIssuer + "/.well-known/openid-configuration"
	)
	for name, tt := range map[string]struct {
		answers map[string]string
		want    int
	}{
		"OAuth":                  {map[string]string{oauth: good}, 200},
		"OpenID, inserted":       {map[string]string{oidc: good}, 200},
		"OpenID, appended":       {map[string]string{before: good}, 200},
		"the first is garbage":   {map[string]string{oauth: "<html>", oidc: good}, 200},
		"the first is another's": {map[string]string{oauth: metadata("https://evil.example.org", testKeys), oidc: good}, 200},
		"nothing":                {nil, 503},
		"another's":              {map[string]string{oauth: metadata(testIssuer+"/", testKeys)}, 503},
		"no keys":                {map[string]string{oauth: `{"issuer":"` + testIssuer + `"}`}, 503},
		"keys over http":         {map[string]string{oauth: metadata(testIssuer, "http://login.example.org/keys")}, 503},
		"keys from a file":       {map[string]string{oauth: metadata(testIssuer, "file:///etc/keys")}, 503},
		"given twice":            {map[string]string{oauth: strings.Replace(good, "{", `{"issuer":"x",`, 1)}, 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority()
			r := newResource(t, testPolicy(func(p *policy.Authorization) { p.Issuers[0].JWKS = "" }), roundTrip(func(req *http.Request) (*http.Response, error) {
				if req.URL.String() == testKeys {
					return a.RoundTrip(req)
				}
				answer, ok := tt.answers[req.URL.String()]
				if !ok {
					return inProcess{http.NotFoundHandler()}.RoundTrip(req)
				}
				return inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })}.RoundTrip(req)
			}))
			if got := status(r, sign(header(nil), claims(nil), ecKey())); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
		})
	}
}

// TestRenewedPanics: a panic becomes an error.
func TestRenewedPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := renewed[int]{} // calls a nil function
		if err := r.renew(t.Context()); err == nil || !strings.Contains(err.Error(), "panic") {
			t.Errorf("got %v", err)
		}
	})
}
