// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/rehearsal"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// rehearseFlags are the flags of "toolvet rehearse".
type rehearseFlags struct {
	gate     enforce.Source
	timeout  time.Duration
	writable []string
	env      []string
	network  policy.RehearsalNetwork
	json     bool
	html     string
	commit   bool
	yes      bool
}

func (a *app) rehearseCommand() *cobra.Command {
	var flags rehearseFlags
	cmd := &cobra.Command{
		Use:   "rehearse [flags] CALL.json|- -- SERVER-COMMAND...",
		Short: "Run calls where they can do no harm, and show what they would change",
		Long: `Run calls where they can do no harm, and show what they would change.

The server really runs, in a sandbox of the Linux kernel: it sees this machine's files, its
writes stay in memory, and it reaches no network. The report lists the files that it made,
changed, moved and deleted, the programs that it started, and the requests that it would
have sent. Its environment has variables that usually hold no secrets, such as PATH and
HOME, and those that the policy and --env name.

A call is {"tool": …, "arguments": {…}}. Calls of a list are made in order, and each sees
the changes of those before. With --commit, rehearse then makes the changes for real, if
you confirm and no file underneath has changed meanwhile.

Exit codes: 0 all calls were made, 1 a call was refused, has no result, or breaks the
policy's effects, 2 not rehearsed.
'toolvet doctor' tests whether rehearsals work on this machine.`,
		Example: `  toolvet rehearse call.json -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet rehearse --commit call.json -- npx -y @modelcontextprotocol/server-filesystem .`,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, server, err := placesAndCommand(cmd, args, isCallPlace)
			if err != nil {
				return err
			}
			return a.rehearse(cmd, flags, files, server)
		},
	}
	takesCommand(cmd)
	f := cmd.Flags()
	a.addGateFlags(cmd, &flags.gate)
	f.DurationVar(&flags.timeout, "server-timeout", upstream.DefaultTimeout, "time limit for the start of the server, and for each call")
	f.StringArrayVar(&flags.writable, "writable", nil, "further `DIR` that the server may write to; repeatable")
	f.StringArrayVar(&flags.env, "env", nil, "`NAME` of an environment variable to pass to the server, or PREFIX_*; repeatable")
	f.StringArrayVar(&flags.network.Allow, "allow", nil, "`HOST` on the internet that the server may really reach, HOST:PORT or *.HOST; repeatable")
	f.StringArrayVar(&flags.network.AllowPrivate, "allow-private", nil, "the same for a `HOST` in a private network, and for localhost:PORT")
	f.StringVar(&flags.network.Replay, "replay", "", "answer requests from `FILE`, an HTTP Archive (HAR), by their method and URL")
	f.StringVar(&flags.network.Record, "record", "", "write the answers of allowed hosts to `FILE`, for --replay")
	f.BoolVar(&flags.json, "json", false, "print the report as JSON")
	f.StringVar(&flags.html, "html", "", "write the report as a page to `FILE`, too")
	f.BoolVar(&flags.commit, "commit", false, "make the changes for real after showing them")
	f.BoolVar(&flags.yes, "yes", false, "with --commit: do not ask")
	return cmd
}

func (a *app) rehearse(cmd *cobra.Command, flags rehearseFlags, files, server []string) error {
	switch {
	case len(files) != 1:
		return usageError(cmd, "name one file with a call, or - for standard input")
	case len(server) == 0 && flags.gate.Policy == "" && isFile(policyFile):
		return enforce.WithHint(errors.New("no server command: give it after --"), "a rehearsal takes no command from a policy; --policy %s has it keep what the policy demands", policyFile)
	case len(server) == 0:
		return usageError(cmd, "no server command: give it after --")
	case slices.ContainsFunc(flags.env, func(name string) bool { return strings.Contains(name, "=") }):
		return usageError(cmd, "--env takes the NAME of a variable, or PREFIX_*, not its value: set the variable where toolvet starts")
	case flags.timeout <= 0:
		return usageError(cmd, "--server-timeout must be longer than 0")
	case flags.commit && !flags.yes && (files[0] == "-" || !isTerminal(a.stdin)):
		return usageError(cmd, "--commit asks before it changes anything, and nobody is there to answer: add --yes")
	}
	ctx := cmd.Context()
	raw, err := a.readCall(ctx, files[0])
	if err != nil {
		return err
	}
	calls, err := decodeCalls(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", displayName(files[0]), err)
	}
	p, err := flags.gate.ForServer(server)
	if err != nil {
		return err
	}
	end := a.working("rehearsing")
	defer end()
	session, err := a.startRehearsal(ctx, flags, p, server)
	if err != nil {
		return err
	}
	defer session.Close()
	code := exitGo
	for _, c := range calls {
		if done := session.Call(ctx, c); done.Result == nil {
			code = exitNoGo
		}
	}
	report, err := session.Finish(ctx)
	end()
	if err == nil {
		err = a.showRehearsal(flags, report)
	}
	if err != nil {
		return err
	}
	for _, f := range rehearsal.Judge(report, p.Servers[0].Name, p.Rehearsal.Effects) {
		code = exitNoGo
		terminal.Fprintf(a.stderr, "toolvet: no-go: %s\n", f.Message)
	}
	if flags.commit {
		return errors.Join(a.commit(ctx, flags, session, report, code), exitWith(code))
	}
	return exitWith(code)
}

func (a *app) startRehearsal(ctx context.Context, flags rehearseFlags, p *policy.Policy, server []string) (*rehearsal.Session, error) {
	gate, err := a.checks.NewGate(&access.Enforcer{Contains: true, Shared: backend.SharedLimits, Server: p.Servers[0].Name, Log: newLogger(a.stderr, false)}, p)
	if err != nil {
		return nil, err
	}
	init, err := backend.SandboxInit()
	if err != nil {
		return nil, err
	}
	added, err := p.Servers[0].Environ(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	session := flags.gate.Session(p)
	s, err := rehearsal.Start(ctx, rehearsal.Config{
		Command: server, Init: init, Writable: flags.writable, Timeout: flags.timeout,
		Env: added, Pass: append(flags.env, p.Rehearsal.Env...), Network: flags.networkOf(p),
		Gate: gate, Server: p.Servers[0].Name, Session: &session,
		Committed: func(c rehearsal.Change) {
			terminal.Fprintf(a.stderr, "toolvet: made: %s %s\n", c.Kind, strictjson.Printable(c.Path, maxPath))
		},
	})
	var missing *rehearsal.UnsupportedError
	if errors.As(err, &missing) {
		return nil, enforce.WithHint(err, "'toolvet doctor' lists what is missing on this machine")
	}
	return s, err
}

// networkOf returns the network of the flags, or else that of the policy.
func (f *rehearseFlags) networkOf(p *policy.Policy) policy.RehearsalNetwork {
	n := p.Rehearsal.Network
	if own := f.network; own.Replay != "" || len(own.Allow)+len(own.AllowPrivate) > 0 {
		return own
	}
	n.Record = f.network.Record
	return n
}

// decodeCalls reads one call or a list of calls.
func decodeCalls(raw []byte) ([]rehearsal.Call, error) {
	if len(raw) > maxCall {
		return nil, fmt.Errorf("larger than %d bytes", maxCall)
	}
	if _, err := strictjson.Parse(raw, strictjson.Limits{}); err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if strings.HasPrefix(strings.TrimLeft(string(raw), " \t\r\n"), "[") {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
	} else {
		list = append(list, raw)
	}
	if len(list) == 0 {
		return nil, errors.New("no call")
	}
	var calls []rehearsal.Call
	for i, raw := range list {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.DisallowUnknownFields()
		var c rehearsal.Call
		if err := d.Decode(&c); err != nil || c.Tool == "" {
			return nil, fmt.Errorf(`call %d: must be {"tool": NAME, "arguments": {…}}`, i+1)
		}
		calls = append(calls, c)
	}
	return calls, nil
}

func (a *app) showRehearsal(flags rehearseFlags, r *rehearsal.Report) error {
	if flags.html != "" {
		var page strings.Builder
		if err := r.WriteHTML(&page); err != nil {
			return err
		}
		if err := os.WriteFile(flags.html, []byte(page.String()), 0o600); err != nil {
			return err
		}
	}
	if flags.json {
		return writeJSON(a.stdout, r)
	}
	return r.WriteText(a.stdout)
}

// commit makes the changes if all calls had results and the operator agrees.
func (a *app) commit(ctx context.Context, flags rehearseFlags, s *rehearsal.Session, r *rehearsal.Report, code int) error {
	switch {
	case code != exitGo:
		return errors.New("nothing is committed, because a call is a no-go")
	case r.OfCalls() == 0:
		fmt.Fprintln(a.stderr, "toolvet: there is nothing to commit")
		return nil
	case !flags.yes && !a.agree(ctx, fmt.Sprintf("Make these %d changes? [y/N] ", r.OfCalls())):
		fmt.Fprintln(a.stderr, "toolvet: nothing was changed")
		return nil
	}
	_, err := s.Commit(ctx)
	var partial *rehearsal.PartialError
	if errors.As(err, &partial) {
		for _, part := range []struct {
			what  string
			paths []string
		}{{"made in part", partial.Begun}, {"not made", partial.Left}} {
			for _, path := range part.paths {
				terminal.Fprintf(a.stderr, "toolvet: %s: %s\n", part.what, strictjson.Printable(path, maxPath))
			}
		}
	}
	if err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	terminal.Fprintf(a.stderr, "toolvet: committed %d changes\n", r.OfCalls())
	return nil
}

// recoverCommits ends commits that were cut off. A commit that cannot be ended stops no other command.
func (a *app) recoverCommits(ctx context.Context) {
	done, err := rehearsal.Recover(ctx)
	for _, r := range done {
		what := "removed the copies of a commit that was cut off before it changed anything"
		if r.Finished {
			what = "finished a commit that was cut off"
		}
		terminal.Fprintf(a.stderr, "toolvet: %s\n", what)
		for _, g := range r.Left {
			terminal.Fprintf(a.stderr, "toolvet: not changed: %s: %s\n", strictjson.Printable(g.Path, maxPath), g.Why)
		}
	}
	if err != nil {
		terminal.Fprintf(a.stderr, "toolvet: warning: %v\n", err)
	}
}

// maxPath bounds a printed path, in characters.
const maxPath = 4096

// agree asks on the terminal. When ctx is done, it leaves a waiting read behind.
func (a *app) agree(ctx context.Context, question string) bool {
	fmt.Fprint(a.stderr, question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(io.LimitReader(a.stdin, 64)).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case said := <-answer:
		return said == "y" || said == "yes"
	case <-ctx.Done():
		return false
	}
}

// sandboxCommand is the command by which toolvet starts its own program to build a sandbox.
func (a *app) sandboxCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "sandbox",
		Short:              "Build a sandbox (toolvet starts this itself)",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return exitWith(rehearsal.Run(args))
		},
	}
}
