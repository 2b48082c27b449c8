// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/cmd/internal/jobs/inside"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schedule"
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
				if err := daemon.CheckListen(own.Listen, p.Policy.Authorization); err != nil {
					return fmt.Errorf("--listen: %w", err)
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
	f.StringVar(&own.Metrics, "metrics", "", "serve Prometheus metrics at http://`ADDRESS`/metrics, such as 127.0.0.1:9464; default: nowhere")
	f.StringSliceVar(&own.Guard.Hosts, "allow-host", nil, "further `NAME` of this machine in requests of clients")
	f.StringSliceVar(&own.Guard.Origins, "allow-origin", nil, "`ORIGIN` of web pages that may make calls, such as https://app.example.org")
	return cmd
}

func (a *app) scheduleWorkers(flags *scheduleFlags) *cobra.Command {
	return &cobra.Command{
		Use: "workers", Short: "List the schedulers that run the jobs of this store", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withScheduler(cmd, flags, func(s *schedule.Scheduler, _ *call.Session) error {
				list, err := inside.Of(s).Workers(cmd.Context())
				if err != nil {
					return err
				}
				defer a.idle(cmd.Context(), s)
				return a.print(flags, append([]*schedule.Worker{}, list...), func(w *strings.Builder) {
					for _, one := range list {
						servers := "any"
						if one.Servers != nil {
							servers = cmp.Or(strings.Join(one.Servers, ", "), "none")
						}
						terminal.Fprintf(w, "%s  since %s  last seen %s  servers: %s", one.ID, one.Started.Format(time.RFC3339), one.Seen.Format(time.RFC3339), servers)
						if one.Policy != "" {
							terminal.Fprintf(w, "  policy: %s since %s", one.Policy, one.Since.Format(time.RFC3339))
						}
						if wrong := one.Wrong(); wrong != "" {
							terminal.Fprintf(w, "  its clock is %s", wrong)
						}
						terminal.Fprintf(w, "\n")
					}
				})
			})
		},
	}
}
