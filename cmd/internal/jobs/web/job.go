// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

// runsPage is the number of runs on a page.
const runsPage = 20

// maxText bounds the part of a text that a page shows, in bytes.
const maxText = 64 << 10

// A fact is one statement about a job or a run.
type fact struct {
	Name, Text string
	At         *stamp
	Code       bool
}

type verdictView struct {
	*schedule.Verdict
	At *stamp
}

type runRow struct {
	*schedule.Run
	At   *stamp // the time it was scheduled for
	Tone string
	Took string
}

type jobView struct {
	frame
	*schedule.Job
	Outlook   outlook
	Next      []*stamp
	Was       *stamp // the time of the next run before it moved
	Since     *stamp // of its health
	Arguments string
	Facts     []fact
	Verdict   *verdictView
	Runs      []runRow
	States    []schedule.RunState // choices of the filter of runs
	RunState  string
	More      string // the query of the next page of runs
	Older     bool   // this is not the first page
}

func (v *visit) jobPage() error {
	j, err := v.job("get")
	if err != nil {
		return err
	}
	view := jobView{frame: v.frame(plain(j.Name), "job"), Job: j, Outlook: outlookOf(j), Arguments: pretty(j.Arguments)}
	now, zone := v.cfg.Now(), zoneOf(j)
	for at := range j.Upcoming() {
		if len(view.Next) == 5 {
			break
		}
		view.Next = append(view.Next, stampOf(at, zone, now))
	}
	if m := j.Moved; m != nil && m.To.Equal(j.Next) {
		view.Was = stampOf(m.From, zone, now)
	}
	view.Since = stampOf(j.Health.Since, zone, now)
	view.Verdict = verdictOf(j.Verdict, zone, now)
	view.Facts = facts(j, zone, now)
	return v.withRuns(&view, zone, now)
}

// withRuns shows a job with a page of its runs.
func (v *visit) withRuns(view *jobView, zone *time.Location, now time.Time) error {
	q := v.r.URL.Query()
	view.States = []schedule.RunState{schedule.Queued, schedule.Running, schedule.Succeeded, schedule.RunFailed, schedule.Refused, schedule.Skipped, schedule.Missed, schedule.Lost, schedule.Cancelled}
	f := schedule.RunFilter{Job: view.ID, State: schedule.RunState(q.Get("state")), Before: clip(speakable(q.Get("before")), 64), Limit: runsPage + 1, Brief: true}
	if !slices.Contains(view.States, f.State) {
		f.State = ""
	}
	if err := v.may("executions", map[string]string{"job": view.ID}); err != nil {
		return err
	}
	list, err := v.jobs.Runs(v.ctx(), f)
	if err != nil {
		return err
	}
	view.RunState, view.Older = string(f.State), f.Before != ""
	if len(list) > runsPage {
		list = list[:runsPage]
		view.More = fmt.Sprintf("?state=%s&before=%s", f.State, list[runsPage-1].ID)
	}
	for _, r := range list {
		view.Runs = append(view.Runs, runRowOf(r, zone, now))
	}
	return v.show("job", view)
}

func runRowOf(r *schedule.Run, zone *time.Location, now time.Time) runRow {
	return runRow{r, stampOf(r.Fire, zone, now), tones[r.State], took(r, now)}
}

func verdictOf(v *schedule.Verdict, zone *time.Location, now time.Time) *verdictView {
	if v == nil {
		return nil
	}
	return &verdictView{v, stampOf(v.At, zone, now)}
}

// facts returns the statements about a job, apart from its call.
func facts(j *schedule.Job, zone *time.Location, now time.Time) (list []fact) {
	add := func(name, text string, code bool) {
		if text != "" {
			list = append(list, fact{Name: name, Text: text, Code: code})
		}
	}
	number := func(name string, n int) {
		if n != 0 {
			add(name, fmt.Sprint(n), false)
		}
	}
	period := func(name string, d schedule.Duration) {
		if d != 0 {
			add(name, time.Duration(d).String(), false)
		}
	}
	flag := func(name string, on bool) {
		if on {
			add(name, "yes", false)
		}
	}
	at := func(name string, t time.Time) {
		if s := stampOf(t, zone, now); s != nil {
			list = append(list, fact{Name: name, At: s})
		}
	}
	add("Schedule", j.Schedule, true)
	add("Time zone", zone.String(), false)
	add("Owner", j.Owner.Subject, false)
	flag("Fires once", j.FireOnce)
	number("Runs at most", j.MaxRuns)
	at("Ends", j.Until)
	period("Time-out", j.Timeout)
	number("Retries", j.Retries)
	period("Pause before a retry", j.Backoff)
	add("While a run goes on", j.Overlap, false)
	add("Missed runs", j.CatchUp, false)
	number("Missed runs, at most", j.CatchUpLimit)
	period("Jitter", j.Jitter)
	flag("Alert for each failure", j.AlertFailure)
	flag("Alert for each success", j.AlertSuccess)
	period("Alert if a run is late by", j.AlertLate)
	period("Alert if a run takes longer than", j.AlertLong)
	period("Reminder while it is not well", j.AlertReminder)
	flag("At most once", j.AtMostOnce)
	flag("Made with skip_validation", j.Unvalidated)
	flag("Made with allow_warnings", j.AllowWarnings)
	add("Runs so far", fmt.Sprint(j.Fired), false)
	at("Made", j.Created)
	at("Changed", j.Updated)
	add("Id", j.ID, true)
	return list
}

// pretty formats JSON for people, and shortens it.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		b.Reset()
		b.Write(raw)
	}
	return clip(b.String(), maxText)
}

type runView struct {
	frame
	*schedule.Run
	Of      *schedule.Job // its job
	Tone    string
	Facts   []fact
	Verdict *verdictView
	Texts   []string // the tool's texts
	Other   []string // the tool's other content
	Act     action   // on the run
	Raw     string
}

func (v *visit) runPage() error {
	id := speakable(v.r.PathValue("run"))
	if err := v.may("retrieve", map[string]string{"run": id}); err != nil {
		return err
	}
	r, err := v.jobs.GetRun(v.ctx(), id)
	if err != nil {
		return err
	}
	j, err := v.jobs.Get(v.ctx(), r.Job)
	if err != nil {
		return err
	}
	now, zone := v.cfg.Now(), zoneOf(j)
	view := runView{frame: v.frame("A run of "+plain(j.Name), "run"), Run: r, Of: j, Tone: tones[r.State], Verdict: verdictOf(r.Verdict, zone, now)}
	if r.State.Open() {
		view.Refresh = 2
	}
	view.Texts, view.Other = content(r.Result)
	view.Raw = pretty(r.Result)
	for _, f := range []fact{{Name: "Scheduled for", At: stampOf(r.Fire, zone, now)}, {Name: "Started", At: stampOf(r.Started, zone, now)}, {Name: "Ended", At: stampOf(r.Ended, zone, now)}} {
		if f.At != nil {
			view.Facts = append(view.Facts, f)
		}
	}
	if t := took(r, now); t != "" {
		view.Facts = append(view.Facts, fact{Name: "Took", Text: t})
	}
	kind := map[string]string{"schedule": "by its schedule", "trigger": "on request"}[r.Kind]
	view.Facts = append(view.Facts, fact{Name: "Asked for", Text: kind}, fact{Name: "Attempts", Text: fmt.Sprint(r.Attempt)})
	if r.Crashes > 0 {
		view.Facts = append(view.Facts, fact{Name: "Ends of the server", Text: fmt.Sprint(r.Crashes)})
	}
	if r.Replays != "" {
		view.Facts = append(view.Facts, fact{Name: "Repeats", Text: r.Replays, Code: true})
	}
	view.Act = action{"replay", "Run again"}
	if r.State.Open() {
		view.Act = action{"cancel", "Cancel"}
	}
	if r.Worker != "" {
		view.Facts = append(view.Facts, fact{Name: "Worker", Text: r.Worker, Code: true})
	}
	view.Facts = append(view.Facts, fact{Name: "Id", Text: r.ID, Code: true})
	return v.show("run", view)
}

// content returns the texts in a tool's result, and a description of the other parts by kind and size.
func content(raw json.RawMessage) (texts, other []string) {
	var said struct {
		Content []struct {
			Type, Text, Data, MIMEType string
			Resource                   struct{ URI, Text, MIMEType string }
		}
	}
	if len(raw) == 0 || json.Unmarshal(raw, &said) != nil {
		return nil, nil
	}
	for _, c := range said.Content {
		switch {
		case c.Type == "text":
			texts = append(texts, clip(c.Text, maxText))
		case c.Type == "resource" && c.Resource.Text != "":
			texts = append(texts, clip(c.Resource.Text, maxText))
		default:
			other = append(other, clip(strings.TrimSpace(c.Type+" "+c.MIMEType+c.Resource.MIMEType+" "+c.Resource.URI), 512))
		}
	}
	return texts, other
}
