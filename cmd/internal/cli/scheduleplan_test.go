// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/memstore"
	"github.com/toolvet/toolvet/upstream"
)

// willing is a caller that finds nothing wrong.
type willing struct{}

func (willing) Validate(_ context.Context, tool string, _ json.RawMessage, _ ...upstream.CallOption) (toolvet.Validation, error) {
	return toolvet.Validation{Valid: true, Tool: tool}, nil
}

func (willing) Call(context.Context, string, json.RawMessage, ...upstream.CallOption) (*upstream.Outcome, error) {
	return nil, errors.New("not here")
}

func (willing) Tools(context.Context, string, ...upstream.CallOption) (*call.Catalog, error) {
	return nil, errors.New("not here")
}

var errKilled = errors.New("killed")

// mortal is a store that is gone after some writes.
type mortal struct {
	schedule.Store
	left int
}

func (m *mortal) write() error {
	if m.left--; m.left < 0 {
		return errKilled
	}
	return nil
}

func (m *mortal) CreateJob(ctx context.Context, j *schedule.Job) error {
	if err := m.write(); err != nil {
		return err
	}
	return m.Store.CreateJob(ctx, j)
}

func (m *mortal) UpdateJob(ctx context.Context, id string, change func(*schedule.Job) error) (*schedule.Job, error) {
	if err := m.write(); err != nil {
		return nil, err
	}
	return m.Store.UpdateJob(ctx, id, change)
}

func (m *mortal) DeleteJob(ctx context.Context, id string) error {
	if err := m.write(); err != nil {
		return err
	}
	return m.Store.DeleteJob(ctx, id)
}

func jobFile(t *testing.T, jobs ...string) *policy.Jobs {
	t.Helper()
	file, err := policy.ParseJobs("jobs.yaml", []byte("version: 1\nmanaged_by: nightly\njobs:\n  - {tool: f:x, "+strings.Join(jobs, "}\n  - {tool: f:x, ")+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// applied applies a file, and returns the actions that it took.
func applied(t *testing.T, store schedule.Store, file *policy.Jobs) (done []string, err error) {
	t.Helper()
	ctx := t.Context()
	s, err := schedule.New(schedule.Config{Store: store, Caller: willing{}})
	if err != nil {
		t.Fatal(err)
	}
	owner := &call.Session{Subject: "ann"}
	p := &applier{file: file, s: s.Of("ann"), owner: owner, prune: true, adopt: true}
	plan, err := p.plan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range plan.Changes {
		if err := p.do(ctx, c); err != nil {
			return done, err
		}
		done = append(done, fmt.Sprintf("%s %s", strings.Join(c.Actions, "+"), c.Job))
	}
	return done, nil
}

func jobLines(t *testing.T, store schedule.Store) (list []string) {
	t.Helper()
	jobs, err := store.Jobs(t.Context(), schedule.JobFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		list = append(list, fmt.Sprintf("%s/%s %s %s %q %s %v", j.Owner.Subject, j.Name, j.State, j.Arguments, j.ManagedBy, j.Schedule, !j.Next.IsZero()))
	}
	slices.Sort(list) // ids of one millisecond have any order
	return list
}

// TestApplyKilled holds that an apply that is killed between any two transactions of the store is finished by the next one, that a
// third has nothing to do, and that jobs of others stay.
func TestApplyKilled(t *testing.T) {
	t.Parallel()
	before := jobFile(t,
		"name: same, schedule: hourly", "name: changed, schedule: hourly, arguments: {a: 1}", "name: paused, schedule: hourly",
		"name: resumed, schedule: hourly, paused: true", "name: gone, schedule: hourly")
	after := jobFile(t,
		"name: same, schedule: hourly", "name: changed, schedule: '@daily', arguments: {a: 2}", "name: paused, schedule: '@daily', paused: true",
		"name: resumed, schedule: '@daily'", "name: mine, schedule: '@daily', paused: true", "name: new, schedule: hourly, paused: true")
	prepare := func() schedule.Store {
		store := memstore.New()
		if _, err := applied(t, store, before); err != nil {
			t.Fatal(err)
		}
		s, err := schedule.New(schedule.Config{Store: store, Caller: willing{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range []struct{ owner, name string }{{"ann", "mine"}, {"ann", "other"}, {"bob", "gone"}, {"bob", "new"}} {
			if _, _, err := s.Create(t.Context(), schedule.Spec{Name: j.name, Tool: "f:x", Schedule: "hourly"}, &call.Session{Subject: j.owner}, schedule.How{}); err != nil {
				t.Fatal(err)
			}
		}
		return store
	}
	whole := prepare()
	done, err := applied(t, whole, after)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"change changed", "pause+change paused", "change+resume resumed", "adopt+pause+change mine", "create new", "delete gone"}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
	end := jobLines(t, whole)
	writes := 0
	for ; ; writes++ {
		store := prepare()
		_, err := applied(t, &mortal{store, writes}, after)
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if _, err := applied(t, store, after); err != nil {
			t.Errorf("killed after %d writes, then: %v", writes, err)
		}
		if diff := cmp.Diff(end, jobLines(t, store)); diff != "" {
			t.Errorf("killed after %d writes and applied again (-want +got):\n%s", writes, diff)
		}
		if more, err := applied(t, store, after); err != nil || len(more) > 0 {
			t.Errorf("killed after %d writes: the third apply did %v, %v", writes, more, err)
		}
	}
	if writes != 10 {
		t.Errorf("an apply of these jobs takes %d writes, want 10", writes)
	}
}

// TestApplyMembers holds that a member that a file no longer gives gets its default, and that the order of arguments means nothing.
func TestApplyMembers(t *testing.T) {
	t.Parallel()
	store := memstore.New()
	full := jobFile(t, "name: j, schedule: every day at 9am, arguments: {a: 1, b: {c: 2, d: 3}}, timezone: Asia/Tokyo, description: text, tags: [x], max_runs: 9, "+
		"end_date: '2099-01-01T00:00:00Z', timeout: 1m, retries: 2, backoff: 3s, overlap: queue, catch_up: all, catch_up_limit: 4, jitter: 5s, except: [weekend, 12-25], shift: after, alert_failure: true, alert_success: true, alert_late: 1m, alert_long: 2m, alert_reminder: 3h, allow_warnings: true",
		"name: k, schedule: hourly, fire_once: true, at_most_once: true")
	if _, err := applied(t, store, full); err != nil {
		t.Fatal(err)
	}
	mixed := *full
	mixed.List = append([]policy.Job{}, full.List...)
	mixed.List[0].Fields = json.RawMessage(strings.Replace(string(full.List[0].Fields), `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, 1))
	if string(mixed.List[0].Fields) == string(full.List[0].Fields) {
		t.Fatal("the arguments are not where the test looks for them")
	}
	if done, err := applied(t, store, &mixed); err != nil || len(done) > 0 {
		t.Errorf("arguments in another order: %v, %v", done, err)
	}
	bare := jobFile(t, "name: j, schedule: hourly", "name: k, schedule: hourly")
	for i := range 2 {
		if done, err := applied(t, store, bare); err != nil || len(done) != 2-2*i {
			t.Errorf("apply %d without the members did %v, %v", i, done, err)
		}
	}
	fresh := memstore.New()
	if _, err := applied(t, fresh, bare); err != nil {
		t.Fatal(err)
	}
	texts := func(store schedule.Store) string {
		s, err := schedule.New(schedule.Config{Store: store, Caller: willing{}})
		if err != nil {
			t.Fatal(err)
		}
		jobs, err := allJobs(t.Context(), s, schedule.JobFilter{})
		if err != nil {
			t.Fatal(err)
		}
		file, _, _ := exported(jobs, "ann", "")
		text, err := file.Text(false)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if diff := cmp.Diff(texts(fresh), texts(store)); diff != "" {
		t.Errorf("a job without its members is not a new job (-new +changed):\n%s", diff)
	}
}
