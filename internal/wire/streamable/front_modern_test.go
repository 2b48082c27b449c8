// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func modernHeaders(method string, more ...string) []string {
	return append([]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}, more...)
}

// TestFrontModern holds that requests of many share a session, with ids of their own, and
// get back theirs.
func TestFrontModern(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		if m.Method == "work" {
			b.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s, "progress":1.0}}`, m.ID)
		}
		b.say(`{"result":{"n":1.0},  "id" : %s,"jsonrpc":"2.0"}`, m.ID)
	})
	for _, id := range []string{`"a"`, `"\u0061"`, `1`, `9007199254740991`} {
		if got, want := f.post(modern(id, "x", ""), modernHeaders("x")...), `200 {"result":{"n":1.0},  "id" : `+id+`,"jsonrpc":"2.0"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	work := strings.Replace(modern(`"w"`, "work", ""), `"_meta":{`, `"_meta":{"progressToken":"\u0070", `, 1)
	got := f.events(f.do(t.Context(), "POST", work, modernHeaders("work")...))
	got.want(` {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"\u0070", "progress":1.0}}`)
	got.want(` {"result":{"n":1.0},  "id" : "w","jsonrpc":"2.0"}`)
	got.want("")
	b := <-f.backends
	want := strings.NewReplacer(`"w"`, "5", `"\u0070"`, "5").Replace(work)
	if last := b.lines()[4]; last != want {
		t.Errorf("the server got %s, want %s", last, want)
	}
	if len(f.backends) != 0 {
		t.Error("there is more than one session")
	}
}

// TestFrontModernStatus holds the statuses of errors, and of what is refused here.
func TestFrontModernStatus(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		switch m.Method {
		case "tools/list":
			b.say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"sql","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}}}]}}`, m.ID)
		case "tools/call":
			polite(b, m)
		default:
			b.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"no"}}`, m.ID, strings.TrimPrefix(m.Method, "e"))
		}
	})
	for code, status := range map[int]int{-32601: 404, -32600: 400, -32602: 400, -32022: 400, -32021: 400, -32603: 200, 5: 200} {
		method := fmt.Sprintf("e%d", code)
		if got := f.post(modern("1", method, ""), modernHeaders(method)...); !strings.HasPrefix(got, fmt.Sprint(status)+" ") {
			t.Errorf("%d: %s", code, got)
		}
	}
	sql := modern("1", "tools/call", `"name":"sql","arguments":{"r":"x"},`)
	for _, tt := range []struct {
		name, body string
		headers    []string
		want       string
	}{
		{"fine", sql, modernHeaders("tools/call", "Mcp-Name", "sql", "Mcp-Param-R", "x"), "200 "},
		{"no session is asked for", sql, modernHeaders("tools/call", "Mcp-Name", "sql", "Mcp-Param-R", "x", "Mcp-Session-Id", "y"), "200 "},
		{"no headers", sql, nil, `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020`},
		{"another method", sql, modernHeaders("tools/list", "Mcp-Name", "sql", "Mcp-Param-R", "x"), `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020`},
		{"another name", sql, modernHeaders("tools/call", "Mcp-Name", "x", "Mcp-Param-R", "x"), `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020`},
		{"another argument", sql, modernHeaders("tools/call", "Mcp-Name", "sql", "Mcp-Param-R", "y"), `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020`},
		{"no argument", sql, modernHeaders("tools/call", "Mcp-Name", "sql"), `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020`},
		{"no _meta", ping("1"), modernHeaders("ping"), `400 {"jsonrpc":"2.0","id":1,"error":{"code":-32602`},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, modernHeaders(""), `400 `},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, modernHeaders(""), `202`},
	} {
		if got := f.post(tt.body, tt.headers...); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestFrontSubscription holds that a subscription keeps its stream, under the client's id,
// and that a client that goes away ends it.
func TestFrontSubscription(t *testing.T) {
	t.Parallel()
	f := newFront(t, func(b *backend, m message) {
		if m.Method == "subscriptions/listen" {
			b.say(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, m.ID)
		}
	})
	const key = `"_meta":{"io.modelcontextprotocol/subscriptionId":`
	ack := func(id string) string {
		return ` {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + key + id + `}}}`
	}
	listen := func(ctx context.Context, id string) events {
		return f.events(f.do(ctx, "POST", modern(id, "subscriptions/listen", ""), modernHeaders("subscriptions/listen")...))
	}
	ctx, cut := context.WithCancel(t.Context())
	one, two := listen(ctx, `"s"`), listen(t.Context(), `"s"`) // of two clients
	one.want(ack(`"s"`))
	two.want(ack(`"s"`))
	b := <-f.backends
	b.say(`{"jsonrpc":"2.0","method":"changed","params":{` + key + `2}}}`)
	two.want(` {"jsonrpc":"2.0","method":"changed","params":{` + key + `"s"}}}`)
	cut()
	eventually(t, "the server was told", func() bool { return len(b.lines()) == 3 })
	want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the client is gone"}}`
	if diff := cmp.Diff(want, b.lines()[2]); diff != "" {
		t.Errorf("the server got (-want +got):\n%s", diff)
	}
	b.say(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + key + `2}}}`)
	two.want(` {"jsonrpc":"2.0","id":"s","result":{"resultType":"complete",` + key + `"s"}}}`)
	two.want("")
}
