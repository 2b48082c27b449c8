// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mcphttp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

func TestContentType(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"":                                   "",
		"application/json":                   JSON,
		"Application/JSON; charset=UTF-8":    JSON,
		"application/json;charset=\"utf-8\"": JSON,
		"application/json; charset=latin1":   "",
		"application/json; charset":          "",
		"text/event-stream; x=1":             Events,
		"text/plain, application/json":       "",
	} {
		if got := ContentType(http.Header{"Content-Type": {value}}); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}

func TestAccepts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values        []string
		json, events  bool
		prefersEvents bool
	}{
		{nil, false, false, false},
		{[]string{"application/json, text/event-stream"}, true, true, false},
		{[]string{"text/event-stream; q=0.5", "APPLICATION/JSON"}, true, true, true},
		{[]string{"*/*"}, true, true, false},
		{[]string{"text/*"}, false, true, false},
		{[]string{"application/jsonx"}, false, false, false},
	} {
		h := http.Header{"Accept": tt.values}
		if Accepts(h, JSON) != tt.json || Accepts(h, Events) != tt.events || Prefers(h, Events, JSON) != tt.prefersEvents {
			t.Errorf("%q: %t %t %t", tt.values, Accepts(h, JSON), Accepts(h, Events), Prefers(h, Events, JSON))
		}
	}
}

func TestAmbiguous(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Param-X", "Content-Type", "Content-Encoding", "Last-Event-Id"} {
		h := http.Header{name: {"a"}}
		if why := Ambiguous(h); why != "" {
			t.Errorf("%s once: %s", name, why)
		}
		h.Add(name, "a")
		if Ambiguous(h) == "" {
			t.Errorf("%s twice is not refused", name)
		}
	}
	for _, tt := range []struct {
		names     []string
		ambiguous bool
	}{
		{[]string{"Mcp-Session-Id", "Mcp-Param-A", "Mcp-Param-B_c", "X_y"}, false},
		{[]string{"Mcp-Session_id"}, true},
		{[]string{"Mcp-Session-Id", "Mcp-Session.id"}, true},
		{[]string{"Mcp-Protocol_version"}, true},
		{[]string{"Mcp-Param_a"}, true},
		{[]string{"Mcp-Param-A-B", "Mcp-Param-A_b"}, true},
	} {
		h := http.Header{"Accept": {"a", "b"}}
		for _, name := range tt.names {
			h[name] = []string{"x"}
		}
		if why := Ambiguous(h); (why != "") != tt.ambiguous {
			t.Errorf("%q: %q", tt.names, why)
		}
	}
}

func TestErrorLine(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"": "null", "7": "7", `"a\"b"`: `"a\"b"`} {
		var raw json.RawMessage
		if id != "" {
			raw = json.RawMessage(id)
		}
		line := ErrorLine(raw, -32600, `say "why"`)
		if got := `{"jsonrpc":"2.0","id":` + want + `,"error":{"code":-32600,"message":"say \"why\""}}`; string(line) != got || !json.Valid(line) {
			t.Errorf("%s, want %s", line, got)
		}
	}
}

func TestRoom(t *testing.T) {
	t.Parallel()
	r := NewRoom(2)
	for n := range 3 {
		if got, want := r.Enter("a"), n < 2; got != want {
			t.Errorf("place %d of two: %t", n+1, got)
		}
	}
	for i := range All - 1 {
		for range 2 {
			if !r.Enter(strconv.Itoa(i)) {
				t.Errorf("no room for %d", i)
			}
		}
	}
	if r.Enter("z") {
		t.Error("there is room beyond that for all")
	}
	r.Leave("a")
	if !r.Enter("z") || r.Enter("a") {
		t.Error("a place that was left is there once")
	}
	r.Leave("z")
	if r.Leave("a"); r.by["a"] != 0 || len(r.by) != All-1 {
		t.Errorf("kept: %v", r.by)
	}
}

// TestAdmit holds that a refused request takes no place.
func TestAdmit(t *testing.T) {
	t.Parallel()
	room := NewRoom(1)
	admit := func(method string, header http.Header) int {
		r := httptest.NewRequest(method, "/", nil)
		r.Header = header
		if bad := room.Admit(httptest.NewRecorder(), r, "ann"); bad != nil {
			return bad.Status
		}
		return 0
	}
	for _, tt := range []struct {
		method string
		header http.Header
		want   int
	}{
		{http.MethodPut, nil, http.StatusMethodNotAllowed},
		{http.MethodPost, http.Header{SessionID: {"a", "b"}}, http.StatusBadRequest},
		{http.MethodPost, nil, 0},
		{http.MethodDelete, nil, http.StatusServiceUnavailable},
	} {
		if got := admit(tt.method, tt.header); got != tt.want {
			t.Errorf("%s %v: %d, want %d", tt.method, tt.header, got, tt.want)
		}
	}
	room.Leave("ann")
	if got := admit(http.MethodGet, nil); got != 0 {
		t.Errorf("after Leave: %d", got)
	}
}
