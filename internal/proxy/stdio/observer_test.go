// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/proxy/relay"
)

// A fakeObserver remembers what it is told, and fails when it should.
type fakeObserver struct {
	mu               sync.Mutex
	told             []string
	failJudged, fail bool
}

func (o *fakeObserver) Judged(_ context.Context, e *toolvet.Event) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, "judged "+e.Request)
	e.Keep = e.Request
	if o.failJudged {
		return errors.New("the disk is full")
	}
	return nil
}

func (o *fakeObserver) Returned(_ context.Context, e *toolvet.Event) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, "returned "+e.Keep.(string))
	if o.fail {
		return errors.New("the disk is full")
	}
	return nil
}

func (o *fakeObserver) Listed(_ context.Context, _ string, tools *call.Catalog) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, "listed "+strings.Join(tools.Names(), " "))
}

// TestObserver holds that each call is told of before it goes on, and that what cannot be
// recorded does not happen, or is not shown.
func TestObserver(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*fakeObserver{"records": {}, "full before": {failJudged: true}, "full after": {fail: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, Config{Config: relay.Config{Observer: o}})
			s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			s.play("S<")
			s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
			s.play("C<")
			s.play(`C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}`)
			if o.failJudged {
				if got := s.play("C<"); !strings.Contains(got, "cannot be recorded, so it is refused") || strings.Contains(got, "disk") {
					t.Errorf("got %s", got)
				}
				return
			}
			s.play("S<")
			s.play(`S> {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}`)
			got := s.play("C<")
			if withheld := strings.Contains(got, "cannot be recorded, so it is withheld"); withheld != o.fail || strings.Contains(got, "disk") {
				t.Errorf("got %s", got)
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			if told := strings.Join(o.told, ", "); told != "listed read, judged 2, returned 2" {
				t.Errorf("told %s", told)
			}
		})
	}
}

// A tracer is an observer that is the parent of what calls lead to.
type tracer struct {
	fakeObserver
	parent string
}

func (o *tracer) Judged(ctx context.Context, e *toolvet.Event) error {
	e.Traceparent = o.parent
	return o.fakeObserver.Judged(ctx, e)
}

// TestTraceparent holds that the server finds the proxy's span as its parent, in the place of
// the client's own, and every other byte as the client wrote it.
func TestTraceparent(t *testing.T) {
	t.Parallel()
	const (
		format = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":{ "n":1.0 },"_meta":{"x":1e2, "traceparent" : %s,"tracestate":"a=b"},"name":"read"}}`
		theirs = `"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`
		ours   = `00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01`
		bare   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read"}}`
	)
	for name, tt := range map[string]struct{ parent, sent, want string }{
		"exported":     {ours, fmt.Sprintf(format, theirs), fmt.Sprintf(format, `"`+ours+`"`)},
		"not exported": {"", fmt.Sprintf(format, theirs), fmt.Sprintf(format, theirs)},
		"no trace":     {ours, bare, bare},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, Config{Config: relay.Config{Observer: &tracer{parent: tt.parent}}})
			s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			s.play("S<")
			s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
			s.play("C<")
			s.play("C> " + tt.sent)
			if got := strings.TrimSpace(strings.TrimPrefix(s.play("S<"), "S< ")); got != tt.want {
				t.Errorf("the server reads %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestObserverIsToldOfTheLost holds that each call that was a go is told of again, also if the
// server never answers it.
func TestObserverIsToldOfTheLost(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}`
	for name, end := range map[string]func(s *stage){
		"death": func(s *stage) { s.server.die(process.Exit{Code: 1}); s.play("C<") },
		"cancelled": func(s *stage) {
			s.play(`C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
			s.play("S<")
		},
		"no message": func(s *stage) { s.play(`S> {"jsonrpc":"2.0","id":2,"result":{"a":1,"a":2}}`); s.play("C<") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &fakeObserver{}
			s := newStage(t, Config{Config: relay.Config{Observer: o}})
			s.play(`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			s.play("S<")
			s.play(`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
			s.play("C<")
			s.play("C> " + call)
			s.play("S<")
			end(s)
			for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				o.mu.Lock()
				told := strings.Join(o.told, ", ")
				o.mu.Unlock()
				if told == "listed read, judged 2, returned 2" {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("told %s", told)
				}
			}
		})
	}
}
