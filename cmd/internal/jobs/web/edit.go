// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/schedule"
)

// A field is one field of the form for a job. Its name is that of the field of schedule.Spec.
type field struct {
	Name, Label, Hint string
	Kind              string   // line, text, list, number, span, flag, moment, json or choice
	Choices           []string // of a choice; the first is the default
	Value             string
	More              bool // it is among those that few jobs need
}

// jobFields are the fields of the form, in their order.
func jobFields() []field {
	return []field{
		{Name: "name", Label: "Name", Kind: "line"},
		{Name: "tool", Label: "Tool", Kind: "line", Hint: "server:tool"},
		{Name: "arguments", Label: "Arguments", Kind: "json", Value: "{}", Hint: "a JSON object"},
		{Name: "schedule", Label: "Schedule", Kind: "line", Hint: "every weekday at 9am, 0 9 * * 1-5, every 90m, in 5 minutes, or a moment such as 2026-12-24T18:00:00Z"},
		{Name: "timezone", Label: "Time zone", Kind: "line", Hint: "such as Europe/Vienna; UTC if there is none"},
		{Name: "description", Label: "Description", Kind: "text"},
		{Name: "tags", Label: "Tags", Kind: "list", Hint: "with commas between them"},
		{Name: "except", Label: "Not on", Kind: "list", More: true, Hint: "calendars or times: holidays, weekend, 12-24..01-02"},
		{Name: "shift", Label: "Runs at such times", Kind: "choice", Choices: []string{"none", "before", "after"}, More: true},
		{Name: "end_date", Label: "No run after", Kind: "moment", More: true, Hint: "2026-12-24T18:00:00Z"},
		{Name: "fire_once", Label: "End after the first run", Kind: "flag", More: true},
		{Name: "max_runs", Label: "End after so many runs", Kind: "number", More: true},
		{Name: "timeout", Label: "Time-out of a run", Kind: "span", More: true, Hint: "5m if there is none"},
		{Name: "retries", Label: "Retries", Kind: "number", More: true},
		{Name: "backoff", Label: "Pause before the first retry", Kind: "span", More: true, Hint: "10s if there is none"},
		{Name: "overlap", Label: "While a run goes on", Kind: "choice", Choices: []string{"skip", "queue", "allow"}, More: true},
		{Name: "catch_up", Label: "Missed runs that run late", Kind: "choice", Choices: []string{"none", "last", "all"}, More: true},
		{Name: "catch_up_limit", Label: "At most so many of them", Kind: "number", More: true},
		{Name: "jitter", Label: "Largest random delay", Kind: "span", More: true},
		{Name: "at_most_once", Label: "Never run twice", Kind: "flag", More: true},
		{Name: "alert_failure", Label: "Alert for each failure", Kind: "flag", More: true},
		{Name: "alert_success", Label: "Alert for each success", Kind: "flag", More: true},
		{Name: "alert_late", Label: "Alert if a run is late by", Kind: "span", More: true},
		{Name: "alert_long", Label: "Alert if a run takes longer than", Kind: "span", More: true},
		{Name: "alert_reminder", Label: "Reminder while it is not well, every", Kind: "span", More: true},
	}
}

// take reads the field from a form, and returns its value for a patch. The error names a value that has no such form.
func (f *field) take(form url.Values) (any, error) {
	f.Value = form.Get(f.Name)
	text := strings.TrimSpace(f.Value)
	switch f.Kind {
	case "text":
		return strings.ReplaceAll(f.Value, "\r\n", "\n"), nil
	case "list":
		list := []string{}
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list, nil
	case "number":
		if text == "" {
			return 0, nil
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, errors.New(f.Label + ": must be a whole number")
		}
		return n, nil
	case "span":
		if text == "" {
			return "0s", nil
		}
	case "flag":
		return text != "", nil
	case "choice":
		if text == f.Choices[0] {
			return "", nil // the default, as jobs have it that say nothing
		}
	case "moment":
		if text == "" {
			return nil, nil
		}
	case "json":
		if text == "" {
			return json.RawMessage("{}"), nil
		}
		if !json.Valid([]byte(text)) {
			var v any
			return nil, errors.New(f.Label + ": cannot be read as JSON: " + json.Unmarshal([]byte(text), &v).Error())
		}
		return json.RawMessage(text), nil
	}
	return text, nil
}

// show sets the value of the field to that of a job.
func (f *field) show(of map[string]any) {
	switch v := of[f.Name].(type) {
	case nil:
		f.Value = ""
	case string:
		f.Value = v
	case bool:
		f.Value = ""
		if v {
			f.Value = "on"
		}
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i], _ = v[i].(string)
		}
		f.Value = strings.Join(parts, ", ")
	case float64:
		f.Value = strconv.FormatFloat(v, 'f', -1, 64)
	}
}

type editView struct {
	frame
	Job           *schedule.Job // nil for a new one
	Fields        []field
	AllowWarnings bool
	Paused        bool // of a new job
	Faults        []string
	Warnings      []string
	Fixes         []string
	Understood    string
	Next          []*stamp
	Seen          bool // the form was judged
	TooLarge      bool // the arguments are too large for a form
}

// maxFormArguments bounds the arguments in a form, which may take three bytes for one.
const maxFormArguments = 64 << 10

func (v *visit) newPage() error {
	if err := v.may("create", nil); err != nil {
		return err
	}
	return v.show("edit", editView{frame: v.frame("New job", "jobs"), Fields: jobFields()})
}

func (v *visit) editPage() error {
	j, err := v.job("update")
	if err != nil {
		return err
	}
	view := editView{frame: v.frame("Edit "+plain(j.Name), "job"), Job: j, Fields: jobFields(), AllowWarnings: j.AllowWarnings}
	if len(j.Arguments) > maxFormArguments {
		view.TooLarge = true
		return v.show("edit", view)
	}
	text, err := json.Marshal(j.Spec)
	if err != nil {
		return err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for i := range view.Fields {
		f := &view.Fields[i]
		if f.Kind == "json" {
			f.Value = string(j.Arguments) // as it was given: numbers keep their spelling
			continue
		}
		f.show(all)
	}
	return v.show("edit", view)
}

// create makes a job from a form, or shows what would come of it.
func (v *visit) create() error { return v.save(nil) }

// edit changes a job by a form, or shows what would come of it.
func (v *visit) edit() error {
	j, err := v.job("update")
	if err != nil {
		return err
	}
	return v.save(j)
}

// save makes a job, or changes one, if the visitor asks for that and the job could work. Otherwise it shows the form again, with
// the reasons.
func (v *visit) save(old *schedule.Job) error {
	form := v.r.PostForm
	view := editView{frame: v.frame("New job", "jobs"), Job: old, Fields: jobFields(), AllowWarnings: form.Get("allow_warnings") != "", Paused: form.Get("paused") != "", Seen: true}
	if old != nil {
		view.Title = "Edit " + plain(old.Name)
	}
	patch := map[string]any{}
	for i := range view.Fields {
		f := &view.Fields[i]
		value, err := f.take(form)
		if err != nil {
			view.Faults = append(view.Faults, err.Error())
			continue
		}
		patch[f.Name] = value
	}
	if len(view.Faults) > 0 {
		v.render(v.w, http.StatusUnprocessableEntity, "edit", view)
		return nil
	}
	tool, arguments := "create", maps.Clone(patch)
	if old != nil {
		tool, arguments = "update", map[string]any{"job": old.ID, "changes": patch}
	}
	for name, set := range map[string]bool{"allow_warnings": view.AllowWarnings, "paused": view.Paused && old == nil} {
		if set { // a rule may speak of it
			arguments[name] = true
		}
	}
	if err := v.may(tool, arguments); err != nil {
		return err
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	j, p, err := v.propose(old, text, schedule.How{AllowWarnings: view.AllowWarnings, Paused: view.Paused}, form.Get("do") == "save")
	if j != nil && err == nil {
		http.Redirect(v.w, v.r, v.base+"jobs/"+j.ID+"?done="+tool, http.StatusSeeOther)
		return nil
	}
	return v.judged(&view, p, err)
}

// propose judges a job, and makes or changes it if that is asked for. It returns a job then.
func (v *visit) propose(old *schedule.Job, text []byte, how schedule.How, save bool) (*schedule.Job, *schedule.Proposal, error) {
	if old != nil {
		if save {
			return v.jobs.Update(v.ctx(), old.ID, text, how)
		}
		p, err := inside.Of(v.jobs).ProposeUpdate(v.ctx(), old.ID, text, how)
		return nil, p, err
	}
	var spec schedule.Spec
	if _, err := jobspec.Decode(text, &spec); err != nil {
		return nil, nil, err
	}
	if save {
		return v.jobs.Create(v.ctx(), spec, &v.who, how)
	}
	p, err := v.jobs.Propose(v.ctx(), spec, &v.who, how)
	return nil, p, err
}

// judged shows the form with what was found.
func (v *visit) judged(view *editView, p *schedule.Proposal, err error) error {
	status := http.StatusOK
	if err != nil {
		status = http.StatusUnprocessableEntity
	}
	if refused := (*schedule.RefusedError)(nil); err != nil && !errors.As(err, &refused) {
		if errors.Is(err, schedule.ErrNotFound) {
			return err
		}
		view.Faults = append(view.Faults, err.Error())
	}
	if p != nil {
		view.Faults, view.Warnings, view.Fixes, view.Understood = append(view.Faults, p.Errors...), p.Warnings, p.Suggestions, p.Understood
		for _, at := range p.Next {
			view.Next = append(view.Next, stampOf(at, at.Location(), v.cfg.Now()))
		}
	}
	v.render(v.w, status, "edit", view)
	return nil
}
