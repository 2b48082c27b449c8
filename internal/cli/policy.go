// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/suite"
	"github.com/toolvet/toolvet/internal/strictjson"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/upstream"
)

// policyFile is where "toolvet init" writes a policy, and "toolvet policy lint" reads it.
const policyFile = "toolvet.yaml"

func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Work on a policy: test it, replay calls with it, see what it leaves open",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(cmd, "unknown command %q: policy has schema, lint, test and replay", args[0])
			}
			return usageError(cmd, "policy needs a command: schema, lint, test or replay")
		},
	}
	cmd.AddCommand(a.schemaCommand(), a.lintCommand(), a.testCommand(), a.replayCommand())
	return cmd
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of policies, for editors",
		Long: `Print the JSON Schema (draft 2020-12) of toolvet.yaml. An editor that is given it
completes keys, explains them and underlines misspelt ones.`,
		Example: "  toolvet policy schema > toolvet.schema.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(cmd, "schema takes no arguments")
			}
			_, err := a.stdout.Write(policy.JSONSchema(allChecks(), suite.Rules()))
			return err
		},
	}
}

// lintFlags are the flags of "toolvet policy lint".
type lintFlags struct {
	policy  string
	server  string
	timeout time.Duration
}

func (a *app) lintCommand() *cobra.Command {
	var flags lintFlags
	cmd := &cobra.Command{
		Use:   "lint [flags] [-- SERVER-COMMAND...]",
		Short: "Tell what a policy leaves open",
		Long: `Tell what a policy leaves open: paths without directories, URLs without hosts,
commands without programs, checks that are off. With a server's command, its tools
are listed, and arguments that the policy does not speak of are told as well.

Exit codes: 0 nothing is left open, 1 something is, 2 the policy or the server could
not be read.`,
		Example: `  toolvet policy lint
  toolvet policy lint --policy toolvet.yaml -- npx -y @modelcontextprotocol/server-filesystem .`,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, server := serverArgs(cmd, args)
			switch {
			case len(before) > 0:
				return usageError(cmd, "%q stands before the server's command: put -- between", before[0])
			case flags.timeout <= 0:
				return usageError(cmd, "--server-timeout must be longer than 0")
			}
			return a.lint(cmd, flags, server)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.policy, "policy", policyFile, "policy `FILE`")
	f.StringVar(&flags.server, "server", "", "`NAME` of the server in the policy; default: all, or the one with the command")
	f.DurationVar(&flags.timeout, "server-timeout", upstream.DefaultTimeout, "how long the server may take to start, and to list its tools")
	return cmd
}

func (a *app) lint(cmd *cobra.Command, flags lintFlags, command []string) error {
	p, err := policy.Load(flags.policy, suite.Rules()...)
	if err == nil {
		err = p.Validate(allChecks())
	}
	if err != nil {
		return err
	}
	servers := p.Servers
	if flags.server != "" || command != nil {
		server, err := serverOf(p, flags.server, command)
		if err != nil {
			return err
		}
		servers = []*policy.Server{server}
	}
	var tools *call.Catalog
	if command != nil {
		if tools, err = a.knownTools(cmd.Context(), "", command, flags.timeout); err != nil {
			return err
		}
	}
	l := &linter{policy: p}
	l.checks()
	for _, s := range servers {
		l.server(s, tools)
	}
	return a.writeGaps(flags.policy, l.gaps)
}

func (a *app) writeGaps(file string, gaps []string) error {
	b := bufio.NewWriter(a.stdout)
	for _, gap := range gaps {
		fmt.Fprintf(b, "%s: %s\n", file, strictjson.Printable(gap, 400))
	}
	if len(gaps) == 0 {
		fmt.Fprintf(b, "%s: nothing is left open of what lint looks for\n", file)
	}
	if err := b.Flush(); err != nil || len(gaps) == 0 {
		return err
	}
	return exitCode(exitNoGo)
}
