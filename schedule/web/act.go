// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"net/url"

	"github.com/toolvet/toolvet/schedule"
)

// done are the words for what a visitor has just done.
var done = map[string]string{
	"validate": "The job was validated.", "pause": "The job is paused.", "resume": "The job runs again by its schedule.", "trigger": "A run was asked for.",
}

// act does to a job what a visitor asks for, and leads back to where that was.
func (v *visit) act() error {
	what := v.r.PathValue("act")
	if done[what] == "" {
		return schedule.ErrNotFound
	}
	tool := what
	if what == "validate" {
		tool = "get" // whoever may see a job may know what will become of it
	}
	j, err := v.job(tool)
	if err != nil {
		return err
	}
	to := url.URL{Path: v.base + "jobs/" + j.ID}
	switch what {
	case "validate":
		_, err = v.jobs.Check(v.ctx(), j)
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
		q, _ := url.ParseQuery(from.Get("query")) // what cannot be read is left out
		to = url.URL{Path: v.base, RawQuery: filterOf(q).query()}
	}
	q := to.Query()
	q.Set("done", what)
	to.RawQuery = q.Encode()
	http.Redirect(v.w, v.r, to.String(), http.StatusSeeOther)
	return nil
}
