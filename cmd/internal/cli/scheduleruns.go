// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/jobspec"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/when"
	"github.com/toolvet/toolvet/schedule"
)

// printJob prints a job.
func (a *app) printJob(flags *scheduleFlags, j *schedule.Job, words func(w *strings.Builder)) error {
	return a.print(flags, struct {
		*schedule.Job
		NextRuns []string `json:"next_runs"`
	}{j, jobspec.NextRuns(j.Upcoming(), 3)}, words)
}

func nextWords(w *strings.Builder, j *schedule.Job) {
	terminal.Fprintf(w, "  schedule: %s\n", j.Words)
	for _, at := range jobspec.NextRuns(j.Upcoming(), 3) {
		terminal.Fprintf(w, "  next: %s\n", at)
	}
}

// local writes a time in the job's zone.
func local(j *schedule.Job, t time.Time) string {
	if zone, err := when.LoadZone(j.Zone); err == nil && !t.IsZero() {
		return t.In(zone).Format(time.RFC3339)
	}
	return "-"
}

// The values of --state.
const (
	jobStates = "active|paused|completed|failed"
	jobHealth = "ok|warned|unavailable|failing"
	runStates = "queued|running|succeeded|failed|refused|skipped|missed|lost|cancelled"
)

// checkPage checks the flags of a list.
func checkPage(cmd *cobra.Command, state, states string, limit int, flag, cursor string) error {
	switch {
	case state != "" && !slices.Contains(strings.Split(states, "|"), state):
		return usageError(cmd, "--state must be one of %s", strings.ReplaceAll(states, "|", ", "))
	case limit < 1 || limit > 1000:
		return usageError(cmd, "--limit must be between 1 and 1000")
	case cursor != "" && !jobspec.IsID(cursor):
		return usageError(cmd, "--%s must be the id at the end of the previous page", flag)
	}
	return nil
}

func (a *app) scheduleList(flags *scheduleFlags) *cobra.Command {
	var f schedule.JobFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List jobs", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPage(cmd, string(f.State), jobStates, f.Limit, "after", f.After); err != nil {
				return err
			}
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
				list, err := s.List(cmd.Context(), f)
				if err != nil {
					return err
				}
				defer a.idle(cmd.Context(), s, list...)
				return a.print(flags, append([]*schedule.Job{}, list...), func(w *strings.Builder) {
					if len(list) == 0 {
						terminal.Fprintf(w, "%s\n", emptyList(f))
					}
					for _, j := range list {
						terminal.Fprintf(w, "%s  %s  %s  %s  next: %s\n", j.Name, j.State, j.Health.Status, j.Tool, local(j, j.Next))
					}
					if len(list) == jobspec.PageSize(f.Limit) {
						terminal.Fprintf(w, "more: --after %s\n", list[len(list)-1].ID)
					}
				})
			})
		},
	}
	flag := cmd.Flags()
	flag.StringVar((*string)(&f.State), "state", "", "`"+jobStates+"`")
	flag.StringVar((*string)(&f.Health), "health", "", "`"+jobHealth+"`")
	flag.StringVar(&f.Tag, "tag", "", "`TAG` of the jobs")
	flag.StringVar(&f.Server, "server", "", "`NAME` of the server of the tool")
	flag.StringVar(&f.Search, "search", "", "`TEXT` in name, tool, description or tags")
	flag.StringVar(&f.After, "after", "", "`ID` of the last job of the previous page")
	flag.IntVar(&f.Limit, "limit", 50, "`N` jobs at most")
	return cmd
}

// emptyList tells of an empty list.
func emptyList(f schedule.JobFilter) string {
	if f.Limit = 0; f == (schedule.JobFilter{}) {
		return "there are no jobs: 'toolvet schedule create' makes one"
	}
	return "no such jobs"
}

func (a *app) scheduleShow(flags *scheduleFlags) *cobra.Command {
	return &cobra.Command{
		Use: "show JOB", Short: "Show a job", Args: exactly(1, "the job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
				j, err := s.Get(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				defer a.idle(cmd.Context(), s, j)
				return a.printJob(flags, j, func(w *strings.Builder) { jobWords(w, j) })
			})
		},
	}
}

func jobWords(w *strings.Builder, j *schedule.Job) {
	terminal.Fprintf(w, "%s (%s)\n  tool: %s\n  state: %s\n", j.Name, j.ID, j.Tool, j.State)
	terminal.Fprintf(w, "  health: %s\n", strings.TrimSuffix(fmt.Sprintf("%s: %s", j.Health.Status, j.Health.Reason), ": "))
	if j.Description != "" {
		terminal.Fprintf(w, "  description: %s\n", j.Description)
	}
	nextWords(w, j)
	if m := j.Moved; m != nil && m.To.Equal(j.Next) {
		terminal.Fprintf(w, "  the next run was due at %s: %s\n", local(j, m.From), m.Why)
	}
	if j.Unvalidated {
		terminal.Fprintf(w, "  made with skip_validation\n")
	}
	if j.AllowWarnings {
		terminal.Fprintf(w, "  made with allow_warnings\n")
	}
	if j.ManagedBy != "" {
		terminal.Fprintf(w, "  managed by the file of jobs %s\n", j.ManagedBy)
	}
	terminal.Fprintf(w, "  runs so far: %d\n", j.Fired)
}

// onJob makes a command for an operation on one job.
func (a *app) onJob(flags *scheduleFlags, use, short, done string, do func(context.Context, *schedule.Scheduler, string) (*schedule.Job, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " JOB", Short: short, Args: exactly(1, "the job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
				j, err := do(cmd.Context(), s, args[0])
				if err != nil {
					return err
				}
				return a.printJob(flags, j, func(w *strings.Builder) { terminal.Fprintf(w, "%s the job %s\n", done, j.Name) })
			})
		},
	}
}

func (a *app) scheduleDelete(flags *scheduleFlags) *cobra.Command {
	return a.onJob(flags, "delete", "Delete a job and the record of its runs", "deleted", func(ctx context.Context, s *schedule.Scheduler, id string) (*schedule.Job, error) {
		j, err := s.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return j, s.Delete(ctx, j.ID)
	})
}

func (a *app) scheduleTrigger(flags *scheduleFlags) *cobra.Command {
	return a.newRun(flags, &cobra.Command{
		Use: "trigger JOB", Short: "Run a job once, now", Args: exactly(1, "the job"),
		Long: `Run a job once, now, whatever its schedule. 'toolvet schedule serve' must be running.
With --watch, wait for the end of the run: exit code 1 if it does not succeed.`,
	}, (*schedule.Scheduler).Trigger)
}

// newRun completes a command that asks for a run.
func (a *app) newRun(flags *scheduleFlags, cmd *cobra.Command, ask func(*schedule.Scheduler, context.Context, string) (*schedule.Run, error)) *cobra.Command {
	var watch bool
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
			r, err := ask(s, cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if watch {
				return a.follow(cmd, flags, s, r)
			}
			return a.print(flags, r, func(w *strings.Builder) { terminal.Fprintf(w, "the run is %s\n", r.ID) })
		})
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "wait for the end of the run, and print its progress on standard error")
	return cmd
}

// unattended is the time after which follow explains why a run has not begun.
const unattended = 3 * time.Second

// follow prints the progress of a run until it ends.
func (a *app) follow(cmd *cobra.Command, flags *scheduleFlags, s *schedule.Scheduler, r *schedule.Run) error {
	ctx := cmd.Context()
	var told, came string
	began, warned := time.Now(), false
	for {
		next, err := s.GetRun(ctx, r.ID)
		if err != nil {
			return err
		}
		r = next
		if state := fmt.Sprint(r.State, r.Attempt); !flags.json && r.State.Open() && state != told {
			told = state
			if flags.verbose || r.Reason != "" {
				terminal.Fprintf(a.stderr, "%s, attempt %d %s\n", r.State, r.Attempt, r.Reason)
			}
		}
		if !r.State.Open() {
			break
		}
		if !warned && r.State == schedule.Queued && r.Attempt == 0 && time.Since(began) > unattended {
			warned = true
			fmt.Fprintln(a.stderr, "the run has not begun yet: 'toolvet schedule serve' or 'toolvet serve' must be running, and the job's previous run must have ended")
		}
		if so := progressWords(r.Progress); so != came && !flags.json {
			came = so
			terminal.Fprintf(a.stderr, "progress: %s\n", so)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := a.print(flags, r, func(w *strings.Builder) { runWords(w, r) }); err != nil {
		return err
	}
	if r.State != schedule.Succeeded {
		return exitCode(exitNoGo)
	}
	return nil
}

// progressWords describes the progress of a run; "" if it is unknown.
func progressWords(p *schedule.Progress) string {
	switch {
	case p == nil:
		return ""
	case p.Total > 0:
		return fmt.Sprintf("%g of %g", p.Done, p.Total)
	}
	return fmt.Sprintf("%g", p.Done)
}

func runWords(w *strings.Builder, r *schedule.Run) {
	terminal.Fprintf(w, "%s\n", r.State)
	if r.Reason != "" {
		terminal.Fprintf(w, "  reason: %s\n", r.Reason)
	}
	if len(r.Result) > 0 && r.State == schedule.Succeeded {
		terminal.Fprintf(w, "  result: %s\n", r.Result)
	}
	if r.Truncated > 0 {
		terminal.Fprintf(w, "  result: %d bytes, too many to store\n", r.Truncated)
	}
	if r.Verdict != nil {
		for _, fix := range r.Verdict.Suggestions {
			terminal.Fprintf(w, "  fix: %s\n", fix)
		}
	}
}

func (a *app) scheduleRuns(flags *scheduleFlags) *cobra.Command {
	var f schedule.RunFilter
	cmd := &cobra.Command{
		Use: "runs [JOB]", Short: "List runs, the newest first", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkPage(cmd, string(f.State), runStates, f.Limit, "before", f.Before); err != nil {
				return err
			}
			if len(args) == 1 {
				f.Job = args[0]
			}
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
				list, err := s.Runs(cmd.Context(), f)
				if err != nil {
					return err
				}
				return a.print(flags, append([]*schedule.Run{}, list...), func(w *strings.Builder) {
					if len(list) == 0 {
						terminal.Fprintf(w, "no such runs\n")
					}
					for _, r := range list {
						terminal.Fprintf(w, "%s  %s  %s  %s\n", r.ID, r.Fire.Format(time.RFC3339), r.State, cmp.Or(r.Reason, "-"))
					}
					if len(list) == jobspec.PageSize(f.Limit) {
						terminal.Fprintf(w, "more: --before %s\n", list[len(list)-1].ID)
					}
				})
			})
		},
	}
	flag := cmd.Flags()
	flag.StringVar((*string)(&f.State), "state", "", "`"+runStates+"`")
	flag.StringVar(&f.Before, "before", "", "`ID` of the last run of the previous page")
	flag.IntVar(&f.Limit, "limit", 50, "`N` runs at most")
	return cmd
}

func (a *app) scheduleCancel(flags *scheduleFlags) *cobra.Command {
	return &cobra.Command{
		Use: "cancel RUN", Short: "End a run that waits or is under way", Args: exactly(1, "the id of the run"),
		Long: `End a run before its time. A run that waits ends at once. The call of one that is under way is
cancelled within a second; its tool may have done a part of its work.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
				r, err := s.Cancel(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.print(flags, r, func(w *strings.Builder) {
					if r.State.Open() {
						terminal.Fprintf(w, "the run is being cancelled\n")
					} else {
						terminal.Fprintf(w, "the run is cancelled\n")
					}
				})
			})
		},
	}
}

func (a *app) scheduleReplay(flags *scheduleFlags) *cobra.Command {
	return a.newRun(flags, &cobra.Command{
		Use: "replay RUN", Short: "Repeat a run that has ended, now", Args: exactly(1, "the id of the run"),
		Long: `Run the job of a run that has ended once more, now, with its present arguments.
'toolvet schedule serve' must be running. With --watch, wait for the end of the new run:
exit code 1 if it does not succeed.`,
	}, (*schedule.Scheduler).Replay)
}

func (a *app) scheduleRun(flags *scheduleFlags) *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use: "retrieve RUN", Short: "Show a run with its result", Args: exactly(1, "the id of the run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
				r, err := s.GetRun(cmd.Context(), args[0])
				switch {
				case err != nil:
					return err
				case watch:
					return a.follow(cmd, flags, s, r)
				}
				return a.print(flags, r, func(w *strings.Builder) { runWords(w, r) })
			})
		},
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "wait for the end of the run")
	return cmd
}
