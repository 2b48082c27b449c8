// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package httpdoor

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/proxy/relay"
	"github.com/toolvet/toolvet/internal/wire/httpguard"
	"github.com/toolvet/toolvet/internal/wire/mcpheader"
)

// A badRow is a row of the table of docs/figures/bad-input.md: somebody misbehaves, and is answered with
// a status, or with "closed" if the connection ends without one.
type badRow struct {
	name, want string
	cfg        Config
	server     func(w http.ResponseWriter, r *http.Request, body string) // nil: simple
	do         func(t *testing.T, url string) string
}

// posted is a POST that answers with a status, and a body that holds some text.
func posted(body, holds string, header ...string) func(*testing.T, string) string {
	return func(t *testing.T, url string) string {
		resp, got := post(t, url, body, header...)
		if !strings.Contains(got, holds) {
			t.Errorf("the answer is %s, want %s in it", got, holds)
		}
		return fmt.Sprint(resp.StatusCode)
	}
}

var goodCall = callOf("1", `"a"`)

func modernHeaders(change ...string) []string {
	h := []string{mcpheader.Version, "2026-07-28", mcpheader.Method, "tools/call", mcpheader.Name, "read"}
	for i := 0; i < len(change); i += 2 {
		at := slices.Index(h, change[i])
		switch {
		case at < 0:
			h = append(h, change[i], change[i+1])
		case change[i+1] == "":
			h = slices.Delete(h, at, at+2)
		default:
			h[at+1] = change[i+1]
		}
	}
	return h
}

// oddly answers calls as write does, and the rest as simple.
func oddly(write func(w http.ResponseWriter, id string)) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"bad"`) {
			write(w, member0(body, "id"))
			return
		}
		simple(w, r, body)
	}
}

var badCall = callOf("1", `"bad"`)

func hijack(w http.ResponseWriter, text string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_, _ = io.WriteString(conn, text)
		conn.Close()
	}
}

var badRows = []badRow{
	{name: "a server that is dead", want: "200", server: oddly(func(w http.ResponseWriter, _ string) { hijack(w, "") }), do: posted(badCall, "has no result")},
	{name: "a server that is dead, asked for something else", want: "502", server: func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"ping"`) {
			hijack(w, "")
			return
		}
		simple(w, r, body)
	},
		do: func(t *testing.T, url string) string {
			resp, got := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			if !strings.Contains(got, `"code":-32603`) {
				t.Errorf("the answer is %s", got)
			}
			return fmt.Sprint(resp.StatusCode)
		}},
	{name: "a server that sends garbage", want: "200", server: oddly(func(w http.ResponseWriter, _ string) { hijack(w, "garbage\r\n\r\n") }), do: posted(badCall, `"id":1,`)},
	{name: "a server that does not list its tools", want: "200", cfg: Config{Config: relay.Config{ServerTimeout: 300 * time.Millisecond}},
		server: func(w http.ResponseWriter, r *http.Request, body string) {
			if strings.Contains(body, "toolvet-test-2") {
				<-r.Context().Done()
				return
			}
			simple(w, r, body)
		}, do: posted(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{}}}`, `"isError":true`)},
	{name: "an answer that breaks off", want: "200", server: oddly(func(w http.ResponseWriter, _ string) {
		hijack(w, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	}), do: posted(badCall, `"id":1,`)},
	{name: "an answer that is HTML", want: "200", server: oddly(func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>welcome")
	}), do: posted(badCall, "neither JSON")},
	{name: "an answer of nothing", want: "200", server: oddly(func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusAccepted) }), do: posted(badCall, `"id":1,`)},
	{name: "an answer to something else", want: "200", server: oddly(func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", jsonType)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":9,"result":{"tools":[]}}`)
	}), do: posted(badCall, "something else")},
	{name: "an answer that is compressed", want: "200", server: oddly(func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", jsonType)
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, "\x1f\x8b")
	}), do: posted(badCall, "compressed")},
	{name: "an answer that is too large", want: "200", cfg: Config{Config: relay.Config{Limits: call.Limits{Bytes: 5000}}}, server: oddly(func(w http.ResponseWriter, id string) {
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"x":%q}}`, id, strings.Repeat("x", 20_000))
	}), do: posted(badCall, "is withheld")},
	{name: "an event that is too large", want: "200", cfg: Config{Config: relay.Config{Limits: call.Limits{Bytes: 5000}}}, server: oddly(func(w http.ResponseWriter, id string) {
		w.Header().Set("Content-Type", streamType)
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"result\":{\"x\":%q},\"id\":%s}\n\n", strings.Repeat("x", 20_000), id)
	}), do: posted(badCall, "is withheld")},
	{name: "a stream that ends too soon", want: "200", server: oddly(func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", streamType)
		_, _ = io.WriteString(w, ": hello\n\n")
	}), do: posted(badCall, `"code":-32603,"message":"the server's stream ended`)},
	{name: "a redirect", want: "200", server: oddly(func(w http.ResponseWriter, _ string) {
		w.Header().Set("Location", "https://elsewhere.example/mcp")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}), do: posted(badCall, "elsewhere (HTTP status 307)")},
	{name: "a refusal of the proxy's credentials", want: "200", server: oddly(func(w http.ResponseWriter, _ string) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://elsewhere.example"`)
		w.WriteHeader(http.StatusUnauthorized)
	}), do: posted(badCall, "credentials")},
}

// bearer takes the whole Authorization for the subject.
func bearer(r *http.Request) call.Session {
	return call.Session{Subject: r.Header.Get("Authorization")}
}

// sessionful is simple with sessions.
func sessionful(w http.ResponseWriter, r *http.Request, body string) {
	if strings.Contains(body, `"initialize"`) {
		w.Header().Set(sessionHeader, fmt.Sprintf("session-%d", time.Now().UnixNano()))
	}
	simple(w, r, body)
}

// TestBadInput holds what docs/figures/bad-input.md says of bad input, a row at a time, and that another
// client of the same proxy is served meanwhile.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, row := range badRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			answer := row.server
			if answer == nil {
				answer = simple
			}
			server := newFake(t, answer)
			url := serve(t, server.URL, row.cfg, httpguard.Guard{})
			bystander := func() { posted(callOf("7", `"a"`), fmt.Sprintf(result, "7"))(t, url) }
			bystander()
			before := len(server.asked())
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range 5 {
					bystander()
				}
			}()
			if got := row.do(t, url); got != row.want {
				t.Errorf("the answer is %s, want %s", got, row.want)
			}
			<-done
			for _, asked := range server.asked()[before:] {
				if row.server == nil && !strings.Contains(asked.body, `"id":7,`) && !strings.Contains(asked.body, "toolvet-test-") {
					t.Errorf("the server gets what is refused: %q", asked)
				}
			}
		})
	}
}

// TestBadInputIsDocumented holds that the table of docs/figures/bad-input.md has the rows of the test.
func TestBadInputIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/figures/bad-input.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got [][2]string
	for _, row := range badRows {
		want = append(want, [2]string{row.name, row.want})
	}
	_, table, _ := strings.Cut(string(text), "## Servers")
	for _, m := range regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+|closed)\b[^|]*\|`).FindAllStringSubmatch(table, -1) {
		got = append(got, [2]string{strings.TrimSpace(m[1]), m[2]})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table (-test +docs/figures/bad-input.md):\n%s", diff)
	}
}

// TestTooManyRequests holds that requests beyond the limit are refused at once, and that
// there is room again afterwards.
func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := newFake(t, oddly(func(w http.ResponseWriter, id string) {
		<-release
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprintf(w, result, id)
	}))
	url := serve(t, server.URL, Config{MaxRequests: 1}, httpguard.Guard{})
	done := make(chan string)
	go func() { done <- posted(badCall, `"done"`)(t, url) }()
	eventually(t, "the call", func() bool { return len(server.asked()) == 2 })
	posted(goodCall, "too many requests")(t, url)
	close(release)
	if got := <-done; got != "200" {
		t.Error(got)
	}
	eventually(t, "room", func() bool {
		resp, _ := post(t, url, goodCall)
		return resp.StatusCode == 200
	})
}
