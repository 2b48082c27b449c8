// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/blackout"
)

// A Schedule configures the scheduler.
type Schedule struct {
	Store          string              `policy:"store" doc:"file of the jobs, relative to the policy, or postgres://USER@HOST/DATABASE; default: toolvet-schedule.db"`
	Shared         bool                `policy:"shared" doc:"true: all who may use the scheduler see and change all jobs; default: with authorization, each only its own"`
	SkipValidation bool                `policy:"skip_validation" doc:"true: jobs may be made although their call is a no-go; default: false"`
	Ahead          time.Duration       `policy:"ahead" doc:"how long before a run its validation begins; default 6h"`
	Recheck        time.Duration       `policy:"recheck" doc:"between two validations ahead of a run; default 15m"`
	Workers        int                 `policy:"workers" doc:"runs of one server at once, in this process; default 8"`
	Limits         JobLimits           `policy:"limits" doc:"runs at once on all schedulers of the store together, and jobs of an owner"`
	Calendars      map[string][]string `policy:"calendars" doc:"times at which jobs do not run that name a calendar in except: lists of dates, days, ranges and hours"`
	Alerts         Alerts              `policy:"alerts" doc:"who is told when a job's health changes; the log always is"`
	Retention      Retention           `policy:"retention" doc:"how long runs are kept"`
}

// JobLimits bound runs at once, and the jobs that may be made.
type JobLimits struct {
	Owner int            `policy:"owner" doc:"of the jobs of one owner; default: no limit"`
	Tags  map[string]int `policy:"tags" doc:"of the jobs with a tag, by the tag; default: no limit"`
	// Jobs and Interval bound what jobs may be made.
	Jobs     int           `policy:"jobs" doc:"jobs of one owner that run or are paused; default: no limit"`
	Interval time.Duration `policy:"interval" doc:"least time between two runs that a schedule asks for; default: none"`
}

// Alerts are the recipients of news about a job's health.
type Alerts struct {
	Webhook       string   `policy:"webhook" doc:"URL that each change is posted to"`
	WebhookSecret string   `policy:"webhook_secret" doc:"key of the signature (HMAC-SHA256): write ${NAME}"`
	Command       []string `policy:"command" doc:"program with arguments, run for each change, which it reads from standard input"`
}

// Retention says how long runs are kept.
type Retention struct {
	Age    time.Duration `policy:"age" doc:"runs that ended longer ago are deleted; default 2160h"`
	Runs   int           `policy:"runs" doc:"runs kept of a job; default 1000"`
	Result int           `policy:"result_bytes" doc:"a larger result is not stored; default 65536"`
}

// Problems says what does not go together, by the names of the fields in a policy.
func (s *Schedule) Problems() []check.Problem {
	var list []check.Problem
	fail := func(field, message string) { list = append(list, check.Problem{Field: field, Message: message}) }
	if s.Workers < 0 || s.Workers > 1000 {
		fail("workers", "must be between 1 and 1000")
	}
	for tag, most := range s.Limits.Tags {
		if most < 1 {
			fail("limits", fmt.Sprintf("the limit of the tag %q must be at least 1", tag))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Calendars)) {
		if _, err := blackout.Parse(s.Calendars[name]); err != nil {
			fail("calendars", fmt.Sprintf("%q: %v", name, err))
		} else if name == "" || len(name) > 64 || blackout.Is(name) {
			fail("calendars", fmt.Sprintf("%q cannot be the name of a calendar: write at most 64 bytes that are no date or time", name))
		}
	}
	if s.Limits.Owner < 0 || s.Limits.Jobs < 0 || s.Limits.Interval < 0 {
		fail("limits", "a limit must be at least 1")
	}
	if s.Retention.Runs < 0 || s.Retention.Result < 0 {
		fail("retention", "must not be negative")
	}
	a := s.Alerts
	switch {
	case a.Webhook != "" && a.WebhookSecret == "":
		fail("alerts", "a webhook needs a webhook_secret, so that its receiver can verify the sender")
	case a.Webhook == "" && a.WebhookSecret != "":
		fail("alerts", "webhook_secret is given and no webhook")
	case a.Webhook != "" && !strings.HasPrefix(a.Webhook, "http://") && !strings.HasPrefix(a.Webhook, "https://"):
		fail("alerts", "a webhook must be an http or https URL")
	}
	return list
}

func (p *Policy) readSchedule(d *decoder, n ast.Node) {
	p.Schedule = new(Schedule)
	before := len(d.errs)
	d.options(n, "the scheduler", p.Schedule, p.Schedule.Problems)
	for _, e := range d.errs[before:] {
		e.Source = "" // the line may hold a secret
	}
	if s := p.Schedule; s.Store != "" && !strings.Contains(s.Store, "://") && !filepath.IsAbs(s.Store) {
		s.Store = filepath.Join(filepath.Dir(d.file.name), s.Store)
	}
}
