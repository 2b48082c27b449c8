// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

var alertPromises = []promise{
	{"alerts are stored with their job", alertsWithJob},
	{"alerts are not stored without their job", noAlertWithoutJob},
	{"alerts of a job are told in order", alertOrder},
	{"alerts are told until that is stored", alertUntilTold},
	{"nobody hears an alert twice", hearers},
	{"alerts are given out once", alertsOnce},
	{"deleting a job deletes its alerts", deletedAlerts},
	{"alerts since a time", alertsSince},
}

func newAlert(j *schedule.Job, id string, at time.Time) *schedule.Alert {
	return &schedule.Alert{ID: id, Event: "job.warned", Time: at, Job: j.ID, Name: j.Name, Tool: j.Tool, Owner: j.Owner.Subject, Was: schedule.Healthy, Status: schedule.Warned, Reason: "why", Next: j.Next}
}

// alert stores alerts of a job.
func (w *world) alert(j *schedule.Job, ids ...string) {
	w.Helper()
	_, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error {
		j.Health.Status = schedule.Warned
		for _, id := range ids {
			j.Alerts = append(j.Alerts, newAlert(j, id, now))
		}
		return nil
	})
	w.must(err)
}

// alertIDs are the ids of all alerts.
func (w *world) alertIDs() string {
	w.Helper()
	list, err := w.AlertsSince(w.Context(), now.Add(-time.Hour), "")
	w.must(err)
	return names(list, func(a *schedule.Alert) string { return a.ID })
}

// take takes the alerts that are due, for a minute.
func (w *world) take(at time.Time, limit int) ([]*schedule.Notice, string) {
	w.Helper()
	list, err := w.Alerts(w.Context(), at, at.Add(time.Minute), limit)
	w.must(err)
	return list, names(list, func(n *schedule.Notice) string { return n.ID })
}

func alertsWithJob(w *world) {
	add := func(j *schedule.Job, id string) { j.Alerts = append(j.Alerts, newAlert(j, id, now)) }
	j := w.create("job", func(j *schedule.Job) { add(j, "1 created") })
	if got := w.job(j); len(got.Alerts) > 0 {
		w.Errorf("the stored job has alerts that are to be stored: %v", got.Alerts)
	}
	_, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { add(j, "2 updated"); return nil })
	w.must(err)
	_, err = w.Fire(w.Context(), now, 1, func(j *schedule.Job, open int, fired []time.Time) []*schedule.Run {
		add(j, "3 fired")
		j.Next = time.Time{}
		return []*schedule.Run{newRun(j, now)}
	})
	w.must(err)
	w.enlist("w")
	c := w.one("w")
	c.Run.State, c.Run.Ended = schedule.Succeeded, now
	w.must(w.Finish(w.Context(), c.Run, func(j *schedule.Job, _ int) { add(j, "4 finished") }))
	w.same("alerts", w.alertIDs(), "1 created 2 updated 3 fired 4 finished")
	list, err := w.AlertsSince(w.Context(), now, "")
	w.must(err)
	w.same("an alert", list[0], newAlert(j, "1 created", now))
}

// noAlertWithoutJob holds that health and alert are one change: neither is stored without the other.
func noAlertWithoutJob(w *world) {
	j := w.create("job")
	w.create("other")
	fail := func(j *schedule.Job) {
		j.Health.Status = schedule.Failing
		j.Alerts = append(j.Alerts, newAlert(j, "1", now))
	}
	_, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { fail(j); return errors.New("no") })
	if err == nil {
		w.Error("a change that fails is stored")
	}
	_, err = w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { fail(j); j.Name = "other"; return nil })
	w.want("a name that is taken", err, schedule.ErrNameTaken)
	again := newJob("job", now)
	fail(again)
	w.want("a job whose name is taken", w.CreateJob(w.Context(), again), schedule.ErrNameTaken)
	if got := w.alertIDs(); got != "" || w.job(j).Health.Status == schedule.Failing {
		w.Errorf("stored are the alerts %q and the health %+v", got, w.job(j).Health)
	}
	w.alert(j, "2")
	if got := w.alertIDs(); got != "2" || w.job(j).Health.Status != schedule.Warned {
		w.Errorf("stored are the alerts %q and the health %+v", got, w.job(j).Health)
	}
}

func alertOrder(w *world) {
	a, b := w.create("a"), w.create("b")
	w.alert(b, "2")
	w.alert(a, "3", "1")
	list, ids := w.take(now, 10)
	w.same("due", ids, "1 2") // of a job only the first
	w.must(w.Told(w.Context(), list[0], now, seconds(99), false))
	_, ids = w.take(seconds(98), 10)
	w.same("while the first waits to be told again", ids, "2")
	list, ids = w.take(seconds(99), 1)
	w.same("with a limit", ids, "1")
	w.must(w.Told(w.Context(), list[0], now, now, true))
	_, ids = w.take(seconds(99), 10)
	w.same("when the first is told", ids, "3")
}

func alertUntilTold(w *world) {
	w.alert(w.create("job"), "1")
	if _, ids := w.take(now.Add(-time.Millisecond), 10); ids != "" {
		w.Errorf("due before it was made is %s", ids)
	}
	for i := range 3 { // whoever takes it dies
		at := now.Add(time.Duration(i) * time.Minute)
		list, ids := w.take(at, 10)
		w.same("due", ids, "1")
		if _, again := w.take(at.Add(59*time.Second), 10); again != "" {
			w.Errorf("meanwhile somebody else gets %s", again)
		}
		if i == 2 {
			w.must(w.Told(w.Context(), list[0], at, at, true))
		}
	}
	if _, ids := w.take(now.Add(time.Hour), 10); ids != "" {
		w.Errorf("what was told is due again: %s", ids)
	}
	w.same("alerts", w.alertIDs(), "1")
}

func hearers(w *world) {
	j := w.create("job")
	w.alert(j, "1")
	told := []string{}
	for i, hearer := range []string{"webhook", "mail to ann", "a\nb"} {
		list, ids := w.take(now.Add(time.Duration(i)*time.Hour), 10)
		if ids != "1" {
			w.Fatalf("due are %q", ids)
		}
		w.same("who has heard it", append([]string{}, list[0].Told...), told)
		w.same("tries", list[0].Tries, i)
		told = append(told, hearer)
		list[0].Told, list[0].Tries = append(list[0].Told, hearer), i+1
		w.must(w.Told(w.Context(), list[0], now, now, false))
	}
	list, _ := w.take(now.Add(9*time.Hour), 10)
	w.same("the notice", list, []*schedule.Notice{{Alert: *newAlert(j, "1", now), Told: told, Tries: 3}})
}

// alertsOnce has several handles take alerts at once.
func alertsOnce(w *world) {
	const jobs = 30
	for i := range jobs {
		w.alert(w.create(fmt.Sprint("job", i)), fmt.Sprintf("%02d", i), fmt.Sprintf("%02d later", i))
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for range 4 {
		s := w.open()
		all.Go(func() {
			for range jobs {
				list, err := s.Alerts(w.Context(), now, now.Add(time.Minute), 4)
				if err != nil {
					w.Error(err)
				}
				if len(list) == 0 {
					return
				}
				mu.Lock()
				for _, n := range list {
					seen[n.ID]++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for id, n := range seen {
		if n != 1 || len(id) != 2 {
			w.Errorf("%s is given out %d times", id, n)
		}
	}
	if len(seen) != jobs {
		w.Errorf("%d of %d alerts are given out", len(seen), jobs)
	}
}

func deletedAlerts(w *world) {
	j := w.create("job")
	w.alert(j, "1")
	list, _ := w.take(now, 10)
	w.must(w.DeleteJob(w.Context(), j.ID))
	for _, n := range list {
		w.want("storing that an alert was told whose job is gone", w.Told(w.Context(), n, now, now, false), nil)
	}
	if _, ids := w.take(now.Add(time.Hour), 10); ids+w.alertIDs() != "" {
		w.Errorf("left are %s", ids)
	}
}

// alertsSince holds that the pages have each alert once.
func alertsSince(w *world) {
	const n = 2500
	want := map[string]int{}
	_, err := w.UpdateJob(w.Context(), w.create("job").ID, func(j *schedule.Job) error {
		for i := range n {
			a := newAlert(j, fmt.Sprintf("%04d", i*7%n), now.Add(time.Duration(i/1500)*time.Millisecond))
			j.Alerts = append(j.Alerts, a)
			want[a.ID] = 1
		}
		j.Alerts = append(j.Alerts, newAlert(j, "older", now.Add(-time.Millisecond)))
		return nil
	})
	w.must(err)
	got := map[string]int{}
	for at, id := now, ""; len(got) <= n; {
		page, err := w.AlertsSince(w.Context(), at, id)
		w.must(err)
		if len(page) == 0 {
			break
		}
		for _, a := range page {
			if a.Time.Before(at) || a.Time.Equal(at) && a.ID <= id {
				w.Fatalf("%s comes behind %s", a.ID, id)
			}
			at, id = a.Time, a.ID
			got[id]++
		}
	}
	w.same("how often each alert comes", got, want)
}
