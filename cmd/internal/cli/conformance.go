// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/kit"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schema"
	"github.com/toolvet/toolvet/upstream"
)

// conformanceFlags are the flags of "toolvet conformance".
type conformanceFlags struct {
	proxy, client bool
	dryRunsOnly   bool
	sdk           bool
	revisions     []string
	scenarios     []string
	timeout       time.Duration
	list          bool
	explain       string
	json          bool
	junit         string
	verbose       bool
}

func (a *app) conformanceCommand() *cobra.Command {
	var flags conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance [flags] -- COMMAND... | URL",
		Short: "Test whether a server, proxy or client speaks the validation protocol",
		Long: `Test whether a server, a proxy or a client speaks the validation protocol 1.0
(docs/protocol.md).

A server is tested in each revision of MCP that it speaks. To be tested in full, it needs the
tools of the fixture, conformance_write and conformance_count; 'toolvet conformance serve' is
a server with these tools alone. With --proxy, the command of that server is added to COMMAND, so
that the kit also plays the server behind the proxy. With --client, COMMAND is a client that reads
tasks from its standard input, one JSON object a line (docs/conformance.md).

A peer that does otherwise than it SHOULD is told so, and conforms. The exit code is 0 if no scenario
failed, 1 if one did, and 2 if the peer could not be tested.`,
		Example: `  toolvet conformance -- ./my-server
  toolvet conformance --proxy -- toolvet proxy --
  toolvet conformance --explain text-equals-structure`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.conformance(cmd, flags, args) },
	}
	takesCommand(cmd)
	f := cmd.Flags()
	f.BoolVar(&flags.proxy, "proxy", false, "COMMAND is a proxy, to which the kit adds the command of a server")
	f.BoolVar(&flags.client, "client", false, "COMMAND is a client that reads tasks")
	f.BoolVar(&flags.dryRunsOnly, "dry-runs-only", false, "the validator judges dry runs, but no live calls")
	f.BoolVar(&flags.sdk, "sdk", false, "an SDK reads the peer's messages: leave out those that it refuses before the validator sees them")
	f.StringSliceVar(&flags.revisions, "revision", nil, "test these revisions of MCP only; the peer must speak them (default: all that it speaks)")
	f.StringSliceVar(&flags.scenarios, "scenario", nil, "play these scenarios only")
	f.DurationVar(&flags.timeout, "timeout", 10*time.Second, "how long each answer may take")
	f.BoolVar(&flags.list, "list", false, "list the scenarios, and test nothing")
	f.StringVar(&flags.explain, "explain", "", "explain a scenario, and test nothing")
	f.BoolVar(&flags.json, "json", false, "print JSON")
	f.StringVar(&flags.junit, "junit", "", "write a JUnit report to this file")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print the scenarios that passed or were left out, too, and what the peer prints")
	cmd.AddCommand(a.conformanceServeCommand())
	return cmd
}

func (a *app) conformance(cmd *cobra.Command, flags conformanceFlags, args []string) error {
	all, err := kit.Scenarios()
	if err != nil {
		return err
	}
	before, peer, err := placesAndCommand(cmd, args, isURL)
	if len(peer) == 0 && len(before) == 1 && isURL(before[0]) {
		before, peer = nil, before
	}
	switch {
	case err != nil:
		return err
	case flags.list:
		return a.listScenarios(all)
	case flags.explain != "":
		return a.explainScenario(all, flags.explain)
	case len(before) > 0:
		return usageError(cmd, "%q is neither a URL nor a program on this machine", before[0])
	case len(peer) == 0:
		return usageError(cmd, "nothing to test: give a command after --, or a URL")
	case flags.proxy && flags.client:
		return usageError(cmd, "a peer is a proxy or a client, and not both")
	case (flags.proxy || flags.client) && isURL(peer[0]):
		return usageError(cmd, "a proxy or a client is started by the kit: give its command, and not a URL")
	case flags.client && (flags.dryRunsOnly || flags.sdk || len(flags.revisions) > 0):
		return usageError(cmd, "--dry-runs-only, --sdk and --revision are for servers and proxies")
	case flags.timeout <= 0:
		return usageError(cmd, "--timeout must be longer than 0")
	}
	for _, name := range flags.scenarios {
		if _, err := scenario(all, name); err != nil {
			return err
		}
	}
	for _, r := range flags.revisions {
		if !slices.Contains(kit.Revisions, r) {
			return usageError(cmd, "%q is no revision of MCP; there are %s", r, strings.Join(kit.Revisions, ", "))
		}
	}
	end := a.working("testing " + oneLine(strings.Join(peer, " "), 64))
	results, err := a.playScenarios(cmd, flags, peer)
	end()
	if err != nil {
		return err
	}
	return a.reportScenarios(flags, results)
}

func (a *app) playScenarios(cmd *cobra.Command, flags conformanceFlags, peer []string) ([]kit.Result, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "toolvet-conformance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	run := &kit.Run{Dialer: upstream.Command{Args: peer}, Revisions: flags.revisions, Only: flags.scenarios,
		DryRunsOnly: flags.dryRunsOnly, SDK: flags.sdk, Timeout: flags.timeout}
	if flags.verbose {
		run.Stderr = a.stderr
	}
	if !flags.json {
		run.Report = func(r kit.Result) { a.printResult(flags, r) }
	}
	played := playedServers{self: self, dir: dir}
	switch {
	case flags.client:
		return run.PlayClient(cmd.Context(), played.command)
	case flags.proxy:
		run.Dialer = upstream.Command{Args: append(slices.Clone(peer), self, "conformance", "serve")}
		run.Behind = func(s *kit.Scenario) (upstream.Dialer, func() ([]any, error), error) {
			command, requests, err := played.command(s)
			return upstream.Command{Args: append(slices.Clone(peer), command...)}, requests, err
		}
	case isURL(peer[0]):
		run.Dialer, run.Remote = upstream.HTTP{URL: peer[0]}, true
	}
	return run.Play(cmd.Context())
}

// playedServers are the servers that the kit plays, each a process of toolvet.
type playedServers struct{ self, dir string }

// command returns the command of the server of a scenario, and the requests that it got.
func (p playedServers) command(s *kit.Scenario) (command []string, requests func() ([]any, error), err error) {
	f, err := os.CreateTemp(p.dir, s.Name+"-")
	if err != nil {
		return nil, nil, err
	}
	record := f.Name()
	if err := f.Close(); err != nil {
		return nil, nil, err
	}
	return []string{p.self, "conformance", "serve", "--scenario", s.Name, "--record", record}, func() ([]any, error) { return kit.Recorded(record) }, nil
}

func (a *app) conformanceServeCommand() *cobra.Command {
	var name, record string
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Be the server behind a proxy, or the one of a client, on stdio",
		Long: `Be an MCP server on stdio with the tools of the fixture, conformance_write and
conformance_count. It announces no validation: a proxy is to add it.`,
		Example: `  toolvet proxy -- toolvet conformance serve`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := kit.Scenarios()
			if err != nil {
				return err
			}
			var behind *kit.Behind
			if name != "" {
				s, err := scenario(all, name)
				if err != nil {
					return err
				}
				behind = s.Behind
			}
			var to io.Writer
			if record != "" {
				f, err := os.OpenFile(filepath.Clean(record), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				if err != nil {
					return err
				}
				defer f.Close()
				to = f
			}
			return kit.Serve(behind, a.stdin, a.stdout, to)
		},
	}
	cmd.Flags().StringVar(&name, "scenario", "", "be the server of this scenario")
	cmd.Flags().StringVar(&record, "record", "", "append each request to this file")
	return cmd
}

func scenario(all []*kit.Scenario, name string) (*kit.Scenario, error) {
	names := make([]string, 0, len(all))
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	err := fmt.Errorf("there is no scenario %q", name)
	if near := schema.Nearest(name, names); near != "" {
		return nil, enforce.WithHint(err, "did you mean %q?", near)
	}
	return nil, enforce.WithHint(err, "'toolvet conformance --list' lists them")
}

func (a *app) listScenarios(all []*kit.Scenario) error {
	var out bytes.Buffer
	for _, s := range all {
		fmt.Fprintf(&out, "%-7s %-38s %s\n", s.Peer, s.Name, s.Text)
	}
	_, err := a.stdout.Write(out.Bytes())
	return err
}

func (a *app) explainScenario(all []*kit.Scenario, name string) error {
	s, err := scenario(all, name)
	if err != nil {
		return err
	}
	text, err := kit.Explain(s)
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.stdout, text)
	return err
}

func (a *app) printResult(flags conformanceFlags, r kit.Result) {
	where := r.Scenario.Name
	if r.Revision != "" {
		where = r.Revision + " " + where
	}
	switch {
	case r.Status == kit.Failed:
		terminal.Fprintf(a.stdout, "FAIL  %s\n      docs/protocol.md: %s\n      %s\n", where, r.Scenario.Text, r.Why)
	case r.Status == kit.Advised:
		terminal.Fprintf(a.stdout, "note  %s\n      docs/protocol.md: %s\n      %s\n", where, r.Scenario.Text, r.Why)
	case flags.verbose && r.Status == kit.Skipped:
		terminal.Fprintf(a.stdout, "skip  %s: %s\n", where, r.Why)
	case flags.verbose:
		terminal.Fprintf(a.stdout, "ok    %s\n", where)
	}
}

func (a *app) reportScenarios(flags conformanceFlags, results []kit.Result) error {
	if flags.junit != "" {
		var out bytes.Buffer
		if err := kit.WriteJUnit(&out, results); err != nil {
			return err
		}
		if err := os.WriteFile(flags.junit, out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	count := kit.Counts(results)
	if flags.json {
		if err := kit.WriteJSON(a.stdout, results); err != nil {
			return err
		}
	} else {
		terminal.Fprintf(a.stdout, "%d passed, %d failed, %d noted, %d left out%s\n", count[kit.Passed], count[kit.Failed], count[kit.Advised], count[kit.Skipped], lackingIn(results))
	}
	switch {
	case count[kit.Failed] > 0:
		return exitCode(exitNoGo)
	case count[kit.Passed] == 0:
		return errors.New("no scenario was played: the peer has nothing that the kit can test")
	}
	return nil
}

// lackingIn names the features that the peer lacks, for the scenarios left out.
func lackingIn(results []kit.Result) string {
	var why []string
	for _, r := range results {
		if r.Status == kit.Skipped && !slices.Contains(why, r.Why) {
			why = append(why, r.Why)
		}
	}
	if len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why, "; ")
}
