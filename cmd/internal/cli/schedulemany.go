// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schedule"
)

func (a *app) schedulePause(flags *scheduleFlags) *cobra.Command {
	return a.onJobs(flags, &cobra.Command{
		Use: "pause [JOB]", Short: "Keep a job from running, or all of a tag or a server",
		Long: `Keep a job from running until resume. With --tag or --server, pause all active jobs with
the tag, or of the server.`,
	}, schedule.Active, "paused", (*schedule.Scheduler).Pause)
}

func (a *app) scheduleResume(flags *scheduleFlags) *cobra.Command {
	return a.onJobs(flags, &cobra.Command{
		Use: "resume [JOB]", Short: "Let a paused job run again, or all of a tag or a server",
		Long: `Let a paused job run again from now on. With --tag or --server, resume all paused jobs with
the tag, or of the server, including those that were paused one by one.`,
	}, schedule.Paused, "resumed", (*schedule.Scheduler).Resume)
}

// onJobs completes a command that does something to a job, or to all jobs in a state with a tag or of a server.
func (a *app) onJobs(flags *scheduleFlags, cmd *cobra.Command, state schedule.State, done string, do func(*schedule.Scheduler, context.Context, string) (*schedule.Job, error)) *cobra.Command {
	f := schedule.JobFilter{State: state, Limit: 1000}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if many := f.Tag != "" || f.Server != ""; many == (len(args) == 1) || len(args) > 1 {
			return usageError(cmd, "give the job, or --tag or --server")
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
			if len(args) == 1 {
				j, err := do(s, cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.printJob(flags, j, func(w *strings.Builder) { terminal.Fprintf(w, "%s the job %s\n", done, j.Name) })
			}
			changed, err := each(cmd.Context(), s, f, do)
			if printed := a.print(flags, append([]*schedule.Job{}, changed...), func(w *strings.Builder) {
				for _, j := range changed {
					terminal.Fprintf(w, "%s the job %s\n", done, j.Name)
				}
				if len(changed) == 0 {
					terminal.Fprintf(w, "no such jobs are %s\n", state)
				}
			}); err == nil {
				err = printed
			}
			return err
		})
	}
	cmd.Flags().StringVar(&f.Tag, "tag", "", "all jobs with this `TAG`")
	cmd.Flags().StringVar(&f.Server, "server", "", "all jobs of the server of this `NAME`")
	return cmd
}

// each does something to all jobs that a filter chooses, and returns them.
func each(ctx context.Context, s *schedule.Scheduler, f schedule.JobFilter, do func(*schedule.Scheduler, context.Context, string) (*schedule.Job, error)) (changed []*schedule.Job, _ error) {
	for {
		page, err := s.List(ctx, f)
		if err != nil || len(page) == 0 {
			return changed, err
		}
		for _, j := range page {
			done, err := do(s, ctx, j.ID)
			switch {
			case errors.Is(err, schedule.ErrNotFound): // deleted meanwhile
			case err != nil:
				return changed, fmt.Errorf("the job %s: %w", j.Name, err)
			default:
				changed = append(changed, done)
			}
		}
		f.After = page[len(page)-1].ID
	}
}
