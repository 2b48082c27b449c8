// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/cmd/internal/jobs/server"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schedule"
)

// A jobPlan is what "toolvet schedule apply" would do to a store.
type jobPlan struct {
	ManagedBy string       `json:"managed_by"`
	Changes   []*jobChange `json:"changes"`
	Unchanged int          `json:"unchanged"`
	// Left are jobs of an earlier version of the file: they stay without --prune.
	Left []string `json:"left,omitempty"`
}

// A jobChange is what becomes of one job.
type jobChange struct {
	Job     string         `json:"job"`
	Actions []string       `json:"actions"` // of create, adopt, change, pause, resume and delete
	Members []memberChange `json:"members,omitempty"`

	declared *policy.Job
	spec     schedule.Spec
	how      schedule.How
	stored   *schedule.Job // nil: none yet
	patch    []byte        // for Update

	Understood string   `json:"understood,omitempty"` // the schedule in words
	Warnings   []string `json:"warnings,omitempty"`
}

// A memberChange is the change of one member of a job; values are JSON, empty for none.
type memberChange struct {
	Member string          `json:"member"` // a place in the job, such as arguments/path
	From   json.RawMessage `json:"from,omitempty"`
	To     json.RawMessage `json:"to,omitempty"`
}

// allJobs returns the jobs that a filter chooses, by their names.
func allJobs(ctx context.Context, s *schedule.Scheduler, f schedule.JobFilter) (list []*schedule.Job, err error) {
	f.Limit = jobspec.PageSize(1 << 30)
	for {
		page, err := s.List(ctx, f)
		if err != nil {
			return nil, err
		}
		list = append(list, page...)
		if len(page) < f.Limit {
			slices.SortFunc(list, func(a, b *schedule.Job) int {
				return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
			})
			return list, nil
		}
		f.After = page[len(page)-1].ID
	}
}

// An applier compares the jobs of a file with those of one owner in a store.
type applier struct {
	file         *policy.Jobs
	s            *schedule.Scheduler // of the owner
	owner        *call.Session
	prune, adopt bool
}

// plan compares, and judges all jobs that the file names. The error is a policy.Errors if a job is a no-go.
func (p *applier) plan(ctx context.Context) (*jobPlan, error) {
	stored, err := allJobs(ctx, p.s, schedule.JobFilter{})
	if err != nil {
		return nil, err
	}
	byName := map[string]*schedule.Job{}
	for _, j := range stored {
		byName[j.Name] = j
	}
	plan := &jobPlan{ManagedBy: p.file.ManagedBy, Changes: []*jobChange{}}
	var faults policy.Errors
	for i := range p.file.List {
		c, fault := p.compare(&p.file.List[i], byName[p.file.List[i].Name])
		if fault == nil {
			fault, err = p.judge(ctx, c)
			if err != nil {
				return nil, err
			}
		}
		delete(byName, p.file.List[i].Name)
		switch {
		case fault != nil:
			faults = append(faults, fault...)
		case len(c.Actions) == 0:
			plan.Unchanged++
		default:
			plan.Changes = append(plan.Changes, c)
		}
	}
	if faults != nil {
		return nil, faults
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		switch j := byName[name]; {
		case j.ManagedBy != p.file.ManagedBy:
		case p.prune:
			plan.Changes = append(plan.Changes, &jobChange{Job: name, Actions: []string{"delete"}, stored: j})
		default:
			plan.Left = append(plan.Left, name)
		}
	}
	return plan, nil
}

// compare finds out what a job of the file needs.
func (p *applier) compare(declared *policy.Job, stored *schedule.Job) (*jobChange, policy.Errors) {
	c := &jobChange{Job: declared.Name, declared: declared, stored: stored,
		how: schedule.How{Paused: declared.Paused, AllowWarnings: declared.AllowWarnings, SkipValidation: declared.SkipValidation}}
	if _, err := jobspec.Decode(declared.Fields, &c.spec); err != nil {
		return nil, policy.Errors{declared.Fault("", err.Error())}
	}
	if len(c.spec.Arguments) == 0 {
		c.spec.Arguments = json.RawMessage("{}")
	}
	want := members(&c.spec, c.how.AllowWarnings, c.how.SkipValidation)
	if stored == nil {
		c.Actions = []string{"create"}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			c.Members = append(c.Members, memberChange{Member: name, To: want[name]})
		}
		return c, nil
	}
	if stored.ManagedBy != p.file.ManagedBy {
		if !p.adopt {
			by := "by hand"
			if stored.ManagedBy != "" {
				by = "by the file of jobs that is managed_by " + strictjson.Printable(stored.ManagedBy, 128)
			}
			return nil, policy.Errors{declared.Fault("/name", "a job of this name was made "+by+": choose another name, or take it over with --adopt")}
		}
		c.Actions = append(c.Actions, "adopt")
	}
	have := members(&stored.Spec, stored.AllowWarnings, stored.Unvalidated)
	patch := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(union(have, want))) {
		from, to := have[name], want[name]
		if sameJSON(from, to) {
			continue
		}
		c.Members = append(c.Members, differences(name, from, to)...)
		switch {
		case name == "allow_warnings" || name == "skip_validation": // those of c.how
		case to == nil:
			patch[name] = zeroOf(name, from)
		default:
			patch[name] = to
		}
	}
	c.patch, _ = json.Marshal(patch) // valid JSON always can be
	pause := c.how.Paused && stored.State != schedule.Paused
	if pause && stored.State == schedule.Active {
		c.Actions = append(c.Actions, "pause") // so that no run comes in between
	}
	if len(c.Members) > 0 {
		c.Actions = append(c.Actions, "change")
		if pause && stored.State != schedule.Active {
			c.Actions = append(c.Actions, "pause") // the change makes the job active again
		}
	}
	if !c.how.Paused && stored.State == schedule.Paused {
		c.Actions = append(c.Actions, "resume")
	}
	return c, nil
}

// judge validates a job as it would be, without side effects. A job that has ended and stays as it is has nothing to validate.
func (p *applier) judge(ctx context.Context, c *jobChange) (policy.Errors, error) {
	var proposal *schedule.Proposal
	var err error
	switch {
	case c.stored == nil:
		proposal, err = p.s.Propose(ctx, c.spec, p.owner, c.how)
	case c.ended() && len(c.Members) == 0:
		return nil, nil
	default:
		proposal, err = inside.Of(p.s).ProposeUpdate(ctx, c.stored.ID, c.patch, c.how)
	}
	var refused *schedule.RefusedError
	switch {
	case errors.As(err, &refused):
		return faultsOf(c.declared, proposal), nil
	case err != nil:
		return nil, fmt.Errorf("the job %q: %w", c.Job, err)
	}
	c.Understood, c.Warnings = proposal.Understood, proposal.Warnings
	return nil, nil
}

func (c *jobChange) ended() bool {
	return c.stored.State == schedule.Completed || c.stored.State == schedule.Failed
}

// faultsOf returns the reasons for refusing a job, with their places in its file.
func faultsOf(j *policy.Job, p *schedule.Proposal) (list policy.Errors) {
	for _, f := range p.Findings {
		if f.Blocks() {
			list = append(list, j.Fault(server.Place(f), f.Message))
		}
	}
	if list == nil {
		list = append(list, j.Fault("/tool", strings.Join(p.Errors, "; ")))
	}
	return list
}

// do makes one change. Each step is a transaction of the store. If one fails, the steps before it stay, and another apply goes on.
func (p *applier) do(ctx context.Context, c *jobChange) error {
	if c.stored != nil {
		now, err := p.s.Get(ctx, c.stored.ID)
		if err == nil && !now.Updated.Equal(c.stored.Updated) {
			err = errors.New("somebody else changed it meanwhile")
		}
		if err != nil {
			return err
		}
	}
	for _, action := range c.Actions {
		var err error
		switch action {
		case "create":
			_, _, err = inside.Of(p.s).CreateManaged(ctx, c.spec, p.owner, c.how, p.file.ManagedBy)
		case "adopt":
			_, err = inside.Of(p.s).Manage(ctx, c.stored.ID, p.file.ManagedBy)
		case "change":
			_, _, err = p.s.Update(ctx, c.stored.ID, c.patch, c.how)
		case "pause":
			_, err = p.s.Pause(ctx, c.stored.ID)
		case "resume":
			_, err = p.s.Resume(ctx, c.stored.ID)
		case "delete":
			err = p.s.Delete(ctx, c.stored.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", action, err)
		}
	}
	return nil
}

// members returns what a file says of a job, apart from paused, as JSON by the names in the file.
func members(spec *schedule.Spec, allowWarnings, skipValidation bool) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	text, _ := json.Marshal(spec)
	_ = json.Unmarshal(text, &all) // the fields of a job are JSON
	for name, is := range map[string]bool{"allow_warnings": allowWarnings, "skip_validation": skipValidation} {
		if is {
			all[name] = json.RawMessage("true")
		}
	}
	return all
}

func union(a, b map[string]json.RawMessage) map[string]json.RawMessage {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// zeroOf returns the value that removes a member, in a patch.
func zeroOf(name string, from json.RawMessage) json.RawMessage {
	switch {
	case name == "end_date":
		return json.RawMessage("null")
	case name == "timeout" || name == "backoff" || name == "jitter" || name == "alert_late" || name == "alert_long" || name == "alert_reminder":
		return json.RawMessage(`"0s"`)
	}
	switch from[0] {
	case '"':
		return json.RawMessage(`""`)
	case '[':
		return json.RawMessage("[]")
	case 't', 'f':
		return json.RawMessage("false")
	}
	return json.RawMessage("0")
}

// sameJSON reports whether two texts mean the same, apart from the order of members. Numbers are the same if they are written so.
func sameJSON(a, b json.RawMessage) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	x, wrong := decoded(a)
	y, wrongToo := decoded(b)
	return !wrong && !wrongToo && reflect.DeepEqual(x, y)
}

func decoded(text json.RawMessage) (v any, wrong bool) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	return v, d.Decode(&v) != nil
}

// differences returns the changes below a member, each as deep as objects on both sides lead.
func differences(member string, from, to json.RawMessage) (list []memberChange) {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(from, &before) != nil || json.Unmarshal(to, &after) != nil || before == nil || after == nil {
		return []memberChange{{Member: member, From: from, To: to}}
	}
	for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
		if !sameJSON(before[name], after[name]) {
			list = append(list, differences(member+"/"+check.EscapePointer(name), before[name], after[name])...)
		}
	}
	return list
}
