// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A Limit bounds calls by rate, by concurrency, by quota, or by several of them.
type Limit struct {
	Name        string      `policy:"name" doc:"name of the limit, in messages and in stores: letters a to z, digits, - and _"`
	Tools       []string    `policy:"tools" doc:"calls that it holds for, as server:tool, such as github:*; * stands for any characters; default, where requests is absent, too: all calls and requests"`
	Requests    []string    `policy:"requests" doc:"requests other than tools/call that it holds for, as server:method, such as files:resources/*"`
	Per         []Dimension `policy:"per" doc:"parts of a call that have counts of their own: identity, session, server, tool, client_address; default identity, server and tool; [] counts all calls together"`
	Rate        Rate        `policy:"rate" doc:"calls in a time, such as 10/s, 100/min or 5/30s"`
	Burst       Count       `policy:"burst" doc:"calls that may come at once; default as many as the rate names"`
	Concurrency Count       `policy:"concurrency" doc:"calls that may run at the same time"`
	Quota       Quota       `policy:"quota" doc:"calls in an hour, day or month of the calendar, such as 1000/day"`
	Timezone    string      `policy:"timezone" doc:"zone in which a day of the quota begins, such as Europe/Vienna; default UTC"`
}

// Bounds of a limit. A count above them is more likely a slip than intended, and times in microseconds would no
// longer be exact in Redis.
const (
	maxCalls  = 1_000_000_000
	minSpace  = 100 * time.Microsecond // between two calls: 10,000 a second
	maxRefill = 366 * 24 * time.Hour   // of an empty bucket
)

var nameForm = lazyregexp.New(`^[a-z][a-z0-9_-]{0,63}$`)

// Problems lists the faults of the limit, by the names of its fields in a policy.
func (l *Limit) Problems() []check.Problem {
	var list []check.Problem
	fail := func(field, format string, args ...any) {
		list = append(list, check.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if !nameForm.MatchString(l.Name) {
		fail("name", "must begin with a letter from a to z, and hold at most 64 of a to z, 0 to 9, - and _")
	}
	if l.Rate == (Rate{}) && l.Concurrency == 0 && l.Quota == (Quota{}) {
		fail("", "must have a rate, a concurrency or a quota, or it limits nothing")
	}
	for field, patterns := range map[string][]string{"tools": l.Tools, "requests": l.Requests} {
		for _, p := range patterns {
			if _, err := parsePattern(p); err != nil {
				fail(field, "%v", err)
			}
		}
		if len(patterns) == 0 && patterns != nil {
			fail(field, "must name something: without a pattern the limit holds for nothing")
		}
	}
	for _, d := range l.Per {
		if d.name() == "" {
			fail("per", "must hold only %s", dimensionNames())
			break
		}
	}
	l.countProblems(fail)
	if _, err := location(l.Timezone); err != nil {
		fail("timezone", "must be the name of a time zone, such as Europe/Vienna")
	}
	return list
}

func (l *Limit) countProblems(fail func(field, format string, args ...any)) {
	for _, c := range []struct {
		field string
		count Count
	}{{"burst", l.Burst}, {"concurrency", l.Concurrency}, {"rate", Count(l.Rate.Calls)}, {"quota", Count(l.Quota.Calls)}} {
		if c.count < 0 || c.count > maxCalls {
			fail(c.field, "must be a number of calls from 1 to %d", maxCalls)
			return
		}
	}
	switch {
	case l.Rate == Rate{}:
		if l.Burst > 0 {
			fail("burst", "needs a rate")
		}
	case l.Rate.Calls == 0 || l.Rate.Per <= 0:
		fail("rate", "must have a number of calls and a time, such as 10/s")
	case l.Rate.Per/time.Duration(l.Rate.Calls) < minSpace:
		fail("rate", "must be at most 10000 a second")
	case l.Rate.interval() > maxRefill/time.Duration(l.burst()):
		fail("rate", "is too slow: the burst must come back within a year")
	}
	if l.Quota != (Quota{}) && (l.Quota.Calls == 0 || l.Quota.Period.String() == "") {
		fail("quota", "must have a number of calls and a period, such as 1000/day")
	}
}

func (l *Limit) burst() int {
	if l.Burst > 0 {
		return int(l.Burst)
	}
	return l.Rate.Calls
}

// location loads a time zone. It refuses the machine's own, because proxies may differ in it.
func location(name string) (*time.Location, error) {
	if strings.EqualFold(name, "local") {
		return nil, fmt.Errorf("the zone must be named")
	}
	return time.LoadLocation(name) // "" is UTC
}
