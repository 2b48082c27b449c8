// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/internal/daemon"
	"github.com/toolvet/toolvet/protocol"
)

func (a *app) serveCommand() *cobra.Command {
	cfg := daemon.ServeConfig{Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr}
	var verbose bool
	cmd := &cobra.Command{
		Use:   "serve --policy FILE [flags]",
		Short: "Put all servers of a policy behind one endpoint",
		Long: `Put all servers of a policy behind one endpoint, over Streamable HTTP, and judge every call.

  /mcp         all servers; tools and prompts are called SERVER__NAME
  /mcp/SERVER  one of them
  /healthz     whether toolvet runs      /readyz   how the servers stand
  /metrics     for Prometheus

Servers are started, or connected to, when a client needs them, and again when they end. The
policy is read again when it changes: sessions stay, and so do the servers that are reached as
before. With --stdio there is one client, on standard input.

A policy with a section "schedule" has the jobs of its store run, and the scheduler among the
servers, as "schedule"; /schedule/ shows them on web pages.`,
		Example: `  toolvet serve --policy toolvet.yaml
  toolvet serve --policy toolvet.yaml --listen 127.0.0.1:9000
  toolvet serve --policy toolvet.yaml --stdio`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usageError(cmd, "serve takes no arguments: the policy names the servers")
			case cfg.Source.Policy == "":
				return usageError(cmd, "no policy: give the one that names the servers with --policy")
			case cfg.Stdio && cmd.Flags().Changed("listen"):
				return usageError(cmd, "--stdio and --listen do not go together")
			}
			cfg.Logger = newLogger(a.stderr, verbose)
			return daemon.Serve(cmd.Context(), cfg)
		},
	}
	f := cmd.Flags()
	a.addPolicyFlags(cmd, &cfg.Source)
	f.StringVar(&cfg.Listen, "listen", "127.0.0.1:8080", "`ADDRESS` to take clients at")
	f.BoolVar(&cfg.Stdio, "stdio", false, "take one client, on standard input")
	f.StringSliceVar(&cfg.Guard.Hosts, "allow-host", nil, "`NAME` that clients may call this machine by, beside its address and localhost")
	f.StringSliceVar(&cfg.Guard.Origins, "allow-origin", nil, "`ORIGIN` of web pages that may make calls, such as https://app.example.org")
	f.StringVar(&cfg.ValidateName, "validate-name", protocol.ToolName, "`NAME` of the validate tool")
	f.IntVar(&cfg.MaxSessions, "max-sessions", 1000, "`NUMBER` of sessions of one principal at once, at each path; of all, ten times as many")
	f.BoolVarP(&verbose, "verbose", "v", false, "tell refused calls on standard error, too")
	return cmd
}
