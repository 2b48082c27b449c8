// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cron

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolvet/toolvet/check"
)

// Options are what a policy demands of a cron expression. The zero Options demand five
// fields that fire at some time, read in UTC.
//
// Options must not be changed once a check has seen them. They are safe for concurrent use.
type Options struct {
	Timezone    string        `policy:"timezone" doc:"zone that the times are in, such as Europe/Vienna; default: UTC"`
	Seconds     bool          `policy:"seconds" doc:"true: six fields, the first of which is seconds; default: five"`
	MinInterval time.Duration `policy:"min_interval" doc:"a schedule that fires more often brings a warning; default 1m"`
	MaxHorizon  time.Duration `policy:"max_horizon" doc:"how far away the first time may be; default: 12 years"`
	Allow       []string      `policy:"allow" doc:"what else may be written: macros (@daily), every (@every 90s)"`

	once     sync.Once
	location *time.Location
	err      error
}

// The forms that are allowed by name.
const (
	macros = "macros"
	every  = "every"
)

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list []check.Problem
	fail := func(field, format string, args ...any) {
		list = append(list, check.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if _, err := load(o.Timezone); err != nil {
		fail("timezone", "must be the name of a time zone, such as Europe/Vienna")
	}
	if o.MinInterval < 0 {
		fail("min_interval", "must not be negative")
	}
	if o.MaxHorizon < 0 {
		fail("max_horizon", "must not be negative")
	}
	for _, name := range o.Allow {
		if name != macros && name != every {
			fail("allow", "must hold only macros, every")
			break
		}
	}
	return list
}

func load(name string) (*time.Location, error) {
	if strings.EqualFold(name, "local") {
		return nil, fmt.Errorf("the zone must be named")
	}
	return time.LoadLocation(name) // "" is UTC
}

func (o *Options) zone() (*time.Location, error) {
	o.once.Do(func() { o.location, o.err = load(o.Timezone) })
	return o.location, o.err
}

func (o *Options) interval() time.Duration {
	if o.MinInterval == 0 {
		return time.Minute
	}
	return o.MinInterval
}

func (o *Options) allows(name string) bool { return slices.Contains(o.Allow, name) }
