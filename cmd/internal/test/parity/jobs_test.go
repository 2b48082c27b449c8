// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package parity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
)

// A planner is the scheduler: each call is that of a job, which is run at once.
type planner struct {
	library
	scheduler *schedule.Scheduler
	running   sync.WaitGroup
	runs      map[int]string
}

func openSchedule(t *testing.T, s setting) session {
	l := openUpstream(t, s).(*library)
	store, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	p := &planner{library: *l, runs: map[int]string{}}
	if p.scheduler, err = schedule.New(schedule.Config{Store: store, Caller: l.set, AllowSkip: true}); err != nil {
		t.Fatal(err)
	}
	p.running.Go(func() {
		if err := p.scheduler.Serve(l.ctx); err != nil && l.ctx.Err() == nil {
			t.Errorf("the scheduler ends with %v", err)
		}
	})
	t.Cleanup(func() {
		p.close(t)
		store.Close()
	})
	return p
}

func (p *planner) send(t *testing.T, text string) {
	var m message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	var id int
	if err := json.Unmarshal(m.ID, &id); err != nil {
		t.Fatal(err)
	}
	j, _, err := p.scheduler.Create(p.ctx, schedule.Spec{
		Name: fmt.Sprint("job ", id), Tool: "s:" + m.Params.Name, Arguments: m.Params.Arguments, Schedule: "every day at 9am",
	}, &ann, schedule.How{SkipValidation: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.scheduler.Trigger(p.ctx, j.ID)
	if err != nil {
		t.Fatal(err)
	}
	p.runs[id] = r.ID
}

// receive waits for the end of a run. A run has a result, or else a reason alone.
func (p *planner) receive(t *testing.T, id int) string {
	var r *schedule.Run
	eventually(t, "the end of the run", func() bool {
		var err error
		if r, err = p.scheduler.GetRun(context.WithoutCancel(t.Context()), p.runs[id]); err != nil {
			t.Fatal(err)
		}
		return !r.Ended.IsZero()
	})
	if r.Result == nil {
		return "null"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, r.Result)
}

func (p *planner) close(*testing.T) {
	p.stop()
	p.running.Wait()
}

// job reports whether a play can be that of jobs: its messages are params with arguments that a
// job can keep.
func (p *play) job() bool {
	for _, m := range p.messages {
		var call struct {
			Method    string
			Name      string
			Arguments map[string]any
			Meta      any `json:"_meta"`
		}
		if json.Unmarshal([]byte(m), &call) != nil || call.Method != "" || call.Arguments == nil || call.Meta != nil || !strings.HasPrefix(call.Name, "§") {
			return false
		}
	}
	return !p.cancels && !p.leaves
}
