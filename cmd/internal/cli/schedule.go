// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schedule"
)

// scheduleFlags are the flags of all "toolvet schedule" commands.
type scheduleFlags struct {
	policy  string
	store   string
	json    bool
	verbose bool
}

func (a *app) scheduleCommand() *cobra.Command {
	var flags scheduleFlags
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Run tool calls at set times, validated before they exist, ahead of time, and when they run",
		Long: `Run tool calls at set times. The scheduler validates a job when it is made, and refuses
one that could not work. It validates coming runs again hours ahead, at once when tools,
the policy or files change, and when their time has come.

The file ` + daemon.DefaultStore + ` keeps the jobs, unless the section "schedule" of the policy
names another store. 'toolvet schedule serve' runs them. Jobs call tools of the policy's
servers, as SERVER:TOOL.`,
		Example: `  toolvet schedule create backup --tool files:read_text_file --arguments '{"path":"a"}' --schedule 'every weekday at 9am'
  toolvet schedule serve
  toolvet schedule runs backup`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	f := cmd.PersistentFlags()
	f.StringVar(&flags.policy, "policy", "", "policy `FILE`; default: toolvet.yaml, if there is one")
	f.StringVar(&flags.store, "store", "", "`FILE` of the jobs, or postgres://USER@HOST/DATABASE; default: the policy's")
	f.BoolVar(&flags.json, "json", false, "print JSON")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print each step on standard error")
	cmd.AddCommand(a.scheduleCreate(&flags), a.scheduleValidate(&flags), a.scheduleUpdate(&flags), a.scheduleList(&flags),
		a.scheduleShow(&flags), a.scheduleNext(&flags), a.schedulePause(&flags), a.scheduleResume(&flags), a.scheduleTrigger(&flags),
		a.scheduleRuns(&flags), a.scheduleRun(&flags), a.scheduleCancel(&flags), a.scheduleReplay(&flags), a.scheduleDelete(&flags), a.scheduleApply(&flags), a.scheduleExport(&flags),
		a.scheduleServe(&flags), a.scheduleWorkers(&flags), a.scheduleInstall(&flags))
	return cmd
}

// plan reads the policy.
func (a *app) plan(flags *scheduleFlags) (*daemon.Plan, error) {
	return daemon.NewPlan(enforce.Source{Policy: flags.policy, Checks: a.checks}, flags.store, newLogger(a.stderr, flags.verbose))
}

// withScheduler opens the scheduler for one operation.
func (a *app) withScheduler(cmd *cobra.Command, flags *scheduleFlags, do func(s *schedule.Scheduler, owner *call.Session) error) error {
	p, err := a.plan(flags)
	if err != nil {
		return err
	}
	makes := cmd.Name() == "create" || cmd.Name() == "apply" && !cmd.Flags().Changed("plan")
	s, end, err := p.Open(cmd.Context(), makes)
	if err != nil {
		return err
	}
	defer end()
	err = do(s, p.Owner())
	if errors.Is(err, schedule.ErrNotFound) {
		return enforce.WithHint(err, "'toolvet schedule list' shows the jobs")
	}
	return err
}

// idle tells on standard error if no scheduler is running, or none that knows the servers of jobs, so that standard output stays
// as programs read it.
func (a *app) idle(ctx context.Context, s *schedule.Scheduler, jobs ...*schedule.Job) {
	workers, err := inside.Of(s).Workers(ctx)
	switch {
	case err != nil:
	case len(workers) == 0:
		fmt.Fprintln(a.stderr, "toolvet: no scheduler is running: no job runs until 'toolvet schedule serve' or 'toolvet serve' does")
	default:
		told := map[string]bool{}
		for _, j := range jobs {
			server, _, _ := strings.Cut(j.Tool, ":")
			if !told[server] && !slices.ContainsFunc(workers, func(w *schedule.Worker) bool { return w.Knows(server) }) {
				terminal.Fprintf(a.stderr, "toolvet: no scheduler that is running knows the server %s: its jobs wait ('toolvet schedule workers' lists them)\n", server)
			}
			told[server] = true
		}
	}
}

// print writes a value as JSON, or in words.
func (a *app) print(flags *scheduleFlags, v any, words func(w *strings.Builder)) error {
	if flags.json {
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(v)
	}
	var w strings.Builder
	words(&w)
	_, err := fmt.Fprint(a.stdout, w.String())
	return err
}

// refused prints the reasons for refusing a job, and returns the exit code.
func (a *app) refused(flags *scheduleFlags, p *schedule.Proposal, err error) error {
	var refused *schedule.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	if err := a.print(flags, p, func(w *strings.Builder) { proposalWords(w, p) }); err != nil {
		return err
	}
	return exitCode(exitNoGo)
}

func proposalWords(w *strings.Builder, p *schedule.Proposal) {
	word := "no-go"
	if p.Valid {
		word = "go"
	}
	terminal.Fprintf(w, "%s\n", word)
	for _, e := range p.Errors {
		terminal.Fprintf(w, "  error: %s\n", e)
	}
	for _, e := range p.Warnings {
		terminal.Fprintf(w, "  warning: %s\n", e)
	}
	for _, e := range p.Suggestions {
		terminal.Fprintf(w, "  fix: %s\n", e)
	}
	if p.Understood != "" {
		terminal.Fprintf(w, "  schedule: %s\n", p.Understood)
	}
	for _, at := range p.Next {
		terminal.Fprintf(w, "  next: %s\n", at.Format(time.RFC3339))
	}
}
