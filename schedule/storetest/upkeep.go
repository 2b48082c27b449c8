// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

var upkeepPromises = []promise{
	{"nothing waits for a time that has been", setBack},
	{"time zones", zones},
	{"old runs and alerts are deleted", pruneAge},
	{"the newest runs are kept", pruneNumber},
}

// delay is the longest wait of an alert after the clock was set back.
const delay = 15 * time.Minute

func setBack(w *world) {
	j := w.create("job")
	later := now.Add(6 * time.Hour)
	put := func(id string, fire, started, ready time.Time) {
		w.add(j, fire, func(r *schedule.Run) { r.ID, r.Started, r.Ready = id, started, ready })
	}
	put("1 fired", later, time.Time{}, later)
	put("2 begun", now.Add(-time.Hour), later, later)
	put("3 with jitter", now.Add(-time.Minute), time.Time{}, now.Add(time.Hour))
	put("4 to be tried again", seconds(-1), seconds(-1), now.Add(time.Hour))
	w.alert(j, "tried later")
	w.take(later, 10)
	other := w.create("other")
	w.alert(other, "to be tried soon")
	list, _ := w.take(now, 10)
	w.must(w.Told(w.Context(), list[0], now, now.Add(delay), false))
	w.must(w.SetBack(w.Context(), now, delay))
	w.enlist("w")
	got := strings.Split(names(w.claim("w", 10), func(c schedule.Claim) string { return c.Run.ID[:1] }), " ")
	slices.Sort(got)
	w.same("runs that are ready", got, []string{"1", "2"})
	_, ids := w.take(now, 10)
	w.same("alerts that are due", ids, "tried later")
	_, ids = w.take(now.Add(delay), 10)
	w.same("alerts that are due later", ids, "tried later to be tried soon")
}

func zones(w *world) {
	for _, zone := range []string{"Europe/Vienna", "", "Asia/Tokyo", "Europe/Vienna", "Africa/Cairo"} {
		w.create(jobspec.NewID(now), func(j *schedule.Job) {
			if j.Zone = zone; zone == "Africa/Cairo" {
				j.Next = time.Time{}
			}
		})
	}
	got, err := w.Zones(w.Context())
	w.must(err)
	slices.Sort(got)
	w.same("zones", got, []string{"", "Asia/Tokyo", "Europe/Vienna"})
}

// history stores runs of a job that ended 1, 2 ... hours ago.
func (w *world) history(j *schedule.Job, n int) (list []*schedule.Run) {
	w.Helper()
	for i := range n {
		list = append(list, w.add(j, now.Add(-time.Duration(i+1)*time.Hour), ended(schedule.Succeeded)))
	}
	return list
}

func pruneAge(w *world) {
	j := w.create("job")
	runs := w.history(j, 4)
	open := w.add(j, now.Add(-99*time.Hour))
	running := w.add(j, now.Add(-98*time.Hour))
	w.enlist("w")
	for _, c := range w.claim("w", 10) {
		if c.Run.ID == open.ID {
			c.Run.State, c.Run.Ready = schedule.Queued, now
			w.must(w.Finish(w.Context(), c.Run, func(*schedule.Job, int) {}))
		}
	}
	w.alert(j, "kept")
	_, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error {
		j.Alerts = append(j.Alerts, newAlert(j, "old", now.Add(-50*time.Minute)))
		return nil
	})
	w.must(err)
	if n, err := w.Prune(w.Context(), time.Time{}, 1000); n != 0 || err != nil {
		w.Errorf("nothing is old, and %d are deleted, %v", n, err)
	}
	if n, err := w.Prune(w.Context(), runs[2].Ended, 1000); n != 1 || err != nil {
		w.Errorf("%d are deleted, %v, want 1", n, err)
	}
	w.same("runs", w.runs(schedule.RunFilter{}), strings.Join([]string{runs[0].ID, runs[1].ID, runs[2].ID, running.ID, open.ID}, " "))
	if n, err := w.Prune(w.Context(), now.Add(-time.Minute), 1000); n != 4 || err != nil {
		w.Errorf("%d are deleted, %v, want 4", n, err)
	}
	w.same("runs", w.runs(schedule.RunFilter{}), running.ID+" "+open.ID)
	w.same("alerts", w.alertIDs(), "kept")
}

func pruneNumber(w *world) {
	j, few := w.create("job"), w.create("few")
	runs := w.history(j, 5)
	other := w.add(few, now.Add(-time.Hour+time.Millisecond), ended(schedule.Succeeded))
	open := w.add(j, now.Add(-99*time.Hour))
	if n, err := w.Prune(w.Context(), time.Time{}, 2); n != 3 || err != nil {
		w.Errorf("%d are deleted, %v, want 3", n, err)
	}
	w.same("runs", w.runs(schedule.RunFilter{}), strings.Join([]string{other.ID, runs[0].ID, runs[1].ID, open.ID}, " "))
}
