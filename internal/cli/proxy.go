// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"
	"log/slog"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/door/relay"
	"github.com/toolvet/toolvet/door/stdio"
	"github.com/toolvet/toolvet/internal/machine/memory"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/validate"
	"github.com/toolvet/toolvet/policy"
	"github.com/toolvet/toolvet/protocol"
	"github.com/toolvet/toolvet/record"
)

// proxyFlags are the flags of "toolvet proxy".
type proxyFlags struct {
	gate         gateFlags
	validateName string
	maxBatch     int
	verbose      bool
	metrics      string
	http         httpFlags
}

func (a *app) proxyCommand() *cobra.Command {
	var flags proxyFlags
	cmd := &cobra.Command{
		Use:   "proxy [flags] [-- SERVER-COMMAND...]",
		Short: "Stand in front of a server and judge every call",
		Long: `Stand in front of an MCP server on stdio: start it, judge every call before the
server sees it, and offer the validate tool. Put it in an MCP client's
configuration in place of the server's command. Without a command, the one in the
policy starts the server.

With --upstream the server is one behind a URL (Streamable HTTP), as it is without a
command where the policy has a url for the server. With --listen clients come over
Streamable HTTP, to http://ADDRESS/mcp, and a command is started for each session. See
docs/http.md. Where the policy has authorization, clients must show a token; without,
only this machine's own may come: see docs/authorization.md.

Without a policy the preset "standard" holds: metadata addresses, paths that leave the
directories in the server's command, encoded traversal, NUL and shell substitution are
refused, where arguments seem to be paths, URLs and the like. --preset none turns it
off; 'toolvet init' writes a first policy.

Ends with the server's exit code; 2 if the server could not be started.`,
		Example: `  toolvet proxy -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet proxy --policy toolvet.yaml -- ./my-server --verbose
  toolvet proxy --upstream https://mcp.example.com/mcp
  toolvet proxy --listen 127.0.0.1:8080 -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet proxy --listen 127.0.0.1:8080 --upstream https://mcp.example.org/mcp`,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, server := serverArgs(cmd, args)
			h := &flags.http
			switch {
			case len(before) > 0:
				return usageError(cmd, "%q stands before the server's command: put -- between", before[0])
			case h.upstream != "" && server != nil:
				return usageError(cmd, "a command starts a server, and --upstream names one that runs already: give one or the other")
			case h.listen == "" && h.given(cmd):
				return usageError(cmd, "these flags are for clients over HTTP: say where with --listen")
			case !h.validPath():
				return usageError(cmd, badPath)
			case h.upstream == "" && len(server) == 0 && (server != nil || flags.gate.policy == ""):
				return usageError(cmd, noServer)
			}
			return a.proxy(cmd, flags, server)
		},
	}
	f := cmd.Flags()
	flags.gate.register(cmd)
	f.StringVar(&flags.validateName, "validate-name", protocol.ToolName, "`NAME` of the validate tool")
	f.IntVar(&flags.maxBatch, "max-batch", 100, "most calls of one batch of dry runs, `N`; 0: no batches")
	f.StringVar(&flags.metrics, "metrics", "", "serve Prometheus metrics at http://`ADDRESS`/metrics, such as 127.0.0.1:9464; default: nowhere")
	flags.http.register(cmd)
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "tell refused calls on standard error, too")
	return cmd
}

const noServer = "no server command: give it after --, or the URL of a server with --upstream"

func (a *app) proxy(cmd *cobra.Command, flags proxyFlags, command []string) error {
	log := newLogger(a.stderr, flags.verbose)
	if u, err := url.Parse(flags.http.upstream); err != nil {
		return usageError(cmd, "--upstream is no URL")
	} else if u.Host != "" {
		flags.gate.remote = !policy.Loopback(u.Hostname())
	}
	var entry *authGate
	if flags.http.listen != "" {
		entry = newAuthGate(flags.http.passHeaders, log)
	}
	gate, err := openLiveGate(flags.gate, command, entry, log)
	if err != nil {
		return err
	}
	there, err := flags.http.reach(gate.server, log)
	switch {
	case err != nil:
		return err
	case there == nil && len(gate.command) == 0:
		return usageError(cmd, noServer)
	}
	return flags.mediate(cmd.Context(), gate, log, func(ctx context.Context, cfg relay.Config) error {
		if entry != nil && there != nil {
			return a.reverse(ctx, flags.http, gate, there, cfg)
		}
		one, err := a.single(gate, there, cfg)
		switch {
		case err != nil:
			return err
		case entry != nil:
			return serveFront(ctx, flags.http, entry, one)
		}
		code, err := stdio.Run(ctx, one)
		if err != nil {
			return err
		}
		return exitWith(code)
	})
}

// single is what one session of lines is between: a client, and a server that is started for
// it, or that is there.
func (a *app) single(gate *liveGate, there *remote, cfg relay.Config) (stdio.Config, error) {
	one := stdio.Config{Config: cfg, Session: gate.session, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr}
	if there != nil {
		one.Connect = func() (stdio.Peer, error) { return there.connect(cfg) }
		return one, nil
	}
	var err error
	one.Command, one.Dir = gate.command, gate.server.Dir
	if one.Supervisor, err = supervisor(); err != nil {
		return one, err
	}
	one.Env, err = environment(gate.server)
	return one, err
}

// mediate has run do its work with what the flags and the policy want of it, and with
// records and a policy that is watched meanwhile.
func (flags proxyFlags) mediate(ctx context.Context, gate *liveGate, log *slog.Logger, run func(context.Context, relay.Config) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	memory.Manage(ctx)
	watched, err := flags.watchers(ctx, log)
	if err != nil {
		return err
	}
	defer watched.stop()
	record, err := record.Open(gate.calls, record.Options{Observer: watched.observer, Logger: log})
	if err != nil {
		return err
	}
	defer record.Close(context.WithoutCancel(ctx))
	go gate.watch(ctx)
	return run(ctx, relay.Config{
		Server: gate.flags.server, Gate: gate.current.Load, Observer: record, ValidateName: flags.validateName, Validation: flags.validation(), Rehearse: gate.offer, Logger: log,
	})
}

// validation says what the validate tool may do.
func (flags proxyFlags) validation() validate.Config {
	if flags.maxBatch <= 0 {
		return validate.Config{MaxBatch: -1}
	}
	return validate.Config{MaxBatch: flags.maxBatch}
}

// newLogger logs to the operator, who sees standard error beside the server's own.
func newLogger(w io.Writer, verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level})).With("by", "toolvet")
}

// superviseCommand is what toolvet starts itself as, to look after a server.
func (a *app) superviseCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "supervise -- ...",
		Short:              "Look after a server (toolvet starts this itself)",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "--" {
				args = args[1:]
			}
			return exitWith(process.Supervise(args))
		},
	}
}
