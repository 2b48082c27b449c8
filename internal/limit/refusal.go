// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"fmt"
	"strings"
	"time"
)

// A Meter is a part of a limit: its rate, its concurrency or its quota.
type Meter string

// The meters.
const (
	RateMeter        Meter = "rate"
	ConcurrencyMeter Meter = "concurrency"
	QuotaMeter       Meter = "quota"
)

// A State is the balance of one meter for one caller.
type State struct {
	Limit      string // the limit's name
	Meter      Meter
	Max        int           // the most calls that a caller can have left
	Remaining  int           // calls that are possible now; 0 refuses
	RetryAfter time.Duration // until the next call is possible, 0 if one is; see retrySlot
}

// retrySlot is a reasonable wait for a free slot. It promises nothing.
const retrySlot = time.Second

// A Refusal is the error for a call that exceeds a limit. Its text has no value of the key.
type Refusal struct {
	State        // of the meter with the longest wait
	text  string // which calls are limited, and how
}

// Error describes the limit and tells when to retry.
func (r *Refusal) Error() string {
	if r.Meter == ConcurrencyMeter {
		return r.text + "; retry when one has ended"
	}
	return r.text + "; retry in " + roundUp(r.RetryAfter)
}

// refusal reports the meter with the longest wait: after that wait, a call passes.
func refusal(bounds []*bound, balances []Balance) error {
	var worst *Refusal
	for i, b := range bounds[:min(len(bounds), len(balances))] {
		for _, s := range b.states(balances[i]) {
			if s.Remaining == 0 && (worst == nil || s.RetryAfter > worst.RetryAfter) {
				worst = &Refusal{s, b.refusalText(s.Meter)}
			}
		}
	}
	if worst == nil {
		return fmt.Errorf("a limit refuses the call, but the store does not tell which")
	}
	return worst
}

func stateList(bounds []*bound, balances []Balance) []State {
	var list []State
	for i, b := range bounds[:min(len(bounds), len(balances))] {
		list = append(list, b.states(balances[i])...)
	}
	return list
}

func (b *bound) states(left Balance) []State {
	var list []State
	add := func(meter Meter, bounded int, calls int, wait time.Duration) {
		if bounded > 0 {
			list = append(list, State{b.Limit, meter, bounded, max(calls, 0), wait})
		}
	}
	add(RateMeter, b.Burst, left.Rate.Calls, left.Rate.Wait)
	wait := time.Duration(0)
	if left.Concurrency < 1 {
		wait = retrySlot
	}
	add(ConcurrencyMeter, b.Concurrency, left.Concurrency, wait)
	add(QuotaMeter, b.Quota, left.Quota.Calls, left.Quota.Wait)
	return list
}

func (b *bound) refusalText(meter Meter) string {
	text := "too many calls" + b.subject()
	each := b.each()
	switch meter {
	case ConcurrencyMeter:
		return fmt.Sprintf("%s at once: at most %d%s", text, b.Concurrency, each)
	case QuotaMeter:
		return fmt.Sprintf("%s: at most %s%s", text, b.quota, each)
	}
	text = fmt.Sprintf("%s: at most %s%s", text, b.rate, each)
	if b.Burst != b.rate.Calls {
		text += fmt.Sprintf(", in bursts of at most %d", b.Burst)
	}
	return text
}

// subject names the calls that are counted together.
func (b *bound) subject() string {
	switch {
	case b.per.has(Tool):
		return " of this tool"
	case b.per.has(Server):
		return " of this server's tools"
	}
	return ""
}

// each names the callers that are counted together.
func (b *bound) each() string {
	var callers []string
	for _, d := range []Dimension{Identity, Session, ClientAddress} {
		if b.per.has(d) {
			callers = append(callers, strings.ReplaceAll(d.name(), "_", " "))
		}
	}
	if callers == nil {
		return " for all callers together"
	}
	return " for each " + strings.Join(callers, " and ")
}

// roundUp writes a duration in its two greatest units, rounded up.
func roundUp(d time.Duration) string {
	ceil := func(unit time.Duration) time.Duration { return (d + unit - 1) / unit }
	switch seconds, minutes, hours := ceil(time.Second), ceil(time.Minute), ceil(time.Hour); {
	case seconds <= 120:
		return fmt.Sprintf("%d s", max(seconds, 1))
	case minutes <= 120:
		return fmt.Sprintf("%d min", minutes)
	case hours <= 48:
		return fmt.Sprintf("%d h", hours)
	default:
		return fmt.Sprintf("%d days", ceil(24*time.Hour))
	}
}
