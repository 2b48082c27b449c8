// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package prometheus serves the metrics of package export/prometheus to a scraper, with those of the Go runtime
// and the process:
//
//	metrics, err := prometheus.New()
//	http.Handle("/metrics", metrics.Handler()) // on an address that only the scraper reaches
package prometheus

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/toolvet/toolvet/export/prometheus"
)

// Metrics is a telemetry.Observer. It is safe for concurrent use.
type Metrics struct {
	*prometheus.Metrics
	registry *client.Registry
}

// New makes metrics with a registry of their own.
func New() (*Metrics, error) {
	m := &Metrics{registry: client.NewRegistry()}
	var err error
	if m.Metrics, err = prometheus.New(prometheus.WithRegisterer(m.registry)); err != nil {
		return nil, err
	}
	if err := errors.Join(m.registry.Register(collectors.NewGoCollector()),
		m.registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))); err != nil {
		return nil, fmt.Errorf("prometheus: %w", err)
	}
	return m, nil
}

// Handler serves the metrics, to a few scrapers at a time.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}
