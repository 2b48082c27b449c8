// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package binding_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/binding"
)

func newCall(tb testing.TB, tool, arguments string) *call.Call {
	tb.Helper()
	definition, err := call.DecodeTool(fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object"}}`, tool), call.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	c, err := call.NewCall(definition, json.RawMessage(arguments))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func issue(tb testing.TB, tokens *binding.Tokens, c *call.Call, native string) string {
	tb.Helper()
	token, ok := tokens.Issue(c, native)
	if !ok {
		tb.Fatal("no token")
	}
	return token
}

// TestBound holds that a token lets in the call that it is of, and no other.
func TestBound(t *testing.T) {
	t.Parallel()
	var tokens, others binding.Tokens
	base := func() *call.Call {
		c := newCall(t, "transfer", `{"to":"ann","amount":7.50}`)
		c.Server, c.Session = "bank", &call.Session{Subject: "bob", Transport: "http", Claims: map[string]any{"scope": "pay"}}
		return c
	}
	for name, test := range map[string]struct {
		change func(c *call.Call)
		bound  bool
	}{
		"the same":           {func(*call.Call) {}, true},
		"in another order":   {func(c *call.Call) { *c = *withArguments(t, c, ` { "amount" : 7.50, "to":"\u0061nn" }`) }, true},
		"a new session's id": {func(c *call.Call) { c.Session.ID, c.Session.ClientName = "other", "other" }, true},
		"another trace":      {func(c *call.Call) { c.Session.Traceparent = "00-1-2-01" }, true},
		"another amount":     {func(c *call.Call) { *c = *withArguments(t, c, `{"to":"ann","amount":7.5}`) }, false},
		"another member":     {func(c *call.Call) { *c = *withArguments(t, c, `{"to":"ann","amount":7.50,"note":""}`) }, false},
		"another caller":     {func(c *call.Call) { c.Session.Subject = "eve" }, false},
		"another claim":      {func(c *call.Call) { c.Session.Claims = map[string]any{"scope": "read"} }, false},
		"another address":    {func(c *call.Call) { c.Session.ClientAddress = "192.0.2.1" }, false},
		"nobody":             {func(c *call.Call) { c.Session = nil }, false},
		"another server":     {func(c *call.Call) { c.Server = "shop" }, false},
		"another tool":       {func(c *call.Call) { c.Tool = newCall(t, "refund", "{}").Tool; c.Name = "refund" }, false},
		"another definition": {func(c *call.Call) {
			c.Tool = &call.Tool{Name: c.Tool.Name, Raw: json.RawMessage(`{"name":"transfer","inputSchema":{}}`)}
		}, false},
		"an unknown tool":     {func(c *call.Call) { c.Tool = nil }, false},
		"unread arguments":    {func(c *call.Call) { c.Unread = errors.New("no JSON") }, false},
		"arguments too large": {func(c *call.Call) { c.Raw = make(json.RawMessage, binding.MaxArguments+1) }, false},
	} {
		token := issue(t, &tokens, base(), "")
		c := base()
		test.change(c)
		if _, err := tokens.Redeem(c, token); (err == nil) != test.bound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := others.Redeem(base(), issue(t, &tokens, base(), "")); err == nil {
		t.Error("the token of another policy lets the call in")
	}
	unknown := base()
	unknown.Tool = nil
	if token, ok := tokens.Issue(unknown, ""); ok {
		t.Errorf("a call of an unknown tool has the token %s", token)
	}
	if _, ok := tokens.Issue(base(), strings.Repeat("x", 2000)); ok {
		t.Error("the server's token may have any length")
	}
}

func withArguments(tb testing.TB, c *call.Call, arguments string) *call.Call {
	own := *c
	if err := own.Read([]byte(arguments), call.Limits{}); err != nil {
		tb.Fatal(err)
	}
	return &own
}

// TestLife holds that a token lives for Life.
func TestLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tokens binding.Tokens
		c := newCall(t, "read", `{"path":"a"}`)
		early, late := issue(t, &tokens, c, ""), issue(t, &tokens, c, "")
		time.Sleep(binding.Life - time.Millisecond)
		if _, err := tokens.Redeem(c, early); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Millisecond)
		if _, err := tokens.Redeem(c, late); err == nil || !strings.Contains(err.Error(), "too old") {
			t.Errorf("a token is valid after its end: %v", err)
		}
		if _, err := tokens.Redeem(c, early); err == nil {
			t.Error("a spent token is valid after its end")
		}
	})
}

// TestOnce holds that a token lets in one call, also of many at once, and another if the first was not made.
func TestOnce(t *testing.T) {
	t.Parallel()
	var tokens binding.Tokens
	c := newCall(t, "read", `{"path":"a"}`)
	token := issue(t, &tokens, c, "of-the-server")
	var all sync.WaitGroup
	var admitted atomic.Int64
	var last atomic.Pointer[binding.Redeemed]
	for range 16 {
		all.Go(func() {
			if r, err := tokens.Redeem(c, token); err == nil {
				admitted.Add(1)
				last.Store(&r)
			}
		})
	}
	all.Wait()
	if admitted.Load() != 1 {
		t.Fatalf("a token lets %d calls in", admitted.Load())
	}
	last.Load().Return()
	if _, err := tokens.Redeem(c, token); err != nil {
		t.Errorf("a token whose call was not made: %v", err)
	}
	if got := binding.NativeOf(token); got != "of-the-server" {
		t.Errorf("the server's token: %q", got)
	}
}

// TestRoom holds that spent tokens are kept until their end, so that none lets two calls in, and that their number is bounded.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tokens binding.Tokens
		c := newCall(t, "read", `{}`)
		first := issue(t, &tokens, c, "")
		var failed error
		n := 0
		for token := first; failed == nil && n < 1<<17; n++ {
			_, failed = tokens.Redeem(c, token)
			token = issue(t, &tokens, c, "")
		}
		if failed == nil || n < 1<<16 {
			t.Errorf("%d tokens at once: %v", n, failed)
		}
		if _, err := tokens.Redeem(c, first); err == nil {
			t.Error("a spent token is forgotten")
		}
		time.Sleep(binding.Life)
		if _, err := tokens.Redeem(c, issue(t, &tokens, c, "")); err != nil {
			t.Errorf("after the end of the old ones: %v", err)
		}
	})
}

// FuzzRedeem holds that no text but the token itself is redeemed, whatever it has of it.
func FuzzRedeem(f *testing.F) {
	var tokens binding.Tokens
	c := newCall(f, "read", `{"path":"a"}`)
	token := issue(f, &tokens, c, "x")
	for _, seed := range []string{"", "toolvet-", token[:len(token)-1], token + "A", token + "=", token[:20] + "\n" + token[20:], strings.ToUpper(token),
		"toolvet-" + base64.RawURLEncoding.EncodeToString(make([]byte, 56)), "toolvet-" + strings.Repeat("A", 5000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text == token {
			return
		}
		if _, err := tokens.Redeem(c, text); err == nil {
			t.Errorf("%q is redeemed, and the token is %q", text, token)
		}
		if len(text) < 10 {
			for _, value := range []any{nil, true, json.Number("7"), []any{token}, map[string]any{"token": token}} {
				if _, err := tokens.Redeem(c, value); err == nil {
					t.Errorf("%v is redeemed", value)
				}
			}
		}
	})
}
