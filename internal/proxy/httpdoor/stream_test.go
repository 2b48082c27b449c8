// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"context"
	"fmt"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// streaming answers each request with a stream: text, with the request's id for ID.
func streaming(text string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, "toolvet-test-") {
			simple(w, r, body)
			return
		}
		w.Header().Set("Content-Type", streamType)
		w.Header().Set("X-Accel-Buffering", "no")
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "ID", member0(body, "id")))
	}
}

const aSecret = "ghp_" + "016C7vJ3xKq9TzW2mLbN5RdYfHs8AeUo4PiX"

// TestStreams holds what of a stream is kept, and what is changed.
func TestStreams(t *testing.T) {
	t.Parallel()
	list := `{"jsonrpc":"2.0","id":ID,"result":{"tools":[` + readTool + `]}}`
	answer := `{"jsonrpc":"2.0", "id":ID, "result":{"content":[], "x":1.0, "y":12345678901234567890}}`
	for name, tt := range map[string]struct {
		stream, want string // want "": the same
		part         bool   // want is a part
	}{
		"an answer":            {stream: "event: message\nid: 1\ndata: " + answer + "\n\n"},
		"CR LF":                {stream: ": hello\r\nretry: 5\r\nid: 0\r\ndata:\r\n\r\ndata:" + answer + "\r\n\r\n: bye\r\n"},
		"a mark":               {stream: "\xEF\xBB\xBFdata: " + answer + "\n\n"},
		"lines":                {stream: "data: {\"jsonrpc\":\"2.0\",\ndata:  \"id\":ID,\ndata: \"result\":{}}\n\n"},
		"a notification":       {stream: "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"n\":1.50}}\n\ndata: " + answer + "\n\n"},
		"a request":            {stream: "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{}}\n\ndata: " + answer + "\n\n"},
		"a batch":              {stream: "data: [{\"jsonrpc\":\"2.0\",\"method\":\"x\"}," + answer + "]\n\n"},
		"torn":                 {stream: "data: " + answer, want: "data: " + answer + "\n\n"},
		"another type":         {stream: "event: endpoint\nid: 1\ndata: /messages\n\ndata: " + answer + "\n\n", want: "event: endpoint\nid: 1\n\ndata: " + answer + "\n\n"},
		"an answer twice":      {stream: "data: " + answer + "\n\ndata: " + answer + "\n\n", want: "data: " + answer + "\n\n\n"},
		"no message":           {stream: "data: hello\n\ndata: " + answer + "\n\n", want: "\ndata: " + answer + "\n\n"},
		"a line end of others": {stream: ": x\u2028data: {}\u2028\u2028\nid: 1\u0085data: {}\ndata: " + answer + "\n\n", want: "data: " + answer + "\n\n"},
		"U+0000 in a key":      {stream: "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\\u0000\":1}}\n\ndata: " + answer + "\n\n", want: "\ndata: " + answer + "\n\n"},
		"a list":               {stream: "id: 7\r\ndata: " + list + "\r\n\r\n", want: `]}` + "}\r\n\r\n", part: true},
		"a secret":             {stream: "id: 7\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\ndata: \"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" + aSecret + "\"}]}}\n\n", want: "[redacted", part: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, newFake(t, streaming(tt.stream)).URL, Config{}, httpguard.Guard{})
			method := "resources/list"
			if name == "a list" {
				method = "tools/list"
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":"i","method":"`+method+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", jsonType)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			data, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			got := string(data)
			want := tt.want
			if want == "" {
				want = tt.stream
			}
			want = strings.ReplaceAll(want, "ID", `"i"`)
			if tt.part && (!strings.Contains(got, want) || strings.Contains(got, aSecret) || !strings.HasPrefix(got, "id: 7")) || !tt.part && got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if name == "a list" && !strings.Contains(got, `"name":"validate"`) {
				t.Errorf("got %q", got)
			}
			if resp.Header.Get("X-Accel-Buffering") != "no" || resp.Header.Get("Content-Length") != "" {
				t.Errorf("headers %v", resp.Header)
			}
		})
	}
}

// TestEventsFlow holds that an event does not wait for the next, and that a stream ends when
// the client goes.
func TestEventsFlow(t *testing.T) {
	t.Parallel()
	next, gone := make(chan string), make(chan struct{})
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", streamType)
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case event := <-next:
				_, _ = io.WriteString(w, event)
			case <-r.Context().Done():
				close(gone)
				return
			}
		}
	})
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, event := range []string{": still here\n", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/a\"}\n\n", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/b\"}\r\r"} {
		next <- event
		got := make([]byte, len(event))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != event {
			t.Errorf("got %q, %v, want %q", got, err, event)
		}
	}
	cancel()
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("the server is not told that the client is gone")
	}
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`

// begin begins a session and returns its header.
func begin(t testing.TB, url string, header ...string) []string {
	t.Helper()
	resp, body := post(t, url, initialize, header...)
	id := resp.Header.Get(sessionHeader)
	if id == "" {
		t.Fatalf("no session: %d %s", resp.StatusCode, body)
	}
	return append([]string{sessionHeader, id}, header...)
}

// TestResume holds that an answer on a stream which was resumed is changed as it would have
// been on the first.
func TestResume(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") == "e1":
			w.Header().Set("Content-Type", streamType)
			fmt.Fprintf(w, "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[%s]}}\n\nid: e3\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[]}}\n\n", readTool)
		case strings.Contains(body, "tools/list"):
			w.Header().Set("Content-Type", streamType)
			_, _ = io.WriteString(w, "id: e1\nretry: 1\ndata:\n\n")
		default:
			sessionful(w, r, body)
		}
	})
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	session := begin(t, url)
	if _, got := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, session...); got != "id: e1\nretry: 1\ndata:" {
		t.Fatalf("got %q", got)
	}
	_, got := send(t, http.MethodGet, url, nil, append(session, "Last-Event-Id", "e1")...)
	if !strings.HasPrefix(got, "id: e2\n") || !strings.Contains(got, `"name":"validate"`) || !strings.HasSuffix(got, "\n\nid: e3") {
		t.Errorf("got %q", got)
	}
	// Now the tools are known: nothing more is asked.
	before := len(server.asked())
	if _, got := post(t, url, callOf("2", "7"), session...); !strings.Contains(got, `"isError":true`) || len(server.asked()) != before {
		t.Errorf("got %q, and the server is asked %v", got, server.asked()[before:])
	}
	// Without a session the proxy could not know: it says at once that there is no answer.
	if _, got := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(got, "ended before it answered") {
		t.Errorf("got %q", got)
	}
}

// TestSessionsEnd holds that a session is unknown after DELETE, after the server says so,
// and when it was idle for long.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case strings.Contains(body, `"expired"`):
			http.Error(w, "no such session", http.StatusNotFound)
		default:
			sessionful(w, r, body)
		}
	})
	for name, end := range map[string]func(url string, session []string) int{
		"DELETE": func(url string, session []string) int {
			resp, _ := send(t, http.MethodDelete, url, nil, session...)
			return resp.StatusCode - http.StatusNoContent
		},
		"the server": func(url string, session []string) int {
			resp, _ := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"expired"}`, session...)
			return resp.StatusCode - http.StatusNotFound
		},
	} {
		url := serve(t, server.URL, Config{}, httpguard.Guard{})
		session := begin(t, url)
		if resp, _ := post(t, url, goodCall, session...); resp.StatusCode != 200 || end(url, session) != 0 {
			t.Errorf("%s: not a session, or not its end", name)
		}
		if resp, _ := post(t, url, goodCall, session...); resp.StatusCode != 404 {
			t.Errorf("%s: %d after the end", name, resp.StatusCode)
		}
	}
	url := serve(t, server.URL, Config{SessionIdle: 50 * time.Millisecond}, httpguard.Guard{})
	session := begin(t, url)
	time.Sleep(200 * time.Millisecond)
	eventually(t, "the end of an idle session", func() bool {
		resp, _ := post(t, url, goodCall, session...)
		if resp.StatusCode != 404 {
			time.Sleep(200 * time.Millisecond)
		}
		return resp.StatusCode == 404
	})
}

// TestCredentials holds which headers of a client the server gets, and that what one
// credential sees is not for another.
func TestCredentials(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, "tools/list") && r.Header.Get("Authorization") != "ann" {
			w.Header().Set("Content-Type", jsonType)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, member0(body, "id"))
			return
		}
		simple(w, r, body)
	})
	private := []string{"Cookie", "a=b", "X-Api-Key", "k", "Proxy-Authorization", "p", "Forwarded", "for=x"}
	send := func(url, who string) bool {
		_, got := post(t, url, goodCall, append([]string{"Authorization", who, "Mcp-Param-Unknown", "x", "Traceparent", "t"}, private...)...)
		return strings.Contains(got, `"done"`)
	}
	passes := serve(t, server.URL, Config{PassHeaders: []string{"authorization"}}, httpguard.Guard{})
	if !send(passes, "ann") || send(passes, "bob") || !send(passes, "ann") {
		t.Error("tools of one credential are judged by those of another")
	}
	keeps := serve(t, server.URL, Config{}, httpguard.Guard{})
	if send(keeps, "ann") {
		t.Error("a credential is passed on that should not be")
	}
	for _, asked := range server.asked() {
		for i := 0; i < len(private); i += 2 {
			if asked.header.Get(private[i]) != "" {
				t.Errorf("the server gets %s", private[i])
			}
		}
		if own := strings.Contains(asked.body, "toolvet-test-"); asked.header.Get("Traceparent") != "t" || own == (asked.header.Get("Mcp-Param-Unknown") == "x") {
			t.Errorf("the server gets %v with %s", asked.header, asked.body)
		}
	}
}

// TestErrorsOfHTTP holds that an error that is told by the status passes, and its text if
// nothing in it must not be shown.
func TestErrorsOfHTTP(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status           int
		kind, text, want string
	}{
		{404, "text/plain", "session not found", "session not found"},
		{400, jsonType, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no"}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no"}}`},
		{404, jsonType, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`},
		{500, "text/plain", "token " + aSecret, `"code":-32603`},
		{500, jsonType, `{"detail":"x"}`, `"code":-32603`},
		{403, "text/html", "<p>no</p>", "<p>no</p>"},
		{429, "text/html", "", ""},
	} {
		server := newFake(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", tt.kind)
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.text)
		})
		resp, got := post(t, serve(t, server.URL, Config{}, httpguard.Guard{}), `{"jsonrpc":"2.0","id":1,"method":"x"}`)
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%d: the client gets a page", tt.status)
		}
		if resp.StatusCode != tt.status || !strings.Contains(got, tt.want) || strings.Contains(got, aSecret) || tt.want == "" && got != "" {
			t.Errorf("%d %s: got %d %s", tt.status, tt.text, resp.StatusCode, got)
		}
	}
}

// TestBatch holds that the messages of a batch are judged one by one, and answered together.
func TestBatch(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if body[0] != '[' {
			simple(w, r, body)
			return
		}
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprintf(w, "["+result+"]", "1")
	})
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	whole := "[" + goodCall + `, {"jsonrpc":"2.0","method":"notifications/x"}]`
	if _, got := post(t, url, whole); got != "["+fmt.Sprintf(result, "1")+"]" {
		t.Errorf("got %s", got)
	}
	if asked := server.asked(); asked[len(asked)-1].body != whole {
		t.Errorf("the server gets %s", asked[len(asked)-1].body)
	}
	_, got := post(t, url, "["+callOf("2", "7")+","+goodCall+"]")
	if !strings.HasPrefix(got, "["+fmt.Sprintf(result, "1")+`,{"jsonrpc":"2.0","id":2,`) || !strings.Contains(got, `"isError":true`) {
		t.Errorf("got %s", got)
	}
	if asked := server.asked(); asked[len(asked)-1].body != "["+goodCall+"]" {
		t.Errorf("the server gets %s", asked[len(asked)-1].body)
	}
	if _, got := post(t, url, "["+callOf("2", "7")+"]"); !strings.HasPrefix(got, `[{"jsonrpc":"2.0","id":2,`) {
		t.Errorf("got %s", got)
	}
	// What is dropped does not go by with the rest.
	before := len(server.asked())
	post(t, url, "["+goodCall+`,{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read","arguments":{"path":7}}}]`)
	if asked := server.asked()[before:]; len(asked) != 1 || asked[0].body != "["+goodCall+"]" {
		t.Errorf("the server gets %v", asked)
	}
	// What is replaced does not go by either: nobody can judge this answer of the client.
	before = len(server.asked())
	post(t, url, `[{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"a":1,"a":2}}}]`)
	if asked := server.asked()[before:]; len(asked) != 1 || !strings.Contains(asked[0].body, `"error"`) || strings.Contains(asked[0].body, `"content"`) {
		t.Errorf("the server gets %v", asked)
	}
	for _, name := range []string{mcpheader.Method, mcpheader.Name, mcpheader.Param + "Path"} {
		if resp, got := post(t, url, "["+goodCall+"]", name, "read"); resp.StatusCode != 400 {
			t.Errorf("a batch with the header %s: %d %s", name, resp.StatusCode, got)
		}
	}
	if resp, got := post(t, url, "[]"); resp.StatusCode != 400 || !strings.Contains(got, "-32600") {
		t.Errorf("an empty batch: %d %s", resp.StatusCode, got)
	}
}

// TestBadMetaSpoilsNothing holds that what a client says of itself, which goes with the
// proxy's own requests, is not believed for another.
func TestBadMetaSpoilsNothing(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if !strings.Contains(body, `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`) || !strings.Contains(body, `"io.modelcontextprotocol/clientCapabilities":{`) {
			http.Error(w, "bad", http.StatusBadRequest)
			return
		}
		simple(w, r, body)
	})
	url := serve(t, server.URL, Config{}, httpguard.Guard{})
	of := func(version, more string) string {
		_, got := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"a"},"_meta":{"io.modelcontextprotocol/protocolVersion":"`+version+`"`+more+`}}}`,
			modernHeaders(mcpheader.Version, version)...)
		return got
	}
	of("2026-07-28", `,"io.modelcontextprotocol/clientCapabilities":7`)
	of("2099-01-01", `,"io.modelcontextprotocol/clientCapabilities":{}`)
	of("2026-07-28", "")
	if got := of("2026-07-28", `,"io.modelcontextprotocol/clientCapabilities":{}`); !strings.Contains(got, `"done"`) {
		t.Errorf("got %s", got)
	}
}
