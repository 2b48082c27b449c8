// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// TestClientHandshake holds the order of a session's first messages, its headers, and
// its end.
func TestClientHandshake(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) {
		if r.message.Method == "notifications/initialized" {
			time.Sleep(50 * time.Millisecond) // what follows must wait for it
		}
		if !legacy(w, r) {
			inJSON(w, result(r, `{}`))
		}
	})
	u := newUser(t, server.URL)
	u.send(hello, ready, ping("1")) // without waiting
	u.want(greeted)
	u.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	_ = u.c.Stop(t.Context())
	if _, more := <-u.lines; more {
		t.Error("a line came after the end")
	}
	want := []string{"POST initialize", "POST notifications/initialized", "POST ping", "DELETE"}
	got := slices.DeleteFunc(server.requests(), func(r string) bool { return r == "GET" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	first := server.find(t, "initialize")
	if first.Header.Get("Mcp-Session-Id") != "" || first.Header.Get("Mcp-Protocol-Version") != "" {
		t.Errorf("the first request has headers of a session: %v", first.Header)
	}
	for _, method := range []string{"notifications/initialized", "GET", "ping", "DELETE"} {
		h := server.find(t, method).Header
		if h.Get("Mcp-Session-Id") != "s-1" || h.Get("Mcp-Protocol-Version") != "2025-11-25" {
			t.Errorf("%s has the headers %v", method, h)
		}
	}
	h := server.find(t, "ping").Header
	if h.Get("Accept") != "application/json, text/event-stream" || h.Get("Content-Type") != "application/json" {
		t.Errorf("a POST has the headers %v", h)
	}
}

// TestClientBytes holds that messages pass as they are, in both directions.
func TestClientBytes(t *testing.T) {
	t.Parallel()
	const odd = `{ "result" : {"n":12345678901234567890.10,"x":"\u00e4\ud83d\ude00\n", "unknown":1e2 } ,"id" : "\u0061" , "jsonrpc":"2.0","more":[1 ,2]}`
	const ask = `{"id":"\u0061" ,"jsonrpc":"2.0",  "method":"x/y","params":{"v":1.0,"v2":  100000000000000000000000}}`
	for name, answer := range map[string]func(w http.ResponseWriter){
		"json":         func(w http.ResponseWriter) { inJSON(w, odd) },
		"json, framed": func(w http.ResponseWriter) { inJSON(w, "\r\n "+odd+"\n") },
		"charset": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "Application/JSON; charset=utf-8")
			io.WriteString(w, odd)
		},
		"events": func(w http.ResponseWriter) { inEvents(w, ": hi\n\nevent: message\ndata: "+odd+"\n\n") },
	} {
		server := newFake(t, func(w http.ResponseWriter, _ request) { answer(w) })
		u := newUser(t, server.URL)
		u.send(ask)
		if got := u.next(); got != odd {
			t.Errorf("%s: got %s\nwant %s", name, got, odd)
		}
		if got := server.find(t, "x/y").body; got != ask {
			t.Errorf("the server got %s\nwant %s", got, ask)
		}
	}
}

func TestClientManyLines(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) {
		switch string(r.ID) {
		case "1":
			inJSON(w, "{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\n\"result\":{\"a\":\"\\n\\\"\"\n}}")
		case "2":
			inEvents(w, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":2,\"result\":{}}\n\n")
		default:
			inJSON(w, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"a\":\"\n\"}}")
		}
	})
	u := newUser(t, server.URL)
	u.send(ping("1"))
	u.want(`{"jsonrpc":"2.0",  "id":1, "result":{"a":"\n\"" }}`)
	u.send(ping("2"))
	u.want(`{"jsonrpc":"2.0", "id":2,"result":{}}`)
	u.send(ping("3"))
	u.wantError("3", "something else")
}

// TestUnanswered holds that the client's own errors tell in their data why there is no answer, and that those of a server do not.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) {
		switch string(r.ID) {
		case "1":
			w.WriteHeader(403)
		case "2":
			http.Redirect(w, r.Request, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		case "3":
			panic(http.ErrAbortHandler)
		case "4":
			inJSON(w, "{")
		default:
			inJSON(w, `{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"the server answers with HTTP 403 ","data":{"io.github.toolvet/unanswered":{"status":403}}}}`)
		}
	})
	u := newUser(t, server.URL)
	for id, want := range []string{
		`"data":{"io.github.toolvet/unanswered":{"status":403}}`,
		`"data":{"io.github.toolvet/unanswered":{"kind":"wrong-address"}}`,
		`"data":{"io.github.toolvet/unanswered":{"kind":"unreachable"}}`,
		`"data":{"io.github.toolvet/unanswered":{}}`,
		`"message":"the server answers with HTTP 403 "}}`,
	} {
		u.send(ping(strconv.Itoa(id + 1)))
		if line := u.next(); !strings.Contains(line, want) {
			t.Errorf("got %s, want %s", line, want)
		}
	}
}

// TestClientAnswersAll holds that each request is answered, whatever the server does.
func TestClientAnswersAll(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, words string
		answer      func(http.ResponseWriter, request)
	}{
		{"401", "HTTP 401 Unauthorized: it wants other credentials", func(w http.ResponseWriter, _ request) { w.WriteHeader(401) }},
		{"401 with words", "it wants other credentials: ask Ann", func(w http.ResponseWriter, _ request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(401)
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`)
		}},
		{"404", "HTTP 404 Not Found", func(w http.ResponseWriter, _ request) { w.WriteHeader(404) }},
		{"503 with words", "HTTP 503", func(w http.ResponseWriter, _ request) { http.Error(w, "<html>", http.StatusServiceUnavailable) }},
		{"202", "does not answer", func(w http.ResponseWriter, _ request) { w.WriteHeader(202) }},
		{"nothing", "neither JSON nor", func(w http.ResponseWriter, _ request) {}},
		{"a page", "neither JSON nor", func(w http.ResponseWriter, _ request) { io.WriteString(w, "<html>") }},
		{"no JSON", "something else", func(w http.ResponseWriter, _ request) { inJSON(w, "{") }},
		{"another id", "something else", func(w http.ResponseWriter, _ request) { inJSON(w, `{"jsonrpc":"2.0","id":8,"result":{}}`) }},
		{"cut off", "broke off", func(w http.ResponseWriter, _ request) {
			w.Header().Set("Content-Length", "100")
			inJSON(w, "{")
		}},
		{"stream without an answer", "broke off before the answer", func(w http.ResponseWriter, _ request) { inEvents(w, ": bye\n\n") }},
		{"aborted", "cannot be reached", func(http.ResponseWriter, request) { panic(http.ErrAbortHandler) }},
		{"too large", "larger than the limit", func(w http.ResponseWriter, _ request) { inJSON(w, strings.Repeat(" ", 70_000)) }},
		{"too large event", "larger than the limit", func(w http.ResponseWriter, _ request) {
			inEvents(w, "data: "+strings.Repeat("x", 70_000)+"\n\n")
		}},
		{"endless event", "larger than the limit", func(w http.ResponseWriter, r request) {
			for r.Context().Err() == nil {
				inEvents(w, "data: "+strings.Repeat("x", 70_000)+"\n")
			}
		}},
		{"another origin", "another origin", func(w http.ResponseWriter, r request) {
			http.Redirect(w, r.Request, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		}},
		{"dropped by redirect", "drops the message", func(w http.ResponseWriter, r request) { http.Redirect(w, r.Request, "/other", http.StatusFound) }},
		{"endless redirect", "without end", func(w http.ResponseWriter, r request) {
			http.Redirect(w, r.Request, "/again", http.StatusTemporaryRedirect)
		}},
		{"late", "in time", func(w http.ResponseWriter, r request) { <-r.Context().Done() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := newFake(t, tt.answer)
			u := newUser(t, server.URL, func(c *streamable.ClientConfig) {
				c.Limits.Bytes = 64 << 10
				c.Advice = "ask Ann"
				if tt.name == "late" {
					c.HeaderTimeout = 50 * time.Millisecond
				}
			})
			u.send(ping("7"))
			u.wantError("7", tt.words)
		})
	}
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		server := newFake(t, nil)
		server.Close()
		u := newUser(t, server.URL)
		u.send(ping("7"))
		u.wantError("7", "cannot be reached")
	})
}

// TestClientRefusals holds that the server's own words come through.
func TestClientRefusals(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		id := map[string]string{"1": "1", "2": "null"}[string(r.ID)]
		io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32022,  "message":"no","data":{"supported":["1.0"]}}}`)
	})
	u := newUser(t, server.URL)
	for _, id := range []string{"1", "2"} {
		u.send(ping(id))
		u.want(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32022,  "message":"no","data":{"supported":["1.0"]}}}`)
	}
}

// TestClientServerRequests holds that what the server asks on a stream comes out, and
// that the answer goes in while the stream is open.
func TestClientServerRequests(t *testing.T) {
	t.Parallel()
	answered := make(chan string, 1)
	server := newFake(t, func(w http.ResponseWriter, r request) {
		switch {
		case r.message.Method == "" && r.body != "":
			w.WriteHeader(http.StatusAccepted)
			answered <- r.body
		case r.message.Method == "tools/call":
			inEvents(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\"}\n\n")
			<-answered
			inEvents(w, "data: "+result(r, `{"content":[]}`)+"\n\n")
		default:
			legacy(w, r)
		}
	})
	u := newUser(t, server.URL)
	u.shakeHands()
	u.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	u.want(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`) // the server's id 1 is not ours
	u.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
	u.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
}

// TestClientListens holds the stream of what the server says unasked: it is opened, taken
// up again after its last event, and given up when the server does not offer it.
func TestClientListens(t *testing.T) {
	t.Parallel()
	var gets atomic.Int32
	server := newFake(t, func(w http.ResponseWriter, r request) {
		if r.Request.Method != http.MethodGet {
			if !legacy(w, r) {
				inJSON(w, result(r, `{}`))
			}
			return
		}
		switch gets.Add(1) {
		case 1:
			inEvents(w, "id: e1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n\n")
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		case 3:
			inEvents(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\""+r.Header.Get("Last-Event-Id")+"\"}\n\n")
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
	u := newUser(t, server.URL)
	u.shakeHands()
	u.want(`{"jsonrpc":"2.0","method":"a"}`)
	u.want(`{"jsonrpc":"2.0","method":"e1"}`)
	eventually(t, "the server said no", func() bool { return gets.Load() == 4 })
	u.send(ping("1"))
	u.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if n := gets.Load(); n != 4 {
		t.Errorf("%d GETs after the server said no", n)
	}
}

// TestClientResumes holds that a stream that breaks before the answer is taken up again.
func TestClientResumes(t *testing.T) {
	t.Parallel()
	var gets atomic.Int32
	server := newFake(t, func(w http.ResponseWriter, r request) {
		last := r.Header.Get("Last-Event-Id")
		switch {
		case r.message.Method == "tools/call":
			inEvents(w, "id: p-1\nretry: 1\ndata:\n\n")
			inEvents(w, "id: p-2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"one\"}\n\n")
			panic(http.ErrAbortHandler)
		case r.Request.Method == http.MethodGet && last != "":
			switch gets.Add(1) {
			case 1:
				panic(http.ErrAbortHandler)
			case 2:
				inEvents(w, "id: p-3\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"after "+last+"\"}\n\n")
			default:
				inEvents(w, "id: p-4\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"after\":\""+last+"\"}}\n\n")
			}
		default:
			legacy(w, r)
		}
	})
	u := newUser(t, server.URL)
	u.shakeHands()
	u.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	u.want(`{"jsonrpc":"2.0","method":"one"}`)
	u.want(`{"jsonrpc":"2.0","method":"after p-2"}`)
	u.want(`{"jsonrpc":"2.0","id":1,"result":{"after":"p-3"}}`)
	u.quiet()
}

func TestClientGivesUpResuming(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) {
		switch {
		case r.message.Method == "tools/call":
			inEvents(w, "id: p-1\ndata:\n\n")
		default:
			legacy(w, r) // 405
		}
	})
	u := newUser(t, server.URL)
	u.shakeHands()
	u.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
	u.wantError("1", "could not be resumed: the server answers with HTTP 405")
}

// TestClientNewSession holds that a session that the server ends is followed by another,
// if nothing is lost with it.
func TestClientNewSession(t *testing.T) {
	t.Parallel()
	for _, stateful := range []bool{false, true} {
		var sessions atomic.Int32
		server := newFake(t, func(w http.ResponseWriter, r request) {
			id := r.Header.Get("Mcp-Session-Id")
			switch {
			case r.message.Method == "initialize":
				w.Header().Set("Mcp-Session-Id", "s-"+string('0'+rune(sessions.Add(1))))
				inJSON(w, result(r, `{"protocolVersion":"2025-11-25","capabilities":{}}`))
			case id == "s-1" && r.message.Method == "ping":
				w.WriteHeader(http.StatusNotFound)
			case r.message.Method == "ping":
				inJSON(w, result(r, `{"session":"`+id+`"}`))
			case !legacy(w, r):
				inJSON(w, result(r, `{}`))
			}
		})
		u := newUser(t, server.URL)
		u.shakeHands()
		if stateful {
			u.send(`{"jsonrpc":"2.0","id":0,"method":"resources/subscribe","params":{"uri":"a:b"}}`)
			u.want(`{"jsonrpc":"2.0","id":0,"result":{}}`)
			u.send(ping("1"))
			u.wantError("1", "the server has ended the session")
			continue
		}
		u.send(ping("1"), ping("2"))
		got := []string{u.next(), u.next()}
		slices.Sort(got)
		want := []string{`{"jsonrpc":"2.0","id":1,"result":{"session":"s-2"}}`, `{"jsonrpc":"2.0","id":2,"result":{"session":"s-2"}}`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		if n := sessions.Load(); n != 2 {
			t.Errorf("%d sessions, want 2", n)
		}
		u.quiet()
	}
}

// TestClientCancels holds that a cancellation follows its request, and ends it here.
func TestClientCancels(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	server := newFake(t, func(w http.ResponseWriter, r request) {
		if r.message.Method == "tools/call" {
			inEvents(w, ": working\n\n")
			<-r.Context().Done()
			close(gone)
			return
		}
		legacy(w, r)
	})
	u := newUser(t, server.URL)
	u.shakeHands()
	u.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
	<-gone
	u.quiet()
	want := []string{"POST initialize", "POST notifications/initialized", "POST tools/call", "POST notifications/cancelled"}
	got := slices.DeleteFunc(server.requests(), func(r string) bool { return r == "GET" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestClientBatch holds that batches of 2025-03-26 come out, and go in, one a line.
func TestClientBatch(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) {
		inJSON(w, `[{"jsonrpc":"2.0","method":"a"},`+result(r, `{}`)+`]`)
	})
	u := newUser(t, server.URL)
	u.send("[" + ping("1") + "]")
	u.want(`{"jsonrpc":"2.0","method":"a"}`)
	u.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
}

// TestClientConcurrent holds that requests do not wait for each other.
func TestClientConcurrent(t *testing.T) {
	t.Parallel()
	const n = 100
	var open atomic.Int32
	all := make(chan struct{})
	server := newFake(t, func(w http.ResponseWriter, r request) {
		if open.Add(1) == n {
			close(all)
		}
		<-all
		inJSON(w, result(r, `{}`))
	})
	u := newUser(t, server.URL)
	for i := range n {
		u.send(ping(string(rune('1')) + strings.Repeat("0", 2) + string(rune('0'+i/10)) + string(rune('0'+i%10))))
	}
	seen := map[string]bool{}
	for range n {
		seen[u.next()] = true
	}
	if len(seen) != n {
		t.Errorf("%d answers, want %d", len(seen), n)
	}
}

func TestClientStops(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) {
		if !legacy(w, r) {
			<-r.Context().Done()
		}
	})
	u := newUser(t, server.URL)
	u.shakeHands()
	u.send(ping("1"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_ = u.c.Stop(ctx)
	<-u.c.Done()
	if _, err := io.WriteString(u.c.Stdin(), ping("2")+"\n"); err == nil {
		t.Error("a client that was stopped takes a message")
	}
	server.find(t, "DELETE")
	if line, more := <-u.lines; more {
		t.Errorf("got %s after the end", line)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestClientStopsStuck: a Transport that ignores the context of its requests, such as one that waits for a token, does not
// hold up the end.
func TestClientStopsStuck(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) { legacy(w, r) })
	release := make(chan struct{})
	var stuck atomic.Bool
	u := newUser(t, server.URL, func(c *streamable.ClientConfig) {
		c.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			if stuck.Load() {
				<-release
				return nil, errors.New("too late")
			}
			return http.DefaultTransport.RoundTrip(r)
		})
	})
	u.shakeHands()
	stuck.Store(true)
	u.send(ping("1"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = u.c.Stop(ctx) // sends DELETE, which is stuck, too
	if line, more := <-u.lines; more {
		t.Errorf("got %s after the end", line)
	}
	close(release)
}

// TestClientMany holds that a hundred sessions at once leave nothing behind.
func TestClientMany(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("sessions", func(t *testing.T) {
		server := newFake(t, func(w http.ResponseWriter, r request) {
			switch {
			case r.Request.Method == http.MethodGet:
				inEvents(w, ": here\n\n")
				<-r.Context().Done()
			case r.message.Method == "hang":
				inEvents(w, "id: 1\ndata:\n\n")
				<-r.Context().Done()
			case !legacy(w, r):
				inJSON(w, result(r, `{}`))
			}
		})
		var all sync.WaitGroup
		for range 100 {
			u := newUser(t, server.URL)
			all.Go(func() {
				u.send(hello, ready)
				for i := range 20 {
					u.send(ping(strconv.Itoa(i)))
				}
				for range 21 {
					u.next()
				}
				u.send(`{"jsonrpc":"2.0","id":"x","method":"hang"}`)
				u.stop()
			})
		}
		all.Wait()
	})
	eventually(t, "the goroutines ended", func() bool { return runtime.NumGoroutine() <= before+5 })
}

func TestNewClientRefuses(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "ftp://x", "http://", "http://user:secret@host/", "http://a b/", "%"} {
		if _, err := streamable.NewClient(streamable.ClientConfig{URL: url}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
