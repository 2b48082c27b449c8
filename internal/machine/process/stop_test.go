// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// event is what Stop did to a tree, and when.
type event struct {
	what string
	at   time.Duration
}

// fakeTree ends as told by endAt; "never" is not the name of an event.
type fakeTree struct {
	endAt  string
	begin  time.Time
	events []event
	end    chan struct{}
}

func (f *fakeTree) note(what string) {
	f.events = append(f.events, event{what, time.Since(f.begin)})
	if what == f.endAt {
		close(f.end)
	}
}

func (f *fakeTree) terminate() { f.note("terminate") }
func (f *fakeTree) kill()      { f.note("kill") }

func (f *fakeTree) wait() Exit {
	<-f.end
	return Exit{Code: 7}
}

func TestStopStages(t *testing.T) {
	t.Parallel()
	term, kill := "terminate", "kill"
	for name, tt := range map[string]struct {
		endAt string
		grace Grace
		limit time.Duration // of the context; 0 is none
		want  []event       // the last is the return of Stop
	}{
		"defaults":      {kill, Grace{}, 0, []event{{term, 2 * time.Second}, {kill, 4 * time.Second}, {"exit 7", 4 * time.Second}}},
		"own graces":    {kill, Grace{time.Minute, time.Hour}, 0, []event{{term, time.Minute}, {kill, 61 * time.Minute}, {"exit 7", 61 * time.Minute}}},
		"no grace":      {kill, Grace{-1, -1}, 0, []event{{term, 0}, {kill, 0}, {"exit 7", 0}}},
		"ends at TERM":  {term, Grace{}, 0, []event{{term, 2 * time.Second}, {"exit 7", 2 * time.Second}}},
		"context early": {kill, Grace{}, time.Second, []event{{kill, time.Second}, {"exit 7", time.Second}}},
		"context late":  {kill, Grace{}, 3 * time.Second, []event{{term, 2 * time.Second}, {kill, 3 * time.Second}, {"exit 7", 3 * time.Second}}},
		"unkillable":    {"never", Grace{}, 0, []event{{term, 2 * time.Second}, {kill, 4 * time.Second}, {"exit 137", 4*time.Second + giveUp}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := stopFake(t, tt.endAt, tt.grace, tt.limit)
				if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(event{})); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Several callers do to the tree what one does.
func TestStopSignalsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeTree{endAt: "never", begin: time.Now(), end: make(chan struct{})}
		p := &Process{tree: fake, done: make(chan struct{})}
		go p.watch(func() {})
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { p.End(t.Context(), Grace{}) })
		}
		all.Wait()
		close(fake.end)
		want := []event{{"terminate", 2 * time.Second}, {"kill", 4 * time.Second}}
		if diff := cmp.Diff(want, fake.events, cmp.AllowUnexported(event{})); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// What has ended gets no signal, for its number may belong to another process.
func TestStopAfterTheEnd(t *testing.T) {
	t.Parallel()
	fake := &fakeTree{end: make(chan struct{})}
	close(fake.end)
	p := &Process{tree: fake, done: make(chan struct{})}
	p.watch(func() {})
	for range 100 { // select takes any of several that are ready
		if got, want := stopNow(p), (Exit{Code: 7}); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
	if len(fake.events) > 0 {
		t.Errorf("got %v, want no signal", fake.events)
	}
}

// stopFake returns what Stop did, its return included.
func stopFake(t *testing.T, endAt string, grace Grace, limit time.Duration) []event {
	t.Helper()
	fake := &fakeTree{endAt: endAt, begin: time.Now(), end: make(chan struct{})}
	p := &Process{tree: fake, done: make(chan struct{})}
	go p.watch(func() {})
	ctx := t.Context()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	returned := map[int]string{7: "exit 7", killed.Code: "exit 137"}[p.End(ctx, grace).Code]
	events := append(slices.Clone(fake.events), event{returned, time.Since(fake.begin)})
	if endAt == "never" {
		close(fake.end) // or the bubble never ends
	}
	return events
}
