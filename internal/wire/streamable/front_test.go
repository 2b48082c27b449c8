// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/sse"
	"github.com/toolvet/toolvet/internal/wire/streamable"
)

// A backend is a session of a fake server: what it got, and how to say something.
type backend struct {
	mu  sync.Mutex
	got []string
	out io.Writer
	end context.CancelFunc
}

func (b *backend) say(format string, args ...any) { fmt.Fprintf(b.out, format+"\n", args...) }

func (b *backend) lines() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.got...)
}

// A front is a Front before fake sessions.
type front struct {
	*httptest.Server
	t        *testing.T
	backends chan *backend
	open     atomic.Int32
}

// newFront makes a front; answer is called for each message, in order.
func newFront(t *testing.T, answer func(*backend, message), change ...func(*streamable.FrontConfig)) *front {
	t.Helper()
	f := &front{t: t, backends: make(chan *backend, 1000)}
	cfg := streamable.FrontConfig{Serve: func(ctx context.Context, _ call.Session, in io.Reader, out io.Writer) error {
		f.open.Add(1)
		defer f.open.Add(-1)
		ctx, end := context.WithCancel(ctx)
		b := &backend{out: out, end: end}
		f.backends <- b
		go func() {
			defer end()
			for r := bufio.NewReader(in); ; {
				line, err := r.ReadString('\n')
				if err != nil {
					return
				}
				line = strings.TrimSuffix(line, "\n")
				b.mu.Lock()
				b.got = append(b.got, line)
				b.mu.Unlock()
				var m message
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Errorf("the server got %q", line)
				}
				answer(b, m)
			}
		}()
		<-ctx.Done()
		return nil
	}}
	for _, c := range change {
		c(&cfg)
	}
	handler := streamable.NewFront(cfg)
	f.Server = httptest.NewServer(handler)
	t.Cleanup(func() {
		handler.Close(context.Background())
		f.CloseClientConnections()
		f.Close()
		if n := f.open.Load(); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
	})
	return f
}

// polite answers the handshake and everything else with an empty result.
func polite(b *backend, m message) {
	switch {
	case m.Method == "initialize":
		version := "2025-11-25"
		if strings.Contains(string(m.Params), "2025-03-26") {
			version = "2025-03-26"
		}
		b.say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{}}}`, m.ID, version)
	case m.ID != nil && m.Method != "":
		b.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
}

// do makes a request with headers, as pairs.
func (f *front) do(ctx context.Context, method, body string, headers ...string) *http.Response {
	f.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, f.URL, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	resp, err := f.Client().Do(r)
	if err != nil {
		f.t.Fatalf("%s: %v", body, err)
	}
	f.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// answer is the status and body of a response.
func answer(t *testing.T, resp *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, text))
}

func (f *front) post(body string, headers ...string) string {
	f.t.Helper()
	return answer(f.t, f.do(f.t.Context(), http.MethodPost, body, headers...))
}

// session begins a session and returns its id.
func (f *front) session(headers ...string) (string, *backend) {
	f.t.Helper()
	resp := f.do(f.t.Context(), http.MethodPost, hello, headers...)
	if got := answer(f.t, resp); got != "200 "+greeted {
		f.t.Fatalf("initialize: %s", got)
	}
	id := resp.Header.Get("Mcp-Session-Id")
	if got := f.post(ready, append(headers, "Mcp-Session-Id", id)...); got != "202" {
		f.t.Fatalf("initialized: %s", got)
	}
	return id, <-f.backends
}

// events reads events from a response.
type events struct {
	t *testing.T
	r *sse.Reader
}

func (f *front) events(resp *http.Response) events {
	f.t.Helper()
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || got != "text/event-stream" {
		f.t.Fatalf("got %s, %s", got, answer(f.t, resp))
	}
	return events{f.t, sse.NewReader(resp.Body, 0)}
}

// next is the next event with an id or data, as "ID DATA"; "" at the end.
func (e events) next() string {
	e.t.Helper()
	for {
		ev, err := e.r.Next()
		if err != nil {
			return ""
		}
		if ev.HasID || ev.Data != nil {
			return ev.ID + " " + string(ev.Data)
		}
	}
}

func (e events) want(want string) {
	e.t.Helper()
	if got := e.next(); got != want {
		e.t.Fatalf("got event %q, want %q", got, want)
	}
}

func TestFrontSession(t *testing.T) {
	t.Parallel()
	f := newFront(t, polite)
	id, b := f.session()
	if len(id) < 26 {
		t.Errorf("the session's id is %q", id)
	}
	const odd = `{ "params":{"n":1.0} ,"method":"x/y","id":"\u0061","jsonrpc":"2.0"}`
	if got := f.post(odd, "Mcp-Session-Id", id, "Mcp-Protocol-Version", "2025-11-25"); got != `200 {"jsonrpc":"2.0","id":"\u0061","result":{}}` {
		t.Errorf("got %s", got)
	}
	if diff := cmp.Diff([]string{hello, ready, odd}, b.lines()); diff != "" {
		t.Errorf("the server got (-want +got):\n%s", diff)
	}
	if got := f.do(t.Context(), http.MethodDelete, "", "Mcp-Session-Id", id).StatusCode; got != 204 {
		t.Errorf("DELETE: %d", got)
	}
	eventually(t, "the session ended", func() bool { return f.open.Load() == 0 })
	eventually(t, "the session is unknown", func() bool { return strings.HasPrefix(f.post(ping("1"), "Mcp-Session-Id", id), "404 ") })
}

// TestFrontRefuses has what a front answers by itself.
func TestFrontRefuses(t *testing.T) {
	t.Parallel()
	f := newFront(t, polite, func(c *streamable.FrontConfig) { c.Limits.Bytes = 1 << 10 })
	id, b := f.session()
	const h = "Mcp-Session-Id"
	for _, tt := range []struct {
		name, method, body string
		headers            []string
		want               string
	}{
		{"no session", "POST", ping("5"), nil, `400 {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"the header Mcp-Session-Id is missing`},
		{"unknown session", "POST", ping("5"), []string{h, "x"}, `404 {"jsonrpc":"2.0","id":5,`},
		{"unknown session, GET", "GET", "", []string{h, "x"}, `404 `},
		{"unknown session, DELETE", "DELETE", "", []string{h, "x"}, `404 `},
		{"GET without a session", "GET", "", nil, `400 `},
		{"GET of 2026-07-28", "GET", "", []string{"Mcp-Protocol-Version", "2026-07-28"}, `405 `},
		{"PUT", "PUT", "", nil, `405 `},
		{"no Content-Type", "POST", ping("5"), []string{"Content-Type", ""}, `415 `},
		{"another Content-Type", "POST", ping("5"), []string{"Content-Type", "text/plain"}, `415 `},
		{"compressed", "POST", ping("5"), []string{"Content-Encoding", "gzip"}, `415 `},
		{"another charset", "POST", ping("5"), []string{"Content-Type", "application/json; charset=latin1"}, `415 `},
		{"Accept without events", "POST", ping("5"), []string{"Accept", "application/json"}, `406 `},
		{"Accept without JSON", "POST", ping("5"), []string{"Accept", "text/event-stream"}, `406 `},
		{"GET that takes no events", "GET", "", []string{h, id, "Accept", "application/json"}, `406 `},
		{"too large", "POST", strings.Repeat(" ", 2000) + ping("5"), []string{h, id}, `413 `},
		{"empty", "POST", " \n", []string{h, id}, `400 `},
		{"no JSON", "POST", "{", []string{h, id}, `400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700`},
		{"line end in a string", "POST", "{\"a\":\"\n\"}", []string{h, id}, `400 `},
		{"no message", "POST", `{"id":5}`, []string{h, id}, `400 {"jsonrpc":"2.0","id":5,"error":{"code":-32600`},
		{"duplicate keys", "POST", `{"jsonrpc":"2.0","id":5,"method":"a","method":"b"}`, []string{h, id}, `400 `},
		{"batch", "POST", "[" + ping("5") + "]", []string{h, id}, `400 `},
		{"unknown revision", "POST", ping("5"), []string{h, id, "Mcp-Protocol-Version", "2020-01-01"}, `400 `},
		{"no such stream", "GET", "", []string{h, id, "Last-Event-Id", "99-1"}, `400 `},
		{"no such place", "GET", "", []string{h, id, "Last-Event-Id", "1-99"}, `400 `},
		{"odd place", "GET", "", []string{h, id, "Last-Event-Id", "1--1"}, `400 `},
	} {
		if got := answer(t, f.do(t.Context(), tt.method, tt.body, tt.headers...)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if diff := cmp.Diff([]string{hello, ready}, b.lines()); diff != "" {
		t.Errorf("the server got (-want +got):\n%s", diff)
	}
}

// TestFrontRepeatedHeaders holds that a header counts that every reader takes.
func TestFrontRepeatedHeaders(t *testing.T) {
	t.Parallel()
	f := newFront(t, polite)
	id, _ := f.session()
	for header, values := range map[string][]string{
		"Mcp-Session-Id": {id, "x"}, "Content-Type": {"application/json", "text/plain"}, "Content-Encoding": {"identity", "gzip"},
		"Mcp-Protocol-Version": {"2025-11-25", "2026-07-28"}, "Last-Event-Id": {"1-0", "2-0"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.URL, strings.NewReader(ping("5")))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}, "Mcp-Session-Id": {id}}
		r.Header[header] = values
		resp, err := f.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got := answer(t, resp); !strings.HasPrefix(got, "400 ") || !strings.Contains(got, "more than once") {
			t.Errorf("%s: got %s", header, got)
		}
	}
}

// TestFrontLargeBody holds that a body that says that it is too large is not waited for.
func TestFrontLargeBody(t *testing.T) {
	t.Parallel()
	f := newFront(t, polite)
	conn, err := net.Dial("tcp", f.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil { // half of what a body may take
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: %d\r\n\r\n{", 1<<30)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, " 413 ") {
		t.Errorf("got %q, %v, want 413 at once", line, err)
	}
}

// TestFrontSessionsAreOnesOwn holds that nobody enters the session of somebody else.
func TestFrontSessionsAreOnesOwn(t *testing.T) {
	t.Parallel()
	f := newFront(t, polite, func(c *streamable.FrontConfig) {
		c.Caller = func(r *http.Request) (string, call.Session) { return r.Header.Get("X-Who"), call.Session{} }
	})
	id, b := f.session("X-Who", "ann")
	for _, method := range []string{"POST", "GET", "DELETE"} {
		if got := answer(t, f.do(t.Context(), method, ping("1"), "X-Who", "bob", "Mcp-Session-Id", id)); !strings.HasPrefix(got, "404 ") {
			t.Errorf("%s by another: %s", method, got)
		}
	}
	if got := f.post(ping("1"), "X-Who", "ann", "Mcp-Session-Id", id); !strings.HasPrefix(got, "200 ") {
		t.Errorf("by the owner: %s", got)
	}
	if n := len(b.lines()); n != 3 {
		t.Errorf("the server got %d messages, want 3", n)
	}
}

// TestFrontSessionIDs holds that sessions have ids that are not their headers', and requests
// without a session none.
func TestFrontSessionIDs(t *testing.T) {
	t.Parallel()
	ids := make(chan string, 3)
	f := newFront(t, polite, func(c *streamable.FrontConfig) {
		serve := c.Serve
		c.Serve = func(ctx context.Context, who call.Session, in io.Reader, out io.Writer) error {
			ids <- who.ID
			return serve(ctx, who, in, out)
		}
	})
	for range 2 {
		header, _ := f.session()
		if id := <-ids; id != call.SessionID(header) || strings.Contains(id, header) {
			t.Errorf("the session %s has the id %q", header, id)
		}
	}
	f.post(modern("1", "ping", ""), modernHeaders("ping")...)
	if id := <-ids; id != "" {
		t.Errorf("no session has the id %q", id)
	}
}

// TestFrontStreams holds when an answer is a stream, and where messages of the server go.
func TestFrontStreams(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		switch m.Method {
		case "slow":
			b.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)
			b.say(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`)
		case "":
			b.say(`{"jsonrpc":"2.0","id":1,"result":{"got":%s}}`, m.Result)
		default:
			polite(b, m)
		}
	})
	id, b := f.session()
	h := []string{"Mcp-Session-Id", id}
	own := f.events(f.do(t.Context(), "GET", "", h...))
	own.want("1-0 ")
	b.say(`{"jsonrpc":"2.0","method":"unasked"}`)
	own.want(`1-1 {"jsonrpc":"2.0","method":"unasked"}`)

	slow := f.events(f.do(t.Context(), "POST", `{"jsonrpc":"2.0","id":1,"method":"slow","params":{"_meta":{"progressToken":"\u0074"}}}`, h...))
	slow.want("3-0 ")
	slow.want(`3-1 {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)
	slow.want(`3-2 {"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`)
	if got := f.post(ping("1"), h...); !strings.Contains(got, "400 ") || !strings.Contains(got, "use each id once") {
		t.Errorf("an id that is in use: %s", got)
	}
	if got := f.post(`{"jsonrpc":"2.0","id":1,"result":{"a":  1}}`, h...); got != "202" {
		t.Errorf("an answer: %s", got)
	}
	slow.want(`3-3 {"jsonrpc":"2.0","id":1,"result":{"got":{"a":  1}}}`)
	slow.want("")
}

// TestFrontTellsThatItWorks holds that a client gets headers before a slow answer, and
// signs of life.
func TestFrontTellsThatItWorks(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		if m.Method != "slow" {
			polite(b, m)
		}
	}, func(c *streamable.FrontConfig) { c.Prompt, c.KeepAlive = 10*time.Millisecond, 10*time.Millisecond })
	id, b := f.session()
	resp := f.do(t.Context(), "POST", `{"jsonrpc":"2.0","id":1,"method":"slow"}`, "Mcp-Session-Id", id)
	got := make([]byte, len("id: 2-0\nretry: 1000\ndata: \n\n:\n\n:\n\n"))
	if _, err := io.ReadFull(resp.Body, got); err != nil || !strings.HasSuffix(string(got), "data: \n\n:\n\n:\n\n") {
		t.Errorf("got %q, %v", got, err)
	}
	b.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	rest, _ := io.ReadAll(resp.Body)
	if !strings.Contains(string(rest), `"result":{}`) {
		t.Errorf("then %q", rest)
	}
}

// TestFrontResumes holds that what a broken connection missed comes with the next.
func TestFrontResumes(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		if m.Method != "slow" {
			polite(b, m)
		}
	})
	id, b := f.session()
	ctx, cut := context.WithCancel(t.Context())
	b.say(`{"jsonrpc":"2.0","method":"early"}`) // before anybody listens
	own := f.events(f.do(ctx, "GET", "", "Mcp-Session-Id", id))
	own.want("1-0 ")
	own.want(`1-1 {"jsonrpc":"2.0","method":"early"}`)
	go func() {
		eventually(t, "the server got the request", func() bool { return len(b.lines()) == 3 })
		b.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`)
	}()
	slow := f.events(f.do(ctx, "POST", `{"jsonrpc":"2.0","id":1,"method":"slow","params":{"_meta":{"progressToken":7}}}`, "Mcp-Session-Id", id))
	slow.want("3-0 ")
	slow.want(`3-1 {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`)
	cut()
	b.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":2}}`)
	b.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	b.say(`{"jsonrpc":"2.0","method":"later"}`)
	for range 2 { // as often as it is asked for
		slow = f.events(f.do(t.Context(), "GET", "", "Mcp-Session-Id", id, "Last-Event-Id", "3-1"))
		slow.want("3-1 ")
		slow.want(`3-2 {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":2}}`)
		slow.want(`3-3 {"jsonrpc":"2.0","id":1,"result":{}}`)
		slow.want("")
	}
	own = f.events(f.do(t.Context(), "GET", "", "Mcp-Session-Id", id, "Last-Event-Id", "1-1"))
	own.want("1-1 ")
	own.want(`1-2 {"jsonrpc":"2.0","method":"later"}`)
	again := f.events(f.do(t.Context(), "GET", "", "Mcp-Session-Id", id))
	own.want("") // the newest connection has the stream
	b.say(`{"jsonrpc":"2.0","method":"last"}`)
	again.want("1-2 ")
	again.want(`1-3 {"jsonrpc":"2.0","method":"last"}`)
}

// TestFrontCancelled holds that the stream of a cancelled request ends.
func TestFrontCancelled(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		if m.Method != "slow" {
			polite(b, m)
		}
	})
	id, b := f.session()
	done := make(chan string)
	go func() { done <- f.post(`{"jsonrpc":"2.0","id":"\u0061","method":"slow"}`, "Mcp-Session-Id", id) }()
	eventually(t, "the server got the request", func() bool { return len(b.lines()) == 3 })
	if got := f.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`, "Mcp-Session-Id", id); got != "202" {
		t.Errorf("got %s", got)
	}
	if got := <-done; !strings.HasPrefix(got, "200 id: ") || strings.Contains(got, "jsonrpc") {
		t.Errorf("the cancelled request got %s", got)
	}
	b.say(`{"jsonrpc":"2.0","id":"a","result":{}}`) // too late
	if got := f.post(`{"jsonrpc":"2.0","id":"a","method":"ping"}`, "Mcp-Session-Id", id); got != `200 {"jsonrpc":"2.0","id":"a","result":{}}` {
		t.Errorf("the id cannot be used again: %s", got)
	}
}

// TestFrontBatch holds that batches of 2025-03-26 are taken apart and answered.
func TestFrontBatch(t *testing.T) {
	t.Parallel()
	f := newFront(t, polite)
	resp := f.do(t.Context(), "POST", strings.Replace(hello, "2025-11-25", "2025-03-26", 1))
	answer(t, resp)
	id, b := resp.Header.Get("Mcp-Session-Id"), <-f.backends
	got := f.events(f.do(t.Context(), "POST", "["+ping("1")+",\n"+ready+", "+ping("2")+"]", "Mcp-Session-Id", id))
	got.want(`3-1 {"jsonrpc":"2.0","id":1,"result":{}}`)
	got.want(`3-2 {"jsonrpc":"2.0","id":2,"result":{}}`)
	got.want("")
	if got := f.post("["+ready+"]", "Mcp-Session-Id", id); got != "202" {
		t.Errorf("a batch of notifications: %s", got)
	}
	for _, bad := range []string{"[]", "[" + ping("1") + "," + ping("1") + "]", "[[]]", "[" + ping("1")} {
		if got := f.post(bad, "Mcp-Session-Id", id); !strings.HasPrefix(got, "400 ") {
			t.Errorf("%s: %s", bad, got)
		}
	}
	if diff := cmp.Diff([]string{ping("1"), ready, ping("2"), ready}, b.lines()[1:]); diff != "" {
		t.Errorf("the server got (-want +got):\n%s", diff)
	}
}

// TestFrontLargeAnswer holds that an answer passes that is larger than what a client may send.
func TestFrontLargeAnswer(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 17<<20)
	f := newFront(t, func(b *backend, m message) {
		if m.Method == "large" {
			b.say(`{"jsonrpc":"2.0","id":%s,"result":{"text":%q}}`, m.ID, text)
			return
		}
		polite(b, m)
	})
	id, _ := f.session()
	const meta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	for era, got := range map[string]string{
		"2025-11-25": f.post(`{"jsonrpc":"2.0","id":1,"method":"large"}`, "Mcp-Session-Id", id),
		"2026-07-28": f.post(`{"jsonrpc":"2.0","id":1,"method":"large","params":`+meta+`}`, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "large"),
	} {
		if !strings.HasPrefix(got, `200 {"jsonrpc":"2.0","id":1,`) || !strings.Contains(got, text) {
			t.Errorf("%s: %.200s", era, got)
		}
	}
}
