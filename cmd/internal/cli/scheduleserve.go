// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/internal/auth"
)

func (a *app) scheduleServe(flags *scheduleFlags) *cobra.Command {
	own := daemon.SchedulerConfig{Stdin: a.stdin, Stdout: a.wire, Stderr: a.stderr}
	cmd := &cobra.Command{
		Use: "serve", Short: "Run jobs, and offer the scheduler as an MCP server", Args: cobra.NoArgs,
		Long: `Run jobs, and offer the scheduler to clients as an MCP server on standard input and
output. With --listen, offer it over Streamable HTTP, and web pages of the jobs at
/schedule/; with --background, to nobody. Any number of processes may serve the same jobs.

On SIGTERM, no further run begins, and runs under way have 30 seconds to end.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.plan(flags)
			if err != nil {
				return err
			}
			if own.Listen != "" {
				if err := auth.CheckListen(own.Listen, p.Policy.Authorization); err != nil {
					return usageError(cmd, "--listen: %v", err)
				}
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			return p.Serve(ctx, own)
		},
	}
	f := cmd.Flags()
	f.StringVar(&own.Listen, "listen", "", "`ADDRESS` for clients over Streamable HTTP, such as 127.0.0.1:8080; default: standard input")
	f.BoolVar(&own.Background, "background", false, "only run jobs, without clients")
	f.StringSliceVar(&own.Guard.Hosts, "allow-host", nil, "further `NAME` of this machine in requests of clients")
	f.StringSliceVar(&own.Guard.Origins, "allow-origin", nil, "`ORIGIN` of web pages that may make calls, such as https://app.example.org")
	return cmd
}
