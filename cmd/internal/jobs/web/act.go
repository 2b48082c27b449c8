// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/schedule"
)

// done has the words for the last act of a visitor.
var done = map[string]string{
	"validate": "The job was validated.", "pause": "The job is paused.", "resume": "The job runs again by its schedule.", "trigger": "A run was asked for.",
	"create": "The job is made.", "update": "The job is changed.",
	"cancel": "The run is being cancelled.", "replay": "Another run was asked for.",
}

// act changes a job at a visitor's request, and leads back to the page of the request.
func (v *visit) act() error {
	what := v.r.PathValue("act")
	if !slices.Contains([]string{"validate", "pause", "resume", "trigger"}, what) {
		return schedule.ErrNotFound
	}
	tool := what
	if what == "validate" {
		tool = "get" // whoever may see a job may see its next run
	}
	j, err := v.job(tool)
	if err != nil {
		return err
	}
	to := url.URL{Path: v.base + "jobs/" + j.ID}
	switch what {
	case "validate":
		_, err = inside.Of(v.jobs).Check(v.ctx(), j)
	case "pause":
		_, err = v.jobs.Pause(v.ctx(), j.ID)
	case "resume":
		_, err = v.jobs.Resume(v.ctx(), j.ID)
	case "trigger":
		var run *schedule.Run
		if run, err = v.jobs.Trigger(v.ctx(), j.ID); err == nil {
			to.Path = v.base + "runs/" + run.ID
		}
	}
	if err != nil {
		return conflict{err}
	}
	if from := v.r.PostForm; from.Get("from") == "jobs" && what != "trigger" {
		q, _ := url.ParseQuery(from.Get("query")) // parts that cannot be parsed are left out
		to = url.URL{Path: v.base, RawQuery: filterOf(q).query()}
	}
	q := to.Query()
	q.Set("done", what)
	to.RawQuery = q.Encode()
	http.Redirect(v.w, v.r, to.String(), http.StatusSeeOther)
	return nil
}

// actOnRun cancels or repeats a run at a visitor's request, and leads to the page of that run, or of the new one.
func (v *visit) actOnRun() error {
	what, id := v.r.PathValue("act"), speakable(v.r.PathValue("run"))
	do := map[string]func(context.Context, string) (*schedule.Run, error){"cancel": v.jobs.Cancel, "replay": v.jobs.Replay}[what]
	if do == nil {
		return schedule.ErrNotFound
	}
	if err := v.may(what, map[string]string{"run": id}); err != nil {
		return err
	}
	r, err := do(v.ctx(), id)
	switch {
	case errors.Is(err, schedule.ErrNotFound):
		return err
	case err != nil:
		return conflict{err}
	}
	http.Redirect(v.w, v.r, v.base+"runs/"+r.ID+"?done="+what, http.StatusSeeOther)
	return nil
}
