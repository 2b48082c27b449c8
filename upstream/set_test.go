// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/notice"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/upstream"
)

var goodArguments = json.RawMessage(`{"path":"a"}`)

// Nobody is connected to before it is needed, and then all share one connection.
func TestLazyAndShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := newMemory(nil), newMemory(nil)
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": a, "b": b})
		if state := stateOf(t, s, "a"); state.Status != upstream.Idle || a.dials() != 0 {
			t.Errorf("before the first use: %+v, %d dials", state, a.dials())
		}
		var calls sync.WaitGroup
		for range 50 {
			calls.Go(func() {
				if o, err := s.Call(t.Context(), "a:read", goodArguments); err != nil || !o.Ran {
					t.Errorf("Call: %+v, %v", o, err)
				}
			})
		}
		calls.Wait()
		if a.dials() != 1 || b.dials() != 0 || a.count("tools/list") != 1 || a.count("tools/call") != 50 {
			t.Errorf("%d and %d dials, %d lists, %d calls", a.dials(), b.dials(), a.count("tools/list"), a.count("tools/call"))
		}
		if state := stateOf(t, s, "a"); state.Status != upstream.Ready || state.Version != "2025-11-25" {
			t.Errorf("when it is connected: %+v", state)
		}
		s.Close(t.Context())
		if _, err := s.Call(t.Context(), "a:read", goodArguments); !errors.Is(err, upstream.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// A server that cannot be started is tried at growing distances, first by who waits, then by
// nobody before its time.
func TestBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(nil)
		m.refuse = func(int) error { return errNoProgram }
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		most := 500 * time.Millisecond
		for n := 1; n <= 12; n++ {
			before := time.Now()
			err := s.Connect(t.Context(), "a")
			var unavailable *upstream.UnavailableError
			if !errors.As(err, &unavailable) || !errors.Is(err, errNoProgram) || m.dials() != n {
				t.Fatalf("try %d: %v after %d dials", n, err, m.dials())
			}
			if strings.Contains(err.Error(), "tried again") { // the caller has just had its try, and may not make another
				t.Errorf("try %d promises: %v", n, err)
			}
			if waited := time.Since(before); n > 1 && n <= 3 && waited == 0 || n > 3 && waited > 0 {
				t.Errorf("try %d waited for %v", n, waited)
			}
			state := stateOf(t, s, "a")
			pause := time.Until(state.Next)
			if state.Status != upstream.Failed || state.Failures != n || pause < most/2 || pause > most {
				t.Errorf("after %d failures the pause is %v, not between %v and %v: %+v", n, pause, most/2, most, state)
			}
			most = min(2*most, time.Minute)
			if n < 3 {
				continue // the next waits by itself
			}
			err = s.Connect(t.Context(), "a")
			if !errors.As(err, &unavailable) || m.dials() != n || !strings.Contains(err.Error(), "tried again in") {
				t.Errorf("before its time: %v after %d dials", err, m.dials())
			}
			time.Sleep(pause)
		}
		m.mu.Lock()
		m.refuse = nil
		m.mu.Unlock()
		if err := s.Connect(t.Context(), "a"); err != nil {
			t.Errorf("a server that is well again: %v", err)
		}
		if state := stateOf(t, s, "a"); state.Status != upstream.Ready {
			t.Errorf("a server that is well again: %+v", state)
		}
	})
}

// A server that dies again and again opens the circuit; one that has lasted is connected to
// at once.
func TestCrashes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(nil)
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		crash := func() {
			m.session().die()
			synctest.Wait()
		}
		for n := range 3 {
			if err := s.Connect(t.Context(), "a"); err != nil {
				t.Fatalf("connection %d: %v", n, err)
			}
			crash()
		}
		state := stateOf(t, s, "a")
		if state.Failures != 3 || !strings.Contains(state.Err.Error(), "SIGKILL") {
			t.Errorf("after three crashes: %+v", state)
		}
		if err := s.Connect(t.Context(), "a"); err == nil {
			t.Error("the circuit is not open")
		}
		time.Sleep(time.Until(state.Next))
		if err := s.Connect(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		crash()
		if state := stateOf(t, s, "a"); state.Failures != 0 || !state.Next.IsZero() {
			t.Errorf("a crash after a minute: %+v", state)
		}
		before := time.Now()
		if err := s.Connect(t.Context(), "a"); err != nil || time.Since(before) != 0 {
			t.Errorf("a crash after a minute: %v after %v", err, time.Since(before))
		}
	})
}

// A call that was in flight when the server died is never made again; a list is.
func TestDeathInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lists := 0
		m := newMemory(map[string]func(*session, message){
			"tools/call": func(s *session, _ message) { s.die() },
			"tools/list": func(s *session, m message) {
				if lists++; lists == 1 {
					s.die()
					return
				}
				s.answer(m, "%s", readTool)
			},
		})
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		tools, err := s.Tools(t.Context(), "a")
		if err != nil || tools.Tool("read") == nil || m.dials() != 2 {
			t.Fatalf("a list: %v after %d dials", err, m.dials())
		}
		o, err := s.Call(t.Context(), "a:read", goodArguments)
		var gone *upstream.GoneError
		if !errors.As(err, &gone) || !gone.Sent || gone.Method != "tools/call" || m.count("tools/call") != 1 {
			t.Errorf("a call: %+v, %v after %d calls", o, err, m.count("tools/call"))
		}
		if !hasAll(err.Error(), "was killed by SIGKILL", "before it answered tools/call") {
			t.Errorf("the error does not say what happened: %v", err)
		}
	})
}

// A connection that nobody uses is closed after its time, and made again.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(map[string]func(*session, message){"slow": func(s *session, m message) {
			time.Sleep(10 * time.Minute)
			s.answer(m, `{}`)
		}})
		s, err := upstream.NewSet(upstream.Config{Servers: []upstream.Server{{Name: "a", Dialer: m, Idle: time.Minute, CallTimeout: time.Hour}}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(t.Context())
		if _, err := s.Do(t.Context(), "a", upstream.Request{Method: "slow"}); err != nil {
			t.Errorf("a request that takes longer than the connection may be idle: %v", err)
		}
		time.Sleep(59 * time.Second)
		if state := stateOf(t, s, "a"); state.Status != upstream.Ready {
			t.Errorf("before its time: %+v", state)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if state := stateOf(t, s, "a"); state.Status != upstream.Idle {
			t.Errorf("after its time: %+v", state)
		}
		if err := s.Connect(t.Context(), "a"); err != nil || m.dials() != 2 {
			t.Errorf("the next use: %v after %d dials", err, m.dials())
		}
	})
}

// A server that never answers costs its time-out, and those who wait with a context that
// ends cost nobody anything.
func TestHanging(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := newMemory(map[string]func(*session, message){"initialize": silent})
		slow := newMemory(map[string]func(*session, message){"tools/call": silent})
		lists := newMemory(map[string]func(*session, message){"tools/list": silent})
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"deaf": deaf, "slow": slow, "lists": lists})
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Connect(short, "deaf"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a context that ends: %v", err)
		}
		before := time.Now()
		if err := s.Connect(t.Context(), "deaf"); err == nil || time.Since(before) != 29*time.Second || deaf.dials() != 1 {
			t.Errorf("no handshake: %v after %v and %d dials", err, time.Since(before), deaf.dials())
		}
		before = time.Now()
		if _, err := s.Call(t.Context(), "slow:read", goodArguments); !errors.Is(err, context.DeadlineExceeded) || time.Since(before) != 10*time.Minute {
			t.Errorf("no answer to a call: %v after %v", err, time.Since(before))
		}
		synctest.Wait()
		if n := slow.session().cancels.Load(); n != 1 {
			t.Errorf("%d calls were cancelled, want 1", n)
		}
		before = time.Now()
		var calls sync.WaitGroup
		for range 5 {
			calls.Go(func() {
				if _, err := s.Call(t.Context(), "lists:read", goodArguments); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("no list: %v", err)
				}
			})
		}
		calls.Wait()
		if n := lists.count("tools/list"); n != 1 || time.Since(before) != upstream.DefaultTimeout {
			t.Errorf("no list: asked %d times, took %v", n, time.Since(before))
		}
	})
}

// What is known of a list lasts as long as it may.
func TestListCache(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		page  string
		lasts time.Duration // 0: for good
	}{
		"for good":      {`{"tools":[]}`, 0},
		"ttl 0":         {`{"tools":[],"ttlMs":0}`, time.Minute},
		"a short ttl":   {`{"tools":[],"ttlMs":5000}`, time.Minute},
		"a long ttl":    {`{"tools":[],"ttlMs":600000}`, 10 * time.Minute},
		"a bad ttl":     {`{"tools":[],"ttlMs":"x"}`, 0},
		"a negtive ttl": {`{"tools":[],"ttlMs":-1}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMemory(map[string]func(*session, message){"tools/list": fixed(tt.page)})
				s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
				asked := func() int {
					if _, err := s.Tools(t.Context(), "a"); err != nil {
						t.Fatal(err)
					}
					return m.count("tools/list")
				}
				asked()
				lasts := tt.lasts
				if lasts == 0 {
					lasts = 1000 * time.Hour
				}
				time.Sleep(lasts - time.Nanosecond)
				if n := asked(); n != 1 {
					t.Errorf("asked %d times before the time is over", n)
				}
				if time.Sleep(time.Nanosecond); tt.lasts > 0 {
					if n := asked(); n != 2 {
						t.Errorf("asked %d times after the time is over", n)
					}
				}
				before := m.count("tools/list")
				m.session().line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				synctest.Wait()
				if n := asked(); n != before+1 {
					t.Errorf("asked %d times after the list has changed, want %d", n, before+1)
				}
			})
		})
	}
}

// Prompts and resources come as the pages that the server wrote, if it has them.
func TestPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(map[string]func(*session, message){
			"prompts/list": func(s *session, m message) {
				if m.Params.Cursor == "" {
					s.answer(m, `{"prompts":[{"name":"p",  "x":1.0e2}],"nextCursor":"2"}`)
				} else {
					s.answer(m, `{"prompts":[]}`)
				}
			},
			"resources/templates/list": fixed(`{"resourceTemplates":[{"uriTemplate":"x"}],"ttlMs":1000}`),
			"resources/list":           fixed(`{"resources":7}`),
		})
		m.announce = `{"prompts":{},"resources":{}}`
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m, "b": newMemory(nil)})
		for range 2 {
			pages, _, err := servers.Of(s).List(t.Context(), "a", servers.Prompts)
			if err != nil || fmt.Sprintf("%s", pages) != `[{"prompts":[{"name":"p",  "x":1.0e2}],"nextCursor":"2"} {"prompts":[]}]` {
				t.Errorf("prompts: %s, %v", pages, err)
			}
			if _, _, err := servers.Of(s).List(t.Context(), "a", servers.ResourceTemplates); err != nil {
				t.Errorf("templates: %v", err)
			}
			time.Sleep(2 * time.Second)
		}
		if m.count("prompts/list") != 2 || m.count("resources/templates/list") != 2 {
			t.Errorf("asked %v", m.asked)
		}
		if _, _, err := servers.Of(s).List(t.Context(), "a", servers.Resources); err == nil || !strings.Contains(err.Error(), `no "resources"`) {
			t.Errorf("resources that are no list: %v", err)
		}
		if pages, _, err := servers.Of(s).List(t.Context(), "b", servers.Prompts); err != nil || len(pages) != 0 {
			t.Errorf("a server without prompts: %s, %v", pages, err)
		}
	})
}

// A tool that is not known is looked for once more.
func TestNewTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tools := `{"tools":[]}`
		m := newMemory(map[string]func(*session, message){"tools/list": func(s *session, m message) { s.answer(m, "%s", tools) }})
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
		if o, err := s.Call(t.Context(), "a:read", goodArguments); err != nil || o.Ran {
			t.Fatalf("before it has the tool: %+v, %v", o, err)
		}
		tools = readTool
		time.Sleep(2 * time.Second)
		if o, err := s.Call(t.Context(), "a:read", goodArguments); err != nil || !o.Ran {
			t.Errorf("when it has the tool: %+v, %v", o, err)
		}
	})
}

// A server that announces no tools and does not know the method has none.
func TestNoTools(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		none, odd := newMemory(nil), newMemory(nil)
		delete(none.answers, "tools/list")
		delete(odd.answers, "tools/list")
		none.announce = `{"prompts":{}}`
		s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"none": none, "odd": odd})
		if tools, err := s.Tools(t.Context(), "none"); err != nil || len(tools.Names()) != 0 {
			t.Errorf("none: %v", err)
		}
		if r, err := s.Validate(t.Context(), "none:read", goodArguments); err != nil || r.Valid {
			t.Errorf("a call of a tool of none: %+v, %v", r, err)
		}
		if _, err := s.Tools(t.Context(), "odd"); err == nil {
			t.Error("a server that announces tools and does not list them: no error")
		}
	})
}

func TestNewSetErrors(t *testing.T) {
	t.Parallel()
	m := newMemory(nil)
	for _, servers := range [][]upstream.Server{
		{{Name: "", Dialer: m}},
		{{Name: "a:b", Dialer: m}},
		{{Name: "a"}},
		{{Name: "a", Dialer: m}, {Name: "a", Dialer: m}},
	} {
		if _, err := upstream.NewSet(upstream.Config{Servers: servers}); err == nil {
			t.Errorf("NewSet(%+v): no error", servers)
		}
	}
}

// TestUnreachedIsNotMade holds that a call is not said to have been made, nor counted, if its
// server dies while it is judged and cannot be started again.
func TestUnreachedIsNotMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(nil)
		gate, err := toolvet.New(toolvet.WithMoreChecks(&check.Check{
			Name: "killer", Doc: "# killer\n\nA test.\n", Stage: check.Policy, Level: check.SecurityLevel,
			Run: func(context.Context, *check.Pass) error {
				m.mu.Lock()
				m.refuse = func(int) error { return errNoProgram }
				m.mu.Unlock()
				m.session().die()
				synctest.Wait()
				return nil
			},
		}))
		if err != nil {
			t.Fatal(err)
		}
		s := newSet(t, upstream.Config{Gate: func(string) *toolvet.Gate { return gate }}, map[string]upstream.Dialer{"a": m})
		o, err := s.Call(t.Context(), "a:read", goodArguments)
		if !errors.As(err, new(*upstream.UnavailableError)) || o == nil || o.Ran || strings.Contains(string(o.Raw), "may have") {
			t.Errorf("got %+v, %v", o, err)
		}
	})
}

// TestCloseEndsCalls: whatever a call waits for when the set is closed, its error matches ErrClosed. That of a call which
// the server may have run says so.
func TestCloseEndsCalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reactions map[string]func(*session, message)
		refuse    error
		sent      bool
	}{
		"the answer":    {reactions: map[string]func(*session, message){"tools/call": func(*session, message) {}}, sent: true},
		"the list":      {reactions: map[string]func(*session, message){"tools/list": func(*session, message) {}}},
		"the handshake": {reactions: map[string]func(*session, message){"initialize": func(*session, message) {}, "server/discover": func(*session, message) {}}},
		"the next try":  {refuse: errNoProgram},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMemory(tt.reactions)
				if tt.refuse != nil {
					m.refuse = func(int) error { return tt.refuse }
				}
				s := newSet(t, upstream.Config{}, map[string]upstream.Dialer{"a": m})
				if tt.refuse != nil {
					_ = s.Connect(t.Context(), "a") // the next waits
				}
				failed := make(chan error, 8)
				for range cap(failed) {
					go func() {
						_, err := s.Call(t.Context(), "a:read", goodArguments)
						failed <- err
					}()
				}
				synctest.Wait()
				s.Close(t.Context())
				for range cap(failed) {
					err := <-failed
					gone, ok := errors.AsType[*upstream.GoneError](err)
					if !errors.Is(err, upstream.ErrClosed) || tt.sent && (!ok || !gone.Sent) {
						t.Errorf("the error is %v", err)
					}
				}
			})
		})
	}
}

// A server that needs long to start is mentioned once, and once more when it has started and its tools are known. One that is there at once is not.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		slow := slowDialer{newMemory(nil)}
		s := newSet(t, upstream.Config{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: notice.Level}))}, map[string]upstream.Dialer{"quick": newMemory(nil), "slow": slow})
		for _, name := range []string{"quick", "slow", "slow"} {
			if _, err := s.Tools(t.Context(), name); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		synctest.Wait() // for whoever writes to the log
		first, then, _ := strings.Cut(log.String(), "\n")
		if !hasAll(first, "still starting", "server=slow", "after=3s", "limit=") {
			t.Errorf("the log says %q", first)
		}
		if strings.Count(then, "\n") != 1 || !hasAll(then, "level=INFO+1", "has started", "server=slow", "after=20s", "tools=2") {
			t.Errorf("the log says %q", then)
		}
	})
}

// A slowDialer is a server that has to be downloaded first.
type slowDialer struct{ *memory }

func (d slowDialer) Dial(ctx context.Context, stderr io.Writer) (upstream.Transport, error) {
	time.Sleep(20 * time.Second)
	return d.memory.Dial(ctx, stderr)
}
