// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package schedule runs tool calls at set times. It vets each call three times: when somebody makes the
// job, ahead of each run, and when the job runs.
//
// A [Scheduler] makes, changes and lists jobs, and runs them while [Scheduler.Serve] runs. It keeps
// jobs and runs in a [Store], and judges and makes calls through a [Caller], which is an
// [upstream.Set] in most programs:
//
//	store, err := sqlstore.Open(ctx, "jobs.db")
//	...
//	s, err := schedule.New(schedule.Config{Store: store, Caller: servers})
//	...
//	job, proposal, err := s.Create(ctx, schedule.Spec{
//		Name: "report", Tool: "files:read", Arguments: []byte(`{"path": "/srv/report.csv"}`),
//		Schedule: "every weekday at 9am", Zone: "Europe/Vienna",
//	}, session, schedule.How{})
//	...
//	err = s.Serve(ctx) // until ctx is done
//
// Create refuses a job that could not work, and the [RefusedError] tells why. Serve fires jobs, validates the
// coming runs, and reports changes of a job's [Health] through Config.Alert.
//
// Any number of processes may serve the same store: each run is claimed by one of them, under a
// lease. If that process dies, another one takes over its runs.
//
// [Scheduler.Of] returns the scheduler as one owner sees it, for programs with several users. Packages
// schedule/sqlstore and schedule/memstore are stores, and schedule/storetest tests others. The document
// docs/scheduler.md has the words for schedules, and how the program toolvet shows jobs to models and people.
package schedule
