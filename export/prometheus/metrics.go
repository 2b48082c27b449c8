// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package prometheus counts and times calls for a registerer of Prometheus:
//
//	metrics, err := prometheus.New(prometheus.WithRegisterer(registry))
//	record, err := record.Open(p.Log, record.Options{Observer: metrics})
//
// The metrics:
//
//	toolvet_calls_total{server,tool,verdict,code}   calls by their outcome
//	toolvet_added_latency_seconds{server}           time that toolvet added to a call
//	toolvet_check_duration_seconds{check}           duration of checks
//	toolvet_redactions_total{pattern}               texts taken out of results
//	toolvet_limits_total{limit}                     calls that a limit refused
//	toolvet_policy_in_force_timestamp_seconds{digest}  when the policy in force came into force; its SHA-256
//	toolvet_policy_refused                          1 while the policy's file holds something that is not in force
//
// Labels have a bounded number of values: a tool that the server does
// not list, or a name beyond the bound, is "other".
package prometheus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/toolvet/toolvet/record/telemetry"
)

// Metrics is a telemetry.Observer; [New] makes one. It is safe for concurrent use.
type Metrics struct {
	calls, redactions, limits *prometheus.CounterVec
	added, checks             *prometheus.HistogramVec

	policy policyCollector

	servers, tools, checkNames, patterns, policyLimits names
}

var _ telemetry.PolicyObserver = (*Metrics)(nil)

// An Option changes what [New] makes.
type Option interface{ apply(*config) }

type config struct{ registerer prometheus.Registerer }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// WithRegisterer registers the metrics with r. The default is the global prometheus.DefaultRegisterer.
func WithRegisterer(r prometheus.Registerer) Option {
	return optionFunc(func(c *config) { c.registerer = r })
}

// New makes metrics and registers them. A nil option, a nil registerer, and one that has such metrics already, are
// errors. After an error nothing stays registered.
func New(options ...Option) (*Metrics, error) {
	to := config{prometheus.DefaultRegisterer}
	for i, option := range options {
		if option == nil {
			return nil, fmt.Errorf("prometheus: option %d is nil", i)
		}
		option.apply(&to)
	}
	if to.registerer == nil {
		return nil, errors.New("prometheus: the registerer is nil")
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "toolvet", Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "toolvet", Name: name, Help: help,
			Buckets: []float64{1e-5, 5e-5, 1e-4, 5e-4, .001, .005, .01, .05, .1, .5, 1, 5}}, labels)
	}
	m := &Metrics{
		calls:      counter("calls_total", "Calls by server, tool, verdict and code of the refusal.", "server", "tool", "verdict", "code"),
		redactions: counter("redactions_total", "Texts taken out of results, by pattern.", "pattern"),
		limits:     counter("limits_total", "Calls that a limit refused, by limit.", "limit"),
		added:      histogram("added_latency_seconds", "Time that toolvet added to a call.", "server"),
		checks:     histogram("check_duration_seconds", "How long a check took.", "check"),
		servers:    names{max: 100}, tools: names{max: 2000}, checkNames: names{max: 500}, patterns: names{max: 1000}, policyLimits: names{max: 1000},
	}
	list := []prometheus.Collector{m.calls, m.redactions, m.limits, m.added, m.checks, &m.policy}
	for i, c := range list {
		if err := to.registerer.Register(c); err != nil {
			for _, registered := range list[:i] {
				to.registerer.Unregister(registered)
			}
			return nil, fmt.Errorf("prometheus: %w", err)
		}
	}
	return m, nil
}

// Start counts nothing yet.
func (m *Metrics) Start(ctx context.Context, c telemetry.Call) (context.Context, telemetry.Span) {
	s := span{metrics: m, Silent: telemetry.Silent(telemetry.TraceID(c.Meta)), server: m.servers.bound(c.Server), tool: other}
	if c.Known && s.server != other {
		s.tool = m.tools.of(s.server, c.Tool)
	}
	return ctx, s
}

// Checked times a check.
func (m *Metrics) Checked(_ context.Context, check string, took time.Duration) {
	if h, err := m.checks.GetMetricWithLabelValues(m.checkNames.bound(check)); err == nil {
		h.Observe(took.Seconds())
	}
}

type span struct {
	metrics *Metrics
	telemetry.Silent
	server, tool string
}

// End counts and times the call.
func (s span) End(o telemetry.Outcome) {
	m := s.metrics
	add(m.calls, 1, s.server, s.tool, oneOf(o.Verdict, "go", "no-go", "observed"),
		oneOf(o.Code(), "", "SCHEMA", "SEMANTIC", "POLICY", "RATE_LIMIT", "OUTPUT"))
	if h, err := m.added.GetMetricWithLabelValues(s.server); err == nil {
		h.Observe(o.Added.Seconds())
	}
	for pattern, n := range o.Redactions {
		add(m.redactions, n, m.patterns.bound(pattern))
	}
	for _, limit := range o.Limits {
		add(m.limits, 1, m.policyLimits.bound(limit))
	}
}

// add ignores errors, because observing must not affect a call.
func add(c *prometheus.CounterVec, n int, labels ...string) {
	if n <= 0 {
		return
	}
	if counter, err := c.GetMetricWithLabelValues(labels...); err == nil {
		counter.Add(float64(n))
	}
}
