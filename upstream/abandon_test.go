// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/door"
	"github.com/toolvet/toolvet/internal/engine"
	"github.com/toolvet/toolvet/upstream"
)

// A slots is a limiter that counts the calls under way.
type slots struct{ taken atomic.Int32 }

func (s *slots) Take(context.Context, *call.Call) (engine.Ticket, []check.Finding) {
	s.taken.Add(1)
	return s, nil
}
func (s *slots) Peek(context.Context, *call.Call) ([]engine.Allowance, []check.Finding) {
	return nil, nil
}
func (s *slots) Release()  { s.taken.Add(-1) }
func (s *slots) Rollback() { s.taken.Add(-1) }

// A distant is a server on another machine, which goes on when its connection ends.
type distant struct{ *memory }

type distantSession struct{ upstream.Transport }

func (distantSession) Remote() bool { return true }

func (d distant) Dial(ctx context.Context, _ io.Writer) (upstream.Transport, error) {
	t, err := d.memory.Dial(ctx, nil)
	return distantSession{t}, err
}

// TestAbandonedHolds: a call that its caller gives up, or whose time is over, counts as running until the server
// answers or ends, or for door.HoldTime.
func TestAbandonedHolds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		remote bool
		end    func(s *session, m message)
		after  time.Duration // from the end on, the call counts for so long
	}{
		"answer": {false, func(s *session, m message) { s.answer(m, `{"content":[]}`) }, 0},
		"error": {false, func(s *session, m message) {
			s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":0,"message":"cancelled"}}`, m.ID)
		}, 0},
		"the server ends":       {false, func(s *session, _ message) { _ = s.Stop(context.Background()) }, 0},
		"nothing":               {false, func(*session, message) {}, door.HoldTime - time.Minute},
		"a remote server's end": {true, func(s *session, _ message) { _ = s.Stop(context.Background()) }, door.HoldTime - time.Minute},
		"a remote answer":       {true, func(s *session, m message) { s.answer(m, `{"content":[]}`) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var limits slots
				gate, err := toolvet.New(toolvet.WithInside(engine.Parts{Limiter: &limits}))
				if err != nil {
					t.Fatal(err)
				}
				asked := make(chan message, 1)
				m := newMemory(map[string]func(*session, message){"tools/call": func(_ *session, m message) { asked <- m }})
				var d upstream.Dialer = m
				if tt.remote {
					d = distant{m}
				}
				s := newSet(t, upstream.Config{Gate: func(string) *toolvet.Gate { return gate }}, map[string]upstream.Dialer{"a": d})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := s.Call(ctx, "a:read", goodArguments); err == nil {
					t.Fatal("the call has an answer")
				}
				time.Sleep(time.Minute)
				if n := limits.taken.Load(); n != 1 {
					t.Fatalf("%d calls count as running, want the one that was given up", n)
				}
				tt.end(m.session(), <-asked)
				if tt.after > 0 {
					time.Sleep(tt.after - time.Second)
					if n := limits.taken.Load(); n != 1 {
						t.Errorf("%d calls count as running before the time is over, want 1", n)
					}
					time.Sleep(time.Second)
				}
				synctest.Wait()
				if n := limits.taken.Load(); n != 0 {
					t.Errorf("%d calls count as running after the end, want none", n)
				}
			})
		})
	}
}
