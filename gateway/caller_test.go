// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/upstream"
)

// dials counts the connections to a fake.
func (f *fake) dials() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dialed
}

func callAs(t *testing.T, c *gateway.Caller, subject, tool string) *upstream.Outcome {
	t.Helper()
	o, err := c.Call(t.Context(), tool, json.RawMessage(`{"n":1}`), upstream.WithSession(&call.Session{Subject: subject}))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestCallerShares holds that a Caller uses the connections of a principal's sessions, keeps them, and uses no
// other's: not those of another principal, and not those of a client that can be asked.
func TestCallerShares(t *testing.T) {
	t.Parallel()
	f := lists(map[string]string{"tools/list": tools("x")}, echo)
	g := open(t, map[string]*fake{"s": f}, func(c *gateway.Config) { c.SetLinger(time.Millisecond) })
	heard := make(chan upstream.Notification, 100)
	c := g.NewCaller(func(n upstream.Notification) { heard <- n })
	callAs(t, c, "ann", "s:x")
	calls(connect(t, g, "ann"), "s__x")
	time.Sleep(20 * time.Millisecond) // longer than connections linger
	callAs(t, c, "ann", "s:x")
	if n := f.dials(); n != 1 {
		t.Errorf("%d connections, want 1 for sessions and calls of one principal", n)
	}
	f.last.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	if n := <-heard; n.Server != "s" || n.Method != "notifications/tools/list_changed" {
		t.Errorf("heard %+v", n)
	}
	calls(legacy(t, g, "ann", `{"elicitation":{}}`), "s__x")
	callAs(t, c, "bob", "s:x")
	if n := f.dials(); n != 3 {
		t.Errorf("%d connections, want 3: one more for a client that can be asked, and for another principal", n)
	}
}

// TestCallerUnknown holds that unknown servers are refused with a suggestion, and that a server that needs a
// connection for each session does not exist for a Caller.
func TestCallerUnknown(t *testing.T) {
	t.Parallel()
	f := lists(map[string]string{"tools/list": tools("x")}, echo)
	g := open(t, map[string]*fake{"files": f}, func(c *gateway.Config) {
		c.Servers = append(c.Servers, gateway.Server{Server: upstream.Server{Name: "own"}, DialerFor: func(call.Session) upstream.Dialer { return f }})
	})
	c := g.NewCaller(nil)
	for tool, want := range map[string]string{
		"file:x": `did you mean "files"`,
		"own:x":  "there are files",
		"x":      "no name of a tool",
	} {
		r, err := c.Validate(t.Context(), tool, json.RawMessage(`{}`))
		if err != nil || r.Valid || !strings.Contains(strings.Join(append(r.Errors, r.Suggestions...), " "), want) {
			t.Errorf("validating %s: %+v, %v", tool, r, err)
		}
		if o := callAs(t, c, "ann", tool); o.Ran || !strings.Contains(string(o.Raw), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("calling %s: %s", tool, o.Raw)
		}
	}
	if n := f.dials(); n != 0 {
		t.Errorf("%d connections", n)
	}
	if _, err := c.Tools(t.Context(), "file"); err == nil {
		t.Error("an unknown server lists tools")
	}
	if tools, err := c.Tools(t.Context(), "files"); err != nil || !slices.Contains(tools.Names(), "x") {
		t.Errorf("tools of a server: %v", err)
	}
}

// TestCallerMany holds that a Caller keeps connections of a bounded number of principals, and takes no
// client's place.
func TestCallerMany(t *testing.T) {
	t.Parallel()
	const principals = 40
	f := lists(map[string]string{"tools/list": tools("x")}, echo)
	g := open(t, map[string]*fake{"s": f}, func(c *gateway.Config) { c.SetLinger(time.Millisecond); c.MaxPrincipals = 1 })
	c := g.NewCaller(nil)
	for n := range principals {
		callAs(t, c, fmt.Sprint(n), "s:x")
	}
	calls(connect(t, g, "ann"), "s__x")
	eventually(t, "connections are closed", func() bool { return len(g.States()["s"]) <= 16+1 })
	callAs(t, c, fmt.Sprint(principals-1), "s:x")
	if n := f.dials(); n != principals+1 {
		t.Errorf("%d connections, want %d", n, principals+1)
	}
}

// TestCallerReload holds that a call under way ends on its connection when its server is replaced, however long it takes, and
// that later calls go to the new one.
func TestCallerReload(t *testing.T) {
	t.Parallel()
	proceed := make(chan struct{})
	old := lists(map[string]string{"tools/list": tools("x")}, func(c *conn, m message) { <-proceed; echo(c, m) })
	g := open(t, map[string]*fake{"s": old})
	c := g.NewCaller(nil)
	done := make(chan *upstream.Outcome)
	go func() { done <- callAs(t, c, "ann", "s:x") }()
	eventually(t, "the call is under way", func() bool { return len(old.got("tools/call")) == 1 })
	replacement := lists(map[string]string{"tools/list": tools("x")}, echo)
	if err := g.Update([]gateway.Server{{Server: upstream.Server{Name: "s", Dialer: replacement}, Version: "2"}}); err != nil {
		t.Fatal(err)
	}
	callAs(t, c, "ann", "s:x")
	if n := len(replacement.got("tools/call")); n != 1 {
		t.Errorf("%d calls of the new server, want 1", n)
	}
	close(proceed)
	if o := <-done; !o.Ran {
		t.Errorf("the call under way ends as %s", o.Raw)
	}
}
