// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/toolvet/toolvet/internal/jsonpointer"
)

// Jobs are jobs of the scheduler that a file declares. The file only describes them; "toolvet schedule apply" makes them.
type Jobs struct {
	ManagedBy string // the label of the jobs that the file makes
	List      []Job
}

// A Job is one job of a file.
type Job struct {
	Name string
	// Fields is a JSON object with those fields of a schedule.Spec that the file gives.
	Fields         json.RawMessage
	Paused         bool
	AllowWarnings  bool
	SkipValidation bool

	file *file
	node ast.Node
}

// LoadJobs reads the jobs in a file. The error is that of [ParseJobs], or of reading.
func LoadJobs(filename string) (*Jobs, error) {
	data, err := readAll(filename)
	if err != nil {
		return nil, fmt.Errorf("reading the jobs: %w", err)
	}
	return ParseJobs(filename, data)
}

// ParseJobs reads a file of jobs: one YAML document of at most 1 MiB, or the same as JSON.
//
//	version: 1
//	managed_by: nightly    # the label of these jobs; each file has its own
//	jobs:
//	  - name: backup
//	    tool: files:list_directory
//	    arguments: {path: data}
//	    schedule: every day at 3am
//	    paused: true       # also allow_warnings, skip_validation, and the other fields of a job
//
// Nothing in it is expanded. The error is an [Errors] with everything that is wrong with the form of the file. Whether the jobs
// could work is for the scheduler to judge. No error shows a line of the file, which may hold a secret.
func ParseJobs(filename string, data []byte) (*Jobs, error) {
	d, root, errs := open(filename, "job file", data)
	if errs != nil {
		return nil, errs.sealed().ordered()
	}
	j := &Jobs{}
	if root != nil {
		j.read(d, root)
	} else if len(d.errs) == 0 {
		d.errorf(position{1, 1}, "the job file is empty: it needs version, managed_by and jobs")
	}
	if len(d.errs) > 0 {
		return nil, d.errs.sealed().ordered()
	}
	return j, nil
}

// sealed takes the lines of the file out of errors.
func (e Errors) sealed() Errors {
	for _, err := range e {
		err.Source = ""
	}
	return e
}

// maxLabel bounds managed_by, in bytes.
const maxLabel = 128

func (j *Jobs) read(d *decoder, n ast.Node) {
	required := func(key string, read func(n ast.Node)) field { return field{key: key, required: true, read: read} }
	d.object(n, "the job file",
		required("version", func(n ast.Node) { readVersion(d, n) }),
		required("managed_by", func(n ast.Node) {
			if j.ManagedBy = d.filled(n); len(j.ManagedBy) > maxLabel || strings.TrimSpace(j.ManagedBy) != j.ManagedBy {
				d.errorf(positionOf(n), "must have at most %d bytes, and no space at its ends", maxLabel)
			}
		}),
		required("jobs", func(n ast.Node) {
			list, ok := bare(n).(*ast.SequenceNode)
			if !ok {
				d.mismatch(n, "a list of jobs such as {name: backup, tool: files:list_directory, arguments: {path: data}, schedule: every day at 3am}")
				return
			}
			first := map[string]int{}
			for _, n := range list.Values {
				job := d.job(n)
				if before, dup := first[job.Name]; dup {
					d.errorf(job.at("/name"), "another job has the name %s: in line %d", quote(job.Name), before)
				}
				if job.Name != "" {
					first[job.Name] = job.at("/name").line
				}
				j.List = append(j.List, job)
			}
		}),
	)
}

// A jobMember is a member of a job in a file.
type jobMember struct {
	key      string
	required bool
	schema   object
	read     func(d *decoder, n ast.Node) any
}

// jobMembers are the members of a job: the fields of schedule.Spec in their order, and then those of schedule.How that a job keeps.
func jobMembers() []jobMember {
	text := func(key, about string) jobMember {
		return jobMember{key: key, schema: textSchema(about), read: func(d *decoder, n ast.Node) any { return d.filled(n) }}
	}
	number := func(key, about string) jobMember {
		return jobMember{key: key, schema: object{"type": "integer", "minimum": 0, "description": about}, read: func(d *decoder, n ast.Node) any {
			v, _ := d.integer(n)
			return v
		}}
	}
	yes := func(key, about string) jobMember {
		return jobMember{key: key, schema: object{"type": "boolean", "description": about}, read: func(d *decoder, n ast.Node) any { return d.boolean(n) }}
	}
	span := func(key, about string) jobMember {
		return jobMember{key: key, schema: textSchema(about), read: readSpan}
	}
	texts := func(key, about string) jobMember {
		return jobMember{key: key, schema: listOf(object{"type": "string"}, about), read: func(d *decoder, n ast.Node) any {
			list := []string{}
			d.list(n, "strings", func(n ast.Node) { list = append(list, d.filled(n)) })
			return list
		}}
	}
	oneWord := func(key, about string, list ...string) jobMember {
		choices := make([]choice[string], len(list))
		for i, word := range list {
			choices[i] = choice[string]{word, word}
		}
		return jobMember{key: key, schema: words(about, list...), read: func(d *decoder, n ast.Node) any { return oneOf(d, n, choices...) }}
	}
	must := func(m jobMember) jobMember {
		m.required = true
		return m
	}
	return []jobMember{
		must(text("name", "names the job; a job with another name is another job")),
		must(text("tool", "the tool to call, as SERVER:TOOL")),
		{key: "arguments", schema: object{"type": "object", "description": "the tool's arguments; default: {}"}, read: func(d *decoder, n ast.Node) any {
			if _, ok := bare(n).(ast.MapNode); !ok {
				d.mismatch(n, "a mapping: the arguments by name")
				return nil
			}
			return d.json(n)
		}},
		must(text("schedule", "when it runs: cron, a moment (RFC 3339), 'every 90m', or English such as 'every weekday at 9am'")),
		text("timezone", "time zone of the schedule, such as Europe/Vienna; default: UTC"),
		texts("except", "calendars of the policy, or times, at which it does not run, such as holidays, weekend or 12-24..01-02"),
		oneWord("shift", "what becomes of runs at such times: left out, or moved to the open day before or after; default: none", "none", "before", "after"),
		text("description", "what the job is for"),
		texts("tags", "tags to find it by"),
		yes("fire_once", "true: the job ends after its first run; default: false"),
		number("max_runs", "the job ends after so many runs; default: 0, any number"),
		{key: "end_date", schema: object{"type": "string", "format": "date-time", "description": "no run after this moment (RFC 3339); default: no end"},
			read: func(d *decoder, n ast.Node) any { return d.moment(n).Format(time.RFC3339Nano) }},
		span("timeout", "of a run, such as 30s; default: 5m"),
		number("retries", "more tries of a run that failed; default: 0"),
		span("backoff", "before the first retry, doubled for each; default: 10s"),
		oneWord("overlap", "what becomes of a run while the one before it goes on; default: skip", "skip", "queue", "allow"),
		oneWord("catch_up", "which missed runs are run late; default: none", "none", "last", "all"),
		number("catch_up_limit", "most runs for catch_up: all; default: 10"),
		span("jitter", "a run begins up to so much later, such as 30s; default: 0s"),
		yes("at_most_once", "true: a run whose worker died is reported, and not repeated; default: false"),
		yes("alert_failure", "true: an alert for each run that fails, not for the first alone; default: false"),
		yes("alert_success", "true: an alert for each run that succeeds; default: false"),
		span("alert_late", "an alert if a run has not begun so long after its time, such as 10m; default: none"),
		span("alert_long", "an alert if a run takes longer, such as 1h; default: none"),
		span("alert_reminder", "an alert as often as this while the job is not well, such as 24h; default: none"),
		yes("paused", "true: the job runs once it is resumed; default: false"),
		yes("allow_warnings", "true: the job is made although something is missing that its call needs; default: false"),
		yes("skip_validation", "true: the job is made even if its call is a no-go, if the policy allows that; default: false"),
	}
}

// readSpan reads a duration, and leaves it as it is written.
func readSpan(d *decoder, n ast.Node) any {
	text, ok := d.verbatim(n)
	if !ok {
		return nil
	}
	if v, err := time.ParseDuration(text); err != nil || v < 0 {
		d.errorf(positionOf(n), "must be a duration such as 300ms, 2s or 1h30m")
	}
	return text
}

func (d *decoder) job(n ast.Node) Job {
	j := Job{file: d.file, node: n}
	before := len(d.errs)
	given := map[string]any{}
	var fields []field
	for _, m := range jobMembers() {
		fields = append(fields, field{key: m.key, required: m.required, read: func(n ast.Node) { given[m.key] = m.read(d, n) }})
	}
	d.object(n, "the job", fields...)
	j.Name, _ = given["name"].(string)
	for _, e := range d.errs[before:] {
		if j.Name != "" {
			e.Message = fmt.Sprintf("the job %s: %s", quote(j.Name), e.Message)
		}
	}
	for key, into := range map[string]*bool{"paused": &j.Paused, "allow_warnings": &j.AllowWarnings, "skip_validation": &j.SkipValidation} {
		*into, _ = given[key].(bool)
		delete(given, key)
	}
	if len(d.errs) == before {
		j.Fields, _ = json.Marshal(given) // texts, numbers and JSON always can be
	}
	return j
}

// at returns the place of a member, or of the member nearest to it that the file has. The pointer is a JSON Pointer into the job.
func (j *Job) at(pointer string) position {
	n, at := j.node, positionOf(j.node)
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		var below ast.Node
		switch v := bare(n).(type) {
		case ast.MapNode:
			name := jsonpointer.Unescape(step)
			for it := v.MapRange(); it.Next(); {
				if key, ok := it.Key().(*ast.StringNode); ok && key.Value == name {
					below = it.Value()
				}
			}
		case *ast.SequenceNode:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v.Values) {
				below = v.Values[i]
			}
		}
		if below == nil {
			return at
		}
		n, at = below, positionOf(below)
	}
	return at
}

// Fault describes a fault of a job that others found, with its place in the file. The pointer leads to the faulty member;
// "" means the whole job.
func (j *Job) Fault(pointer, message string) *Error {
	if pointer != "" {
		message = pointer + ": " + message
	}
	e := j.file.errorf(j.at(pointer), "the job %s: %s", quote(j.Name), message)
	e.Source = ""
	return e
}

// JobsSchema returns a JSON Schema (draft 2020-12) of files that [ParseJobs] reads.
func JobsSchema() []byte {
	properties := object{}
	var required []string
	for _, m := range jobMembers() {
		properties[m.key] = m.schema
		if m.required {
			required = append(required, m.key)
		}
	}
	job := closed(properties, "a job")
	job["required"] = required
	root := closed(object{
		"version":    object{"const": 1, "description": "the version of this format: 1"},
		"managed_by": object{"type": "string", "minLength": 1, "maxLength": maxLabel, "description": "the label of the jobs that this file makes; each file has its own"},
		"jobs":       object{"type": "array", "items": job, "description": "the jobs, each with a name of its own"},
	}, "jobs of toolvet's scheduler, for 'toolvet schedule apply'")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "jobs of toolvet"
	root["required"] = []string{"version", "managed_by", "jobs"}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil // maps of strings and their like can be written
	}
	return append(text, '\n')
}
