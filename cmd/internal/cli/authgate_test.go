// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/auth"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
)

// An issuer signs tokens for mcpResource.
type issuer struct {
	url    string
	signer jose.Signer
}

const mcpResource = "https://mcp.example.org/mcp"

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Use: "sig"}}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(keys) }))
	t.Cleanup(server.Close)
	i := &issuer{url: server.URL}
	i.signer, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// token is a good token of a subject, with changes of its claims.
func (i *issuer) token(t *testing.T, subject string, changes map[string]any) string {
	t.Helper()
	claims := map[string]any{"iss": i.url, "sub": subject, "aud": mcpResource, "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(claims, changes)
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := i.signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

// A protected is "toolvet proxy --listen" with authorization in its policy.
type protected struct {
	*issuer
	file   string // the policy
	url    string
	client http.Client
	stderr *lockedBuffer
}

const staticToken = "static-token-of-the-machine-that-builds"

// policy is one whose rules and limits go by who makes a call. Server is a part of it.
func (i *issuer) policy(server string) string {
	return fmt.Sprintf(`version: 1
authorization:
  resource: %s
  clock_skew: 1s
  issuers: [{issuer: %q, jwks: %q}]
  tokens: [{sha256: %x, subject: ci, claims: {team: ops}}]
rules:
  - {name: ann, effect: allow, tools: "s:t", when: 'session.subject == "%s#ann"'}
  - {name: ops, effect: allow, tools: "s:t", when: '"team" in session.claims && session.claims.team == "ops"'}
limits:
  - {name: few, tools: "s:t", rate: 2/h}
servers:
  s: %s
`, mcpResource, i.url, i.url+"/keys", auth.Digest(staticToken), i.url, server)
}

const noCredentials = "{}"

// protect starts the command. The server is a part of the policy.
func protect(t *testing.T, i *issuer, server string, args ...string) *protected {
	t.Helper()
	return protectWith(t, i, server, "clients connect to ", append([]string{"proxy"}, args...)...)
}

// protectWith starts a command that tells its address behind the given words.
func protectWith(t *testing.T, i *issuer, server, told string, args ...string) *protected {
	t.Helper()
	dir := t.TempDir()
	p := &protected{issuer: i, file: filepath.Join(dir, "toolvet.yaml"), stderr: new(lockedBuffer), client: http.Client{Timeout: patience}}
	if err := os.WriteFile(p.file, []byte(i.policy(server)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "toolvet", append([]string{args[0], "--listen", "127.0.0.1:0", "--policy", p.file}, args[1:]...)...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = dir, p.stderr, patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	waitFor(t, "address", func() bool {
		return strings.Contains(p.stderr.String(), told) && strings.HasSuffix(p.stderr.String(), "\n")
	})
	_, after, _ := strings.Cut(p.stderr.String(), told)
	p.url, _, _ = strings.Cut(after, "\n")
	return p
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s", what)
		}
	}
}

// do makes a request. The body is read, but of a stream.
func (p *protected) do(t *testing.T, method, token, session, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, p.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodGet && resp.StatusCode == http.StatusOK {
		return resp, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	callT      = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{}}}`
)

// begin begins a session.
func (p *protected) begin(t *testing.T, token string) string {
	t.Helper()
	resp, text := p.do(t, http.MethodPost, token, "", initialize)
	id := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != http.StatusOK || id == "" {
		t.Fatalf("initialize: status %d, session %q: %s\n%s", resp.StatusCode, id, text, p.stderr)
	}
	p.do(t, http.MethodPost, token, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return id
}

// A sessionServer is a server with sessions that wants the credentials "Bearer upstream".
type sessionServer struct {
	*httptest.Server
	wants   atomic.Pointer[string]
	refused atomic.Pointer[func()] // is called for each request with other credentials
	mu      sync.Mutex
	seen    http.Header // all headers that ever came
}

func newSessionServer(t *testing.T) *sessionServer {
	s := &sessionServer{seen: http.Header{}}
	wants := "Bearer upstream"
	s.wants.Store(&wants)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *sessionServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	for name, values := range r.Header {
		s.seen[name] = append(s.seen[name], values...)
	}
	s.mu.Unlock()
	if r.Header.Get("Authorization") != *s.wants.Load() {
		if refused := s.refused.Load(); refused != nil {
			(*refused)()
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://evil.example.org/"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	body, _ := io.ReadAll(r.Body)
	m, err := jsonrpc.DecodeEnvelope(body, call.Limits{})
	result := ""
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
		return
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s-"+rand.Text())
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
	case m.Method == "tools/list":
		result = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
	default:
		result = `{"content":[{"type":"text","text":"the server ran it"}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestAuthorization holds both doors to a policy with authorization: who may come in, whose
// sessions are whose, and what rules and limits know of it.
func TestAuthorization(t *testing.T) {
	t.Parallel()
	t.Run("in front of a server over HTTP", func(t *testing.T) {
		t.Parallel()
		server := newSessionServer(t)
		p := protect(t, newIssuer(t), fmt.Sprintf(`{url: %q, credentials: {header: {Authorization: Bearer upstream}}}`, server.URL+"/mcp"))
		p.test(t)
		server.mu.Lock()
		defer server.mu.Unlock()
		for _, shown := range server.seen["Authorization"] {
			if shown != "Bearer upstream" {
				t.Errorf("the server is shown %q", shown)
			}
		}
	})
	t.Run("in front of a server that is started", func(t *testing.T) {
		t.Parallel()
		definition := filepath.Join(t.TempDir(), "server.json")
		if err := os.WriteFile(definition, []byte(`{"capabilities":{"tools":{}},"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		protect(t, newIssuer(t), noCredentials, "--", "fakeserver", definition).test(t)
	})
}

func (p *protected) test(t *testing.T) {
	ann, bob := p.token(t, "ann", nil), p.token(t, "bob", nil)
	t.Run("refused", func(t *testing.T) {
		for name, token := range map[string]string{
			"none":             "",
			"unknown":          "a-static-token-that-nobody-knows-of",
			"expired":          p.token(t, "ann", map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}),
			"another audience": p.token(t, "ann", map[string]any{"aud": "https://api.example.org"}),
			"forged":           ann[:strings.LastIndexByte(ann, '.')] + bob[strings.LastIndexByte(bob, '.'):],
		} {
			resp, text := p.do(t, http.MethodPost, token, "", initialize)
			challenge := resp.Header.Get("WWW-Authenticate")
			if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(challenge, `resource_metadata="https://mcp.example.org/.well-known/oauth-protected-resource/mcp"`) {
				t.Errorf("%s: status %d, challenge %q, %s", name, resp.StatusCode, challenge, text)
			}
		}
	})
	t.Run("metadata", func(t *testing.T) {
		resp, err := http.Get(strings.TrimSuffix(p.url, "/mcp") + "/.well-known/oauth-protected-resource/mcp")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var document struct {
			Resource string   `json:"resource"`
			Issuers  []string `json:"authorization_servers"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&document); err != nil || document.Resource != mcpResource || len(document.Issuers) != 1 || document.Issuers[0] != p.issuer.url {
			t.Errorf("%+v, %v", document, err)
		}
	})
	session := p.begin(t, ann)
	t.Run("sessions", func(t *testing.T) {
		others := map[string]string{
			"bob":                   bob,
			"ann with other claims": p.token(t, "ann", map[string]any{"team": "x"}),
			"ci":                    staticToken,
		}
		for name, token := range others {
			if resp, text := p.do(t, http.MethodPost, token, session, callT); resp.StatusCode != http.StatusNotFound {
				t.Errorf("%s uses the session of ann: status %d, %s", name, resp.StatusCode, text)
			}
			if resp, _ := p.do(t, http.MethodDelete, token, session, ""); resp.StatusCode != http.StatusNotFound {
				t.Errorf("%s ends the session of ann: status %d", name, resp.StatusCode)
			}
		}
		if resp, _ := p.do(t, http.MethodPost, "", session, callT); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("a session opens the door without a token: status %d", resp.StatusCode)
		}
	})
	t.Run("rules and limits", func(t *testing.T) {
		expect := func(token, session, want string) {
			t.Helper()
			if _, text := p.do(t, http.MethodPost, token, session, callT); !strings.Contains(text, want) {
				t.Errorf("%s\nlacks %q", text, want)
			}
		}
		ran := "the server ran it"
		expect(ann, session, ran)
		expect(p.token(t, "ann", map[string]any{"exp": time.Now().Add(30 * time.Minute).Unix(), "jti": "2"}), session, ran) // renewed
		expect(ann, p.begin(t, ann), "too many calls")                                                                      // it is ann's limit, not a session's
		expect(staticToken, p.begin(t, staticToken), ran)
		expect(bob, p.begin(t, bob), `"isError":true`)
	})
	t.Run("a stream ends with its token", func(t *testing.T) {
		brief := p.token(t, "ann", map[string]any{"exp": time.Now().Add(2 * time.Second).Unix()})
		stream, _ := p.do(t, http.MethodGet, brief, session, "")
		if stream.StatusCode != http.StatusOK {
			t.Fatalf("status %d", stream.StatusCode)
		}
		defer stream.Body.Close()
		ended := make(chan struct{})
		go func() { defer close(ended); _, _ = io.Copy(io.Discard, bufio.NewReader(stream.Body)) }()
		select {
		case <-ended:
		case <-time.After(patience):
			t.Error("it goes on")
		}
	})
	p.reloads(t, ann, session)
}

// TestGatewayTokens holds that a gateway lets in, and goes on to serve, only those whose token the policy in force takes.
func TestGatewayTokens(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	p := protectWith(t, i, "{command: [toolvet, demo-server, .]}", "listening at ", "serve")
	stream, _ := p.do(t, http.MethodGet, staticToken, p.begin(t, staticToken), "")
	defer stream.Body.Close()
	brief := i.token(t, "bob", map[string]any{"exp": time.Now().Add(2 * time.Second).Unix()})
	short, _ := p.do(t, http.MethodGet, brief, p.begin(t, brief), "")
	defer short.Body.Close()
	waitFor(t, "end of a stream whose token has expired", func() bool { _, err := short.Body.Read(make([]byte, 1<<10)); return err != nil })
	ann := i.token(t, "ann", nil)
	p.reloads(t, ann, p.begin(t, ann))
	waitFor(t, "end of an older stream", func() bool { _, err := stream.Body.Read(make([]byte, 1<<10)); return err != nil })
}

// reloads holds what a changed policy means.
func (p *protected) reloads(t *testing.T, ann, session string) {
	before, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(p.file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stream, _ := p.do(t, http.MethodGet, staticToken, p.begin(t, staticToken), "")
	defer stream.Body.Close()
	if stream.StatusCode != http.StatusOK {
		t.Fatalf("status %d", stream.StatusCode)
	}
	_, rest, _ := strings.Cut(string(before), "\nrules:\n")
	save("version: 1\nrules:\n" + rest)
	waitFor(t, "word of a policy without authorization", func() bool { return strings.Contains(p.stderr.String(), "no longer has authorization") })
	if resp, _ := p.do(t, http.MethodPost, "", session, callT); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a policy that has lost its authorization lets everybody in: status %d", resp.StatusCode)
	}
	withdrawn := strings.Replace(string(before), fmt.Sprintf("%x", auth.Digest(staticToken)), fmt.Sprintf("%x", auth.Digest("another")), 1)
	save(withdrawn)
	waitFor(t, "end of a stream whose token was withdrawn", func() bool { _, err := stream.Body.Read(make([]byte, 1<<10)); return err != nil })
	if resp, _ := p.do(t, http.MethodPost, staticToken, "", initialize); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token that was withdrawn is taken: status %d", resp.StatusCode)
	}
	if resp, text := p.do(t, http.MethodPost, ann, session, callT); resp.StatusCode != http.StatusOK {
		t.Errorf("another's session is lost: status %d, %s", resp.StatusCode, text)
	}
}

// TestCredentials holds that a server's credentials are shown with each try, and that its refusal
// is not the client's affair.
func TestCredentials(t *testing.T) {
	t.Parallel()
	server, issuer := newSessionServer(t), newIssuer(t)
	secret := filepath.Join(t.TempDir(), "secret")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(secret, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("Bearer upstream")
	p := protect(t, issuer, fmt.Sprintf(`{url: %q, credentials: {header_file: {Authorization: %q}}}`, server.URL, secret))
	session := p.begin(t, staticToken)
	p.do(t, http.MethodPost, staticToken, session, `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`) // so that the call is asked alone
	other := "Bearer another"
	server.wants.Store(&other)
	resp, text := p.do(t, http.MethodPost, staticToken, session, callT)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("WWW-Authenticate") != "" || strings.Contains(text, "evil") || !strings.Contains(text, "has no result") || !strings.Contains(text, "refuses the proxy's credentials") {
		t.Errorf("status %d, %v, %s", resp.StatusCode, resp.Header, text)
	}
	refused := func() { write(other) } // while the request is under way, which is sent once more, with its body
	server.refused.Store(&refused)
	if _, text := p.do(t, http.MethodPost, staticToken, session, callT); !strings.Contains(text, "the server ran it") {
		t.Errorf("with the new credentials: %s", text)
	}
}

// TestAuthorizationUsage holds what is refused before anybody can connect.
func TestAuthorizationUsage(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	for server, args := range map[string]map[string]string{
		`{url: "https://api.example.org/mcp", credentials: {header: {X-Key: a}}}`: {
			"--listen 127.0.0.1:0 --upstream https://other.example.org/mcp": "but another URL",
			"--listen 127.0.0.1:0 --pass-header authorization":              "cannot be passed on",
		},
		noCredentials: {"--listen 127.0.0.1:0": "neither a command nor a url"},
	} {
		file := filepath.Join(t.TempDir(), "toolvet.yaml")
		if err := os.WriteFile(file, []byte(i.policy(server)), 0o600); err != nil {
			t.Fatal(err)
		}
		for arg, want := range args {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			out, err := exec.CommandContext(ctx, "toolvet", append([]string{"proxy", "--policy", file}, strings.Fields(arg)...)...).CombinedOutput()
			cancel()
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%s: %v, %s", arg, err, out)
			}
		}
	}
}
