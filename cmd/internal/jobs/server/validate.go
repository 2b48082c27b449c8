// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/schedule"
)

// JobCheck is the name of the check that [NewCheck] makes.
const JobCheck = "schedule-job"

const checkDoc = `# schedule-job

A job that is to be made or changed can work: its schedule is understood and fires, and the call
that it describes would be let through, as it would be when it runs.
`

const nameCheckDoc = `# schedule-name

A job or a run that is named is there, and no other job has the name of a new one.
`

// NewCheck makes the check "schedule-job". It judges calls of create and update as these tools would, so a dry
// run tells everything that they would refuse. It asks the store only for the job to change.
func NewCheck(jobs *schedule.Scheduler) *check.Check {
	return &check.Check{
		Name: JobCheck, Doc: checkDoc, Stage: check.Semantic, Level: check.RuntimeLevel,
		Run: func(ctx context.Context, pass *check.Pass) error {
			reportTexts(pass)
			p, below, err := proposal(ctx, jobs, pass.Call)
			if errors.Is(err, jobspec.ErrSpec) {
				pass.Reportf(below, "%v", err)
				return nil
			}
			if p == nil || err != nil {
				return err
			}
			pass.Fleeting()
			for _, f := range p.Findings {
				pass.Report(check.Finding{Pointer: below + Place(f), Level: f.Level, Severity: f.Severity, Message: f.Message, Suggestion: f.Suggestion})
			}
			if !p.Valid && len(p.Findings) == 0 {
				pass.Reportf(below+"/arguments", "%s", strings.Join(p.Errors, "; "))
			}
			return nil
		},
	}
}

// Checks returns the checks that the scheduler adds to its Gate, for their names. They are not to run.
func Checks() []*check.Check { return []*check.Check{NewCheck(nil), newNameCheck(nil)} }

// newNameCheck makes a check of all tools: do the jobs and runs exist that a call names? Jobs is limited to the
// session's view.
func newNameCheck(jobs *schedule.Scheduler) *check.Check {
	return &check.Check{
		Name: "schedule-name", Doc: nameCheckDoc, Stage: check.Semantic, Level: check.RuntimeLevel,
		Run: func(ctx context.Context, pass *check.Pass) error { return reportNames(ctx, pass, jobs) },
	}
}

// reportNames reports missing jobs and runs, and the name of another job.
func reportNames(ctx context.Context, pass *check.Pass, jobs *schedule.Scheduler) error {
	c := pass.Call
	found := func(at, message, suggestion string) {
		pass.Fleeting()
		pass.Report(check.Finding{Pointer: at, Level: check.RuntimeLevel, Message: message, Suggestion: suggestion})
	}
	none := func(at string, err error) error {
		if errors.Is(err, schedule.ErrNotFound) || errors.Is(err, schedule.ErrAmbiguous) {
			found(at, err.Error(), "list and executions show the existing ones")
			return nil
		}
		return err
	}
	if id, ok := c.Arguments["run"].(string); ok {
		_, err := jobs.GetRun(ctx, id)
		return none("/run", err)
	}
	at, owner, self := "/name", "", ""
	if c.Session != nil {
		owner = c.Session.Subject
	}
	name, named := c.Arguments["name"].(string)
	if id, ok := c.Arguments["job"].(string); ok {
		j, err := jobs.Get(ctx, id)
		if err != nil {
			return none("/job", err)
		}
		changes, _ := c.Arguments["changes"].(map[string]any)
		name, named = changes["name"].(string)
		at, owner, self = "/changes/name", j.Owner.Subject, j.ID
	}
	if !named || name == "" {
		return nil
	}
	list, err := jobs.List(ctx, schedule.JobFilter{Name: name, Owner: &owner, Limit: 1})
	if err == nil && len(list) > 0 && list[0].ID != self {
		found(at, schedule.ErrNameTaken.Error(), "choose another name, or change that job with update")
	}
	return err
}

// reportTexts reports times and durations that cannot be parsed. A schema cannot demand their syntax.
func reportTexts(pass *check.Pass) {
	fields, below := pass.Call.Arguments, ""
	if pass.Call.Name == "update" {
		fields, _ = fields["changes"].(map[string]any)
		below = "/changes"
	}
	for name, read := range map[string]encoding.TextUnmarshaler{
		"end_date": new(time.Time), "timeout": new(schedule.Duration), "backoff": new(schedule.Duration), "jitter": new(schedule.Duration),
		"alert_late": new(schedule.Duration), "alert_long": new(schedule.Duration), "alert_reminder": new(schedule.Duration),
	} {
		text, ok := fields[name].(string)
		if !ok || read.UnmarshalText([]byte(text)) == nil {
			continue
		}
		form := "a duration such as 30s or 1h30m"
		if name == "end_date" {
			form = "a date and time such as 2026-12-24T18:00:00Z"
		}
		pass.Reportf(below+"/"+name, "must be %s", form)
	}
}

// Place returns the pointer of a finding within the fields of a job. Findings of the call are about its arguments.
func Place(f check.Finding) string {
	switch {
	case f.Check == JobCheck:
		return f.Pointer
	case f.Check == "known-server" || f.Check == "known-tool" || f.Check == "call":
		return "/tool"
	}
	return "/arguments" + f.Pointer
}

// proposal judges the result of a call of create or update. It is nil for other tools, and for jobs that do not
// exist.
func proposal(ctx context.Context, jobs *schedule.Scheduler, c *call.Call) (p *schedule.Proposal, below string, err error) {
	switch c.Name {
	case "create":
		var in newJob
		if err := json.Unmarshal(c.Raw, &in); err != nil {
			return nil, "", fraction(err)
		}
		p, err = jobs.Propose(ctx, in.Spec, c.Session, in.How)
	case "update":
		var in change
		if err := json.Unmarshal(c.Raw, &in); err != nil {
			return nil, "", fraction(err)
		}
		below = "/changes"
		p, err = inside.Of(jobs).ProposeUpdate(ctx, in.Job, in.Changes, in.How)
	}
	if errors.Is(err, schedule.ErrNotFound) || errors.Is(err, schedule.ErrAmbiguous) {
		return nil, "", nil // the tool reports it
	}
	if p != nil {
		err = nil // the proposal has it
	}
	return p, below, err
}

// fraction explains an error that the schema misses: to a schema, 3.0 and 1e2 are whole numbers.
func fraction(err error) error {
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) && strings.HasPrefix(misfit.Value, "number") {
		return fmt.Errorf("%w: %s", jobspec.ErrSpec, jobspec.Misfit(misfit))
	}
	return nil
}

// jobMembers are the members of a request to validate a job beside those of any validate tool.
const jobMembers = `
	"schedule": {"type": "string", "minLength": 1, "maxLength": 512, "description": "When the call would run, for a call of a tool SERVER:TOOL: it is judged as a job"},
	"timezone": {"type": "string", "maxLength": 64, "description": "The time zone of the schedule, such as Europe/Vienna; default UTC"},
	"allow_warnings": {"type": "boolean", "description": "true: the job may lack something that its call needs"}`

// jobRequest is a request to validate a job.
const jobRequest = `{"name": "validate", "inputSchema": {"type": "object", "required": ["tool"], "additionalProperties": false, "properties": {
	"tool": {"type": "string", "minLength": 3, "maxLength": 300}, "arguments": {"type": "object"},` + jobMembers + `}}}`

// validateJobs answers calls of validate that describe a job, {tool: SERVER:TOOL, arguments, schedule}. It passes on
// those that describe a call of the scheduler's own tools.
func (d *door) validateJobs() (mcp.Middleware, error) {
	tool, err := call.DecodeTool([]byte(jobRequest), call.Limits{})
	if err != nil {
		return nil, err
	}
	gate, err := toolvet.New()
	if err != nil {
		return nil, err
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				res, err := next(ctx, method, r)
				if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
					return listJobs(list)
				}
				return res, err
			}
			params, ok := r.GetParams().(*mcp.CallToolParamsRaw)
			if method != "tools/call" || !ok || params.Name != protocol.ToolName {
				return next(ctx, method, r)
			}
			c := &call.Call{Server: d.cfg.Name, Name: params.Name, Tool: tool, Raw: params.Arguments}
			var err error
			c.Arguments, err = call.DecodeArguments(params.Arguments, call.Limits{})
			if target, _ := c.Arguments["tool"].(string); err != nil || !strings.Contains(target, ":") {
				return next(ctx, method, r)
			}
			return d.validateJob(ctx, c, gate)
		}
	}, nil
}

// listJobs returns a list whose validate tool takes jobs.
func listJobs(list *mcp.ListToolsResult) (*mcp.ListToolsResult, error) {
	changed := *list
	changed.Tools = slices.Clone(list.Tools)
	for i, t := range changed.Tools {
		if t.Name != protocol.ToolName {
			continue
		}
		var schema map[string]any
		raw, err := json.Marshal(t.InputSchema)
		if err == nil {
			err = json.Unmarshal(raw, &schema)
		}
		properties, _ := schema["properties"].(map[string]any)
		if err == nil {
			err = json.Unmarshal([]byte("{"+jobMembers+"}"), &properties) // beside those that are there
		}
		if err != nil {
			return nil, err
		}
		takes := *t
		takes.InputSchema = schema
		changed.Tools[i] = &takes
	}
	return &changed, nil
}

// validateJob judges the job in a request.
func (d *door) validateJob(ctx context.Context, request *call.Call, gate *toolvet.Gate) (mcp.Result, error) {
	var answer any
	if v := gate.Judge(ctx, request, toolvet.PointValidate); v.Go {
		job := newJob{Spec: schedule.Spec{Name: "validated"}}
		if err := json.Unmarshal(request.Raw, &job); err != nil {
			return nil, err
		}
		p, err := inside.Of(d.jobs).Validate(ctx, &job.Spec, d.who, job.How)
		if err != nil {
			d.cfg.Logger.Warn("a job could not be validated", "err", err)
		}
		answer = p
	} else {
		answer = protocol.NewResult(request.Name, v)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
}
