// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "modernc.org/sqlite"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/test/race"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
	"github.com/toolvet/toolvet/upstream"
)

// A world is a scheduler with a store and a fake caller. It runs in a synctest bubble, whose clock starts at midnight
// of 1 January 2000.
type world struct {
	*schedule.Scheduler
	t     *testing.T
	store schedule.Store
	start time.Time
	ahead atomic.Int64 // what the wall clock shows too much, in ns

	mu      sync.Mutex
	fault   string                       // why calls are a no-go; "" for a go
	missing string                       // what calls lack: a no-go, unless their session allows warnings
	down    error                        // why calls cannot be judged
	tool    func(context.Context) string // answers a call: "" is success, else the tool's error
	judged  func()                       // is called when a call has been judged, before that is said; nil: not
	hung    string                       // a server that does not answer
	tools   string                       // the description of the tool that servers list
	calls   []string                     // when calls were made, since start
	alerts  []string
	session *call.Session
}

func inWorld(t *testing.T, change func(*schedule.Config), f func(w *world)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "schedule.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlstore.Open(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		w := &world{t: t, store: store, start: time.Now()}
		cfg := schedule.Config{
			Store: store, Caller: w, Now: func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
			Poll: time.Minute,
			Alert: func(_ context.Context, a *schedule.Notice) error {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.alerts = append(w.alerts, fmt.Sprintf("%s %s: %s", a.Name, a.Status, a.Reason))
				return nil
			},
		}
		if change != nil {
			change(&cfg)
		}
		if w.Scheduler, err = schedule.New(cfg); err != nil {
			t.Fatal(err)
		}
		schedule.Inside(w.Scheduler).Tune(jobspec.Tuning{Lease: lease})
		f(w)
	})
}

// serve runs the scheduler for so long.
func (w *world) serve(d time.Duration) {
	w.t.Helper()
	ctx, stop := context.WithTimeout(w.t.Context(), d)
	defer stop()
	if err := w.Serve(ctx); err != nil {
		w.t.Error(err)
	}
}

func (w *world) set(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// hang waits for a server that does not answer.
func (w *world) hang(ctx context.Context, server string) error {
	w.mu.Lock()
	hangs := w.hung == server
	w.mu.Unlock()
	if !hangs {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (w *world) Validate(ctx context.Context, tool string, _ json.RawMessage, options ...upstream.CallOption) (toolvet.Validation, error) {
	server, _, _ := strings.Cut(tool, ":")
	if err := w.hang(ctx, server); err != nil {
		return toolvet.Validation{}, err
	}
	w.mu.Lock()
	v := toolvet.Verdict{Go: w.fault == "" && w.down == nil}
	if w.fault != "" {
		v.Findings = []check.Finding{{Check: "path-state", Stage: check.Semantic, Level: check.RuntimeLevel, Pointer: "/path", Message: w.fault, Suggestion: "make it"}}
	}
	if w.missing != "" {
		f := check.Finding{Check: "path-state", Stage: check.Semantic, Level: check.RuntimeLevel, Pointer: "/path", Message: w.missing, Foreseen: true}
		if upstream.SessionOf(options...).AllowWarnings {
			f.Severity = check.Warning
		}
		v.Go, v.Findings = v.Go && !f.Blocks(), append(v.Findings, f)
	}
	down, judged := w.down, w.judged
	w.mu.Unlock()
	if judged != nil {
		judged()
	}
	return protocol.NewResult(tool, v).Validation, down
}

func (w *world) Call(ctx context.Context, tool string, _ json.RawMessage, _ ...upstream.CallOption) (*upstream.Outcome, error) {
	w.mu.Lock()
	w.calls = append(w.calls, time.Since(w.start).String())
	answer := w.tool
	w.mu.Unlock()
	said := ""
	if answer != nil {
		said = answer(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw := fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"isError":%v}`, said, said != "")
	return &upstream.Outcome{Raw: json.RawMessage(raw), Ran: true, Judged: toolvet.Verdict{Go: true}, Reviewed: toolvet.Verdict{Go: true}}, nil
}

func (w *world) Tools(ctx context.Context, server string, _ ...upstream.CallOption) (*call.Catalog, error) {
	if err := w.hang(ctx, server); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	raw := fmt.Sprintf(`{"name":"read","description":%q}`, w.tools)
	return call.NewCatalog([]*call.Tool{{Name: "read", Raw: json.RawMessage(raw)}}), w.down
}

func (w *world) create(spec schedule.Spec) *schedule.Job {
	w.t.Helper()
	if spec.Name == "" {
		spec.Name = "job"
	}
	if spec.Tool == "" {
		spec.Tool = "files:read"
	}
	j, _, err := w.Create(w.t.Context(), spec, w.session, schedule.How{})
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

func (w *world) job(id string) *schedule.Job {
	w.t.Helper()
	j, err := w.Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

// runs returns the runs of all jobs, the oldest first: fire time since start, state and attempts.
func (w *world) runs() string {
	w.t.Helper()
	list, err := w.Runs(w.t.Context(), schedule.RunFilter{Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	var words []string
	for i := range list {
		r := list[len(list)-1-i]
		words = append(words, fmt.Sprintf("%s:%s:%d", r.Fire.Sub(w.start), r.State, r.Attempt))
	}
	return strings.Join(words, " ")
}

func (w *world) want(what, got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func TestFiresOnTime(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		j := w.create(schedule.Spec{Schedule: "every 90m"})
		w.create(schedule.Spec{Name: "daily", Schedule: "every day at 2am"})
		w.serve(4 * time.Hour)
		w.want("calls", strings.Join(w.calls, " "), "1h30m0s 2h0m0s 3h0m0s")
		list, err := w.Runs(w.t.Context(), schedule.RunFilter{Job: "job"})
		if err != nil || len(list) != 2 {
			t.Fatalf("%d runs, %v", len(list), err)
		}
		r := list[0]
		if r.State != schedule.Succeeded || r.Verdict == nil || r.Verdict.On != "fire" || r.Verdict.ToolDigest == "" || len(r.Result) == 0 || r.Job != j.ID {
			t.Errorf("the run is recorded as %+v", r)
		}
		if j := w.job("job"); j.Fired != 2 || j.Health.Status != schedule.Healthy || !j.Next.Equal(w.start.Add(270*time.Minute)) {
			t.Errorf("the job is %+v", j)
		}
	})
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	for overlap, want := range map[string]string{
		"":      "1m0s:succeeded:1 2m0s:skipped:0 3m0s:succeeded:1 4m0s:skipped:0",
		"queue": "1m0s:succeeded:1 2m0s:succeeded:1 3m0s:succeeded:1 4m0s:queued:0",
		"allow": "1m0s:succeeded:1 2m0s:succeeded:1 3m0s:succeeded:1 4m0s:succeeded:1",
	} {
		t.Run(string(overlap), func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(w *world) {
				schedule.Inside(w.Scheduler).Tune(jobspec.Tuning{Lease: lease, Drain: time.Hour})
				w.tool = func(context.Context) string { time.Sleep(90 * time.Second); return "" }
				w.create(schedule.Spec{Schedule: "every minute", Overlap: overlap})
				w.serve(250 * time.Second)
				w.want("runs", w.runs(), want)
			})
		})
	}
}

// TestAsleep: the machine sleeps for a day. The wall clock jumps, the monotonic one does not.
func TestAsleep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spec schedule.Spec
		want string
	}{
		"none": {schedule.Spec{}, "6h0m0s:succeeded:1 24h0m0s:missed:0 30h0m0s:succeeded:1"},
		"last": {schedule.Spec{CatchUp: "last"}, "6h0m0s:succeeded:1 18h0m0s:missed:0 24h0m0s:succeeded:1 30h0m0s:succeeded:1"},
		"all":  {schedule.Spec{CatchUp: "all"}, "6h0m0s:succeeded:1 12h0m0s:succeeded:1 18h0m0s:succeeded:1 24h0m0s:succeeded:1 30h0m0s:succeeded:1"},
		"two":  {schedule.Spec{CatchUp: "all", CatchUpLimit: 2}, "6h0m0s:succeeded:1 12h0m0s:missed:0 18h0m0s:succeeded:1 24h0m0s:succeeded:1 30h0m0s:succeeded:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(w *world) {
				tt.spec.Schedule = "every 6 hours"
				w.create(tt.spec)
				go func() {
					time.Sleep(7 * time.Hour)
					w.ahead.Store(int64(20 * time.Hour)) // it is 3 o'clock of the next day
				}()
				w.serve(11 * time.Hour)
				got := strings.Fields(w.runs())
				sortRuns(got)
				w.want("runs", strings.Join(got, " "), tt.want)
			})
		})
	}
}

// sortRuns sorts by fire time: runs that catch up have ids of the same millisecond.
func sortRuns(list []string) {
	at := func(s string) time.Duration {
		d, _ := time.ParseDuration(s[:strings.Index(s, ":")])
		return d
	}
	for i := range list {
		for j := i; j > 0 && at(list[j]) < at(list[j-1]); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// TestClockSetBack: no time fires twice.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.ahead.Store(int64(3 * time.Hour)) // wrong, from the start on
		w.create(schedule.Spec{Schedule: "every hour from 2000-01-01T00:00:00Z", MaxRuns: 6})
		go func() {
			time.Sleep(150 * time.Minute)
			w.ahead.Store(0)
		}()
		w.serve(8*time.Hour + time.Minute)
		w.want("runs", w.runs(), "3h0m0s:succeeded:1 4h0m0s:succeeded:1 5h0m0s:succeeded:1 6h0m0s:succeeded:1 7h0m0s:succeeded:1 8h0m0s:succeeded:1")
		w.want("state", string(w.job("job").State), "completed")
	})
}

// TestProposeUpdateKeeps holds that the judgement of an existing job shows its own times, and not those of its text read
// anew.
func TestProposeUpdateKeeps(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		j := w.create(schedule.Spec{Schedule: "in 3 hours"})
		due := time.Now().Add(3 * time.Hour)
		w.serve(time.Hour)
		p, err := schedule.Inside(w.Scheduler).ProposeUpdate(w.t.Context(), j.ID, []byte("{}"), schedule.How{})
		if err != nil {
			w.t.Fatal(err)
		}
		if len(p.Next) != 1 || p.Next[0].Sub(due).Abs() > time.Second {
			w.t.Errorf("next: got %v, want %v", p.Next, due)
		}
	})
}

func TestRetries(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		var n atomic.Int64
		w.tool = func(context.Context) string {
			if n.Add(1) < 4 {
				return "not yet"
			}
			return ""
		}
		w.create(schedule.Spec{Schedule: "in 10 minutes", Retries: 3, Backoff: schedule.Duration(time.Minute)})
		w.serve(time.Hour)
		w.want("calls", strings.Join(w.calls, " "), "10m0s 11m0s 13m0s 17m0s")
		w.want("runs", w.runs(), "10m0s:succeeded:4")
		w.want("state", string(w.job("job").State), "completed")
		w.want("alerts", strings.Join(w.alerts, "\n"), "")
	})
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spec             schedule.Spec
		fails            bool
		calls, wantState string
	}{
		"fire once":          {schedule.Spec{FireOnce: true}, false, "1m0s", "completed"},
		"fire once, failing": {schedule.Spec{FireOnce: true}, true, "1m0s", "failed"},
		"max runs":           {schedule.Spec{MaxRuns: 2}, false, "1m0s 2m0s", "completed"},
		"end date":           {schedule.Spec{Until: time.Date(2000, 1, 1, 0, 2, 30, 0, time.UTC)}, false, "1m0s 2m0s", "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(w *world) {
				w.tool = func(context.Context) string {
					if tt.fails {
						return "broken"
					}
					return ""
				}
				tt.spec.Schedule = "every minute"
				w.create(tt.spec)
				w.serve(10 * time.Minute)
				w.want("calls", strings.Join(w.calls, " "), tt.calls)
				w.want("state", string(w.job("job").State), tt.wantState)
			})
		})
	}
}

func TestTimeoutAndPanic(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.tool = func(ctx context.Context) string {
			if time.Since(w.start) > 5*time.Minute {
				panic("a value that nobody may see")
			}
			<-ctx.Done()
			return ""
		}
		w.create(schedule.Spec{Schedule: "every 4 minutes", Timeout: schedule.Duration(30 * time.Second)})
		w.serve(10 * time.Minute)
		list, err := w.Runs(w.t.Context(), schedule.RunFilter{})
		if err != nil || len(list) != 2 {
			t.Fatalf("%d runs, %v", len(list), err)
		}
		w.want("time-out", list[1].Reason+list[1].Ended.Sub(w.start).String(), "it took longer than 30s4m30s")
		w.want("panic", list[0].Reason, "toolvet failed inside; the log says how")
	})
}

// TestStory takes a job through all three validations. Each change causes one alert.
func TestStory(t *testing.T) {
	race.Skip(t)
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		spec := schedule.Spec{Name: "backup", Tool: "files:read", Schedule: "every day at 9am"}
		w.fault = "/data does not exist"
		_, p, err := w.Create(w.t.Context(), spec, nil, schedule.How{})
		var refused *schedule.RefusedError
		if !errors.As(err, &refused) || p.Valid || len(p.Suggestions) != 1 || len(p.Next) != 3 {
			t.Fatalf("a job that cannot work: %v, %+v", err, p)
		}
		if list, err := w.List(w.t.Context(), schedule.JobFilter{}); err != nil || len(list) != 0 {
			t.Fatalf("a refused job was made: %v", err)
		}
		w.fault = ""
		w.create(spec)
		hour := func(n int, fault string) {
			time.AfterFunc(time.Duration(n)*time.Hour, func() { w.set(func() { w.fault = fault }) })
		}
		hour(4, "/data is gone")
		hour(40, "")              // after a refused run
		hour(53, "/data is gone") // after a run that succeeded
		hour(55, "")              // before the next
		w.serve(72 * time.Hour)
		w.want("runs", w.runs(), "9h0m0s:refused:1 33h0m0s:refused:1 57h0m0s:succeeded:1")
		w.want("alerts", strings.Join(w.alerts, "\n"), strings.Join([]string{
			"backup warned: the run at 2000-01-01 09:00:00 UTC will be refused: /path: /data is gone",
			"backup failing: the run was refused: /path: /data is gone",
			"backup ok: ",
		}, "\n"))
	})
}

// TestRecheck: a change of tools, policy or files causes validations at once, long before the runs.
func TestRecheck(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "2000-02-01T00:00:00Z"})
		go func() {
			time.Sleep(time.Hour)
			w.set(func() { w.fault = "gone" })
			if err := schedule.Inside(w.Scheduler).Recheck(context.Background(), "files"); err != nil {
				t.Error(err)
			}
		}()
		w.serve(61 * time.Minute)
		w.want("alerts", strings.Join(w.alerts, "\n"), "job warned: the run at 2000-02-01 00:00:00 UTC will be refused: /path: gone")
		if v := w.job("job").Verdict; v == nil || v.On != "ahead" || v.Valid {
			t.Errorf("the verdict is %+v", v)
		}
	})
}

// TestFiles: a job is validated when a file in its arguments disappears.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "data")
	inWorld(t, nil, func(w *world) {
		schedule.Inside(w.Scheduler).Tune(jobspec.Tuning{Lease: lease, Bases: func(string) []string { return []string{dir} }})
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		w.create(schedule.Spec{Schedule: "2000-02-01T00:00:00Z", Arguments: []byte(`{"in":["data"]}`)})
		go func() {
			time.Sleep(5 * time.Minute)
			w.set(func() { w.fault = "gone" })
			if err := os.Remove(file); err != nil {
				t.Error(err)
			}
		}()
		w.serve(15 * time.Minute)
		w.want("alerts", strings.Join(w.alerts, "\n"), "job warned: the run at 2000-02-01 00:00:00 UTC will be refused: /path: gone")
	})
}

func TestDrain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spec schedule.Spec
		took time.Duration
		want string
	}{
		"ends in time":   {schedule.Spec{}, 20 * time.Second, "1m0s:succeeded:1"},
		"is put back":    {schedule.Spec{}, time.Hour, "1m0s:queued:1"},
		"must not again": {schedule.Spec{AtMostOnce: true}, time.Hour, "1m0s:lost:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, nil, func(w *world) {
				w.tool = func(ctx context.Context) string {
					select {
					case <-time.After(tt.took):
					case <-ctx.Done():
					}
					return ""
				}
				tt.spec.Schedule, tt.spec.Timeout = "in 1 minute", schedule.Duration(2*time.Hour)
				w.create(tt.spec)
				w.serve(61 * time.Second)
				w.want("runs", w.runs(), tt.want)
			})
		})
	}
}

func TestPauseResumeTrigger(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "every hour"})
		if _, err := w.Pause(w.t.Context(), "job"); err != nil {
			t.Fatal(err)
		}
		w.serve(150 * time.Minute)
		if _, err := w.Trigger(w.t.Context(), "job"); err != nil {
			t.Fatal(err)
		}
		w.serve(20 * time.Minute)
		if _, err := w.Resume(w.t.Context(), "job"); err != nil {
			t.Fatal(err)
		}
		w.serve(time.Hour)
		w.want("runs", w.runs(), "2h30m0s:succeeded:1 3h0m0s:succeeded:1")
		if _, err := w.Resume(w.t.Context(), "nobody"); !errors.Is(err, schedule.ErrNotFound) {
			t.Errorf("resuming a job that is not there: %v", err)
		}
	})
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		w.create(schedule.Spec{Schedule: "every hour", Tags: []string{"a"}})
		j, _, err := w.Update(w.t.Context(), "job", []byte(`{"schedule":"every day at noon","timezone":"Asia/Tokyo"}`), schedule.How{})
		if err != nil {
			t.Fatal(err)
		}
		w.want("updated", j.Words+" "+j.Next.Format(time.RFC3339)+" "+strings.Join(j.Tags, " "), "at 12:00, every day 2000-01-01T03:00:00Z a")
		for patch, want := range map[string]string{
			`{"schedule":"sometimes"}`:            "/schedule: is not understood",
			`{"timezone":"Mars/Phobos"}`:          "there is no time zone of this name: write",
			`{"max_runs":"three"}`:                "cannot be read",
			`{"maxruns":3}`:                       "unknown field",
			`{"name":"a","name":"b"}`:             "name",
			`{"end_date":"banana"}`:               "cannot be read",
			`{"name":"","max_runs":-1}`:           "/name: must not be empty; /max_runs: must be between 0 and",
			`{"retries":1,"at_most_once":true}`:   "does not go together",
			`{"end_date":"2000-01-01T01:00:00Z"}`: "before the first run",
		} {
			if _, _, err := w.Update(w.t.Context(), "job", []byte(patch), schedule.How{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one with %q", patch, err, want)
			}
		}
		w.fault = "gone"
		if _, _, err := w.Update(w.t.Context(), "job", []byte(`{"description":"x"}`), schedule.How{}); err == nil {
			t.Error("an update is not validated")
		}
		if got := w.job("job"); got.Description != "" || !got.Next.Equal(j.Next) {
			t.Errorf("a refused update changed the job: %+v", got)
		}
	})
}

func TestBlockedRunsHoldUpNobody(t *testing.T) {
	t.Parallel()
	inWorld(t, nil, func(w *world) {
		first := true
		w.tool = func(ctx context.Context) string {
			var long bool
			w.set(func() { long, first = first, false })
			if long {
				<-ctx.Done()
			}
			return ""
		}
		w.create(schedule.Spec{Name: "long", Schedule: "every 60 seconds", Overlap: "queue", Timeout: schedule.Duration(time.Hour)})
		w.create(schedule.Spec{Name: "short", Schedule: "every 61 seconds"})
		w.serve(250 * time.Second)
		w.want("calls", strings.Join(w.calls, " "), "1m0s 1m1s 2m2s 3m3s 4m4s")
	})
}
