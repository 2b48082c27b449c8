// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolvet/toolvet/internal/policy"
)

func TestTaken(t *testing.T) {
	t.Parallel()
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	token := func(h, c map[string]any) string { return sign(header(h), claims(c), ecKey()) }
	for name, tt := range map[string]struct {
		token  string
		policy func(a *policy.Authorization)
	}{
		"static":                 {token: staticToken},
		"static, no issuers":     {token: staticToken, policy: func(a *policy.Authorization) { a.Issuers, a.Resource = nil, "" }},
		"ES256":                  {token: good()},
		"ES384":                  {token: sign(header(map[string]any{"alg": "ES384", "kid": "ES384"}), claims(nil), ecKey384())},
		"EdDSA":                  {token: sign(header(map[string]any{"alg": "EdDSA", "kid": "EdDSA"}), claims(nil), edKey())},
		"RS256":                  {token: sign(header(map[string]any{"alg": "RS256", "kid": "rsa"}), claims(nil), rsaKey())},
		"RS384":                  {token: sign(header(map[string]any{"alg": "RS384", "kid": "rsa"}), claims(nil), rsaKey())},
		"RS512":                  {token: sign(header(map[string]any{"alg": "RS512", "kid": "rsa"}), claims(nil), rsaKey())},
		"PS256":                  {token: sign(header(map[string]any{"alg": "PS256", "kid": "rsa"}), claims(nil), rsaKey())},
		"PS384":                  {token: sign(header(map[string]any{"alg": "PS384", "kid": "rsa"}), claims(nil), rsaKey())},
		"PS512":                  {token: sign(header(map[string]any{"alg": "PS512", "kid": "rsa"}), claims(nil), rsaKey())},
		"the only key":           {token: token(map[string]any{"kid": nil}, nil)},
		"type JWT":               {token: token(map[string]any{"typ": "JWT"}, nil)},
		"no type":                {token: token(map[string]any{"typ": nil}, nil)},
		"long type":              {token: token(map[string]any{"typ": "Application/AT+JWT"}, nil)},
		"own type":               {token: token(map[string]any{"typ": "own+jwt"}, nil), policy: func(a *policy.Authorization) { a.Issuers[0].Types = []string{"application/OWN+jwt"} }},
		"a jku that is ignored":  {token: token(map[string]any{"jku": "https://evil.example.org"}, nil)},
		"several audiences":      {token: token(nil, map[string]any{"aud": []string{"a", testResource}})},
		"an audience of its own": {token: token(nil, map[string]any{"aud": "api"}), policy: func(a *policy.Authorization) { a.Issuers[0].Audience = "api" }},
		"scp, a list":            {token: token(nil, map[string]any{"scope": nil, "scp": []string{"a", "mcp"}})},
		"scp, a text":            {token: token(nil, map[string]any{"scope": nil, "scp": "a mcp"})},
		"expired within skew":    {token: token(nil, map[string]any{"exp": in(-30 * time.Second)})},
		"early within skew":      {token: token(nil, map[string]any{"nbf": in(30 * time.Second), "iat": in(30 * time.Second)})},
		"a time with a fraction": {token: token(nil, map[string]any{"exp": float64(in(time.Minute)) + 0.5})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, p := ask(newResource(t, testPolicy(tt.policy), newAuthority()), showing(tt.token))
			if resp.StatusCode != http.StatusOK || p == nil {
				t.Errorf("got status %d and %v", resp.StatusCode, p)
			}
		})
	}
}

func TestPrincipal(t *testing.T) {
	t.Parallel()
	r := newResource(t, testPolicy(nil), newAuthority())
	token := good()
	for range 2 { // the second time as remembered
		_, p := ask(r, func(req *http.Request) { req.Header.Set("authorization", "bEARER  "+token) })
		want := &Principal{
			Subject: "ann", Issuer: testIssuer, ClientID: "editor", Scopes: []string{"mcp", "files:read"}, Digest: hexDigest(Digest(token)),
		}
		if diff := cmp.Diff(want, p, cmpopts.IgnoreFields(Principal{}, "Claims", "Expires")); diff != "" {
			t.Errorf("principal (-want +got):\n%s", diff)
		}
		if _, ok := p.Claims["exp"].(json.Number); !ok || p.Claims["sub"] != "ann" {
			t.Errorf("the claims are %v", p.Claims)
		}
		if got := time.Until(p.Expires); got < time.Hour || got > time.Hour+2*time.Minute {
			t.Errorf("the token expires in %v", got)
		}
		if got, want := p.Identity(), testIssuer+"#ann"; got != want {
			t.Errorf("the identity is %q, want %q", got, want)
		}
	}
	_, p := ask(r, showing(staticToken))
	want := &Principal{Subject: "ci", Claims: map[string]any{"team": "ops", "scope": "mcp"}, Scopes: []string{"mcp"}, Digest: hexDigest(Digest(staticToken))}
	if diff := cmp.Diff(want, p); diff != "" || p.Identity() != "ci" {
		t.Errorf("static principal %q (-want +got):\n%s", p.Identity(), diff)
	}
}

// TestPrincipalsApart: the same subject of two issuers is two principals, in any order of requests.
func TestPrincipalsApart(t *testing.T) {
	t.Parallel()
	const other = "https://other.example.org"
	r := newResource(t, testPolicy(func(a *policy.Authorization) {
		a.Issuers = append(a.Issuers, policy.Issuer{Issuer: other, JWKS: other + "/keys"})
	}), newAuthority())
	for _, want := range []string{testIssuer, other, testIssuer} {
		_, p := ask(r, showing(sign(header(nil), claims(map[string]any{"iss": want}), ecKey())))
		if p == nil || p.Identity() != want+"#ann" {
			t.Errorf("a token of %s is taken for %v", want, p)
		}
	}
	if p := FromContext(t.Context()); p != nil {
		t.Errorf("outside of a request there is %v", p)
	}
}

// TestBelow: a token for a part of the resource opens only that part, even if it is remembered. A token for the whole
// resource opens all parts.
func TestBelow(t *testing.T) {
	t.Parallel()
	r := newResource(t, testPolicy(nil), newAuthority())
	part := sign(header(nil), claims(map[string]any{"aud": testResource + "/files"}), ecKey())
	for _, tt := range []struct {
		token, path string
		want        int
	}{
		{part, "/mcp/files", 200}, {part, "/mcp", 401}, {part, "/mcp/filesystem", 401}, {part, "/mcp/files/", 401}, {part, "/mcp/files", 200}, {part, "/elsewhere", 401},
		{good(), "/mcp", 200}, {good(), "/mcp/files", 200}, {good(), "/mcp/", 200}, {good(), "/behind/a/proxy", 200},
	} {
		resp, _ := ask(r, func(req *http.Request) {
			req.URL.Path = tt.path
			showing(tt.token)(req)
		})
		if resp.StatusCode != tt.want {
			t.Errorf("%s: status %d, want %d", tt.path, resp.StatusCode, tt.want)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]*policy.Authorization{
		"nothing":   nil,
		"nobody":    {Resource: testResource},
		"no URL":    {Resource: "mcp", Issuers: []policy.Issuer{{Issuer: testIssuer}}},
		"not a URL": {Resource: "https://a b", Issuers: []policy.Issuer{{Issuer: testIssuer}}},
	} {
		if r, err := New(a, Options{}); err == nil {
			t.Errorf("%s: made %v", name, r)
		}
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	document := func(resource string) string {
		return `{"resource":"` + resource + `","authorization_servers":["` + testIssuer + `"],"scopes_supported":["mcp"],"bearer_methods_supported":["header"]}` + "\n"
	}
	static := func(a *policy.Authorization) { a.Issuers = nil }
	for name, tt := range map[string]struct {
		policy       func(a *policy.Authorization)
		method, path string
		status       int
		body         string
	}{
		"root":                      {nil, "GET", "", 200, document(testResource)},
		"path":                      {nil, "GET", "/mcp", 200, document(testResource)},
		"slash":                     {nil, "GET", "/mcp/", 200, document(testResource)},
		"below":                     {nil, "GET", "/mcp/files", 200, document(testResource + "/files")},
		"escaped":                   {nil, "GET", "/mcp/a%22b%2Fc", 200, document(testResource + "/a%22b%2Fc")},
		"another":                   {nil, "GET", "/other", 401, ""},
		"another that begins alike": {nil, "GET", "/mcpx", 401, ""},
		"not the document":          {nil, "GET", "x", 401, ""},
		"a long path":               {nil, "GET", "/mcp/" + strings.Repeat("a", maxPath), 401, ""},
		"post":                      {nil, "POST", "/mcp", 405, "only GET, HEAD and OPTIONS\n"},
		"preflight":                 {nil, "OPTIONS", "/mcp", 204, ""},
		"static":                    {static, "GET", "/mcp", 200, `{"resource":"` + testResource + `","scopes_supported":["mcp"],"bearer_methods_supported":["header"]}` + "\n"},
		"no resource":               {func(a *policy.Authorization) { a.Issuers, a.Resource = nil, "" }, "GET", "", 401, ""},
		"all of a host":             {func(a *policy.Authorization) { a.Resource = "https://mcp.example.org" }, "GET", "/any", 200, document("https://mcp.example.org/any")},
		"a host":                    {func(a *policy.Authorization) { a.Resource = "https://mcp.example.org" }, "GET", "", 200, document("https://mcp.example.org")},
		"a host, slash":             {func(a *policy.Authorization) { a.Resource = "https://mcp.example.org/" }, "GET", "/", 200, document("https://mcp.example.org/")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newResource(t, testPolicy(tt.policy), newAuthority())
			w := httptest.NewRecorder()
			r.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(tt.method, "https://mcp.example.org"+wellKnown+tt.path, nil))
			body := w.Body.String()
			if w.Code == http.StatusUnauthorized {
				body = ""
			}
			if w.Code != tt.status || body != tt.body {
				t.Errorf("got %d %s, want %d %s", w.Code, body, tt.status, tt.body)
			}
		})
	}
}

// TestChallenges: a request at a path is answered with the right document.
func TestChallenges(t *testing.T) {
	t.Parallel()
	r := newResource(t, testPolicy(func(a *policy.Authorization) { a.Scopes = nil }), newAuthority())
	for path, want := range map[string]string{
		"/mcp":          "/mcp",
		"/mcp/files":    "/mcp/files",
		"/behind/proxy": "/mcp",
		`/mcp/"a`:       "/mcp/%22a",
	} {
		resp, _ := ask(r, func(req *http.Request) { req.URL.Path = path })
		want = `Bearer resource_metadata="https://mcp.example.org/.well-known/oauth-protected-resource` + want + `"`
		if got := resp.Header.Get("WWW-Authenticate"); got != want {
			t.Errorf("at %s: %s, want %s", path, got, want)
		}
	}
	static := newResource(t, testPolicy(func(a *policy.Authorization) { a.Scopes, a.Issuers, a.Resource = nil, nil, "" }), newAuthority())
	resp, _ := ask(static, nil)
	if got := resp.Header.Get("WWW-Authenticate"); got != "Bearer" {
		t.Errorf("without a resource: %q", got)
	}
}

func TestNewToken(t *testing.T) {
	t.Parallel()
	one, other := NewToken(), NewToken()
	if one == other || len(one) < len(tokenPrefix)+26 || !IsToken(one) {
		t.Errorf("made %q and %q", one, other)
	}
	r := newResource(t, testPolicy(func(a *policy.Authorization) {
		a.Scopes = nil
		a.Tokens = []policy.Token{{SHA256: Digest(one), Subject: "one"}, {SHA256: Digest(other), Subject: "other"}}
	}), newAuthority())
	for token, want := range map[string]string{one: "one", other: "other"} {
		if _, p := ask(r, showing(token)); p == nil || p.Subject != want || p.Claims == nil {
			t.Errorf("the token of %s is taken for that of %v", want, p)
		}
	}
}

func TestCheckListen(t *testing.T) {
	t.Parallel()
	a := testPolicy(nil)
	for address, want := range map[string]bool{"127.0.0.1:80": true, "[::1]:80": true, "localhost:80": true, ":80": false, "0.0.0.0:80": false, "[::]:80": false, "mcp:80": false} {
		if err := CheckListen(address, nil); (err == nil) != want {
			t.Errorf("%s without authorization: %v", address, err)
		}
		if err := CheckListen(address, a); err != nil {
			t.Errorf("%s with authorization: %v", address, err)
		}
	}
	if err := CheckListen("8080", a); err == nil {
		t.Error("8080 is taken for an address")
	}
}
