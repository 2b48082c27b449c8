// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schedule"
)

// exitChanges is the exit code of apply --plan if there would be changes.
const exitChanges = 2

func (a *app) scheduleApply(flags *scheduleFlags) *cobra.Command {
	var plan, yes, prune, adopt bool
	cmd := &cobra.Command{
		Use: "apply FILE", Short: "Make the jobs of a file, and change those that differ from it", Args: exactly(1, "the file of jobs"),
		Long: `Make the jobs of a YAML or JSON file, and change those that differ from it. First all jobs of the
file are validated, and nothing is changed if one is a no-go. Then apply shows its plan, and asks.

The label managed_by of the file marks its jobs. Other jobs stay as they are: a job of the same
name that somebody made by hand is an error without --adopt.

Exit codes: 0 done, or nothing to do; 1 a job or the file is refused; with --plan, 2 there would be
changes; 2 not judged, with an error on standard error.`,
		Example: `  toolvet schedule apply jobs.yaml --plan
  toolvet schedule apply jobs.yaml --prune --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !plan && !yes && !isTerminal(a.stdin) {
				return usageError(cmd, "apply asks before it changes anything, and nobody is there to answer: add --yes, or --plan")
			}
			file, err := policy.LoadJobs(args[0])
			if err != nil {
				return a.badJobs(err)
			}
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, owner *call.Session) error {
				p := &applier{file: file, s: s.Of(owner.Subject), owner: owner, prune: prune, adopt: adopt}
				todo, err := p.plan(cmd.Context())
				if err != nil {
					return a.badJobs(err)
				}
				if err := a.print(flags, todo, func(w *strings.Builder) { planWords(w, todo) }); err != nil {
					return err
				}
				switch {
				case len(todo.Changes) == 0:
					return nil
				case plan:
					return exitCode(exitChanges)
				case !yes && !a.agree(cmd.Context(), fmt.Sprintf("Make these %d changes? [y/N] ", len(todo.Changes))):
					fmt.Fprintln(a.stderr, "toolvet: nothing was changed")
					return nil
				}
				for i, c := range todo.Changes {
					if err := p.do(cmd.Context(), c); err != nil {
						return enforce.WithHint(fmt.Errorf("the job %q: %w", c.Job, err), "%d of %d changes are made: apply the file again for the others", i, len(todo.Changes))
					}
				}
				terminal.Fprintf(a.stderr, "toolvet: made %d changes\n", len(todo.Changes))
				a.idle(cmd.Context(), s)
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&plan, "plan", false, "change nothing: show what would change; exit code 2 if anything would")
	f.BoolVar(&yes, "yes", false, "do not ask")
	f.BoolVar(&prune, "prune", false, "delete jobs that an earlier version of the file made, and that it no longer has")
	f.BoolVar(&adopt, "adopt", false, "take over jobs of the same names that were made by hand, or by another file")
	cmd.MarkFlagsMutuallyExclusive("plan", "yes")
	return cmd
}

// badJobs prints what is wrong with a file of jobs, and returns the exit code.
func (a *app) badJobs(err error) error {
	if !errors.As(err, new(policy.Errors)) {
		return err
	}
	a.complain(err)
	return exitCode(exitNoGo)
}

func planWords(w *strings.Builder, p *jobPlan) {
	for _, c := range p.Changes {
		terminal.Fprintf(w, "%s %s\n", strings.Join(c.Actions, ", "), c.Job)
		for _, m := range c.Members {
			switch {
			case c.stored == nil:
				terminal.Fprintf(w, "  %s: %s\n", m.Member, string(m.To))
			default:
				terminal.Fprintf(w, "  %s: %s -> %s\n", m.Member, cmp.Or(string(m.From), "none"), cmp.Or(string(m.To), "none"))
			}
		}
		if c.Understood != "" && len(c.Members) > 0 {
			terminal.Fprintf(w, "  understood: %s\n", c.Understood)
		}
		for _, warning := range c.Warnings {
			terminal.Fprintf(w, "  warning: %s\n", warning)
		}
	}
	for _, name := range p.Left {
		terminal.Fprintf(w, "left %s: the file no longer has it; --prune deletes it\n", name)
	}
	if len(p.Changes) == 0 {
		terminal.Fprintf(w, "nothing to change: ")
	}
	terminal.Fprintf(w, "changes: %d, unchanged: %d\n", len(p.Changes), p.Unchanged)
}

func (a *app) scheduleExport(flags *scheduleFlags) *cobra.Command {
	var label string
	cmd := &cobra.Command{
		Use: "export", Short: "Write the jobs as a file for apply", Args: cobra.NoArgs,
		Long: `Write the jobs as a file that 'toolvet schedule apply' reads. The file holds their arguments as the
store has them, secrets included. Jobs that have ended, and those of other owners, are left out.`,
		Example: "  toolvet schedule export > jobs.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, owner *call.Session) error {
				all, err := allJobs(cmd.Context(), s, schedule.JobFilter{})
				if err != nil {
					return err
				}
				file, ended, others := exported(all, owner.Subject, label)
				text, err := file.Text(flags.json)
				if err != nil {
					return enforce.WithHint(fmt.Errorf("apply could not read the file: %w", err), "write fewer jobs at once: --managed-by")
				}
				if ended > 0 {
					fmt.Fprintf(a.stderr, "toolvet: left out %d jobs that have ended\n", ended)
				}
				if others > 0 {
					fmt.Fprintf(a.stderr, "toolvet: left out %d jobs of other owners\n", others)
				}
				_, err = a.wire.Write(text)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&label, "managed-by", "", "only jobs with this `LABEL`; default: all")
	return cmd
}

// defaultLabel is the label of an exported file whose jobs have none in common.
const defaultLabel = "jobs"

// exported returns an owner's jobs as a file, and how many jobs it leaves out.
func exported(all []*schedule.Job, subject, label string) (file *policy.Jobs, ended, others int) {
	file = &policy.Jobs{ManagedBy: label}
	common := ""
	for _, j := range all {
		switch {
		case label != "" && j.ManagedBy != label:
			continue
		case j.Owner.Subject != subject:
			others++
			continue
		case j.State == schedule.Completed || j.State == schedule.Failed:
			ended++
			continue
		}
		if len(file.List) == 0 {
			common = j.ManagedBy
		} else if common != j.ManagedBy {
			common = ""
		}
		fields, _ := json.Marshal(j.Spec) // the fields of a job are JSON
		file.List = append(file.List, policy.Job{Name: j.Name, Fields: fields, Paused: j.State == schedule.Paused, AllowWarnings: j.AllowWarnings, SkipValidation: j.Unvalidated})
	}
	file.ManagedBy = cmp.Or(label, common, defaultLabel)
	return file, ended, others
}
