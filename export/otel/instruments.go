// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// instruments hold the measurements. The SDK bounds the attributes of each to 2,000 sets, and counts all others
// together.
type instruments struct {
	duration, added, checks   metric.Float64Histogram // seconds
	calls, redactions, limits metric.Int64Counter
}

func newInstruments(m metric.Meter, policy *policyState) (instruments, error) {
	var errs []error
	histogram := func(name, description string, bounds ...float64) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
		errs = append(errs, err)
		return h
	}
	counter := func(name, unit, description string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
		errs = append(errs, err)
		return c
	}
	fine := []float64{1e-5, 5e-5, 1e-4, 5e-4, .001, .005, .01, .05, .1, .5, 1, 5}
	if err := observePolicy(m, policy); err != nil {
		errs = append(errs, err)
	}
	i := instruments{
		// The bounds come from the conventions.
		duration: histogram("mcp.server.operation.duration", "How long a call took, the tool included.",
			.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300),
		added:      histogram("toolvet.added.duration", "Time that toolvet added to a call.", fine...),
		checks:     histogram("toolvet.check.duration", "How long a check took.", fine...),
		calls:      counter("toolvet.calls", "{call}", "Calls by verdict and code of the refusal."),
		redactions: counter("toolvet.redactions", "{redaction}", "Texts taken out of results, by pattern."),
		limits:     counter("toolvet.limits", "{call}", "Calls that a limit refused, by limit."),
	}
	return i, errors.Join(errs...)
}
