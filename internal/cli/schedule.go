// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/schedule"
	"github.com/toolvet/toolvet/schedule/sqlstore"
)

// scheduleFlags are the flags of all "toolvet schedule" commands.
type scheduleFlags struct {
	policy  string
	store   string
	json    bool
	verbose bool
}

// defaultStore is the file of the jobs where nothing names another.
const defaultStore = "toolvet-schedule.db"

func (a *app) scheduleCommand() *cobra.Command {
	var flags scheduleFlags
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Run tool calls at set times, validated before they exist, ahead of time, and when they run",
		Long: `Run tool calls at set times. A job is validated when it is made: one that could not
work is not made. Its coming runs are validated again hours ahead, and at once when
tools, the policy or files change; and each run is validated when its time has come.

Jobs are kept in the file ` + defaultStore + `, or where the section "schedule" of the
policy says. 'toolvet schedule serve' runs them. The policy's servers are those whose
tools can be scheduled, as SERVER:TOOL.`,
		Example: `  toolvet schedule create backup --tool files:read_text_file --arguments '{"path":"a"}' --schedule 'every weekday at 9am'
  toolvet schedule serve
  toolvet schedule runs backup`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(cmd, "unknown command %q", args[0])
			}
			return cmd.Help()
		},
	}
	f := cmd.PersistentFlags()
	f.StringVar(&flags.policy, "policy", "", "policy `FILE`; default: toolvet.yaml, if there is one")
	f.StringVar(&flags.store, "store", "", "`FILE` of the jobs, or postgres://USER@HOST/DATABASE; default: what the policy says")
	f.BoolVar(&flags.json, "json", false, "print JSON")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "tell on standard error what is done")
	cmd.AddCommand(a.scheduleCreate(&flags), a.scheduleValidate(&flags), a.scheduleUpdate(&flags), a.scheduleList(&flags),
		a.scheduleShow(&flags), a.scheduleNext(&flags), a.schedulePause(&flags), a.scheduleResume(&flags), a.scheduleTrigger(&flags),
		a.scheduleRuns(&flags), a.scheduleRun(&flags), a.scheduleDelete(&flags), a.scheduleServe(&flags), a.scheduleInstall(&flags))
	return cmd
}

// A plan is what the flags and the policy say of a scheduler.
type plan struct {
	flags  *scheduleFlags
	policy *policy.Policy
	said   policy.Schedule
	log    *slog.Logger
}

// plan reads the policy.
func (a *app) plan(flags *scheduleFlags) (*plan, error) {
	p := &plan{flags: flags, policy: new(policy.Policy), log: newLogger(a.stderr, flags.verbose)}
	if flags.policy == "" {
		if _, err := os.Stat("toolvet.yaml"); !errors.Is(err, fs.ErrNotExist) {
			flags.policy = "toolvet.yaml"
		}
	}
	if flags.policy != "" {
		read, err := policy.Load(flags.policy, suite.Demands()...)
		if err != nil {
			return nil, err
		}
		p.policy = read
		if read.Schedule != nil {
			p.said = *read.Schedule
		}
	}
	switch {
	case flags.store != "":
		p.said.Store = flags.store
	case p.said.Store == "":
		p.said.Store = defaultStore
	}
	return p, nil
}

// digest is that of the policy file as it is.
func (p *plan) digest() string {
	text, err := os.ReadFile(p.flags.policy)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// jobServers are the servers whose tools jobs call.
type jobServers interface {
	schedule.Caller
	// known is what the policy says of a server, and its gate; nil if there is none.
	known(server string) (*policy.Server, *toolvet.Gate)
}

// open opens the scheduler of a plan. Tell and seen are as Alert and Seen of [schedule.Config].
func (p *plan) open(ctx context.Context, servers jobServers, tell func(context.Context, *schedule.Notice) error, seen func(schedule.Alert)) (*schedule.Scheduler, schedule.Store, error) {
	store, err := sqlstore.Open(ctx, p.said.Store)
	if err != nil {
		return nil, nil, withHint(err, "name a file in a directory that exists, or a database that can be reached, with --store or in the policy")
	}
	s, err := schedule.New(schedule.Config{
		Store: store, Caller: servers, AllowSkip: p.said.SkipValidation, PolicyDigest: p.digest, Bases: basesOf(servers), Rehearse: p.rehearser(servers), Alert: tell, Seen: seen,
		Workers: p.said.Workers, Ahead: p.said.Ahead, Recheck: p.said.Recheck, MaxResult: p.said.Retention.Result,
		KeepAge: p.said.Retention.Age, KeepRuns: p.said.Retention.Runs, Logger: p.log,
	})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return s, store, nil
}

// withScheduler does something with the scheduler and closes it.
func (a *app) withScheduler(cmd *cobra.Command, flags *scheduleFlags, do func(s *schedule.Scheduler, who *call.Session) error) error {
	p, err := a.plan(flags)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	servers, err := openFleet(p, nil)
	if err != nil {
		return err
	}
	defer servers.end(ctx)
	s, store, err := p.open(ctx, servers, nil, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	err = do(s, p.owner())
	if errors.Is(err, schedule.ErrNotFound) {
		return withHint(err, "'toolvet schedule list' shows the jobs")
	}
	return err
}

// owner is who makes jobs at the command line.
func (p *plan) owner() *call.Session {
	return &call.Session{Subject: p.policy.Session.Subject, Transport: "stdio"}
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

// refused prints why a job is not made, and returns the exit code.
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
	fmt.Fprintf(w, "%s\n", word)
	for _, e := range p.Errors {
		fmt.Fprintf(w, "  error: %s\n", e)
	}
	for _, e := range p.Warnings {
		fmt.Fprintf(w, "  warning: %s\n", e)
	}
	for _, e := range p.Suggestions {
		fmt.Fprintf(w, "  fix: %s\n", e)
	}
	if p.Understood != "" {
		fmt.Fprintf(w, "  schedule: %s\n", p.Understood)
	}
	for _, at := range p.Next {
		fmt.Fprintf(w, "  next: %s\n", at.Format(time.RFC3339))
	}
}
