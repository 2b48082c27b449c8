// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/toolvet/toolvet/record/telemetry"
)

// A policyCollector exports the policy in force at the moment of each scrape. Without one it exports nothing.
type policyCollector struct {
	read atomic.Pointer[func() telemetry.Policy]
}

var (
	policyInForce = prometheus.NewDesc("toolvet_policy_in_force_timestamp_seconds",
		"When the policy in force came into force, by the SHA-256 of its text.", []string{"digest"}, nil)
	policyRefused = prometheus.NewDesc("toolvet_policy_refused",
		"Whether the policy's file holds something that is not in force.", nil, nil)
)

// Policy exports the policy in force; see [telemetry.PolicyObserver].
func (m *Metrics) Policy(read func() telemetry.Policy) { m.policy.read.Store(&read) }

// Describe implements [prometheus.Collector].
func (c *policyCollector) Describe(to chan<- *prometheus.Desc) {
	to <- policyInForce
	to <- policyRefused
}

// Collect implements [prometheus.Collector].
func (c *policyCollector) Collect(to chan<- prometheus.Metric) {
	read := c.read.Load()
	if read == nil {
		return
	}
	p, refused := (*read)(), 0.0
	if p.Refused {
		refused = 1
	}
	to <- prometheus.MustNewConstMetric(policyInForce, prometheus.GaugeValue, float64(p.Since.UnixNano())/1e9, p.Digest)
	to <- prometheus.MustNewConstMetric(policyRefused, prometheus.GaugeValue, refused)
}
