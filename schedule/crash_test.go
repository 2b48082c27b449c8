// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"
)

// A fragile caller has a server that ends, with all calls under way, when a call with the argument "kill" is in its second
// second. Other calls take 20 seconds.
type fragile struct {
	*world
	mu    sync.Mutex
	ended chan struct{} // closed when the server ends
	most  int           // calls under way at once since the server ended last
	now   int
}

func (f *fragile) Call(ctx context.Context, tool string, arguments json.RawMessage, options ...upstream.CallOption) (*upstream.Outcome, error) {
	f.mu.Lock()
	ended := f.ended
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.now--
		f.mu.Unlock()
	}()
	after := 20 * time.Second
	kill := strings.Contains(string(arguments), "kill")
	if kill {
		after = 2 * time.Second
	}
	select {
	case <-time.After(after):
	case <-ended:
		return nil, fmt.Errorf("calling: %w", &upstream.GoneError{Method: "tools/call", Sent: true})
	}
	if kill {
		f.mu.Lock()
		close(f.ended)
		f.ended, f.most = make(chan struct{}), 0
		f.mu.Unlock()
		return nil, &upstream.GoneError{Method: "tools/call", Sent: true}
	}
	return f.world.Call(ctx, tool, arguments, options...)
}

// TestCrashingServer: a call that ends its server fails, and the other runs there do not.
func TestCrashingServer(t *testing.T) {
	t.Parallel()
	f := &fragile{}
	inWorld(t, func(c *schedule.Config) {
		f.ended = make(chan struct{})
		f.world, c.Caller = c.Caller.(*world), f
	}, func(w *world) {
		for i := range 6 {
			w.create(schedule.Spec{Name: fmt.Sprint("job", i), Schedule: "in 1 minute"})
		}
		w.create(schedule.Spec{Name: "once", Schedule: "in 1 minute", AtMostOnce: true})
		w.create(schedule.Spec{Name: "killer", Schedule: "in 1 minute", Arguments: []byte(`{"do":"kill"}`)})
		w.create(schedule.Spec{Name: "later", Schedule: "in 4 minutes"})
		w.create(schedule.Spec{Name: "also later", Schedule: "in 4 minutes"})
		w.serve(10 * time.Minute)
		for name, want := range map[string]string{
			"job0": "succeeded:2:1", "job1": "succeeded:2:1", "job5": "succeeded:2:1", "once": "failed:1:0", "killer": "failed:2:1",
			"later": "succeeded:1:0", "also later": "succeeded:1:0",
		} {
			list, err := w.Runs(w.t.Context(), schedule.RunFilter{Job: name})
			if err != nil || len(list) != 1 {
				t.Fatalf("%s has the runs %v, %v", name, list, err)
			}
			r := list[0]
			w.want("the run of "+name, fmt.Sprintf("%s:%d:%d", r.State, r.Attempt, r.Crashes), want)
		}
		if f.most != 2 {
			t.Errorf("in the end there are %d calls at once, want 2", f.most)
		}
	})
}

// TestServerThatAlwaysCrashes: runs that go back into the queue are not tried without end.
func TestServerThatAlwaysCrashes(t *testing.T) {
	t.Parallel()
	f := &fragile{}
	inWorld(t, func(c *schedule.Config) {
		f.ended = make(chan struct{})
		f.world, c.Caller = c.Caller.(*world), f
	}, func(w *world) {
		for i := range 8 {
			w.create(schedule.Spec{Name: fmt.Sprint("job", i), Schedule: "in 1 minute", Arguments: []byte(`{"do":"kill"}`), Retries: i % 2})
		}
		w.serve(10 * time.Minute)
		for _, run := range strings.Fields(w.runs()) {
			if want := "1m0s:failed:"; !strings.HasPrefix(run, want) {
				t.Errorf("a run is %s", run)
			}
		}
		for i := range 8 {
			list, err := w.Runs(w.t.Context(), schedule.RunFilter{Job: fmt.Sprint("job", i)})
			if err != nil || list[0].Attempt-list[0].Crashes != 1+i%2 || list[0].Crashes > 3 {
				t.Errorf("run %d has %d attempts and %d crashes, %v", i, list[0].Attempt, list[0].Crashes, err)
			}
		}
	})
}
