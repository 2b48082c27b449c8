// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// A guest reports its steps.
type guest struct {
	*scheduler
	failed bool
}

// A job is a job in the scheduler's output.
type job struct {
	ID, Name, State string
	NextRuns        []time.Time `json:"next_runs"`
	Next            time.Time
	Verdict         struct {
		At time.Time
		On string
	}
	Moved struct{ Why string }
}

// A run is a run in the scheduler's output.
type run struct {
	Job, Kind, State, Reason, Worker string
	Fire, Started                    time.Time
	Attempt                          int
}

// check prints a line of the Test Anything Protocol.
func (g *guest) check(name string, err error) {
	if err == nil {
		fmt.Println("ok -", name)
		return
	}
	g.failed = true
	fmt.Println("not ok -", name, "#", strings.ReplaceAll(err.Error(), "\n", " | "))
}

// A step changes the machine and checks the consequences.
type step struct {
	name string
	do   func(*guest) error
}

func (g *guest) run() {
	for _, s := range steps {
		fmt.Printf("# %s, up %s\n", time.Now().UTC().Format(time.RFC3339), uptime())
		g.check(s.name, s.do(g))
	}
	if text, err := os.ReadFile(logFile); err == nil && g.failed {
		for line := range strings.Lines(string(text)) {
			fmt.Print("# ", line)
		}
	}
}

func uptime() string {
	text, _ := os.ReadFile("/proc/uptime")
	up, _, _ := strings.Cut(string(text), " ")
	return up + " s"
}

// create makes a job that calls a tool.
func (g *guest) create(tool, name, schedule string, more map[string]any) error {
	fields := map[string]any{"name": name, "tool": "guest:" + tool, "schedule": schedule, "arguments": map[string]any{"job": name}}
	for key, value := range more {
		fields[key] = value
	}
	return g.call("create", fields, nil)
}

func (g *guest) job(name string) (j job, err error) {
	err = g.call("get", map[string]any{"job": name}, &j)
	return j, err
}

// runs returns the runs of a job, the earliest first.
func (g *guest) runs(name string) ([]run, error) {
	var page struct{ Runs []run }
	err := g.call("executions", map[string]any{"job": name, "limit": 1000}, &page)
	slices.SortFunc(page.Runs, func(a, b run) int { return a.Fire.Compare(b.Fire) })
	return page.Runs, err
}

// times returns the fire times of a job's runs in a state.
func (g *guest) times(name, state string) (list []time.Time, err error) {
	runs, err := g.runs(name)
	for _, r := range runs {
		if r.State == state {
			list = append(list, r.Fire)
		}
	}
	return list, err
}

// goesOn checks that a job fires every 5 seconds, also by the store's present clock.
func (g *guest) goesOn() error {
	before, err := g.times("interval", "succeeded")
	if err != nil {
		return err
	}
	began := time.Now()
	err = within(30*time.Second, func() bool {
		after, err := g.times("interval", "succeeded")
		return err == nil && len(after) >= len(before)+2
	})
	if err != nil {
		return fmt.Errorf("the interval goes on: %w", err)
	}
	after, err := g.times("interval", "succeeded")
	if took := time.Since(began); err == nil && len(after)-len(before) > int(took.Seconds()/5)+2 {
		err = fmt.Errorf("%d runs in %s: a storm", len(after)-len(before), took)
	}
	if err != nil {
		return err
	}
	j, err := g.job("interval")
	if left := time.Until(j.Next.Round(0)); err == nil && (left > 5*time.Second || left < -5*time.Second) {
		err = fmt.Errorf("its next run is shown in %s", left)
	}
	return err
}

// swept checks that a job is repeatedly validated ahead of time.
func (g *guest) swept() error {
	before, err := g.job("swept")
	if err != nil {
		return err
	}
	var after job
	err = within(time.Minute, func() bool {
		after, err = g.job("swept")
		return err == nil && !after.Verdict.At.Equal(before.Verdict.At) && after.Verdict.On == "ahead"
	})
	if err != nil {
		return fmt.Errorf("validation ahead of time: %w", err)
	}
	return nil
}

// honest checks that each fire time has one run, and that the recorded runs match the calls.
func (g *guest) honest() error {
	err := g.call("pause", map[string]any{"job": "interval"}, nil)
	if err == nil {
		_ = within(20*time.Second, func() bool { // until its last run ends
			err = g.tally()
			return err == nil
		})
	}
	return err
}

func (g *guest) tally() error {
	var page struct{ Jobs []job }
	if err := g.call("list", map[string]any{"limit": 1000}, &page); err != nil {
		return err
	}
	text, err := os.ReadFile(calls)
	if err != nil {
		return err
	}
	called := map[string]int{}
	for line := range strings.Lines(string(text)) {
		called[strings.TrimSpace(line)]++
	}
	for _, j := range page.Jobs {
		runs, err := g.runs(j.Name)
		if err != nil {
			return err
		}
		attempts := 0
		for i, r := range runs {
			attempts += r.Attempt
			if i > 0 && r.Fire.Equal(runs[i-1].Fire) && r.Kind == runs[i-1].Kind {
				return fmt.Errorf("%s has two runs of %s", j.Name, r.Fire)
			}
			if !slices.Contains([]string{"succeeded", "missed", "skipped"}, r.State) {
				return fmt.Errorf("%s of %s is %s: %s", j.Name, r.Fire, r.State, r.Reason)
			}
		}
		if attempts != called[j.Name] {
			return fmt.Errorf("%s has %d attempts and was called %d times", j.Name, attempts, called[j.Name])
		}
	}
	return nil
}
