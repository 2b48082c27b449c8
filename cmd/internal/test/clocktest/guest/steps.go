// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// The machine starts at noon (UTC) of 28 March 2026, the day before Europe puts its clocks forward.
const vienna, wien = "Europe/Vienna", "CET-1CEST,M3.5.0,M10.5.0/3"

var steps = []step{
	{"a scheduler with jobs", func(g *guest) (err error) {
		err = errors.Join(os.Mkdir("/zones/Europe", 0o755), setZone(vienna, wien), setZone("Moved", wien))
		if err != nil {
			return err
		}
		if g.scheduler, err = start(); err != nil {
			return err
		}
		hourly := func(how string) error {
			return g.create("note", how, "0 * * * *", map[string]any{"catch_up": how, "catch_up_limit": 3})
		}
		return errors.Join(
			g.create("note", "interval", "every 5 seconds", nil), hourly("none"), hourly("last"), hourly("all"),
			g.create("note", "night", "every day at 2:30am", map[string]any{"timezone": vienna, "catch_up": "all"}),
			g.create("note", "moved", "every day at 9am", map[string]any{"timezone": "Moved"}),
			g.create("note", "swept", "30 * * * *", map[string]any{"arguments": map[string]any{"job": "swept", "file": "/tmp/input"}}),
			g.create("slow", "slow", "every year on january 1 at 0:00", nil),
			g.goesOn(), g.swept(),
		)
	}},
	{"the clock jumps forward by five and a half hours, in the middle of a run", func(g *guest) error {
		began := time.Now().Round(0)
		if err := g.midRun(func() error { return setClock(began.Add(330 * time.Minute)) }, 1); err != nil {
			return err
		}
		return errors.Join(g.caughtUp(began, 5), g.goesOn(), g.swept())
	}},
	{"the clock jumps back by five hours, in the middle of a run", func(g *guest) error {
		if err := g.midRun(func() error { return setClock(time.Now().Round(0).Add(-5 * time.Hour)) }, 1); err != nil {
			return err
		}
		j, err := g.job("none")
		if want := time.Now().Round(0).Truncate(time.Hour).Add(time.Hour); err == nil && !j.NextRuns[0].Equal(want) {
			err = fmt.Errorf("the next run is shown at %s, want %s", j.NextRuns[0], want)
		}
		return errors.Join(err, g.goesOn(), g.swept())
	}},
	{"times that were run before the clock was set back are not run again, those that were missed are", func(g *guest) error {
		at := time.Now().Round(0).Truncate(time.Hour).Add(time.Hour)
		for range 5 { // the hours until the clock shows the same time again
			if err := setClock(at.Add(-2 * time.Second)); err != nil {
				return err
			}
			time.Sleep(8 * time.Second)
			at = at.Add(time.Hour)
		}
		if missed, err := g.times("none", "missed"); err != nil || len(missed) != 0 {
			return fmt.Errorf("%d hours are missed still, %w", len(missed), err)
		}
		return g.goesOn()
	}},
	{"the scheduler is killed in the middle of a run, and the clock set back by six hours: the lease is over within a minute", func(g *guest) error {
		return g.midRun(func() error {
			err := errors.Join(g.kill(), setClock(time.Now().Round(0).Add(-6*time.Hour)))
			if err == nil {
				g.scheduler, err = start()
			}
			return err
		}, 2)
	}},
	{"the machine sleeps for a day, in the middle of a run", func(g *guest) error {
		if err := setClock(time.Date(2026, 3, 28, 20, 10, 0, 0, time.UTC)); err != nil {
			return err
		}
		if err := g.goesOn(); err != nil {
			return err
		}
		began, up := time.Now(), uptime()
		if err := g.midRun(sleep, 1); err != nil {
			return err
		}
		slept := time.Now().Round(0).Sub(began.Round(0)) - time.Since(began)
		fmt.Printf("# slept for %s; it was up %s before, and is %s now\n", slept.Round(time.Second), up, uptime())
		if slept < 23*time.Hour || slept > 25*time.Hour {
			return fmt.Errorf("it slept for %s: the sleep was no such thing", slept)
		}
		return errors.Join(g.caughtUp(began.Round(0), 24), g.goesOn(), g.swept())
	}},
	{"a time that did not exist that night, in Vienna, was run at the first instant after it", func(g *guest) error {
		return g.one("night", time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC))
	}},
	{"the rules of a time zone change", func(g *guest) error {
		before, err := g.job("moved")
		if err != nil {
			return err
		}
		if err := setZone("Moved", "WET0WEST,M3.5.0/1,M10.5.0"); err != nil {
			return err
		}
		var after job
		if err := within(2*time.Minute, func() bool {
			after, err = g.job("moved")
			return err == nil && after.Next.Equal(before.Next.Add(time.Hour)) && after.NextRuns[0].Equal(after.Next)
		}); err != nil {
			return fmt.Errorf("the next run is another: %w", err)
		}
		if !strings.Contains(after.Moved.Why, "time zone") {
			return fmt.Errorf("why is recorded as %q", after.Moved.Why)
		}
		if err := setClock(after.Next.Add(-2 * time.Second)); err != nil {
			return err
		}
		time.Sleep(8 * time.Second)
		return g.one("moved", after.Next)
	}},
	{"the disk is full", func(g *guest) error {
		before, err := g.times("interval", "succeeded")
		if err != nil {
			return err
		}
		if err := fill(); err != nil {
			return err
		}
		if err := within(3*time.Minute, func() bool {
			text, err := os.ReadFile(logFile)
			return err == nil && strings.Contains(string(text), "disk is full")
		}); err != nil {
			return fmt.Errorf("the log says that the disk is full: %w", err)
		}
		for i := range 50 { // the database's pages have room
			if err = g.create("note", fmt.Sprint("one more ", i), "every year on january 1 at 0:00", nil); err != nil {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), "full") {
			return fmt.Errorf("what is told of a job that cannot be stored: %w", err)
		}
		fmt.Println("# told:", err)
		time.Sleep(20 * time.Second)
		if err := os.Remove("/store/full"); err != nil {
			return err
		}
		if err := g.goesOn(); err != nil {
			return err
		}
		after, err := g.times("interval", "succeeded")
		if err == nil && len(after) < len(before)+3 {
			err = fmt.Errorf("%d runs before, %d after", len(before), len(after))
		}
		return err
	}},
	{"the clock jumps to the night in which Europe puts its clocks back, seven months on", func(g *guest) error {
		first := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC) // 2:30, and once more an hour later
		if err := setClock(first.Add(-2 * time.Second)); err != nil {
			return err
		}
		time.Sleep(8 * time.Second)
		if err := setClock(first.Add(time.Hour - 2*time.Second)); err != nil {
			return err
		}
		time.Sleep(8 * time.Second)
		j, err := g.job("night")
		if want := time.Date(2026, 10, 26, 1, 30, 0, 0, time.UTC); err == nil && !j.Next.Equal(want) {
			err = fmt.Errorf("the next night is at %s, want %s", j.Next, want)
		}
		return errors.Join(err, g.one("night", first), g.none("night", first.Add(time.Hour)), g.goesOn(), g.swept())
	}},
	{"in the end, each time has one run, and each was called once", func(g *guest) error { return g.honest() }},
}

// midRun does something during a run of the job "slow", and checks that the run succeeds after a number
// of attempts.
func (g *guest) midRun(do func() error, attempts int) error {
	before, err := g.runs("slow")
	if err != nil {
		return err
	}
	if err := g.call("trigger", map[string]any{"job": "slow"}, nil); err != nil {
		return err
	}
	running := func(state string, r *run) func() bool {
		return func() bool {
			runs, err := g.runs("slow")
			if err != nil || len(runs) != len(before)+1 {
				return false
			}
			for _, *r = range runs {
				if r.State == state && (state != "succeeded" || !known(before, *r)) {
					return true
				}
			}
			return false
		}
	}
	var r run
	if err := within(20*time.Second, running("running", &r)); err != nil {
		return fmt.Errorf("a slow run begins: %w", err)
	}
	if err := do(); err != nil {
		return err
	}
	if err := within(90*time.Second, running("succeeded", &r)); err != nil {
		return fmt.Errorf("the slow run ends: %w", err)
	}
	if r.Attempt != attempts {
		return fmt.Errorf("the slow run was attempted %d times, want %d", r.Attempt, attempts)
	}
	return nil
}

func known(list []run, r run) bool {
	for _, k := range list {
		if k.Fire.Equal(r.Fire) {
			return true
		}
	}
	return false
}

// caughtUp checks that each job made up for the right number of missed hours since a time.
func (g *guest) caughtUp(since time.Time, hours int) error {
	var errs []error
	for how, want := range map[string]int{"none": 0, "last": 1, "all": 3} {
		var ran, missed int
		err := within(time.Minute, func() bool {
			runs, err := g.runs(how)
			ran, missed = 0, 0
			for _, r := range runs {
				switch {
				case err != nil || r.Fire.Before(since):
				case r.State == "succeeded":
					ran++
				case r.State == "missed":
					missed++
					if n := fmt.Sprintf("%d runs were missed", hours-want); !strings.Contains(r.Reason, n) {
						errs = append(errs, fmt.Errorf("%s: %s, want %s", how, r.Reason, n))
						return true
					}
				}
			}
			return ran >= want && missed == 1
		})
		if err != nil || ran != want {
			errs = append(errs, fmt.Errorf("catch-up %s: %d ran, %d records of missed ones, want %d and 1, %w", how, ran, missed, want, err))
		}
	}
	return errors.Join(errs...)
}

// one checks that a job has one successful run for a time.
func (g *guest) one(name string, at time.Time) error {
	return g.count(name, at, 1)
}

// none checks that a job has no run for a time.
func (g *guest) none(name string, at time.Time) error {
	return g.count(name, at, 0)
}

func (g *guest) count(name string, at time.Time, want int) error {
	times, err := g.times(name, "succeeded")
	n := 0
	for _, t := range times {
		if t.Equal(at) {
			n++
		}
	}
	if err == nil && n != want {
		err = fmt.Errorf("%s ran %d times for %s, want %d; it ran for %v", name, n, at, want, times)
	}
	return err
}
