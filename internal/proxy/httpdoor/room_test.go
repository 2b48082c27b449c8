// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/wire/httpguard"
)

// TestSessionsAtOnce holds that clients which begin sessions at the same moment get no more than
// there may be, and that an initialize that begins none, or that ended, takes no place.
func TestSessionsAtOnce(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	all.Add(3)
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"clientInfo"`) { // of the race: all are with the server at once
			all.Done()
			all.Wait()
		}
		switch {
		case strings.Contains(body, `"refused"`):
			w.Header().Set("Content-Type", jsonType)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}}`)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		default:
			sessionful(w, r, body)
		}
	})
	url := serve(t, server.URL, Config{MaxSessions: 3}, httpguard.Guard{})
	for range 5 {
		post(t, url, strings.Replace(initialize, "{}", `{"refused":1}`, 1))
	}
	var good, busy atomic.Int32
	ids := make(chan string, 10)
	var clients sync.WaitGroup
	for range 10 {
		clients.Go(func() {
			switch resp, body := post(t, url, strings.Replace(initialize, "{}", `{"clientInfo":{}}`, 1)); {
			case resp.StatusCode == 200:
				good.Add(1)
				ids <- resp.Header.Get(sessionHeader)
			case resp.StatusCode == 503:
				busy.Add(1)
			default:
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
	clients.Wait()
	if good.Load() != 3 || busy.Load() != 7 {
		t.Fatalf("%d sessions, %d refused", good.Load(), busy.Load())
	}
	if resp, _ := send(t, http.MethodDelete, url, nil, sessionHeader, <-ids); resp.StatusCode != http.StatusNoContent {
		t.Fatal(resp.Status)
	}
	if got := posted(initialize, `"result"`)(t, url); got != "200" {
		t.Errorf("after the end of one: %s", got)
	}
}

// TestRequestsOfOthers holds that one principal's requests leave room for others'.
func TestRequestsOfOthers(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := newFake(t, oddly(func(w http.ResponseWriter, id string) {
		<-release
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprintf(w, result, id)
	}))
	url := serve(t, server.URL, Config{MaxRequests: 1, Session: bearer}, httpguard.Guard{})
	done := make(chan string)
	go func() { done <- posted(badCall, `"done"`, "Authorization", "eve")(t, url) }()
	eventually(t, "the call", func() bool { return len(server.asked()) == 2 })
	if got := posted(goodCall, "too many requests", "Authorization", "eve")(t, url); got != "503" {
		t.Error(got)
	}
	if got := posted(goodCall, `"done"`, "Authorization", "ann")(t, url); got != "200" {
		t.Error(got)
	}
	close(release)
	<-done
}

// TestStreamThatIsLeft holds that a call whose stream could be resumed is forgotten in the end,
// unless its client comes back.
func TestStreamThatIsLeft(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet, strings.Contains(body, `"bad"`):
			w.Header().Set("Content-Type", streamType)
			_, _ = io.WriteString(w, "id: 1\ndata:\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		default:
			sessionful(w, r, body)
		}
	})
	cfg := Config{ResumeTime: 20 * time.Millisecond, SessionIdle: time.Hour}
	p, url := serveProxy(t, server.URL, cfg, httpguard.Guard{})
	session := begin(t, url)
	leave := func(method, body string, header ...string) func() {
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", jsonType)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, len("id: 1\ndata:\n\n"))); err != nil {
			t.Fatal(err)
		}
		return func() { resp.Body.Close() }
	}
	leave(http.MethodPost, badCall, session...)()
	back := leave(http.MethodGet, "", append(session, "Last-Event-Id", "1")...)
	s := p.sessions.use(session[1], anybody(p, url))
	if s == nil {
		t.Fatal("no session")
	}
	defer p.sessions.release(s)
	time.Sleep(5 * cfg.ResumeTime) // nothing may happen meanwhile, however long it is
	if s.client.Waiting() != 1 {
		t.Error("the call is forgotten while its client waits")
	}
	back()
	eventually(t, "the end of the call", func() bool { return s.client.Waiting() == 0 })
}

// anybody is the owner of what a client without credentials does.
func anybody(p *Proxy, url string) string {
	req, _ := http.NewRequest(http.MethodPost, url, nil)
	req.RemoteAddr = "127.0.0.1:1"
	return p.newExchange(req).owner
}
