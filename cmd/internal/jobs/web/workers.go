// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/schedule"
)

// A workerRow is a scheduler that serves the store.
type workerRow struct {
	*schedule.Worker
	Any                bool // it knows any server
	Began, Seen, Since *stamp
	Skew               string // "" while it does not matter
	Badge              outlook
}

type workersView struct {
	frame
	Rows []workerRow
}

// workersPage shows the schedulers. A visitor with jobs of the own subject alone learns nothing about other servers.
func (v *visit) workersPage() error {
	if v.apart {
		return schedule.ErrNotFound
	}
	if err := v.may("list", map[string]string{}); err != nil {
		return err
	}
	list, err := inside.Of(v.jobs).Workers(v.ctx())
	if err != nil {
		return err
	}
	view, now := workersView{frame: v.frame("Schedulers", "workers")}, v.cfg.Now()
	for _, w := range list {
		view.Rows = append(view.Rows, workerRow{
			Worker: w, Any: w.Servers == nil, Began: stampOf(w.Started, v.cfg.Zone, now), Seen: stampOf(w.Seen, v.cfg.Zone, now),
			Since: stampOf(w.Since, v.cfg.Zone, now), Skew: w.Wrong(), Badge: outlook{Tone: warning, Word: "wrong clock"},
		})
	}
	return v.show("workers", view)
}
