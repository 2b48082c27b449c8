// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	sdk "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/test/npm"
)

// A login is a whole authorization server, which admits everybody.
type login struct {
	*httptest.Server
	mu    sync.Mutex
	codes map[string]url.Values // what was asked for with a code
}

func newLogin(t *testing.T) *login {
	l := &login{codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-authorization-server", l.metadata)
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public("ES256", ecKey())}})
	})
	mux.HandleFunc("/authorize", l.authorize)
	mux.HandleFunc("/token", l.token)
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	return l
}

func (l *login) metadata(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"issuer": l.URL, "jwks_uri": l.URL + "/keys", "authorization_endpoint": l.URL + "/authorize", "token_endpoint": l.URL + "/token",
		"response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code", "client_credentials"},
		"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
		"authorization_response_iss_parameter_supported": true,
	})
}

func (l *login) authorize(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	l.mu.Lock()
	l.codes["code-"+q.Get("state")] = q
	l.mu.Unlock()
	answer := url.Values{"code": {"code-" + q.Get("state")}, "state": {q.Get("state")}, "iss": {l.URL}}
	http.Redirect(w, req, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

func (l *login) token(w http.ResponseWriter, req *http.Request) {
	req.ParseForm()
	asked, client := req.PostForm, ""
	client, _, _ = req.BasicAuth()
	if asked.Get("grant_type") == "authorization_code" {
		l.mu.Lock()
		asked = l.codes[asked.Get("code")]
		l.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"token_type": "Bearer", "expires_in": 3600,
		"access_token": sign(header(nil), claims(map[string]any{"iss": l.URL, "sub": client, "aud": asked.Get("resource"), "scope": asked.Get("scope")}), ecKey()),
	})
}

// protectedServer makes an MCP server behind a Resource that trusts l. It notes its visitors.
func protectedServer(t *testing.T, l *login) (server *httptest.Server, principals func() string) {
	s := mcp.NewServer(&mcp.Implementation{Name: "protected", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "hello"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	mcpHandler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	var mu sync.Mutex
	seen := map[string]bool{}
	server = httptest.NewUnstartedServer(nil)
	r := newResource(t, &policy.Authorization{
		Resource: "http://" + server.Listener.Addr().String() + "/mcp", Issuers: []policy.Issuer{{Issuer: l.URL, Types: []string{"at+jwt"}}},
		Scopes: []string{"mcp", "files:read"}, ClockSkew: time.Minute,
	}, nil)
	server.Config.Handler = r.Handler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		seen[FromContext(req.Context()).Identity()] = true
		mu.Unlock()
		mcpHandler.ServeHTTP(w, req)
	}))
	server.Start()
	t.Cleanup(server.Close)
	return server, func() string {
		mu.Lock()
		defer mu.Unlock()
		var list []string
		for p := range seen {
			list = append(list, p)
		}
		return strings.Join(list, " ")
	}
}

// TestGoSDK: the official Go client finds the issuer and gets in, given only a URL.
func TestGoSDK(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/mcp", "/mcp/files"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			l := newLogin(t)
			server, principals := protectedServer(t, l)
			handler, err := sdk.NewAuthorizationCodeHandler(&sdk.AuthorizationCodeHandlerConfig{
				PreregisteredClient: &oauthex.ClientCredentials{ClientID: "go", ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: "s3cret"}},
				RedirectURL:         "http://127.0.0.1:1/callback",
				AuthorizationCodeFetcher: func(ctx context.Context, args *sdk.AuthorizationArgs) (*sdk.AuthorizationResult, error) {
					resp, err := newClient(nil).Get(args.URL)
					if err != nil {
						return nil, err
					}
					resp.Body.Close()
					where, err := resp.Location()
					if err != nil {
						return nil, err
					}
					q := where.Query()
					return &sdk.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + path, OAuthHandler: handler}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != 1 {
				t.Errorf("tools: %v, %v", tools, err)
			}
			if got, want := principals(), l.URL+"#go"; got != want {
				t.Errorf("came in as %q, want %q", got, want)
			}
		})
	}
}

// TestTypeScriptSDK: so do the TypeScript clients.
func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	for _, sdk := range []string{"@modelcontextprotocol/sdk", "@modelcontextprotocol/client"} {
		for _, path := range []string{"/mcp", "/mcp/files"} {
			t.Run(sdk+path, func(t *testing.T) {
				t.Parallel()
				command := npm.Script(t, "oauth.mjs")
				l := newLogin(t)
				server, principals := protectedServer(t, l)
				var stderr bytes.Buffer
				cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], sdk, server.URL+path, l.URL)...)
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil || string(out) != "hello\n" {
					t.Errorf("got %q, %v\n%s", out, err, stderr.String())
				}
				if got, want := principals(), l.URL+"#typescript"; got != want {
					t.Errorf("came in as %q, want %q", got, want)
				}
			})
		}
	}
}
