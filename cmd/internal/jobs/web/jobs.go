// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/schedule"
)

// pageSize is the number of jobs on a page.
const pageSize = 50

// maxListed is the size, in characters, above which a job is read without its arguments. The list does not show them.
const maxListed = 4096

// A filter chooses the jobs on a page. The address of the page holds it.
type filter struct {
	Search, State, Health, Server, Tag string
	after                              string
}

// filterOf reads the address. It leaves out unknown values.
func filterOf(q url.Values) filter {
	known := func(name string, values ...string) string {
		if v := q.Get(name); slices.Contains(values, v) {
			return v
		}
		return ""
	}
	text := func(name string) string { return clip(speakable(q.Get(name)), 256) }
	return filter{
		Search: text("q"), Server: text("server"), Tag: text("tag"), after: text("after"),
		State:  known("state", "active", "paused", "completed", "failed"),
		Health: known("health", "ok", "warned", "unavailable", "failing"),
	}
}

// speakable returns the part of a text that every store accepts in a question: PostgreSQL takes neither NUL nor
// invalid UTF-8.
func speakable(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "") }

// query returns the filter as part of an address.
func (f filter) query() string {
	q := url.Values{}
	for name, value := range map[string]string{"q": f.Search, "server": f.Server, "tag": f.Tag, "after": f.after, "state": f.State, "health": f.Health} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q.Encode()
}

// plain reports whether the filter chooses all jobs.
func (f filter) plain() bool { return f == filter{after: f.after} }

// A tile is a number of jobs with a state or health, and leads to them.
type tile struct {
	Word, Query, Tone string
	Jobs              int
	Here              bool
}

// A row is a job in the list.
type row struct {
	*schedule.Job
	At      *stamp // its next run
	Outlook outlook
}

type jobsView struct {
	frame
	Filter filter
	Tiles  []tile
	Rows   []row
	Back   string // the address of this page, for forms
	More   string // the query of the next page; "" for none
	First  string // the query of the first page, on others
	Any    bool   // there are jobs
	Plain  bool
}

func (v *visit) jobsPage() error {
	if err := v.may("list", map[string]string{}); err != nil {
		return err
	}
	f := filterOf(v.r.URL.Query())
	list, err := v.jobs.List(v.ctx(), schedule.JobFilter{
		State: schedule.State(f.State), Health: schedule.Status(f.Health), Tag: f.Tag, Server: f.Server, Search: f.Search, After: f.after, Limit: pageSize + 1, Large: maxListed,
	})
	if err != nil {
		return err
	}
	counts, err := inside.Of(v.jobs).Counts(v.ctx(), nil)
	if err != nil {
		return err
	}
	view := jobsView{frame: v.frame("Jobs", "jobs"), Filter: f, Back: f.query(), Any: len(counts) > 0, Plain: f.plain()}
	view.Tiles = tiles(counts, f)
	if f.after != "" {
		first := f
		first.after = ""
		view.First = "?" + first.query()
	}
	if len(list) > pageSize {
		list = list[:pageSize]
		next := f
		next.after = list[pageSize-1].ID
		view.More = "?" + next.query()
	}
	for _, j := range list {
		view.Rows = append(view.Rows, row{j, stampOf(j.Next, zoneOf(j), v.cfg.Now()), outlookOf(j)})
	}
	return v.show("jobs", view)
}

// tiles returns the counts of jobs by state and health.
func tiles(counts []schedule.Count, f filter) []tile {
	count := func(of func(schedule.Count) bool) (n int) {
		for _, c := range counts {
			if of(c) {
				n += c.Jobs
			}
		}
		return n
	}
	health := func(h schedule.Status) func(schedule.Count) bool {
		return func(c schedule.Count) bool { return c.Health == h }
	}
	state := func(s schedule.State) func(schedule.Count) bool {
		return func(c schedule.Count) bool { return c.State == s }
	}
	list := []tile{
		{Word: "all jobs", Tone: quiet, Jobs: count(func(schedule.Count) bool { return true })},
		{Word: "will be refused", Tone: bad, Query: "health=warned", Jobs: count(health(schedule.Warned))},
		{Word: "server unavailable", Tone: bad, Query: "health=unavailable", Jobs: count(health(schedule.Unavailable))},
		{Word: "last run failed", Tone: warning, Query: "health=failing", Jobs: count(health(schedule.Failing))},
		{Word: "paused", Tone: quiet, Query: "state=paused", Jobs: count(state(schedule.Paused))},
		{Word: "completed", Tone: quiet, Query: "state=completed", Jobs: count(state(schedule.Completed))},
	}
	f.after = ""
	for i, t := range list {
		list[i].Here = t.Query == f.query()
	}
	return list
}
