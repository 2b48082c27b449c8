// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/internal/inside"
)

// TestOptionsThatNeverReturn: a limiter, a visibility and a listing that ignore their context hold nobody longer than a
// time-out, let nothing pass, and keep a bounded number of goroutines.
func TestOptionsThatNeverReturn(t *testing.T) {
	t.Parallel()
	free, running := (chan struct{})(nil), atomic.Int32{}
	wait := func() {
		running.Add(1)
		defer running.Add(-1)
		<-free
	}
	shows := func(context.Context, *call.Call) bool { wait(); return true }
	judged := func(ctx context.Context, g *toolvet.Gate, at toolvet.Point) bool {
		return g.Judge(ctx, goodCall(t), at).Go
	}
	for name, tt := range map[string]struct {
		option toolvet.Option
		passes func(context.Context, *toolvet.Gate, toolvet.Point) bool
	}{
		"a limiter":    {toolvet.WithInside(engine.Parts{Limiter: brokenLimiter(func(context.Context) (engine.Ticket, []check.Finding) { wait(); return nil, nil })}), judged},
		"a visibility": {toolvet.WithInside(engine.Parts{Visible: shows}), judged},
		"a listing": {toolvet.WithInside(engine.Parts{Listed: shows}), func(ctx context.Context, g *toolvet.Gate, _ toolvet.Point) bool {
			return inside.Of(g).Lists(ctx, goodCall(t))
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			free = make(chan struct{})
			g := newGate(t, tt.option)
			for i := range 100 {
				start := time.Now()
				if tt.passes(t.Context(), g, toolvet.Point(i%3)) {
					t.Errorf("%s that does not answer lets a call pass", name)
				}
				if took := time.Since(start); took > 2*time.Second {
					t.Fatalf("%s holds a call for %v", name, took)
				}
			}
			if n := running.Load(); n != 64 {
				t.Errorf("%s keeps %d goroutines, and may keep 64", name, n)
			}
			close(free)
			synctest.Wait()
			if !tt.passes(t.Context(), g, toolvet.PointProxy) {
				t.Errorf("%s that answers again is not asked", name)
			}
		})
	}
}

type countedTicket struct{ held *atomic.Int32 }

func (c countedTicket) Release()  { c.held.Add(-1) }
func (c countedTicket) Rollback() { c.held.Add(-1) }

// TestLateTicket: a ticket that comes when its call has been refused is given back.
func TestLateTicket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var held atomic.Int32
		g := newGate(t, toolvet.WithInside(engine.Parts{Limiter: brokenLimiter(func(context.Context) (engine.Ticket, []check.Finding) {
			time.Sleep(time.Minute)
			held.Add(1)
			return countedTicket{&held}, nil
		})}))
		if v := g.Judge(t.Context(), goodCall(t), toolvet.PointProxy); v.Go {
			t.Errorf("the call is not counted, and go: %v", v)
		}
		time.Sleep(time.Hour)
		if n := held.Load(); n != 0 {
			t.Errorf("%d tickets are held", n)
		}
	})
}

// TestNoGate: a nil Gate and the zero one, as a source gives for a server that a policy no longer names, let nothing pass.
func TestNoGate(t *testing.T) {
	t.Parallel()
	for name, g := range map[string]*toolvet.Gate{"nil": nil, "zero": {}} {
		ctx, c := t.Context(), goodCall(t)
		dry, _ := inside.Of(g).DryRun(ctx, c, engine.DryRun{})
		inside.Of(g).Peek(ctx, c, &dry)
		r, err := result.Read("tools/call", []byte(`{"content":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		reviewed := g.Review(ctx, c, r)
		for where, v := range map[string]toolvet.Verdict{"live": g.Judge(ctx, c, toolvet.PointProxy), "dry": dry, "review": reviewed.Verdict} {
			if v.Go || len(v.Errors()) != 1 {
				t.Errorf("%s, %s: %v", name, where, v)
			}
		}
		if reviewed.Raw != nil || !inside.Of(g).Reviews() || !inside.Of(g).Hides() || inside.Of(g).Visible(ctx, c) || inside.Of(g).Lists(ctx, c) || inside.Of(g).Waits(c) || inside.Of(g).Needs(c) != nil || inside.Of(g).Levels() != nil {
			t.Errorf("the %s Gate shows something", name)
		}
		if inside.Of(g).Server() != "" || inside.Of(g).Caller().Subject != "" || inside.Of(g).Observer() != nil || len(g.Unmatched(call.NewCatalog(nil))) == 0 {
			t.Errorf("the %s Gate says something", name)
		}
	}
}
