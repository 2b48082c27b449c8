// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// TestFrontServerEnds holds that each request is answered when the server ends, and that
// the next one finds no session.
func TestFrontServerEnds(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		if m.Method != "slow" {
			polite(b, m)
		}
	})
	id, b := f.session()
	own := f.events(f.do(t.Context(), "GET", "", "Mcp-Session-Id", id))
	own.want("1-0 ")
	done := make(chan string)
	go func() { done <- f.post(`{"jsonrpc":"2.0","id":1,"method":"slow"}`, "Mcp-Session-Id", id) }()
	go func() { done <- f.post(modern("7", "slow", ""), modernHeaders("slow")...) }()
	shared := <-f.backends
	eventually(t, "the servers got the requests", func() bool { return len(b.lines()) == 3 && len(shared.lines()) == 1 })
	b.end()
	if got := <-done; !strings.Contains(got, `"id":1,"error":{"code":-32603,"message":"the server has ended`) {
		t.Errorf("got %s", got)
	}
	own.want("")
	shared.end()
	if got := <-done; !strings.Contains(got, `"id":7,"error":{"code":-32603,"message":"the server has ended`) {
		t.Errorf("got %s", got)
	}
	if got := f.post(ping("1"), "Mcp-Session-Id", id); !strings.HasPrefix(got, "404 ") {
		t.Errorf("then %s", got)
	}
}

// TestFrontBounds holds the number of sessions, and their life without requests.
func TestFrontBounds(t *testing.T) {
	t.Parallel()
	f := newFront(t, polite, func(c *streamable.FrontConfig) { c.MaxSessions, c.Idle = 2, 4*time.Second })
	f.session()
	f.session()
	if got := f.post(hello); !strings.HasPrefix(got, "503 ") {
		t.Errorf("a session too many: %s", got)
	}
	eventually(t, "the sessions ended", func() bool { return f.open.Load() == 0 })
	eventually(t, "there is room again", func() bool { return f.post(hello) == "200 "+greeted })
}

// TestFrontForgets holds that an initialize that comes to nothing leaves no session.
func TestFrontForgets(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		if string(m.ID) == `"h"` {
			b.say(`{"jsonrpc":"2.0","id":"h","error":{"code":-32602,"message":"no"}}`)
		}
	})
	if got := f.post(hello); got != `200 {"jsonrpc":"2.0","id":"h","error":{"code":-32602,"message":"no"}}` {
		t.Errorf("got %s", got)
	}
	ctx, cut := context.WithCancel(t.Context())
	go func() {
		b := <-f.backends
		b = <-f.backends
		eventually(t, "the server got initialize", func() bool { return len(b.lines()) == 1 })
		cut()
	}()
	r, _ := http.NewRequestWithContext(ctx, "POST", f.URL, strings.NewReader(strings.Replace(hello, `"h"`, `"i"`, 1)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "*/*")
	if _, err := f.Client().Do(r); err == nil {
		t.Error("nothing was to be answered")
	}
	eventually(t, "the sessions ended", func() bool { return f.open.Load() == 0 })
}

// TestFrontMany holds that a hundred clients at once are served and leave nothing behind.
func TestFrontMany(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("clients", func(t *testing.T) {
		f := newFront(t, polite, func(c *streamable.FrontConfig) { c.MaxSessions = 200 })
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				resp := f.do(t.Context(), "POST", hello)
				answer(t, resp)
				id := resp.Header.Get("Mcp-Session-Id")
				listening, cut := context.WithCancel(t.Context())
				f.do(listening, "GET", "", "Mcp-Session-Id", id)
				for n := range 20 {
					want := fmt.Sprintf(`200 {"jsonrpc":"2.0","id":%d,"result":{}}`, n)
					if got := f.post(ping(fmt.Sprint(n)), "Mcp-Session-Id", id); got != want {
						t.Errorf("got %s, want %s", got, want)
					}
					if got := f.post(modern(fmt.Sprint(n), "x", ""), modernHeaders("x")...); got != want {
						t.Errorf("got %s, want %s", got, want)
					}
				}
				cut()
				if i%2 == 0 { // the others just go away
					f.do(t.Context(), "DELETE", "", "Mcp-Session-Id", id)
				}
			})
		}
		all.Wait()
	})
	eventually(t, "the goroutines ended", func() bool {
		http.DefaultClient.CloseIdleConnections()
		return runtime.NumGoroutine() <= before+5
	})
}

// TestFrontPrefers holds that a client that names events first has events, but for an error whose
// status counts.
func TestFrontPrefers(t *testing.T) {
	t.Parallel()
	f := newFront(t, polite)
	id, _ := f.session()
	const first = "text/event-stream, application/json"
	resp := f.do(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Mcp-Session-Id", id, "Accept", first)
	events := f.events(resp)
	var data string
	for data == "" {
		e, err := events.r.Next()
		if err != nil {
			t.Fatal(err)
		}
		data = string(e.Data)
	}
	if data != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("got %s", data)
	}
}
