// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/upstream"
)

func calls(c *client, tool string) string {
	return c.result("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"n":1}}`, tool))
}

// hangs answers nothing, ever.
func hangs(c *conn, _ message) { <-c.done }

// TestTrouble holds that servers that are dead, hang, flood or lie trouble nobody else, and
// that their own calls are answered.
func TestTrouble(t *testing.T) {
	t.Parallel()
	floods := lists(map[string]string{"tools/list": tools("x")}, echo)
	floods.answers["notifications/initialized"] = func(c *conn, _ message) {
		for c.stdout != nil {
			select {
			case <-c.done:
				return
			default:
				c.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"%s"}}`, strings.Repeat("x", 1000))
				c.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				c.line(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`)
			}
		}
	}
	lies := lists(map[string]string{"tools/list": tools("x")}, func(c *conn, m message) {
		c.line(`{"jsonrpc":"2.0","id":99,"result":{"content":[]}}`)
		c.line(`{"jsonrpc":"2.0","id":%s,"result":{},"RESULT":{}}`, m.ID)
	})
	lies.answers["resources/list"] = says(`{"resources":7}`)
	lies.announce = `{"tools":{},"resources":{}}`
	g := open(t, map[string]*fake{
		"good":  lists(map[string]string{"tools/list": tools("x"), "resources/list": `{"uri":"r:1"}`}, echo),
		"dead":  {refuse: func(int) error { return errors.New("secret words of a server") }},
		"slow":  {refuse: func(int) error { return context.DeadlineExceeded }},
		"hangs": {answers: map[string]func(*conn, message){"initialize": hangs}},
		"stuck": lists(map[string]string{"tools/list": tools("x"), "resources/list": `{"uri":"r:2"}`}, hangs),
		"flood": floods, "lies": lies,
	}, func(cfg *gateway.Config) { cfg.SetPatience(200 * time.Millisecond) })
	c := legacy(t, g, "ann", `{}`)
	stuck := c.begin("tools/call", `{"name":"stuck__x","arguments":{}}`)
	for range 50 {
		if got := calls(c, "good__x"); !strings.Contains(got, `"got"`) {
			t.Fatalf("the good server: %s", got)
		}
	}
	eventually(t, "the lists hold what servers have that can tell", func() bool {
		return cmp.Diff([]string{"flood__x", "good__x", "lies__x", "stuck__x", "validate", "validate_batch"}, names(t, c.result("tools/list", `{}`), "tools", "name")) == ""
	})
	eventually(t, "the lists of resources leave out a liar", func() bool {
		return cmp.Diff([]string{"r:1", "r:2"}, names(t, c.result("resources/list", `{}`), "resources", "uri")) == ""
	})
	for server, want := range map[string]string{
		"dead": `the server \"dead\" is down since `, "slow": `the server \"slow\" has not started yet, and may still install itself; `, "lies": `is withheld:`, "flood": `"got"`,
	} {
		if got := calls(c, server+"__x"); !strings.Contains(got, want) || strings.Contains(got, "secret words") {
			t.Errorf("a call of %s: %s, want %s", server, got, want)
		}
	}
	dry := c.result("tools/call", `{"name":"validate","arguments":{"tool":"dead__x","arguments":{}}}`)
	if !strings.Contains(dry, `"valid":false`) || !strings.Contains(dry, "is down since") || strings.Contains(dry, "secret words") {
		t.Errorf("validate of a dead server's tool: %s", dry)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + stuck + `}}`)
	c.request("ping", `{}`)
	for _, m := range c.got() {
		if string(m.ID) == stuck && m.Method == "" {
			t.Errorf("a cancelled call was answered")
		}
	}
}

// TestToldOfChanges holds that a server which tells of changes without end, and does not list them, takes
// no memory for each.
func TestToldOfChanges(t *testing.T) {
	t.Parallel()
	s := lists(map[string]string{"tools/list": tools("x")}, echo)
	first := s.answers["tools/list"]
	var asked atomic.Int32
	s.answers["tools/list"] = func(c *conn, m message) {
		if asked.Add(1) == 1 {
			first(c, m)
			return
		}
		hangs(c, m)
	}
	g := open(t, map[string]*fake{"s": s}, func(cfg *gateway.Config) { cfg.SetPatience(patience) })
	c := legacy(t, g, "ann", `{}`)
	c.request("tools/list", `{}`)
	for range 5000 {
		s.last.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	}
	s.last.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"all told"}}`)
	c.notified("notifications/message")
	eventually(t, "the server is asked again", func() bool { return asked.Load() > 1 })
	stacks := make([]byte, 64<<20)
	if n := bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("gateway.(*peer).list(")); n > 1000 {
		t.Errorf("%d goroutines wait for lists", n)
	}
}

// TestKilled holds that a server that is killed is started again, that its calls say what has
// happened, and that its tools stay listed.
func TestKilled(t *testing.T) {
	t.Parallel()
	var up sync.Mutex
	down := false
	s := lists(map[string]string{"tools/list": tools("x")}, func(c *conn, m message) {
		if m.param("arguments", "n") == "9" {
			c.die()
			return
		}
		echo(c, m)
	})
	s.refuse = func(int) error {
		up.Lock()
		defer up.Unlock()
		if down {
			return errors.New("no")
		}
		return nil
	}
	g := open(t, map[string]*fake{"s": s})
	c := legacy(t, g, "ann", `{}`)
	got := c.result("tools/call", `{"name":"s__x","arguments":{"n":9}}`)
	if !strings.Contains(got, "may have done what it was asked") || !strings.Contains(got, `"isError":true`) {
		t.Errorf("a call that kills its server: %s", got)
	}
	if got := calls(c, "s__x"); !strings.Contains(got, `"got"`) {
		t.Errorf("a call of a server that was killed: %s", got)
	}
	up.Lock()
	down = true
	up.Unlock()
	s.kill()
	eventually(t, "the server is told to be down", func() bool { return strings.Contains(calls(c, "s__x"), "is down since") })
	if diff := cmp.Diff([]string{"s__x", "validate", "validate_batch"}, names(t, c.result("tools/list", `{}`), "tools", "name")); diff != "" {
		t.Errorf("tools of a server that is down (-want +got):\n%s", diff)
	}
	up.Lock()
	down = false
	up.Unlock()
	eventually(t, "the server is used again", func() bool { return strings.Contains(calls(c, "s__x"), `"got"`) })
}

// TestShortNameWithOutage holds that the refusal of a name without its server says which server is down.
func TestShortNameWithOutage(t *testing.T) {
	t.Parallel()
	broken := lists(map[string]string{"tools/list": tools("x")}, echo)
	broken.refuse = func(int) error { return errors.New("it does not start") }
	g := open(t, map[string]*fake{"broken": broken, "good": lists(map[string]string{"tools/list": tools("y")}, echo)}, func(*gateway.Config) {})
	c := legacy(t, g, "ann", `{}`)
	c.result("tools/list", `{}`)
	eventually(t, "the outage is told", func() bool {
		return strings.Contains(c.result("tools/call", `{"name":"y"}`), `could be another server's, too: the server \"broken\" is down, and has not listed its tools`) &&
			strings.Contains(c.result("tools/call", `{"name":"z"}`), `the server \"broken\" is down, and has not listed its tools`)
	})
}

// TestSlowStart holds that what a server lists late is told of.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	start := make(chan struct{})
	slow := lists(map[string]string{"tools/list": tools("x")}, echo)
	slow.refuse = func(int) error { <-start; return nil }
	g := open(t, map[string]*fake{"slow": slow, "good": lists(map[string]string{"tools/list": tools("y")}, echo)},
		func(cfg *gateway.Config) { cfg.SetPatience(100 * time.Millisecond) })
	c := legacy(t, g, "ann", `{}`)
	if diff := cmp.Diff([]string{"good__y", "validate", "validate_batch"}, names(t, c.result("tools/list", `{}`), "tools", "name")); diff != "" {
		t.Errorf("tools without those of a server that starts (-want +got):\n%s", diff)
	}
	if got := c.result("tools/call", `{"name":"y"}`); !strings.Contains(got, `could be another server's, too`) {
		t.Errorf("a call without the server's name: %s", got)
	}
	close(start)
	c.notified("notifications/tools/list_changed")
	if diff := cmp.Diff([]string{"good__y", "slow__x", "validate", "validate_batch"}, names(t, c.result("tools/list", `{}`), "tools", "name")); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if got := c.result("tools/call", `{"name":"y"}`); !strings.Contains(got, `"got"`) {
		t.Errorf("a call without the server's name: %s", got)
	}
}

// TestSlowReader holds that a client that reads nothing holds up no other, and gets its answers
// when it reads.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	const slow = 60 // calls, each with 100 notifications: more than is kept for a client
	s := lists(map[string]string{"tools/list": tools("x")}, func(c *conn, m message) {
		for range 100 {
			c.line(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, m.param("_meta", "progressToken"))
		}
		c.answer(m, `{"content":[],"done":true}`)
	})
	g := open(t, map[string]*fake{"s": s})
	deaf := connect(t, g, "ann")
	deaf.mu.Lock() // it reads one line and no more
	for i := range slow {
		deaf.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"s__x","_meta":{"progressToken":%d}}}`, i, i))
	}
	c := legacy(t, g, "ann", `{}`)
	for range 5 {
		if got := c.result("tools/call", `{"name":"s__x"}`); !strings.Contains(got, `"done"`) {
			t.Fatalf("the other client: %.200s", got)
		}
	}
	deaf.mu.Unlock()
	for i := range slow {
		deaf.answerTo(fmt.Sprint(i))
	}
}

// TestCrowd holds that many clients and servers leave nothing behind.
func TestCrowd(t *testing.T) {
	before := runtime.NumGoroutine()
	fakes := map[string]*fake{}
	for i := range 20 {
		fakes[fmt.Sprintf("s%02d", i)] = lists(map[string]string{"tools/list": tools("x"), "prompts/list": `{"name":"p"}`}, echo)
	}
	fakes["s03"].answers["tools/call"] = hangs
	fakes["s04"].refuse = func(int) error { return errors.New("dead") }
	cfg := gateway.Config{Servers: listOf(t, fakes)}
	cfg.SetPatience(time.Second)
	g, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var crowd sync.WaitGroup
	var all []*client
	for i := range 50 {
		c := legacy(t, g, fmt.Sprint("who", i%5), `{}`)
		all = append(all, c)
		crowd.Go(func() {
			c.begin("tools/call", `{"name":"s03__x"}`)
			for n := range 40 {
				if n%20 == 3 || n%20 == 4 {
					continue
				}
				if got := calls(c, fmt.Sprintf("s%02d__x", n%20)); !strings.Contains(got, `"got"`) {
					t.Errorf("server %d: %s", n%20, got)
				}
			}
			if n := len(names(t, c.result("tools/list", `{}`), "tools", "name")); n != 21 {
				t.Errorf("%d tools, want 21", n)
			}
		})
	}
	crowd.Wait()
	for i, c := range all {
		if i%2 == 0 {
			c.stop()
		}
		c.in.Close()
	}
	for _, c := range all {
		c.stop()
		select {
		case <-c.ended:
		case <-time.After(patience):
			t.Fatal("a session did not end")
		}
	}
	g.Close(context.Background())
	eventually(t, "all goroutines end", func() bool { return runtime.NumGoroutine() <= before+2 })
}

// TestMissing holds that a client learns at once which servers' tools its list lacks.
func TestMissing(t *testing.T) {
	t.Parallel()
	g := open(t, map[string]*fake{
		"good": lists(map[string]string{"tools/list": tools("x")}, echo),
		"dead": {refuse: func(int) error { return errors.New("secret words of a server") }},
	}, func(cfg *gateway.Config) { cfg.SetPatience(time.Second) })
	got := connect(t, g, "ann").result("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	for text, want := range map[string]bool{
		"# Tools called good__…\\n\\nuse me well": true, "before you miss theirs: dead\"": true, "secret words": false,
	} {
		if strings.Contains(got, text) != want {
			t.Errorf("initialize: %q: %t, want %t: %s", text, !want, want, got)
		}
	}
}

// TestFailureOnce holds that the log has a failure of a server once, however many principals meet it, and as often as they do.
func TestFailureOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // read once the gateway has ended
	var tries atomic.Int64
	g := open(t, map[string]*fake{
		"dead": {refuse: func(int) error { return fmt.Errorf("no such package: see the log of run %d", tries.Add(1)) }},
	}, func(cfg *gateway.Config) { cfg.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	for _, who := range []string{"ann", "bob"} {
		c := legacy(t, g, who, `{}`)
		for range 3 {
			calls(c, "dead__x")
		}
	}
	g.Close(context.Background())
	if tries.Load() < 2 {
		t.Errorf("%d tries, want one for each principal at least", tries.Load())
	}
	for _, message := range []string{`msg="a server is not connected"`, `msg="a call failed"`} {
		if got := strings.Count(log.String(), message); got > 1 {
			t.Errorf("%s stands %d times in the log:\n%s", message, got, log.String())
		}
	}
}

// TestRefusedHandshake holds that a call of a server which refuses to connect hears that it is down, and not of a list that nobody asked for; no
// word of the server's is told.
func TestRefusedHandshake(t *testing.T) {
	t.Parallel()
	g := open(t, map[string]*fake{
		"shut": {refuse: func(int) error {
			return &upstream.RefusedError{Method: "initialize", Code: -32603, Message: "closed on Sundays"}
		}},
	})
	c := legacy(t, g, "ann", `{}`)
	for name, arguments := range map[string]string{"shut__x": `{}`, "validate": `{"tool":"shut__x","arguments":{}}`} {
		got := c.result("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
		if !strings.Contains(got, "is down since") || strings.Contains(got, "tools/list") || strings.Contains(got, "Sundays") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
