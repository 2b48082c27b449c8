// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/jobs/web"
	"github.com/toolvet/toolvet/schedule"
)

// TestNewJob: a visitor looks at what would come of a job, mends it, and makes it.
func TestNewJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.wants(f.get("/schedule/new"), 200, "New job", "Make the job")
	fields := []string{"name", "<b>night</b>", "tool", "files:read", "arguments", `{"n": 1.50, "path": "a<b"}`, "schedule", "every day at 25 o'clock", "tags", "a, b ,,"}
	p := f.post("/schedule/new", "/schedule/new", append(fields, "do", "save")...)
	f.wants(p, http.StatusUnprocessableEntity, "It was not made", "/schedule")
	if strings.Contains(p.body, "<b>night") || !strings.Contains(p.body, "&lt;b&gt;night") || !strings.Contains(p.body, `a&lt;b`) {
		t.Errorf("the form lost what was typed, or does not escape it: %s", p.body)
	}
	fields[7] = "every weekday at 9am"
	fields = append(fields, "timezone", "Europe/Vienna", "except", "12-25", "shift", "after", "overlap", "skip", "retries", "2", "alert_late", "10m", "at_most_once", "")
	f.wants(f.post("/schedule/new", "/schedule/new", append(fields, "do", "look")...), 200, "It would work", "at 09:00, every Monday to Friday, except 12-25", "09:00")
	if list, err := f.jobs.List(t.Context(), schedule.JobFilter{}); err != nil || len(list) > 0 {
		t.Fatalf("a look made %v, %v", list, err)
	}
	p = f.post("/schedule/new", "/schedule/new", append(fields, "do", "save", "paused", "on")...)
	if p.status != http.StatusSeeOther {
		t.Fatalf("%d %s", p.status, p.plainText())
	}
	f.wants(f.get(p.header.Get("Location")), 200, "The job is made.", "<b>night</b>", "paused")
	list, err := f.jobs.List(t.Context(), schedule.JobFilter{})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	want := schedule.Spec{
		Name: "<b>night</b>", Tool: "files:read", Arguments: []byte(`{"n":1.50,"path":"a\u003cb"}`), Schedule: "every weekday at 9am", Zone: "Europe/Vienna",
		Tags: []string{"a", "b"}, Except: []string{"12-25"}, Shift: "after", Retries: 2, AlertLate: schedule.Duration(10 * time.Minute),
	}
	if diff := cmp.Diff(want, list[0].Spec, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the job (-want +got):\n%s", diff)
	}
	f.wants(f.post("/schedule/new", "/schedule/new", append(fields, "do", "save")...), http.StatusUnprocessableEntity, schedule.ErrNameTaken.Error())
}

// TestEditJob: the form of a job has its fields, and changes nothing but what is changed in it.
func TestEditJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	spec := schedule.Spec{
		Name: "night", Tool: "files:read", Arguments: []byte(`{"n":10000000000000000001}`), Schedule: "every 90m", Zone: "Europe/Vienna", Description: "two\nlines",
		Tags: []string{"a"}, Until: now.AddDate(1, 0, 0), MaxRuns: 7, Timeout: schedule.Duration(time.Minute), Retries: 1, Backoff: schedule.Duration(time.Second), Overlap: "queue",
		CatchUp: "all", CatchUpLimit: 3, Jitter: schedule.Duration(time.Second), AlertFailure: true, AlertReminder: schedule.Duration(time.Hour),
	}
	j := f.create(spec, func(j *schedule.Job) { j.ManagedBy = "<i>file</i>" })
	before, err := f.jobs.Get(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	path := "/schedule/jobs/" + j.ID + "/edit"
	p := f.get(path)
	f.wants(p, 200, "Edit night", "belongs to the file of jobs <i>file</i>")
	typed := formOf(t, p.body)
	send := func(do string, change ...string) page {
		for i := 0; i < len(change); i += 2 {
			typed[change[i]] = change[i+1]
		}
		all := []string{"do", do}
		for name, value := range typed {
			all = append(all, name, value)
		}
		return f.post(path, path, all...)
	}
	if p = send("save"); p.status != http.StatusSeeOther {
		t.Fatalf("%d %s", p.status, p.plainText())
	}
	f.wants(f.get(p.header.Get("Location")), 200, "The job is changed.")
	same, err := f.jobs.Get(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Spec, same.Spec, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("a form that was sent as it came changes the job (-want +got):\n%s", diff)
	}
	f.wants(send("save", "retries", "many", "arguments", "{"), http.StatusUnprocessableEntity, "It was not changed", "Retries: must be a whole number", "Arguments: cannot be read as JSON")
	f.wants(send("save", "retries", "1", "arguments", `{"a":1,"a":2}`), http.StatusUnprocessableEntity, "is given twice")
	f.wants(send("save", "arguments", `[]`), http.StatusUnprocessableEntity, "arguments")
	f.wants(send("look", "arguments", `{}`, "end_date", "", "schedule", "every monday at 9am"), 200, "It would work", "every Monday")
	if p = send("save"); p.status != http.StatusSeeOther {
		t.Fatalf("%d %s", p.status, p.plainText())
	}
	changed, err := f.jobs.Get(t.Context(), j.ID)
	if err != nil {
		t.Fatal(err)
	}
	spec.Arguments, spec.Until, spec.Schedule = []byte("{}"), time.Time{}, "every monday at 9am"
	if diff := cmp.Diff(spec, changed.Spec, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the changed job (-want +got):\n%s", diff)
	}
}

// TestLargeArguments: a form that could not hold the arguments would cut them.
func TestLargeArguments(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	j := f.create(schedule.Spec{Name: "large", Tool: "files:read", Schedule: "@daily", Arguments: []byte(`{"x":"` + strings.Repeat("x", 70_000) + `"}`)}, nil)
	f.wants(f.get("/schedule/jobs/"+j.ID+"/edit"), 200, "too large for a form", "!Change the job")
	body := strings.Repeat("%00", 100_000)
	f.wants(f.do(f.request(http.MethodPost, "/schedule/new", "form="+f.word("/schedule/new")+"&name="+body)), http.StatusBadRequest, "The form cannot be read")
}

// TestEditAsked: the policy judges all that a form asks for.
func TestEditAsked(t *testing.T) {
	t.Parallel()
	var asked []string
	f := newFixture(t, func(cfg *web.Config) {
		cfg.Permit = func(_ context.Context, _ call.Session, tool string, arguments any) error {
			fields, ok := arguments.(map[string]any)
			if ok && (fields["allow_warnings"] == true || fields["paused"] == true) {
				asked = append(asked, tool)
				return errors.New("not with this")
			}
			return nil
		}
	})
	fields := []string{"name", "x", "tool", "files:read", "schedule", "@daily", "do", "save"}
	f.wants(f.post("/schedule/new", "/schedule/new", append(fields, "allow_warnings", "on")...), http.StatusForbidden, "not with this")
	f.wants(f.post("/schedule/new", "/schedule/new", append(fields, "paused", "on")...), http.StatusForbidden, "not with this")
	path := "/schedule/jobs/" + f.create(schedule.Spec{Name: "y", Tool: "files:read", Schedule: "@daily"}, nil).ID + "/edit"
	f.wants(f.post(path, path, append(fields, "allow_warnings", "on")...), http.StatusForbidden, "not with this")
	if diff := cmp.Diff([]string{"create", "create", "update"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// TestEditPermit: who may not make or change jobs sees no form, and another's job is not there.
func TestEditPermit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(cfg *web.Config) {
		cfg.Apart = func() bool { return true }
		cfg.Who = func(*http.Request) call.Session { return call.Session{Subject: "ann"} }
		cfg.Permit = func(_ context.Context, _ call.Session, tool string, _ any) error {
			if tool == "create" {
				return errors.New("the policy does not allow this")
			}
			return nil
		}
	})
	theirs := f.createAs(&call.Session{Subject: "bob"}, schedule.Spec{Name: "theirs", Schedule: "@daily"}, nil)
	f.createAs(&call.Session{Subject: "ann"}, schedule.Spec{Name: "hers", Schedule: "@daily"}, nil) // whose buttons prove where a form comes from
	f.wants(f.get("/schedule/new"), http.StatusForbidden, "the policy does not allow this")
	f.wants(f.post("/schedule/", "/schedule/new", "name", "x", "tool", "a:b", "schedule", "@daily", "do", "save"), http.StatusForbidden)
	for _, at := range []string{"", "/edit"} {
		f.wants(f.get("/schedule/jobs/"+theirs.ID+at), http.StatusNotFound)
	}
	f.wants(f.post("/schedule/", "/schedule/jobs/"+theirs.ID+"/edit", "name", "mine", "do", "save"), http.StatusNotFound)
	if j, err := f.jobs.Get(t.Context(), theirs.ID); err != nil || j.Name != "theirs" {
		t.Error(j, err)
	}
}

// formOf returns what a browser would send of the form of a page.
func formOf(t *testing.T, body string) map[string]string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	form := map[string]string{}
	for n := range doc.Descendants() {
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		_, checked := attr["checked"]
		switch {
		case n.Type != html.ElementNode || attr["name"] == "" || attr["type"] == "hidden":
		case n.Data == "textarea":
			form[attr["name"]] = ""
			if n.FirstChild != nil {
				form[attr["name"]] = strings.ReplaceAll(n.FirstChild.Data, "\n", "\r\n")
			}
		case n.Data == "select":
			for o := range n.Descendants() {
				selected := false
				for _, a := range o.Attr {
					selected = selected || a.Key == "selected"
				}
				if o.Data == "option" && (selected || form[attr["name"]] == "") {
					form[attr["name"]] = o.FirstChild.Data
				}
			}
		case n.Data == "input" && (attr["type"] != "checkbox" || checked):
			form[attr["name"]] = attr["value"]
		}
	}
	return form
}
