// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/toolvet/toolvet/schedule"
)

// functions are our functions for templates.
var functions = template.FuncMap{
	"vis": visible, "plain": plain, "clip": clip, "options": optionsOf, "actions": actionsOf,
	"chip": func(base string, e entry) chip { return chip{base, e} },
	"more": func(list []string) int { return len(list) - 1 }, "few": few,
}

// maxFindings bounds the findings of one kind on a page.
const maxFindings = 50

// few shortens a list, and says how much is missing.
func few(list []string) []string {
	if len(list) <= maxFindings {
		return list
	}
	return append(slices.Clone(list[:maxFindings]), fmt.Sprintf("and %d more", len(list)-maxFindings))
}

// A chip is a run in the calendar, with a link to its job.
type chip struct {
	Base string
	entry
}

// options are the choices of a form's field; the first means any.
type options struct {
	Now string
	All []option
}

type option struct{ Value, Word string }

func optionsOf(now, first string, values ...string) options {
	o := options{now, []option{{"", first}}}
	for _, v := range values {
		o.All = append(o.All, option{v, v})
	}
	return o
}

// actions are the buttons of a job.
type actions struct {
	Base, Form, From, Query string
	ID, Job                 string
	Acts                    []action
}

type action struct{ Name, Word string }

// actionsOf returns the buttons for a job in its state. From and query identify the visitor's page, to lead back to.
func actionsOf(base, form, from, query string, j *schedule.Job) actions {
	a := actions{Base: base, Form: form, From: from, Query: query, ID: j.ID, Job: j.Name}
	trigger, validate := action{"trigger", "Run now"}, action{"validate", "Validate"}
	switch j.State {
	case schedule.Active:
		a.Acts = []action{validate, {"pause", "Pause"}, trigger}
	case schedule.Paused:
		a.Acts = []action{validate, {"resume", "Resume"}, trigger}
	default:
		a.Acts = []action{validate, trigger}
	}
	return a
}
