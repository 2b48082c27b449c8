// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/client"
	"github.com/toolvet/toolvet/cmd/internal/hook/fast"
	hookjudge "github.com/toolvet/toolvet/cmd/internal/hook/judge"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/schema"
)

// hookCommand is "toolvet hook". Package client is "hook HOST" itself, which never comes here; this is its help.
func (a *app) hookCommand() *cobra.Command {
	var o client.Options
	cmd := &cobra.Command{
		Use:   "hook HOST [flags]",
		Short: "Judge every tool call of a coding agent, as its hook",
		Long: `Judge every tool call of a coding agent: its shell, its editor, its web fetch, and its MCP tools.

A host runs "toolvet hook HOST" before and after each call of a tool, tells the call on
standard input, and obeys the answer. 'toolvet hook install' sets that up.

Without a policy, the preset "standard" holds. It refuses to read secrets, to run downloads
and to change the system; it asks about changes outside the project, history that is
rewritten, unknown hosts, and whatever starts something later. In a policy, a host's own
tools are those of the server with the host's name.

The first call starts a judge, which stays for the calls behind and ends after 30 minutes
without any. If it fails, a process of its own judges the call. If that fails, too, or takes
too long, the answer is no.

Hosts: ` + strings.Join(hostNames(), ", ") + `.`,
		Example: `  toolvet hook install
  toolvet hook claude-code --policy /etc/toolvet/agents.yaml < payload.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, "which host? It is one of %s", strings.Join(hostNames(), ", "))
			}
			if schema.Nearest(args[0], hostNames()) == "" && schema.Nearest(args[0], []string{"install", "uninstall", "status", "doctor", "record"}) != "" {
				return unknownCommand(cmd, args[0])
			}
			return unknownHost(args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Policy, "policy", "", "policy `FILE`; default: none, so that the preset alone holds")
	f.IntVar(&o.Answered, strings.TrimPrefix(fast.AnsweredFlag, "--"), 0, "exit `CODE` in place of 0 once it has answered, for a shell that denies at any other")
	f.StringVar(&o.Preset, "preset", "", "preset, in place of the policy's: observe, standard, strict or none")
	cmd.AddCommand(a.hookInstallCommand(), a.hookUninstallCommand(), a.hookStatusCommand(), a.hookDoctorCommand(), a.hookRecordCommand())
	f.DurationVar(&o.Timeout, "timeout", client.DefaultTimeout, "how long the answer may take: then it is no. The host's own deadline must be later")
	return cmd
}

func hostNames() []string {
	var names []string
	for _, h := range hook.Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// hookJudgeCommand is the judge behind "toolvet hook", which package client starts.
func (a *app) hookJudgeCommand() *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:    link.ResidentArgument,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if once {
				state, _ := fast.Dir() // without one, nothing is kept
				return hookjudge.New(a.checks, state, newLogger(a.stderr, false)).Once(cmd.Context(), a.stdin, a.wire)
			}
			return a.serveHooks(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&once, strings.TrimPrefix(link.OnceFlag, "--"), false, "judge one request")
	return cmd
}

// hookShellCommand stands for a host in a rehearsal of its calls.
func (a *app) hookShellCommand() *cobra.Command {
	return &cobra.Command{
		Use:    hookjudge.ShellArgument + " HOST",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return hookjudge.ServeShell(cmd.Context(), args[0], io.NopCloser(a.stdin), nopWriteCloser{a.wire})
		},
	}
}

// serveHooks is the resident judge. It has no terminal, so its log is a file beside its socket.
func (a *app) serveHooks(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	address, err := fast.Address(program)
	if err != nil {
		return err
	}
	log, closeLog := hookLog(strings.TrimSuffix(address, filepath.Ext(address)) + ".log")
	defer closeLog()
	err = hookjudge.New(a.checks, filepath.Dir(address), log).Serve(ctx, address, hookjudge.IdleTime)
	if errors.Is(err, hookjudge.ErrServed) {
		return nil
	}
	if err != nil {
		log.Error("the judge of hooks ends", "err", err)
	}
	return err
}

// maxHookLog bounds the log of the resident judge, in bytes: a larger one begins anew.
const maxHookLog = 1 << 20

func hookLog(file string) (*slog.Logger, func()) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(file); err == nil && info.Size() > maxHookLog {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(file, flags, 0o600)
	if err != nil {
		return newLogger(io.Discard, false), func() {}
	}
	return newLogger(f, false), func() { f.Close() }
}
