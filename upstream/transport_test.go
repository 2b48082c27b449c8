// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

// newWebServer is a server behind a URL that wants a token.
func newWebServer() *httptest.Server {
	answers := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"add","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}]}`,
		"tools/call": `{"content":[{"type":"text","text":"3"}]}`,
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case json.NewDecoder(r.Body).Decode(&m) != nil:
			w.WriteHeader(http.StatusBadRequest)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answers[m.Method])
		}
	}))
}

// A bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func ExampleHTTP() {
	server := newWebServer()
	defer server.Close()
	set, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{
		{Name: "sums", Dialer: upstream.HTTP{URL: server.URL, Transport: bearer("secret")}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer set.Close(ctx)
	for _, arguments := range []string{`{"n":"many"}`, `{"n":1}`} {
		outcome, err := set.Call(ctx, "sums:add", json.RawMessage(arguments))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("ran:", outcome.Ran)
	}
	// Output:
	// ran: false
	// ran: true
}

func TestHTTPFaults(t *testing.T) {
	t.Parallel()
	server := newWebServer()
	t.Cleanup(server.Close)
	for name, tt := range map[string]struct {
		dialer upstream.HTTP
		want   string
	}{
		"no URL":         {upstream.HTTP{}, "must start with http:// or https://"},
		"password in it": {upstream.HTTP{URL: "https://ann:hunter2@example.com"}, "has credentials in it"},
		"no token":       {upstream.HTTP{URL: server.URL}, "401"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := servers.Connect(t.Context(), tt.dialer, servers.Options{})
			if err == nil {
				c.Close(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("Connect: %v, want %q", err, tt.want)
			}
		})
	}
}

// A foreign is a Transport as somebody else writes one: it tells of its end in words of its own.
type foreign struct {
	upstream.Transport
	end error
}

func (f foreign) Stop(ctx context.Context) error {
	_ = f.Transport.Stop(ctx)
	return f.end
}

type foreignDialer struct {
	*memory
	end error
}

func (f foreignDialer) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	t, err := f.memory.Dial(ctx, stderr)
	return foreign{t, f.end}, err
}

// TestForeignTransport: the error of a call repeats what a Transport says of its end, fit for a terminal.
func TestForeignTransport(t *testing.T) {
	t.Parallel()
	for want, end := range map[string]error{
		"the server ended before it answered tools/call":                                  nil,
		"the server ended (the tunnel \ufffd[31mcollapsed) before it answered tools/call": errors.New("the tunnel \x1b[31mcollapsed"),
	} {
		m := newMemory(map[string]func(*session, message){"tools/call": func(s *session, _ message) { s.die() }})
		set, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "s", Dialer: foreignDialer{m, end}}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { set.Close(context.Background()) })
		_, err = set.Call(t.Context(), "s:read", json.RawMessage(`{"path":"x"}`))
		if gone, ok := errors.AsType[*upstream.GoneError](err); !ok || !gone.Sent || err.Error() != want {
			t.Errorf("Call: %q, want %q", err, want)
		}
	}
}
