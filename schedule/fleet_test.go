// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/upstream"
)

// A clocked store has a clock of its own: the bubble's.
type clocked struct{ schedule.Store }

func (c *clocked) Now(ctx context.Context) (time.Time, error) {
	time.Sleep(40 * time.Millisecond)
	now := time.Now().UTC()
	time.Sleep(20 * time.Millisecond)
	return now, ctx.Err()
}

// TestOneClock: with a store that has a clock, a machine's clock that is wrong, or that somebody sets, bears on nothing.
func TestOneClock(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{30 * time.Minute, -30 * time.Minute} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(c *schedule.Config) { c.Store = &clocked{c.Store} }, func(w *world) {
				w.ahead.Store(int64(off))
				w.create(schedule.Spec{Name: "once", Schedule: "in 20 minutes"})
				w.create(schedule.Spec{Name: "often", Schedule: "*/5 * * * *", Overlap: "allow"})
				var skew time.Duration
				time.AfterFunc(10*time.Minute, func() {
					list, err := w.store.Workers(context.Background())
					if err != nil || len(list) != 1 {
						t.Errorf("the workers are %v, %v", list, err)
						return
					}
					skew = time.Duration(list[0].Skew)
				})
				time.AfterFunc(15*time.Minute, func() { w.ahead.Store(int64(-2 * off)) })
				w.serve(31 * time.Minute)
				for _, r := range strings.Fields(w.runs()) {
					if !strings.HasSuffix(r, ":succeeded:1") {
						t.Errorf("a run is %s", r)
					}
				}
				if got := len(strings.Fields(w.runs())); got != 7 {
					t.Errorf("there are %d runs, want 7: %s", got, w.runs())
				}
				for _, at := range w.calls { // to the accuracy of a look at the store's clock
					d, err := time.ParseDuration(at)
					if late := d % time.Minute; err != nil || min(late, time.Minute-late) > 100*time.Millisecond {
						t.Errorf("a call was made at %s", at)
					}
				}
				if d := skew - off; d.Abs() > 100*time.Millisecond {
					t.Errorf("the worker says that its clock is %s ahead, want %s", skew, off)
				}
			})
		})
	}
}

// A part is a caller that knows some servers, and has a policy of its own.
type part struct {
	*world
	servers []string
	slow    string // the server whose calls take long
	refuses bool

	mu     sync.Mutex
	policy string
	made   []string // calls: server and time since start
}

// madeCalls returns the calls so far.
func (p *part) madeCalls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.made)
}

func (p *part) known(tool string) (string, error) {
	server, _, _ := strings.Cut(tool, ":")
	if !slices.Contains(p.servers, server) {
		return server, fmt.Errorf("there is no server %q", server)
	}
	return server, nil
}

func (p *part) Validate(ctx context.Context, tool string, arguments json.RawMessage, options ...upstream.CallOption) (toolvet.Validation, error) {
	if _, err := p.known(tool); err != nil {
		return toolvet.Validation{}, err
	}
	v, err := p.world.Validate(ctx, tool, arguments, options...)
	if p.refuses && err == nil {
		v.Valid, v.Errors = false, []string{"the old policy refuses it"}
	}
	return v, err
}

func (p *part) Call(ctx context.Context, tool string, arguments json.RawMessage, options ...upstream.CallOption) (*upstream.Outcome, error) {
	server, err := p.known(tool)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.made = append(p.made, fmt.Sprint(server, " ", time.Since(p.start)))
	p.mu.Unlock()
	if server == p.slow {
		time.Sleep(20 * time.Second)
	}
	return p.world.Call(ctx, tool, arguments, options...)
}

func (p *part) Tools(ctx context.Context, server string, options ...upstream.CallOption) (*call.Catalog, error) {
	if _, err := p.known(server); err != nil {
		return nil, err
	}
	return p.world.Tools(ctx, server, options...)
}

// scheduler makes a scheduler of the world's store, with this part of the world.
func (p *part) scheduler(change ...func(*schedule.Config)) *schedule.Scheduler {
	cfg := schedule.Config{Store: p.store, Caller: p, Poll: time.Second}
	for _, f := range change {
		f(&cfg)
	}
	s, err := schedule.New(cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	schedule.Inside(s).Tune(jobspec.Tuning{
		Lease: lease,
		Serves: func() ([]string, string) {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.servers, p.policy
		},
	})
	return s
}

// serveFor runs a scheduler from a time on, since now, for so long.
func (w *world) serveFor(s *schedule.Scheduler, from, d time.Duration) (wait func()) {
	var done sync.WaitGroup
	done.Go(func() {
		time.Sleep(from)
		ctx, stop := context.WithTimeout(w.t.Context(), d)
		defer stop()
		if err := s.Serve(ctx); err != nil {
			w.t.Error(err)
		}
	})
	return done.Wait
}

// healthy checks that all jobs are, and that nobody was told otherwise.
func (w *world) healthy(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if j := w.job(name); j.Health.Status != schedule.Healthy {
			w.t.Errorf("the job %s is %s: %s", name, j.Health.Status, j.Health.Reason)
		}
	}
	list, err := w.store.AlertsSince(w.t.Context(), w.start.Add(-time.Hour), "")
	if err != nil || len(list) > 0 {
		w.t.Errorf("there are %d alerts, %v", len(list), err)
		for _, a := range list {
			w.t.Log(a.Name, a.Status, a.Reason)
		}
	}
}

// TestSplitFleet: of two workers, each knows another server. Each runs the jobs of its own.
func TestSplitFleet(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		files, mail := &part{world: w, servers: []string{"files"}, policy: "f"}, &part{world: w, servers: []string{"mail"}, policy: "m"}
		w.create(schedule.Spec{Name: "read", Schedule: "every minute"})
		w.create(schedule.Spec{Name: "send", Tool: "mail:read", Schedule: "every minute"})
		defer w.serveFor(files.scheduler(), 0, 630*time.Second)()
		w.serveFor(mail.scheduler(), 0, 630*time.Second)()
		if got := strings.Count(w.runs(), ":succeeded:1"); got != 20 {
			t.Errorf("%d runs succeeded, want 20: %s", got, w.runs())
		}
		w.healthy("read", "send")
	})
}

// TestRollingDeploy: a worker with a new policy begins, and one with the old policy goes on for a while. It starts anew, even. The
// new policy allows more.
func TestRollingDeploy(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		older := &part{world: w, servers: []string{"files"}, policy: "z", refuses: true}
		newer := &part{world: w, servers: []string{"files"}, policy: "a"}
		waits := []func(){
			w.serveFor(older.scheduler(), 0, 10*time.Minute), w.serveFor(older.scheduler(), 7*time.Minute, 5*time.Minute),
			w.serveFor(newer.scheduler(), 5*time.Minute, 15*time.Minute+2*time.Second),
		}
		time.Sleep(5*time.Minute + 500*time.Millisecond)
		w.create(schedule.Spec{Name: "often", Schedule: "every 5 seconds", Overlap: "queue"})
		for _, wait := range waits {
			wait()
		}
		if got := strings.Count(w.runs(), ":succeeded:1"); got != 180 || got != len(strings.Fields(w.runs())) {
			t.Errorf("%d runs succeeded, want 180: %.300s", got, w.runs())
		}
		if len(older.madeCalls()) > 0 {
			t.Errorf("the old policy made calls: %q", older.madeCalls())
		}
		w.healthy("often")
	})
}

// TestPolicyChangesInTheWorker: a worker that gets a new policy while it runs takes over.
func TestPolicyChangesInTheWorker(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		first, second := &part{world: w, servers: []string{"files"}, policy: "1"}, &part{world: w, servers: []string{"files"}, policy: "2"}
		w.create(schedule.Spec{Name: "often", Schedule: "every minute"})
		s := first.scheduler()
		waits := []func(){w.serveFor(s, 0, 9*time.Minute), w.serveFor(second.scheduler(), time.Second, 9*time.Minute)}
		time.Sleep(4*time.Minute + 30*time.Second)
		if len(first.madeCalls()) != 0 || len(second.madeCalls()) != 4 {
			t.Errorf("the calls are %q and %q, want four of the second", first.madeCalls(), second.madeCalls())
		}
		first.mu.Lock()
		first.policy = "3"
		first.mu.Unlock()
		if err := schedule.Inside(s).Recheck(w.t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Minute)
		if len(first.madeCalls()) != 4 || len(second.madeCalls()) != 4 {
			t.Errorf("then the calls are %q and %q, want four of each", first.madeCalls(), second.madeCalls())
		}
		for _, wait := range waits {
			wait()
		}
	})
}

// TestNobodyServes: a run waits for a worker that knows its server, and the job's health tells that there is none.
func TestNobodyServes(t *testing.T) {
	t.Parallel()
	seldom := func(c *schedule.Config) { c.Poll = 30 * time.Second }
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "in 10 minutes"})
		mail := &part{world: w, servers: []string{"mail"}}
		w.serveFor(mail.scheduler(seldom), 0, 9*time.Minute)()
		if got := w.job("job").Health.Status; got != schedule.Healthy {
			t.Errorf("at first the job is %s", got)
		}
		w.serveFor(mail.scheduler(seldom), 0, time.Hour)()
		w.want("runs", w.runs(), "10m0s:queued:0")
		files := &part{world: w, servers: []string{"files"}}
		w.serveFor(files.scheduler(), 0, time.Minute)()
		w.want("runs", w.runs(), "10m0s:succeeded:1")
	})
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "in 10 hours"})
		mail := &part{world: w, servers: []string{"mail"}}
		w.serveFor(mail.scheduler(seldom), 0, time.Hour)()
		if got := w.job("job"); got.Health.Status != schedule.Unavailable {
			t.Errorf("the job is %s: %s", got.Health.Status, got.Health.Reason)
		}
	})
}

// TestHangingServer: a server that takes long for each of many runs delays no run of another server.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		p := &part{world: w, servers: []string{"slow", "files"}, slow: "slow"}
		for i := range 24 {
			w.create(schedule.Spec{Name: fmt.Sprint("slow", i), Tool: "slow:read", Schedule: "in 1 minute"})
		}
		for i := range 5 {
			w.create(schedule.Spec{Name: fmt.Sprint("quick", i), Schedule: "in 61 seconds"})
		}
		w.serveFor(p.scheduler(), 0, 10*time.Minute)()
		slow, quick := map[string]int{}, map[string]int{}
		for _, c := range p.made {
			server, at, _ := strings.Cut(c, " ")
			map[string]map[string]int{"slow": slow, "files": quick}[server][at]++
		}
		w.want("calls of the slow server", fmt.Sprint(slow), "map[1m0s:8 1m20s:8 1m40s:8]")
		w.want("calls of the other", fmt.Sprint(quick), "map[1m1s:5]")
	})
}

// TestBoundsOfOwnersAndTags: an owner, and jobs with a tag, have no more runs at once than the configuration says.
func TestBoundsOfOwnersAndTags(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bound func(*schedule.Config)
		want  string
	}{
		"owner": {func(c *schedule.Config) { c.PerOwner = 2 }, "map[1m0s:2 1m20s:2]"},
		"tag":   {func(c *schedule.Config) { c.PerTag = map[string]int{"heavy": 1} }, "map[1m0s:3 1m20s:1]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(w *world) {
				p := &part{world: w, servers: []string{"slow"}, slow: "slow"}
				for i := range 4 {
					spec := schedule.Spec{Name: fmt.Sprint("job", i), Tool: "slow:read", Schedule: "in 1 minute"}
					if i < 2 {
						spec.Tags = []string{"heavy"}
					}
					w.create(spec)
				}
				w.serveFor(p.scheduler(tt.bound), 0, 10*time.Minute)()
				at := map[string]int{}
				for _, c := range p.made {
					_, when, _ := strings.Cut(c, " ")
					at[when]++
				}
				w.want("calls", fmt.Sprint(at), tt.want)
			})
		})
	}
}
