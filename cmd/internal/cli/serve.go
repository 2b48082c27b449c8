// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"sync"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
)

func (a *app) serveCommand() *cobra.Command {
	cfg := daemon.ServeConfig{Stdin: a.stdin, Stdout: a.wire, Stderr: a.stderr}
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Put all servers of a policy behind one endpoint",
		Long: `Put all servers of a policy behind one endpoint, over Streamable HTTP, and judge every call.

  /mcp         all servers; tools and prompts have names SERVER__NAME
  /mcp/SERVER  one of them
  /healthz     whether toolvet runs
  /readyz      whether each server has started or failed once, and which are down
  /metrics     for Prometheus

Without --policy, it takes the toolvet.yaml of this directory.

Toolvet starts, or connects to, a server when a client or a job needs it, and again if it
ends; the first request for /readyz starts each one for a moment. It follows changes of
the policy: sessions stay, and so do servers that are reached the same way. With --stdio,
there is one client, on standard input.

If the policy has a section "schedule", toolvet also runs the jobs of its store, offers the
scheduler as the server "schedule", and shows the jobs on web pages at /schedule/.`,
		Example: `  toolvet serve --policy toolvet.yaml
  toolvet serve --policy toolvet.yaml --listen 127.0.0.1:9000
  toolvet serve --policy toolvet.yaml --stdio`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cfg.Source.Policy == "" && isFile(policyFile) {
				cfg.Source.Policy = policyFile
			}
			switch {
			case len(args) > 0:
				return usageError(cmd, "serve takes no arguments: the policy names the servers")
			case cfg.Source.Policy == "":
				return usageError(cmd, "no policy: give the one that names the servers with --policy; there is no "+policyFile+" here")
			case cfg.Timeout <= 0:
				return usageError(cmd, "--server-timeout must be longer than 0")
			case cfg.Stdio && cmd.Flags().Changed("listen"):
				return usageError(cmd, "--stdio and --listen do not go together")
			}
			cfg.Logger = newLogger(a.stderr, cfg.Verbose)
			a.warnStart(cfg.Source.Policy)
			var told sync.Map // a server's tools are read again and again
			cfg.Listed = func(p *policy.Policy, server string, tools *call.Catalog) {
				what := unbounded(p, server, tools)
				if _, again := told.LoadOrStore(server+" "+what, true); what != "" && !again {
					a.warn("%s", what)
				}
			}
			return daemon.Serve(cmd.Context(), cfg)
		},
	}
	f := cmd.Flags()
	a.addPolicyFlags(cmd, &cfg.Source)
	f.StringVar(&cfg.Listen, "listen", "127.0.0.1:8080", "`ADDRESS` for clients")
	f.BoolVar(&cfg.Stdio, "stdio", false, "serve one client, on standard input")
	f.StringSliceVar(&cfg.Guard.Hosts, "allow-host", nil, "further `NAME` of this machine in requests of clients")
	f.StringSliceVar(&cfg.Guard.Origins, "allow-origin", nil, "`ORIGIN` of web pages that may make calls, such as https://app.example.org")
	f.StringVar(&cfg.ValidateName, "validate-name", protocol.ToolName, "`NAME` of the validate tool")
	f.IntVar(&cfg.MaxSessions, "max-sessions", 1000, "most sessions of one principal at each path, `NUMBER`; ten times as many for all principals together")
	f.DurationVar(&cfg.Timeout, "server-timeout", daemon.ServerTimeout, "how long a server may take to start, and to list its tools")
	addProcessFlag(cmd, &cfg.MaxProcesses)
	f.BoolVarP(&cfg.Verbose, "verbose", "v", false, "print refused calls and the servers' own standard error, too")
	return cmd
}
