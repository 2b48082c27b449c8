// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/when"
	"github.com/toolvet/toolvet/schedule"
)

// jobFlags are the fields of a job as flags.
type jobFlags struct {
	fields map[string]func() any // the value of a flag, by the field of schedule.Spec
	how    schedule.How
}

// register adds the flags. Only given flags count, so that update changes nothing else.
func (f *jobFlags) register(cmd *cobra.Command) {
	f.fields = map[string]func() any{}
	flags := cmd.Flags()
	text := func(flag, field, usage string) {
		v := flags.String(flag, "", usage)
		f.fields[flag] = func() any { return map[string]any{field: *v} }
	}
	number := func(flag, field, usage string) {
		v := flags.Int(flag, 0, usage)
		f.fields[flag] = func() any { return map[string]any{field: *v} }
	}
	yes := func(flag, field, usage string) {
		v := flags.Bool(flag, false, usage)
		f.fields[flag] = func() any { return map[string]any{field: *v} }
	}
	list := func(flag, field, usage string) {
		v := flags.StringArray(flag, nil, usage) // a StringSlice is CSV, and drops what stands behind a line's end
		f.fields[flag] = func() any {
			texts := []string{}
			for _, s := range *v {
				if s != "" {
					texts = append(texts, strings.Split(s, ",")...)
				}
			}
			return map[string]any{field: texts}
		}
	}
	text("tool", "tool", "`SERVER:TOOL` to call")
	arguments := flags.String("arguments", "", "the tool's arguments, a `JSON` object; default: {}")
	f.fields["arguments"] = func() any { return map[string]any{"arguments": json.RawMessage(*arguments)} }
	text("schedule", "schedule", "`WHEN` it runs: cron, a moment (RFC 3339), 'every 90m', or English such as 'every weekday at 9am'")
	text("timezone", "timezone", "time `ZONE` of the schedule, such as Europe/Vienna; default: UTC")
	list("except", "except", "a `CALENDAR` of the policy, or times, at which it does not run, such as holidays, weekend or 12-24..01-02; repeatable, or with commas")
	text("shift", "shift", "what becomes of runs at such times: `none|before|after`, the open day before or after; default: none")
	text("description", "description", "what the job is for")
	list("tag", "tags", "`TAG` to find it by; repeatable, or with commas")
	yes("fire-once", "fire_once", "end the job after its first run")
	number("max-runs", "max_runs", "end the job after `N` runs")
	end := flags.String("end-date", "", "no run after this `MOMENT` (RFC 3339); '': no end")
	f.fields["end-date"] = func() any {
		if *end == "" {
			return map[string]any{"end_date": nil}
		}
		return map[string]any{"end_date": *end}
	}
	text("timeout", "timeout", "of a run, such as 30s; default: 5m")
	number("retries", "retries", "`N` more tries of a run that failed")
	text("backoff", "backoff", "before the first retry, doubled for each; default: 10s")
	text("overlap", "overlap", "what becomes of a run while the one before it goes on: `skip|queue|allow`; default: skip")
	text("catch-up", "catch_up", "which missed runs are run late: `none|last|all`; default: none")
	number("catch-up-limit", "catch_up_limit", "most runs for --catch-up all; default: 10")
	text("jitter", "jitter", "begin a run up to so much later, such as 30s")
	yes("at-most-once", "at_most_once", "report a run whose worker died, and do not repeat it")
	yes("alert-failure", "alert_failure", "alert for each run that fails, not for the first alone")
	yes("alert-success", "alert_success", "alert for each run that succeeds")
	text("alert-late", "alert_late", "alert if a run has not begun so long after its time, such as 10m")
	text("alert-long", "alert_long", "alert if a run takes longer, such as 1h")
	text("alert-reminder", "alert_reminder", "alert as often as this while the job is not well, such as 24h")
	flags.BoolVar(&f.how.SkipValidation, "skip-validation", false, "make the job even if its call is a no-go, if the policy allows that")
	flags.BoolVar(&f.how.AllowWarnings, "allow-warnings", false, "make the job although a file, directory or host that its call needs is missing; its health stays warned until it is there")
	flags.StringVar(&f.how.TestRun, "test-run", "", "first make the call once, in a sandbox (Linux) or for real, and the job only if it succeeds: `rehearsal|real`")
	flags.Lookup("test-run").NoOptDefVal = "" // it must be asked for by name
}

// patch returns the given flags as a JSON object.
func (f *jobFlags) patch(cmd *cobra.Command, more map[string]any) ([]byte, error) {
	object := map[string]any{}
	for flag, value := range f.fields {
		if !cmd.Flags().Changed(flag) {
			continue
		}
		fields, _ := value().(map[string]any)
		for k, v := range fields {
			if raw, ok := v.(json.RawMessage); ok && !json.Valid(raw) {
				if fault := faultOf(raw); fault != nil {
					return nil, usageError(cmd, "--%s is no JSON: %v", flag, fault)
				}
				return nil, usageError(cmd, "--%s is no JSON", flag)
			}
			object[k] = v
		}
	}
	for k, v := range more {
		object[k] = v
	}
	return json.Marshal(object)
}

// spec returns the job that the flags describe.
func (f *jobFlags) spec(cmd *cobra.Command, name string) (spec schedule.Spec, err error) {
	text, err := f.patch(cmd, map[string]any{"name": name})
	if err != nil {
		return spec, err
	}
	if _, err := jobspec.Decode(text, &spec); err != nil {
		return spec, usageError(cmd, "%v", err)
	}
	return spec, nil
}

func (a *app) scheduleCreate(flags *scheduleFlags) *cobra.Command {
	var job jobFlags
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make a job if it could work", Args: exactly(1, "the name of the job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := job.spec(cmd, args[0])
			if err != nil {
				return err
			}
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, owner *call.Session) error {
				j, p, err := s.Create(cmd.Context(), spec, owner, job.how)
				if err != nil {
					return a.refused(flags, p, err)
				}
				defer a.idle(cmd.Context(), s, j)
				return a.printJob(flags, j, func(w *strings.Builder) {
					terminal.Fprintf(w, "made the job %s\n", j.Name)
					warningWords(w, p)
					nextWords(w, j)
					rehearsalWords(w, p)
				})
			})
		},
	}
	job.register(cmd)
	cmd.Flags().BoolVar(&job.how.Paused, "paused", false, "make the job paused: it runs once it is resumed")
	return cmd
}

func warningWords(w *strings.Builder, p *schedule.Proposal) {
	for _, warning := range p.Warnings {
		terminal.Fprintf(w, "  warning: %s\n", warning)
	}
}

// rehearsalWords lists the changes of a rehearsal.
func rehearsalWords(w *strings.Builder, p *schedule.Proposal) {
	if p.Rehearsal == nil {
		return
	}
	terminal.Fprintf(w, "  in the rehearsal:\n")
	for line := range strings.Lines(p.Rehearsal.Text) {
		terminal.Fprintf(w, "    %s\n", strings.TrimRight(line, "\n"))
	}
}

func (a *app) scheduleValidate(flags *scheduleFlags) *cobra.Command {
	var job jobFlags
	cmd := &cobra.Command{
		Use: "validate [JOB]", Short: "Judge an existing job, or one that flags describe, without making it", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, owner *call.Session) error {
				var p *schedule.Proposal
				var err error
				if len(args) == 1 {
					var patch []byte
					if patch, err = job.patch(cmd, nil); err == nil {
						p, err = inside.Of(s).ProposeUpdate(cmd.Context(), args[0], patch, job.how)
					}
				} else {
					var spec schedule.Spec
					if spec, err = job.spec(cmd, "validated"); err == nil {
						p, err = s.Propose(cmd.Context(), spec, owner, job.how)
					}
				}
				if err != nil {
					return a.refused(flags, p, err)
				}
				return a.print(flags, p, func(w *strings.Builder) { proposalWords(w, p) })
			})
		},
	}
	job.register(cmd)
	return cmd
}

func (a *app) scheduleUpdate(flags *scheduleFlags) *cobra.Command {
	var job jobFlags
	var name string
	cmd := &cobra.Command{
		Use: "update JOB", Short: "Change a job if it could still work", Args: exactly(1, "the job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			more := map[string]any{}
			if cmd.Flags().Changed("name") {
				more["name"] = name
			}
			patch, err := job.patch(cmd, more)
			if err != nil {
				return err
			}
			if string(patch) == "{}" {
				return usageError(cmd, "nothing to change: give a flag")
			}
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
				j, p, err := s.Update(cmd.Context(), args[0], patch, job.how)
				if err != nil {
					return a.refused(flags, p, err)
				}
				return a.printJob(flags, j, func(w *strings.Builder) {
					terminal.Fprintf(w, "changed the job %s\n", j.Name)
					warningWords(w, p)
					nextWords(w, j)
					rehearsalWords(w, p)
				})
			})
		},
	}
	job.register(cmd)
	cmd.Flags().StringVar(&name, "name", "", "another `NAME`")
	return cmd
}

// maxTimes bounds the output of "toolvet schedule next".
const maxTimes = 10_000

func (a *app) scheduleNext(flags *scheduleFlags) *cobra.Command {
	var text, zone string
	var count int
	cmd := &cobra.Command{
		Use: "next [JOB]", Short: "Show when a job, or a schedule, runs next", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (text == "") == (len(args) == 0):
				return usageError(cmd, "give a job, or --schedule")
			case count < 0 || count > maxTimes:
				return usageError(cmd, "--count must be between 0 and %d", maxTimes)
			}
			show := func(understood string, times []string) error {
				return a.print(flags, map[string]any{"understood": understood, "next": times}, func(w *strings.Builder) {
					terminal.Fprintf(w, "%s\n", understood)
					for _, at := range times {
						terminal.Fprintf(w, "  next: %s\n", at)
					}
				})
			}
			if text == "" {
				return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
					j, err := s.Get(cmd.Context(), args[0])
					if err != nil {
						return err
					}
					return show(j.Words, jobspec.NextRuns(j.Upcoming(), count))
				})
			}
			location, err := when.LoadZone(zone)
			if err != nil {
				return usageError(cmd, "%v", err)
			}
			now := time.Now()
			parsed, err := when.Parse(text, location, now)
			if wrong := new(when.Error); errors.As(err, &wrong) {
				p := &schedule.Proposal{Validation: toolvet.Validation{Errors: []string{wrong.Problem}}}
				if len(wrong.Near) > 0 {
					p.Suggestions = []string{"write for instance " + strings.Join(wrong.Near, ", or ")}
				}
				return a.refused(flags, p, &schedule.RefusedError{Proposal: p})
			} else if err != nil {
				return err
			}
			var times []string
			for _, at := range parsed.Times(now, count) {
				times = append(times, at.Format(time.RFC3339))
			}
			return show(parsed.Words(), times)
		},
	}
	f := cmd.Flags()
	f.StringVar(&text, "schedule", "", "`WHEN`, in place of a job")
	f.StringVar(&zone, "timezone", "", "`ZONE` of --schedule; default: UTC")
	f.IntVar(&count, "count", 3, "`N` times")
	return cmd
}

// exactly demands n arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError(cmd, "give %s", what)
		}
		return nil
	}
}
