// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package otel

import (
	"context"
	"errors"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolvet/toolvet/record/telemetry"
)

// A policyState reads the policy in force; nil: there is none.
type policyState struct {
	read atomic.Pointer[func() telemetry.Policy]
}

// Policy exports the policy in force; see [telemetry.PolicyObserver].
func (o *Observer) Policy(read func() telemetry.Policy) { o.policy.read.Store(&read) }

// observePolicy makes the gauges of the policy in force.
func observePolicy(m metric.Meter, state *policyState) error {
	since, err := m.Float64ObservableGauge("toolvet.policy.in_force", metric.WithUnit("s"),
		metric.WithDescription("When the policy in force came into force, in seconds since 1970."))
	refused, other := m.Int64ObservableGauge("toolvet.policy.refused", metric.WithUnit("1"),
		metric.WithDescription("Whether the policy's file holds something that is not in force."))
	if err := errors.Join(err, other); err != nil {
		return err
	}
	_, err = m.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		read := state.read.Load()
		if read == nil {
			return nil
		}
		p, no := (*read)(), int64(0)
		if p.Refused {
			no = 1
		}
		to.ObserveFloat64(since, float64(p.Since.UnixNano())/1e9, metric.WithAttributes(attribute.String("toolvet.policy.digest", p.Digest)))
		to.ObserveInt64(refused, no)
		return nil
	}, since, refused)
	return err
}
