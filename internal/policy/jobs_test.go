// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

const jobsText = `version: 1
managed_by: nightly
jobs:
  - name: backup
    tool: files:list_directory
    arguments: {path: data, deep: [1, 2.50, {a: null}], "$x": "${HOME}"}
    schedule: every day at 3am
    timezone: Europe/Vienna
    tags: [x, y]
    end_date: 2099-12-24T18:00:00+01:00
    timeout: 90s
    overlap: queue
    catch_up: all
    catch_up_limit: 3
    at_most_once: true
    paused: true
  - {name: other, tool: "files:read", schedule: "@daily", allow_warnings: true}
`

func TestParseJobs(t *testing.T) {
	t.Parallel()
	j, err := ParseJobs("jobs.yaml", []byte(jobsText))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"arguments":{"path":"data","deep":[1,2.50,{"a":null}],"$x":"${HOME}"},"at_most_once":true,"catch_up":"all","catch_up_limit":3,` +
		`"end_date":"2099-12-24T18:00:00+01:00","name":"backup","overlap":"queue","schedule":"every day at 3am","tags":["x","y"],` +
		`"timeout":"90s","timezone":"Europe/Vienna","tool":"files:list_directory"}`
	if diff := cmp.Diff(want, string(j.List[0].Fields)); diff != "" {
		t.Errorf("the fields (-want +got):\n%s", diff)
	}
	if first, second := j.List[0], j.List[1]; j.ManagedBy != "nightly" || !first.Paused || first.AllowWarnings || second.Paused || !second.AllowWarnings {
		t.Errorf("got %+v", j)
	}
	for pointer, want := range map[string]string{
		"":                    "jobs.yaml:4:5: the job \"backup\": m",
		"/schedule":           "jobs.yaml:7:15: the job \"backup\": /schedule: m",
		"/arguments/path":     "jobs.yaml:6:23: the job \"backup\": /arguments/path: m",
		"/arguments/deep/1":   "jobs.yaml:6:39: the job \"backup\": /arguments/deep/1: m",
		"/arguments/absent/x": "jobs.yaml:6:16: the job \"backup\": /arguments/absent/x: m",
	} {
		if got := j.List[0].Fault(pointer, "m").Error(); got != want {
			t.Errorf("the fault at %q is %q, want %q", pointer, got, want)
		}
	}
}

func TestParseJobsErrors(t *testing.T) {
	t.Parallel()
	job := func(text string) string {
		return "version: 1\nmanaged_by: n\njobs:\n  - name: a\n    tool: f:x\n    schedule: hourly\n" + text
	}
	for name, tt := range map[string]struct{ text, want string }{
		"empty":            {"", "j:1:1: the job file is empty: it needs version, managed_by and jobs"},
		"no label":         {"version: 1\njobs: []\n", `j:1:1: "managed_by" is missing from the job file`},
		"version":          {"version: 2\nmanaged_by: n\njobs: []\n", "j:1:10: version 2 is not known to this toolvet, which reads version 1"},
		"misspelt member":  {job("    timezon: UTC\n"), `j:7:5: the job "a": unknown key "timezon": did you mean "timezone"?`},
		"misspelt word":    {job("    overlap: skipp\n"), `j:7:14: the job "a": "skipp" is not allowed here: did you mean "skip"?`},
		"duration":         {job("    timeout: 5\n"), `j:7:14: the job "a": must be a string: quote it; it is a number`},
		"no duration":      {job("    timeout: 5 m\n"), `j:7:14: the job "a": must be a duration such as 300ms, 2s or 1h30m`},
		"end":              {job("    end_date: tomorrow\n"), `j:7:15: the job "a": must be a time with its zone, such as 2026-11-21T09:30:00Z or 2026-11-21T09:30:00+01:00`},
		"arguments":        {job("    arguments: [a]\n"), `j:7:16: the job "a": must be a mapping: the arguments by name; it is a list`},
		"given twice":      {job("    tool: f:y\n"), `j:7:5: the job "a": "tool" is given twice: first in line 5`},
		"same name":        {job("  - {name: a, tool: f, schedule: hourly}\n"), `j:7:12: another job has the name "a": in line 4`},
		"a secret's line":  {job("    arguments: {token: !!str geheim}\n"), `j:7:24: a tag is not part of a job file: remove it`},
		"missing schedule": {"version: 1\nmanaged_by: n\njobs: [{name: a, tool: x}]\n", `j:3:8: the job "a": "schedule" is missing from the job`},
		"test_run":         {job("    test_run: real\n"), `j:7:5: the job "a": unknown key "test_run": must be `},
	} {
		j, err := ParseJobs("j", []byte(tt.text))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: got %+v and the error\n%v\nwant\n%s", name, j, err, tt.want)
		}
	}
}

// TestJobsText holds that a written file is read as it was, whatever its strings hold, and that one that could not be read is an
// error.
func TestJobsText(t *testing.T) {
	t.Parallel()
	odd := "a: \"b\"\\ #c\n\t\r\u0000\u200b\u2028\U000e0041\U0001F600é\ufffd {[&*!|>'%@`]}"
	fields, err := json.Marshal(map[string]any{"name": odd, "tool": "f:x", "schedule": "~", "arguments": map[string]any{odd: []any{odd, "", "1", "null", json.Number("-0.50e+9"), nil, true, map[string]any{}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, asJSON := range []bool{false, true} {
		text, err := (&Jobs{ManagedBy: "yes: no", List: []Job{{Fields: fields, Paused: true}, {Fields: json.RawMessage(`{"name":"b","tool":"f:y","schedule":"@daily"}`)}}}).Text(asJSON)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if asJSON && !json.Valid(text) {
			t.Errorf("no JSON:\n%s", text)
		}
		j, err := ParseJobs("j", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(fields), string(j.List[0].Fields)); diff != "" || j.ManagedBy != "yes: no" || !j.List[0].Paused || len(j.List) != 2 {
			t.Errorf("read again (-want +got):\n%s\n%+v", diff, j)
		}
	}
	deep := json.RawMessage(`{"name":"b","tool":"f:y","schedule":"@daily","arguments":{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}}`)
	if text, err := (&Jobs{ManagedBy: "n", List: []Job{{Fields: deep}}}).Text(false); err == nil {
		t.Errorf("a file that cannot be read was written: %s", text)
	}
	if text, err := (&Jobs{ManagedBy: "n"}).Text(false); err != nil || string(text) != "version: 1\nmanaged_by: \"n\"\njobs: []\n" {
		t.Errorf("no jobs: %s, %v", text, err)
	}
}

// TestJobsSchema holds that the published schema is that of this program, and accepts what ParseJobs reads.
func TestJobsSchema(t *testing.T) {
	t.Parallel()
	const name = "../../docs/schedule-jobs.schema.json"
	if *update {
		if err := os.WriteFile(name, JobsSchema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(published), string(JobsSchema())); diff != "" {
		t.Errorf("go test ./internal/policy -run TestJobsSchema -update renews %s (-want +got):\n%s", name, diff)
	}
	s, err := schema.Compile(published, schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		jobsText: true,
		strings.Replace(jobsText, "timezone", "timezon", 1):               false,
		strings.Replace(jobsText, "overlap: queue", "overlap: later", 1):  false,
		strings.Replace(jobsText, "managed_by: nightly", "managed: x", 1): false,
		"version: 1\nmanaged_by: n\njobs: []\n":                           true,
	} {
		raw, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		v, err := strictjson.Parse(raw, strictjson.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		_, parsed := ParseJobs("j", []byte(text))
		if failures := s.Validate(v); (failures == nil) != want || (parsed == nil) != want {
			t.Errorf("of\n%s\nthe schema says %v, and ParseJobs %v; want %v", text, failures, parsed, want)
		}
	}
}

// FuzzParseJobs holds that ParseJobs returns jobs or errors with places, that the fields of a job are JSON, and that Text writes
// what ParseJobs reads as the same jobs.
func FuzzParseJobs(f *testing.F) {
	f.Add([]byte(jobsText))
	f.Add([]byte(`{"version": 1, "managed_by": "\u200b", "jobs": [{"name": "a", "tool": "f:x", "schedule": "@daily", "tags": "x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := ParseJobs("j", data)
		if (j == nil) == (err == nil) {
			t.Fatalf("got %v and the error %v", j, err)
		}
		if err != nil {
			checkPlaces(t, err, data)
			return
		}
		for _, job := range j.List {
			if !json.Valid(job.Fields) || job.Name == "" {
				t.Errorf("the job %+v", job)
			}
			if e := job.Fault("/arguments/a/0", "m"); e.Line < 1 || e.Source != "" {
				t.Errorf("the fault %+v", e)
			}
		}
		text, err := j.Text(false)
		if err != nil {
			return // larger than what was read, because strings need quotes
		}
		again, err := ParseJobs("j", text)
		if err != nil {
			t.Fatalf("written and refused: %v\n%s", err, text)
		}
		twice, err := again.Text(false)
		if err != nil || !bytes.Equal(text, twice) {
			t.Errorf("written and read (%v), it is another:\n%s\n%s", err, text, twice)
		}
	})
}
