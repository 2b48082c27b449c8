// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"context"
	"fmt"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
)

// A ScheduleState is how the scheduler's store stands.
type ScheduleState struct {
	Jobs    map[[2]string]int // by state and health
	Workers int               // schedulers that serve the store
	Due     int               // runs that are ready and have not begun
	Running int
	Late    time.Duration // how long the first of the due runs has been ready
}

// Schedule exports metrics of the scheduler with the others. Read is called for each scrape; an error leaves out what it would tell.
// The caller reports each run that ended in this process to ran: its state, and how long after its fire time it began.
func (m *Metrics) Schedule(read func(context.Context) (*ScheduleState, error)) (ran func(state string, lag time.Duration), err error) {
	ended := client.NewCounterVec(client.CounterOpts{Name: "toolvet_schedule_runs_total", Help: "Runs that ended in this process, by state."}, []string{"state"})
	lags := client.NewHistogram(client.HistogramOpts{
		Name: "toolvet_schedule_lag_seconds", Help: "From the fire time of a run to its beginning in this process.",
		Buckets: []float64{.01, .05, .1, .5, 1, 5, 10, 60, 300, 3600},
	})
	for _, c := range []client.Collector{ended, lags, &scheduleCollector{read}} {
		if err := m.registry.Register(c); err != nil {
			return nil, fmt.Errorf("prometheus: %w", err)
		}
	}
	return func(state string, lag time.Duration) {
		ended.WithLabelValues(state).Inc()
		lags.Observe(max(lag, 0).Seconds())
	}, nil
}

// scheduleCollector reads the state of the store when it is asked.
type scheduleCollector struct {
	read func(context.Context) (*ScheduleState, error)
}

var (
	scheduleJobs    = client.NewDesc("toolvet_schedule_jobs", "Jobs of the store, by state and health.", []string{"state", "health"}, nil)
	scheduleWorkers = client.NewDesc("toolvet_schedule_workers", "Schedulers that serve the store.", nil, nil)
	scheduleDue     = client.NewDesc("toolvet_schedule_due_runs", "Runs of the store that are ready and have not begun.", nil, nil)
	scheduleRunning = client.NewDesc("toolvet_schedule_running_runs", "Runs of the store that are under way.", nil, nil)
	scheduleLate    = client.NewDesc("toolvet_schedule_late_seconds", "How long the first of the due runs has been ready; 0 if none is.", nil, nil)
)

// Describe implements [client.Collector].
func (*scheduleCollector) Describe(to chan<- *client.Desc) {
	for _, d := range []*client.Desc{scheduleJobs, scheduleWorkers, scheduleDue, scheduleRunning, scheduleLate} {
		to <- d
	}
}

// Collect implements [client.Collector].
func (s *scheduleCollector) Collect(to chan<- client.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	now, err := s.read(ctx)
	if err != nil {
		return // the scheduler's log says why
	}
	gauge := func(d *client.Desc, v float64, labels ...string) {
		to <- client.MustNewConstMetric(d, client.GaugeValue, v, labels...)
	}
	for of, n := range now.Jobs {
		gauge(scheduleJobs, float64(n), of[0], of[1])
	}
	gauge(scheduleWorkers, float64(now.Workers))
	gauge(scheduleDue, float64(now.Due))
	gauge(scheduleRunning, float64(now.Running))
	gauge(scheduleLate, now.Late.Seconds())
}
