// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"sync"
	"sync/atomic"
	"testing"
)

// watchable is a server whose resource r:1 can be subscribed to; subscribed is called for each
// subscription, and says whether it is taken.
func watchable(subscribed func() bool) (f *fake, is *atomic.Bool) {
	is = new(atomic.Bool)
	f = lists(map[string]string{"tools/list": tools("x"), "resources/list": `{"uri":"r:1"}`}, echo)
	var order sync.Mutex // a server on a pipe takes one message after the other
	f.answers["resources/subscribe"] = func(c *conn, m message) {
		order.Lock()
		defer order.Unlock()
		if !subscribed() {
			c.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"not now"}}`, m.ID)
			return
		}
		is.Store(true)
		c.answer(m, `{}`)
	}
	f.answers["resources/unsubscribe"] = func(c *conn, m message) {
		order.Lock()
		defer order.Unlock()
		is.Store(false)
		c.answer(m, `{}`)
	}
	return f, is
}

// TestSubscriptionThatFails holds that who subscribes while another's subscription is under way,
// which then fails, is not told that it has one.
func TestSubscriptionThatFails(t *testing.T) {
	t.Parallel()
	asked, goOn := make(chan bool, 10), make(chan bool, 10)
	server, is := watchable(func() bool { asked <- true; return <-goOn })
	g := open(t, map[string]*fake{"a": server})
	first, second := legacy(t, g, "ann", `{}`), legacy(t, g, "ann", `{}`)
	answers := make(chan message, 2)
	go func() { answers <- first.request("resources/subscribe", `{"uri":"r:1"}`) }()
	<-asked
	go func() { answers <- second.request("resources/subscribe", `{"uri":"r:1"}`) }()
	goOn <- false
	<-asked // for the second
	goOn <- true
	failed := 0
	for range 2 {
		if m := <-answers; m.Error != nil {
			failed++
		}
	}
	if failed != 1 || !is.Load() {
		t.Errorf("%d subscriptions failed, and the server has one: %t", failed, is.Load())
	}
	if m := second.request("resources/unsubscribe", `{"uri":"r:1"}`); m.Error != nil || is.Load() {
		t.Errorf("%s, and the server has a subscription: %t", m.Error, is.Load())
	}
}

// TestSubscriptionsMeet holds that a server knows what is wanted in the end, however subscriptions
// and their ends meet.
func TestSubscriptionsMeet(t *testing.T) {
	t.Parallel()
	server, is := watchable(func() bool { return true })
	g := open(t, map[string]*fake{"a": server})
	last := legacy(t, g, "ann", `{}`)
	for round := range 20 {
		var clients sync.WaitGroup
		for range 3 {
			c := legacy(t, g, "ann", `{}`)
			clients.Go(func() {
				for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
					if m := c.request(method, `{"uri":"r:1"}`); m.Error != nil {
						t.Errorf("%s: %s", method, m.Error)
					}
				}
			})
		}
		if round%2 == 0 {
			clients.Go(func() { last.request("resources/subscribe", `{"uri":"r:1"}`) })
		} else {
			clients.Go(func() { last.request("resources/unsubscribe", `{"uri":"r:1"}`) })
		}
		clients.Wait()
		if want := round%2 == 0; is.Load() != want {
			t.Fatalf("round %d: the server has a subscription: %t, want %t", round, is.Load(), want)
		}
	}
	if n := len(server.got("resources/subscribe")); n < 10 {
		t.Errorf("%d subscriptions reach the server", n)
	}
}
