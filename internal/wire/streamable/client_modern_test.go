// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package streamable_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const listOfTools = `{"tools":[{"name":"sql","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},
	{"name":"bad", "inputSchema":{"type":"object","properties":{"n":{"type":"number","x-mcp-header":"N"}}}},
	{"name":"plain" ,"inputSchema":{"type":"object"}}],"resultType":"complete"}`

// TestClientModern holds what HTTP adds to a request of 2026-07-28, and what it does not.
func TestClientModern(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, r request) {
		w.Header().Set("Mcp-Session-Id", "ignored")
		text := `{"resultType":"complete"}`
		if r.message.Method == "tools/list" {
			text = strings.ReplaceAll(listOfTools, "\n", "")
		}
		inJSON(w, result(r, text))
	})
	u := newUser(t, server.URL)
	u.send(modern("1", "tools/list", ""))
	got := u.next()
	if strings.Contains(got, `"bad"`) || !strings.Contains(got, `x-mcp-header":"Region"}}}},{"name":"plain" ,"input`) {
		t.Errorf("the list is %s", got)
	}
	u.send(modern("2", "tools/call", `"name":"sql","arguments":{"region":"ö"},`))
	u.want(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}`)
	h := server.find(t, "tools/call").Header
	h.Del("User-Agent")
	h.Del("Content-Length")
	h.Del("Accept-Encoding")
	want := http.Header{
		"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"sql"},
		"Mcp-Param-Region": {"=?base64?w7Y=?="},
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	// There is no initialize any more: it is a request like others.
	u.send(modern("3", "initialize", ""))
	u.want(`{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete"}}`)
	if h := server.find(t, "initialize").Header; h.Get("Mcp-Method") != "initialize" || h.Get("Mcp-Protocol-Version") != "2026-07-28" {
		t.Errorf("initialize has the headers %v", h)
	}
	u.stop()
	if got := server.requests(); len(got) != 3 {
		t.Errorf("a session without a session made the requests %v", got)
	}
}

// TestClientModernCancels holds that a cancelled request ends its stream and nothing else.
func TestClientModernCancels(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	server := newFake(t, func(w http.ResponseWriter, r request) {
		if string(r.ID) != "1" {
			inJSON(w, result(r, "{}"))
			return
		}
		inEvents(w, "id: x\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"}\n\n")
		<-r.Context().Done()
		close(gone)
	})
	u := newUser(t, server.URL)
	u.send(modern("1", "subscriptions/listen", `"notifications":{},`))
	u.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}`)
	u.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-gone
	u.send(modern("2", "tools/list", ""))
	u.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	u.quiet()
	if diff := cmp.Diff([]string{"POST subscriptions/listen", "POST tools/list"}, server.requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestClientModernDoesNotResume holds that a stream that breaks is an error at once: there
// is no resuming since 2026-07-28.
func TestClientModernDoesNotResume(t *testing.T) {
	t.Parallel()
	server := newFake(t, func(w http.ResponseWriter, _ request) { inEvents(w, "id: x\ndata:\n\n") })
	u := newUser(t, server.URL)
	u.send(modern("1", "tools/list", ""))
	u.wantError("1", "broke off before the answer")
	if n := len(server.requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// TestClientListsAgain holds that a refusal for headers makes the client look at the
// schemas again, once.
func TestClientListsAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := newFake(t, func(w http.ResponseWriter, r request) {
		switch {
		case r.message.Method == "tools/list":
			inEvents(w, "data: "+result(r, strings.ReplaceAll(listOfTools, "\n", ""))+"\n\n")
		case r.Header.Get("Mcp-Param-Region") == "eu" && calls.Add(1) == 1:
			inJSON(w, result(r, "{}"))
		default:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(r.ID)+`,"error":{"code":-32020,"message":"mismatch"}}`)
		}
	})
	u := newUser(t, server.URL)
	u.send(modern("1", "tools/call", `"name":"sql","arguments":{"region":"eu"},`))
	u.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	u.send(modern("2", "tools/call", `"name":"sql","arguments":{"region":"eu"},`))
	u.wantError("2", "mismatch")
	want := []string{"POST tools/call", "POST tools/list", "POST tools/call", "POST tools/call", "POST tools/list", "POST tools/call"}
	if diff := cmp.Diff(want, server.requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
