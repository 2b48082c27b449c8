// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package pathstate asks the file system what the text of a path does not tell: where
// symbolic links lead, and whether there is such a file and what may be done with it.
//
// It only asks: nothing is opened, so that no FIFO or device can hold it up, no tape
// rewinds and no access time changes. A file system that does not answer is left
// behind when the context ends; with one path alone, by who runs the check.
package pathstate

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/internal/leads"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/internal/workdir"
)

//go:embed README.md
var doc string

// Check reports paths that leave the allowed directories through symbolic links, and files
// against the policy's demands.
var Check = newCheck(host{}, maxLooks)

// maxLooks is how many paths are looked at at a time, in the whole process. It bounds
// the threads that a dead network file system can hold.
const maxLooks = 64

func newCheck(sys system, looks int) *check.Check {
	d := &driver{sys: sys, slots: make(chan struct{}, looks)}
	return &check.Check{
		Name:    "path-state",
		Doc:     doc,
		Stage:   check.Semantic,
		Level:   check.RuntimeLevel,
		Bounded: bounded.Tried(),
		Demand:  path.Demand,
		Run:     d.run,
	}
}

// A driver looks at all paths of a call at the same time.
type driver struct {
	sys   system
	slots chan struct{}
}

// unresolved is a finding about a path that the policy wants forwarded as it was resolved.
const unresolved = "cannot be resolved here, and the policy wants it forwarded as it was resolved"

// A job is one path to look at.
type job struct {
	pointer string
	look    look
	result  chan result
}

// A result is what came of a look.
type result struct {
	path     string // where it really leads; "" if that is not known
	findings []check.Finding
	skip     string // the looks that failed, with reasons; or ""
	err      error
}

func (d *driver) run(ctx context.Context, pass *check.Pass) error {
	if pass.World.Remote {
		for _, t := range pass.Targets {
			if o, err := check.OptionsOf[path.Options](t); err != nil {
				return err
			} else if o.Canonical {
				pass.Reportf(t.Pointer, unresolved)
			}
		}
		pass.Skipf("not looked: the server's files are not on this machine")
		return nil
	}
	jobs, err := d.jobs(pass, bounded.Prompt(ctx))
	if err != nil {
		return err
	}
	if err := d.start(ctx, jobs); err != nil {
		return err
	}
	var late []string
	var errs []error
	for _, j := range jobs {
		r, ok := j.wait(ctx)
		if !ok {
			late = append(late, j.pointer)
			continue
		}
		if j.look.options.Canonical && r.path != "" {
			pass.Canonical(j.pointer, r.path)
		}
		for _, f := range r.findings {
			f.Pointer = j.pointer
			pass.Report(f)
		}
		if r.skip != "" {
			pass.Skipf("not looked: %s", r.skip)
		}
		if r.err != nil {
			errs = append(errs, fmt.Errorf("looking at the path at %q: %w", j.pointer, r.err))
		}
	}
	if len(late) > 0 {
		err := fmt.Errorf("the file system did not answer in time for the paths at %s", strings.Join(late, ", "))
		errs = append(errs, errors.Join(err, ctx.Err()))
	}
	return errors.Join(errs...)
}

// jobs are the paths that there is something to look at for.
func (d *driver) jobs(pass *check.Pass, prompt bool) ([]job, error) {
	var jobs []job
	for _, t := range pass.Targets {
		o, err := check.OptionsOf[path.Options](t)
		if err != nil {
			return nil, err
		}
		value, ok := t.Value.(string)
		if !ok {
			continue // the check "path" says so
		}
		one := [1]check.World{pass.World}
		worlds := one[:]
		if workdir.Chosen(pass.Call) {
			worlds = leads.OfPaths(o).Worlds(pass.World, pass.Call, t.Pointer, value)
		}
		for i, world := range worlds {
			if i == 1 { // what is demanded of the file itself holds in one directory
				o = &path.Options{Within: o.Within, Platform: o.Platform, Hidden: o.Hidden, Not: o.Not, Allow: o.Allow, Extensions: o.Extensions, FollowSymlinks: o.FollowSymlinks}
			}
			place, err := leads.OfPaths(o).Place(world, value)
			switch {
			case errors.Is(err, leads.ErrRefused):
			case err != nil:
				if o.Canonical {
					pass.Reportf(t.Pointer, unresolved)
				}
				pass.Skipf("not looked: %v", err)
			case place.Confined() || asks(o) || o.Canonical:
				jobs = append(jobs, job{t.Pointer, look{newSnapshot(d.sys, prompt, pass.Depends), o, place}, make(chan result, 1)})
			}
		}
	}
	return jobs, nil
}

// maxPrompt is how many paths are looked at without goroutines.
const maxPrompt = 8

// start starts jobs as slots become free, until ctx is done. Prompt ones need no goroutines, which would cost more than
// the looks. Neither does one alone: a driver abandons its goroutine if it stalls.
func (d *driver) start(ctx context.Context, jobs []job) error {
	prompt := bounded.Prompt(ctx)
	if prompt && len(jobs) > maxPrompt {
		return bounded.ErrWaits
	}
	for _, j := range jobs {
		select {
		case d.slots <- struct{}{}:
		default:
			if prompt {
				return bounded.ErrWaits
			}
			select {
			case d.slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
		}
		work := func() {
			defer func() { <-d.slots }()
			j.run(ctx)
		}
		if prompt || len(jobs) == 1 {
			work()
			continue
		}
		go work()
	}
	return nil
}

// run looks at the path. A panic would end the process, since this is no goroutine of
// the driver's.
func (j job) run(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			j.result <- result{err: fmt.Errorf("panic: %v", p)}
		}
	}()
	j.result <- j.look.run(ctx)
}

// wait waits for a job's result until ctx is done. A result that is there by then still counts.
func (j job) wait(ctx context.Context) (r result, ok bool) {
	select {
	case r = <-j.result:
		return r, true
	default:
	}
	select {
	case r = <-j.result:
		return r, true
	case <-ctx.Done():
		return result{}, false
	}
}
