// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"net/url"

	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/schedule"
)

// done has the words for the last act of a visitor.
var done = map[string]string{
	"validate": "The job was validated.", "pause": "The job is paused.", "resume": "The job runs again by its schedule.", "trigger": "A run was asked for.",
}

// act changes a job at a visitor's request, and leads back to the page of the request.
func (v *visit) act() error {
	what := v.r.PathValue("act")
	if done[what] == "" {
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
