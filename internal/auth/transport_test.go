// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/policy"
)

const (
	serverURL = "https://api.example.org/mcp"
	tokenURL  = "https://login.example.org/token"
)

// A tokenServer issues the tokens t1, t2 and so on.
type tokenServer struct {
	asked  atomic.Int64
	form   url.Values
	basic  string
	answer func(w http.ResponseWriter, n int64) // in place of a token for an hour
}

func (s *tokenServer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	n := s.asked.Add(1)
	req.ParseForm()
	user, password, _ := req.BasicAuth()
	s.form, s.basic = req.PostForm, user+":"+password
	w.Header().Set("Content-Type", "application/json")
	if s.answer != nil {
		s.answer(w, n)
		return
	}
	giveToken(w, n, time.Hour)
}

func giveToken(w io.Writer, n int64, life time.Duration) {
	fmt.Fprintf(w, `{"access_token":"t%d","token_type":"Bearer","expires_in":%d}`, n, int(life.Seconds()))
}

// seen records the credentials that a server gets.
type seen struct {
	mu       sync.Mutex
	requests []string // the Authorization and the body of each
	refuse   map[string]bool
}

func (s *seen) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
	}
	shown := strings.Join(req.Header.Values("Authorization"), ",") + " " + req.Header.Get("X-Key")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, shown+" "+string(body))
	if s.refuse[shown] {
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func newTransport(t *testing.T, c *policy.Credentials, server, authority http.Handler) *Transport {
	t.Helper()
	transport, err := NewTransport(&policy.Server{Name: "api", URL: serverURL, Credentials: c}, inProcess{server}, Options{Transport: inProcess{authority}})
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

func clientCredentials(change func(c *policy.ClientCredentials)) *policy.Credentials {
	c := &policy.ClientCredentials{TokenURL: tokenURL, ClientID: "toolvet", ClientSecret: "s3cret"}
	if change != nil {
		change(c)
	}
	return &policy.Credentials{Client: c}
}

// send makes a request of a client with a token of its own.
func send(t *Transport, change func(req *http.Request)) (int, error) {
	req := must(http.NewRequest(http.MethodPost, serverURL, strings.NewReader("body")))
	req.Header.Set("Authorization", "Bearer of-the-client")
	if change != nil {
		change(req)
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	if got := req.Header.Get("Authorization"); got != "Bearer of-the-client" {
		return 0, fmt.Errorf("the caller's request was changed: %s", got)
	}
	return resp.StatusCode, nil
}

func expectSent(t *testing.T, s *seen, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.requests); diff != "" {
		t.Errorf("what the server is shown (-want +got):\n%s", diff)
	}
}

func TestTransportHeaders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one\n")
	var server seen
	transport := newTransport(t, &policy.Credentials{
		Headers: map[string]string{"Authorization": "Bearer ours"}, HeaderFiles: map[string]string{"X-Key": file},
	}, &server, nil)
	for _, text := range []string{"one\n", " two \r\n"} {
		write(text)
		if got, err := send(transport, nil); got != 200 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
	}
	for name, text := range map[string]string{"empty": "\n", "lines": "a\nb", "large": strings.Repeat("a", maxSecret+1)} {
		write(text)
		if _, err := send(transport, nil); !errors.Is(err, ErrCredentials) || strings.Contains(err.Error(), "aaa") {
			t.Errorf("%s: %v", name, err)
		}
	}
	os.Remove(file)
	if _, err := send(transport, nil); !errors.Is(err, ErrCredentials) {
		t.Errorf("missing: %v", err)
	}
	expectSent(t, &server, "Bearer ours one body", "Bearer ours two body")
}

// TestTransportFileChanges: a secret that has changed meanwhile is tried.
func TestTransportFileChanges(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	os.WriteFile(file, []byte("old"), 0o600)
	var requests []string
	transport := newTransport(t, &policy.Credentials{HeaderFiles: map[string]string{"X-Key": file}}, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		requests = append(requests, req.Header.Get("X-Key"))
		os.WriteFile(file, []byte("new"), 0o600)
		w.WriteHeader(http.StatusUnauthorized)
	}), nil)
	for range 2 {
		if got, err := send(transport, nil); got != 401 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
	}
	if diff := cmp.Diff([]string{"old", "new", "new"}, requests); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	os.WriteFile(secret, []byte("from-file\n"), 0o600)
	for name, tt := range map[string]struct {
		change func(c *policy.ClientCredentials)
		form   url.Values
		basic  string
	}{
		"least": {nil, url.Values{"grant_type": {"client_credentials"}, "resource": {serverURL}}, "toolvet:s3cret"},
		"all": {func(c *policy.ClientCredentials) {
			c.ClientSecret, c.SecretFile = "", secret
			c.Scopes, c.Resource, c.Parameters = []string{"a", "b"}, "https://api.example.org", map[string]string{"audience": "api"}
		}, url.Values{"grant_type": {"client_credentials"}, "resource": {"https://api.example.org"}, "scope": {"a b"}, "audience": {"api"}}, "toolvet:from-file"},
		"in the body": {func(c *policy.ClientCredentials) { c.InBody = true },
			url.Values{"grant_type": {"client_credentials"}, "resource": {serverURL}, "client_id": {"toolvet"}, "client_secret": {"s3cret"}}, ":"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var server seen
			var tokens tokenServer
			transport := newTransport(t, clientCredentials(tt.change), &server, &tokens)
			for range 2 {
				if got, err := send(transport, nil); got != 200 || err != nil {
					t.Errorf("got %d, %v", got, err)
				}
			}
			expectSent(t, &server, "Bearer t1  body", "Bearer t1  body")
			if diff := cmp.Diff(tt.form, tokens.form); diff != "" || tokens.basic != tt.basic {
				t.Errorf("asked as %q with (-want +got):\n%s", tokens.basic, diff)
			}
		})
	}
}

// TestTokenLife: a token is renewed before it expires, and one fetch serves all requests.
func TestTokenLife(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var server seen
		var tokens tokenServer
		tokens.answer = func(w http.ResponseWriter, n int64) {
			time.Sleep(100 * time.Millisecond)
			giveToken(w, n, 10*time.Minute)
		}
		transport := newTransport(t, clientCredentials(nil), &server, &tokens)
		use := func(n int, asked int64) {
			t.Helper()
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() {
					if got, err := send(transport, nil); got != 200 || err != nil {
						t.Errorf("got %d, %v", got, err)
					}
				})
			}
			wg.Wait()
			time.Sleep(time.Second)
			if got := tokens.asked.Load(); got != asked {
				t.Errorf("asked for %d tokens, want %d", got, asked)
			}
		}
		use(50, 1)
		time.Sleep(9*time.Minute - time.Second)
		use(1, 1)
		use(50, 2) // a minute before: behind its back
		time.Sleep(time.Hour)
		use(50, 3)
		last := server.requests[len(server.requests)-1]
		if last != "Bearer t3  body" {
			t.Errorf("the server is shown %q", last)
		}
	})
}

// TestRefusedToken: a refused token is renewed, and the request sent once more.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := seen{refuse: map[string]bool{"Bearer t1 ": true, "Bearer t3 ": true, "Bearer t4 ": true}}
		var tokens tokenServer
		transport := newTransport(t, clientCredentials(nil), &server, &tokens)
		expect := func(want int, change func(req *http.Request)) {
			t.Helper()
			time.Sleep(2 * pauseTokens)
			if got, err := send(transport, change); got != want || err != nil {
				t.Errorf("got %d, %v, want %d", got, err, want)
			}
		}
		// The token is so new that no other may be requested yet.
		if got, err := send(transport, nil); got != 401 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
		expect(200, nil)
		server.refuse["Bearer t2 "] = true
		expect(401, func(req *http.Request) { req.GetBody = nil })
		expect(401, nil) // t2, then t3
		expect(401, func(req *http.Request) { req.Body, req.GetBody = nil, nil })
		tokens.answer = func(w http.ResponseWriter, _ int64) { w.WriteHeader(http.StatusInternalServerError) }
		expect(401, nil)
		expectSent(t, &server, "Bearer t1  body",
			"Bearer t1  body", "Bearer t2  body",
			"Bearer t2  body",
			"Bearer t2  body", "Bearer t3  body",
			"Bearer t3  ", "Bearer t4  ",
			"Bearer t4  body")
	})
}

// TestNoToken: without a token nothing is sent. The authorization server is asked less and less, and its words stay
// out of errors and logs.
func TestNoToken(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter, n int64){
		"an error": func(w http.ResponseWriter, _ int64) {
			w.WriteHeader(400)
			io.WriteString(w, `{"error":"invalid_client","s3cret":1}`)
		},
		"garbage": func(w http.ResponseWriter, _ int64) { io.WriteString(w, `s3cret`) },
		"nothing": func(w http.ResponseWriter, _ int64) { io.WriteString(w, `{}`) },
		"another type": func(w http.ResponseWriter, _ int64) {
			io.WriteString(w, `{"access_token":"s3cret","token_type":"mac"}`)
		},
		"line breaks": func(w http.ResponseWriter, _ int64) {
			io.WriteString(w, `{"access_token":"s3cret\r\nX-Key: a","token_type":"bearer"}`)
		},
		"a redirect": func(w http.ResponseWriter, _ int64) {
			w.Header().Set("Location", "https://evil.example.org")
			w.WriteHeader(307)
		},
		"too large": func(w http.ResponseWriter, _ int64) {
			io.WriteString(w, `{"access_token":"`+strings.Repeat("s3cret", maxAnswer)+`"}`)
		},
		"a panic": func(http.ResponseWriter, int64) { panic("x") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var server seen
				tokens := tokenServer{answer: answer}
				var log bytes.Buffer
				transport, err := NewTransport(&policy.Server{Name: "api", URL: serverURL, Credentials: clientCredentials(nil)}, inProcess{&server},
					Options{Transport: inProcess{&tokens}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				if err != nil {
					t.Fatal(err)
				}
				for range 30 {
					_, err := send(transport, nil)
					if !errors.Is(err, ErrCredentials) || strings.Contains(err.Error()+log.String(), "s3cret") {
						t.Fatalf("got %v, log %s", err, log.String())
					}
					time.Sleep(firstPause)
				}
				if got := tokens.asked.Load(); got != 5 { // after 0, 1, 3, 7 and 15 seconds
					t.Errorf("asked %d times", got)
				}
				expectSent(t, &server)
			})
		})
	}
}

// TestRedirects, with real servers: credentials reach one origin, and a client's token reaches no server.
func TestRedirects(t *testing.T) {
	t.Parallel()
	var other, server seen
	evil := httptest.NewServer(&other)
	defer evil.Close()
	mux := http.NewServeMux()
	mux.Handle("/mcp", http.RedirectHandler("/there", http.StatusTemporaryRedirect))
	mux.Handle("/there", &server)
	mux.Handle("/out", http.RedirectHandler(evil.URL, http.StatusTemporaryRedirect))
	real := httptest.NewServer(mux)
	defer real.Close()
	transport, err := NewTransport(&policy.Server{URL: real.URL + "/mcp", Credentials: &policy.Credentials{Headers: map[string]string{"X-Key": "ours"}}}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: transport}
	post := func(path string) error {
		req := must(http.NewRequest(http.MethodPost, real.URL+path, strings.NewReader("body")))
		req.Header.Set("Authorization", "Bearer of-the-client")
		resp, err := client.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	if err := post("/mcp"); err != nil {
		t.Errorf("within the server: %v", err)
	}
	if err := post("/out"); !errors.Is(err, ErrCredentials) {
		t.Errorf("out of the server: %v", err)
	}
	expectSent(t, &server, " ours body")
	expectSent(t, &other)
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"https://a.example.org/x", "https://A.example.org:443/y?z", true},
		{"http://[::1]:80", "http://[::1]", true},
		{"https://a.example.org", "http://a.example.org", false},
		{"https://a.example.org", "https://a.example.org:444", false},
		{"https://a.example.org", "https://b.example.org", false},
		{"https://a.example.org", "https://a.example.org.", false},
	} {
		if got := originOf(must(url.Parse(tt.a))) == originOf(must(url.Parse(tt.b))); got != tt.want {
			t.Errorf("%s and %s are one origin: %v", tt.a, tt.b, got)
		}
	}
	for _, s := range []*policy.Server{{URL: serverURL}, {Credentials: &policy.Credentials{}}} {
		if _, err := NewTransport(s, nil, Options{}); err == nil {
			t.Errorf("made a transport of %+v", s)
		}
	}
}
