// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/gateway"
)

// TestKeptLists holds that a principal whose connections are closed gets the lists of before at once while the server starts again,
// that no other principal and no other gate does, and that sessions hear of a list that has changed since.
func TestKeptLists(t *testing.T) {
	t.Parallel()
	f := lists(map[string]string{"tools/list": tools("x")}, echo)
	g := open(t, map[string]*fake{"s": f}, func(c *gateway.Config) { c.SetLinger(time.Millisecond); c.SetPatience(300 * time.Millisecond) })
	shown := func(c *client) []string { return names(t, c.result("tools/list", `{}`), "tools", "name") }
	leave := func(c *client) {
		c.stop()
		eventually(t, "the connections are closed", func() bool { return len(g.States()["s"]) == 0 })
	}
	without, with := []string{"validate", "validate_batch"}, []string{"s__x", "validate", "validate_batch"}
	c := legacy(t, g, "ann", `{}`)
	if diff := cmp.Diff(with, shown(c)); diff != "" {
		t.Fatalf("tools (-want +got):\n%s", diff)
	}
	leave(c)

	start := make(chan struct{})
	f.mu.Lock()
	f.refuse = func(int) error { <-start; return nil }
	f.answers["tools/list"] = says(`{"tools":[` + tools("y") + `]}`)
	f.mu.Unlock()
	c = legacy(t, g, "bob", `{}`)
	if diff := cmp.Diff(without, shown(c)); diff != "" {
		t.Errorf("tools of another principal (-want +got):\n%s", diff)
	}
	c.stop()
	c = legacy(t, g, "ann", `{}`)
	if diff := cmp.Diff(with, shown(c)); diff != "" {
		t.Errorf("tools while the server starts (-want +got):\n%s", diff)
	}
	close(start)
	c.notified("notifications/tools/list_changed")
	if diff := cmp.Diff([]string{"s__y", "validate", "validate_batch"}, shown(c)); diff != "" {
		t.Errorf("tools after the start (-want +got):\n%s", diff)
	}
	leave(c)

	again := make(chan struct{})
	defer close(again)
	f.mu.Lock()
	f.refuse = func(int) error { <-again; return nil }
	f.mu.Unlock()
	changed := listOf(t, map[string]*fake{"s": f})
	other := gate(t)
	changed[0].Gate = func() *toolvet.Gate { return other }
	if err := g.Update(changed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(without, shown(legacy(t, g, "ann", `{}`))); diff != "" {
		t.Errorf("tools that another gate has reviewed (-want +got):\n%s", diff)
	}
}
