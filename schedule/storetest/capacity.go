// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/toolvet/toolvet/schedule"
)

var capacityPromises = []promise{
	{"a claim knows the workers", claimFleet},
	{"each server has its room", serverRoom},
	{"owners take turns", ownersTakeTurns},
	{"an owner has so many runs at once", perOwner},
	{"a tag has so many runs at once", perTag},
	{"runs follow their job to another server", otherServer},
	{"runs wait for their turn", turns},
	{"a retry lets others go first", retryLetsOthers},
	{"a clock that was set back changes the order of turns", turnsAfterSetBack},
	{"paused jobs go on", pausedGoOn},
	{"no run waits for ever", nobodyWaitsForEver},
	{"the backlog", backlog},
}

func by(owner string) func(*schedule.Job) {
	return func(j *schedule.Job) { j.Owner.Subject = owner }
}

// claimed are the jobs of the runs that a claim takes, in this order.
func (w *world) claimed(c schedule.Capacity) string {
	w.Helper()
	list, err := w.Claim(w.Context(), "w", now, c)
	w.must(err)
	return names(list, func(c schedule.Claim) string { return c.Job.Name })
}

func claimFleet(w *world) {
	w.add(w.create("job"), now)
	w.enlist("dead")
	w.must(w.Leave(w.Context(), "dead"))
	w.must(w.Heartbeat(w.Context(), &schedule.Worker{ID: "other", Policy: "p"}, time.Hour, true))
	w.enlist("w")
	var asked []string
	got := w.claimed(schedule.Capacity{Room: func(server string, fleet []*schedule.Worker) int {
		asked = append(asked, server+" of "+names(fleet, func(w *schedule.Worker) string { return w.ID + w.Policy }))
		return 0
	}})
	w.same("claimed without room", got, "")
	w.same("asked", asked, []string{"files of otherp w"})
}

func serverRoom(w *world) {
	slow := w.create("slow", func(j *schedule.Job) { j.Tool = "slow:tool" })
	for i := range 20 {
		w.add(slow, seconds(-99+i))
	}
	quick := w.create("quick", func(j *schedule.Job) { j.Tool = "quick:tool" })
	w.add(quick, seconds(-1))
	w.enlist("w")
	left := map[string]int{"slow": 2, "quick": 2}
	w.same("claimed", w.claimed(schedule.Capacity{Room: func(server string, _ []*schedule.Worker) int { return left[server] }}), "slow slow quick")
	left["slow"] = 0
	w.same("claimed with a server that is full", w.claimed(schedule.Capacity{Room: func(server string, _ []*schedule.Worker) int { return left[server] }}), "")
}

func ownersTakeTurns(w *world) {
	ann, bob := w.create("ann", by("ann")), w.create("bob", by("bob"))
	for i := range 6 {
		w.add(ann, seconds(-99+i))
	}
	w.add(bob, seconds(-2))
	w.add(bob, seconds(-1))
	w.enlist("w")
	w.same("claimed", []string{w.claimed(room(3)), w.claimed(room(2)), w.claimed(room(9))}, []string{"ann bob ann", "bob ann", "ann ann ann"})
}

func perOwner(w *world) {
	ann, other, bob := w.create("ann", by("ann")), w.create("ann's", by("ann"), func(j *schedule.Job) { j.Tool = "other:tool" }), w.create("bob", by("bob"))
	for i := range 3 {
		w.add(ann, seconds(-99+i))
		w.add(other, seconds(-99+i))
		w.add(bob, seconds(-1-i))
	}
	w.enlist("w")
	c := room(9)
	c.PerOwner = 2
	list, err := w.Claim(w.Context(), "w", now, c)
	w.must(err)
	count := map[string]int{}
	for _, one := range list {
		count[one.Job.Owner.Subject]++
	}
	w.same("claimed", count, map[string]int{"ann": 2, "bob": 2})
	w.same("claimed by owners with their fill", w.claimed(c), "")
	w.must(w.finish(list[0], schedule.Succeeded))
	if got, err := w.Claim(w.Context(), "w", now, c); err != nil || len(got) != 1 || got[0].Job.Owner.Subject != list[0].Job.Owner.Subject {
		w.Errorf("claimed after the end of one are %d runs, %v", len(got), err)
	}
}

func perTag(w *world) {
	tagged := func(tags ...string) func(*schedule.Job) {
		return func(j *schedule.Job) { j.Tags = tags }
	}
	for i, j := range []*schedule.Job{w.create("a", tagged("heavy")), w.create("b", tagged("night", "heavy")), w.create("c", tagged("night")), w.create("d", tagged("heav"))} {
		w.add(j, seconds(-9+i))
	}
	w.enlist("w")
	c := room(9)
	c.PerTag = map[string]int{"heavy": 1, "heav": 0}
	w.same("claimed", w.claimed(c), "a c")
	c.PerTag = nil
	w.same("claimed without bounds", w.claimed(c), "b d")
}

func otherServer(w *world) {
	j := w.create("job")
	w.add(j, seconds(-1))
	_, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { j.Tool = "other:tool"; return nil })
	w.must(err)
	w.enlist("w")
	var asked []string
	w.same("claimed", w.claimed(schedule.Capacity{Room: func(server string, _ []*schedule.Worker) int {
		asked = append(asked, server)
		return 1
	}}), "job")
	w.same("asked for the room of", asked, []string{"other"})
}

func turns(w *world) {
	j := w.create("job")
	third := w.add(j, seconds(-1), exclusive)
	first := w.add(j, seconds(-9), exclusive)
	second := w.add(j, seconds(-5), exclusive)
	w.add(j, now.Add(time.Hour), exclusive)
	w.enlist("w")
	for i, want := range []*schedule.Run{first, second, third} {
		c := w.one("w")
		if c.Run.ID != want.ID {
			w.Errorf("run %d is of %v, want %v", i, c.Run.Fire, want.Fire)
		}
		w.same("claimed beside it", w.claimed(room(9)), "")
		w.must(w.finish(c, schedule.Succeeded))
	}
	w.same("claimed before it is ready", w.claimed(room(9)), "")
}

func retryLetsOthers(w *world) {
	j := w.create("job")
	w.add(j, seconds(-9), exclusive)
	other := w.add(j, seconds(-5), exclusive)
	w.enlist("w")
	c := w.one("w")
	c.Run.State, c.Run.Ready = schedule.Queued, now.Add(time.Hour)
	w.must(w.Finish(w.Context(), c.Run, func(*schedule.Job, int) {}))
	if c := w.one("w"); c.Run.ID != other.ID {
		w.Errorf("claimed is %+v", c.Run)
	}
}

func turnsAfterSetBack(w *world) {
	j := w.create("job")
	w.add(j, seconds(-1), exclusive, func(r *schedule.Run) { r.Ready = seconds(60) }) // jitter
	w.add(j, seconds(90), exclusive)                                                  // of a clock that was ahead
	w.must(w.SetBack(w.Context(), now, time.Minute))
	w.enlist("w")
	if c := w.one("w"); !c.Run.Fire.Equal(seconds(90)) {
		w.Errorf("claimed is %+v", c.Run)
	}
}

func pausedGoOn(w *world) {
	j := w.create("job")
	for i := range 3 {
		w.add(j, seconds(-9+i), exclusive)
	}
	set := func(state schedule.State) {
		w.Helper()
		_, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { j.State = state; return nil })
		w.must(err)
	}
	w.enlist("w")
	c := w.one("w")
	set(schedule.Paused)
	w.same("claimed while paused", w.claimed(room(9)), "")
	c.Run.State, c.Run.Ready = schedule.Queued, now // cut off
	w.must(w.Finish(w.Context(), c.Run, func(*schedule.Job, int) {}))
	w.same("claimed after it came back", w.claimed(room(9)), "")
	set(schedule.Active)
	for _, want := range []int{-8, -7, -9} {
		c := w.one("w")
		if !c.Run.Fire.Equal(seconds(want)) {
			w.Errorf("the next run is of %v, want %v", c.Run.Fire, seconds(want))
		}
		w.must(w.finish(c, schedule.Succeeded))
	}
}

func backlog(w *world) {
	want := func(what string, want ...any) {
		w.Helper()
		ready, running, oldest, err := w.Backlog(w.Context(), now)
		w.must(err)
		w.same(what, []any{ready, running, oldest}, want)
	}
	want("without runs", 0, 0, time.Time{})
	j := w.create("job")
	w.add(j, seconds(-1), exclusive)
	w.add(j, seconds(-9), exclusive)
	w.add(j, seconds(-5))
	w.add(j, seconds(1))
	w.add(j, seconds(-20), ended(schedule.Succeeded))
	want("with runs", 3, 0, seconds(-9))
	w.enlist("w")
	w.claim("w", 1)
	want("with a running one", 2, 1, seconds(-5))
	paused := w.create("paused", func(j *schedule.Job) { j.State = schedule.Paused })
	w.add(paused, seconds(-30))
	want("with one of a paused job", 2, 1, seconds(-5))
	w.add(paused, seconds(-7), func(r *schedule.Run) { r.Kind = "trigger" })
	want("with a triggered one of a paused job", 3, 1, seconds(-7))
}

// nobodyWaitsForEver does to a few jobs whatever can happen, in a random order. In the end each run gets its turn.
func nobodyWaitsForEver(w *world) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	jobs := []*schedule.Job{w.create("a"), w.create("b", func(j *schedule.Job) { j.Tool = "other:tool" })}
	w.enlist("w")
	var running []schedule.Claim
	clock, added := now, 0
	for range 300 {
		j := jobs[r.IntN(len(jobs))]
		clock = clock.Add(time.Duration(r.IntN(3000)) * time.Millisecond)
		switch r.IntN(7) {
		case 0, 1:
			added++
			w.add(j, clock.Add(time.Duration(r.IntN(20)-10)*time.Second+time.Duration(added)*time.Millisecond), func(run *schedule.Run) { run.Exclusive = r.IntN(4) > 0 })
		case 2:
			state := []schedule.State{schedule.Active, schedule.Paused}[r.IntN(2)]
			_, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { j.State = state; return nil })
			w.must(err)
		case 3, 4:
			list, err := w.Claim(w.Context(), "w", clock, room(1))
			w.must(err)
			running = append(running, list...)
		case 5:
			if len(running) > 0 {
				c := running[0]
				running = running[1:]
				c.Run.State, c.Run.Ended = schedule.Succeeded, clock
				if r.IntN(3) == 0 {
					c.Run.State, c.Run.Ended, c.Run.Ready = schedule.Queued, time.Time{}, clock.Add(5*time.Second)
				}
				w.must(w.Finish(w.Context(), c.Run, func(*schedule.Job, int) {}))
			}
		case 6:
			w.must(w.SetBack(w.Context(), clock.Add(-time.Second), time.Minute))
		}
	}
	for _, j := range jobs {
		_, err := w.UpdateJob(w.Context(), j.ID, func(j *schedule.Job) error { j.State = schedule.Active; return nil })
		w.must(err)
	}
	clock = clock.Add(time.Hour)
	for range 2 * added {
		for _, c := range running {
			c.Run.State, c.Run.Ended = schedule.Succeeded, clock
			w.must(w.Finish(w.Context(), c.Run, func(*schedule.Job, int) {}))
		}
		var err error
		running, err = w.Claim(w.Context(), "w", clock, room(1))
		w.must(err)
		if len(running) == 0 {
			break
		}
	}
	left, err := w.Runs(w.Context(), schedule.RunFilter{State: schedule.Queued})
	w.must(err)
	if len(left) > 0 {
		w.Errorf("seed %d: %d of %d runs wait for ever, such as %s", seed, len(left), added, fmt.Sprintf("%+v", left[0]))
	}
}
