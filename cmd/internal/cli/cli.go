// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package cli is the command toolvet.
//
// A function makes each cobra command. [Main] joins them, and turns their errors into words and an exit
// code:
//
//	0  go            all calls may run
//	1  no-go         a call would be refused
//	2  not judged    wrong flags, a file that cannot be read, a server that does not start
//
// "toolvet proxy" ends with the exit code of its server instead.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schema"
)

// The exit codes.
const (
	exitGo = iota
	exitNoGo
	exitNotJudged
)

// An app is one run of the command.
type app struct {
	checks         enforce.Checks
	stdin          io.Reader
	stdout, stderr io.Writer // for a terminal
	wire           io.Writer // standard output for messages of the protocol
}

// Main runs toolvet with its checks and arguments (without the program's name) and returns the exit
// code. When ctx is done, it stops everything that it has started and returns, perhaps with a read of
// stdin still waiting.
func Main(ctx context.Context, checks []*check.Check, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{checks: checks, stdin: stdin, stdout: terminal.NewWriter(stdout), stderr: terminal.NewWriter(stderr), wire: stdout}
	root := a.rootCommand()
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for os.Args
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.exitCode(ctx, root.ExecuteContext(ctx))
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "toolvet",
		Short: "toolvet vets MCP tool calls before they run",
		Long: `toolvet vets MCP tool calls before they run: in front of a server (proxy), from
a file (check), or as a dry run that a model can ask for (the validate tool).

Exit codes: 0 go, 1 no-go, 2 not judged.`,
		Example: `  toolvet demo
  toolvet proxy -- npx -y @modelcontextprotocol/server-filesystem .`,
		Version:       toolvet.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			if !cmd.Hidden { // the hidden commands are processes that toolvet itself starts
				a.recoverCommits(cmd.Context())
			}
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			cmd.SetOut(a.stderr)
			return errors.Join(cmd.Help(), exitCode(exitNotJudged))
		},
	}
	root.SetHelpCommand(helpCommand(root))
	root.SetVersionTemplate("toolvet {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmd, "%v", err) })
	root.AddCommand(a.checkCommand(), a.proxyCommand(), a.serveCommand(), a.toolsCommand(), a.serversCommand(), a.callCommand(),
		a.initCommand(), a.importCommand(), a.lockCommand(), a.policyCommand(), a.logCommand(), a.tokenCommand(),
		a.scheduleCommand(), a.rehearseCommand(), a.auditCommand(), a.doctorCommand(), a.explainCommand(), a.demoCommand(),
		a.hookCommand(), a.conformanceCommand(), a.versionCommand(), a.demoServerCommand(), a.sandboxCommand(), a.hookJudgeCommand(), a.hookShellCommand())
	return root
}

// helpCommand differs from cobra's: it fails for an unknown command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, strings.Join(args, " "))
			}
			return cmd.Help()
		},
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	err := fmt.Errorf("unknown command %q", name)
	if near := schema.Nearest(name, names); near != "" {
		return enforce.WithHint(err, "did you mean 'toolvet %s'?", near)
	}
	return enforce.WithHint(err, "the commands are %s", strings.Join(names, ", "))
}

// An exitCode is an error without words.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError reports a command line that toolvet does not understand.
func usageError(cmd *cobra.Command, format string, args ...any) error {
	return enforce.WithHint(fmt.Errorf(format, args...), "see '%s --help'", cmd.CommandPath())
}

func (a *app) exitCode(ctx context.Context, err error) int {
	var code exitCode
	switch {
	case err == nil:
		return exitGo
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, syscall.EPIPE): // nobody reads any more
	case ctx.Err() != nil:
		a.complain(errors.New("interrupted"))
	default:
		a.complain(err)
	}
	return exitNotJudged
}

// complain prints an error and its hint. A failed write has no other place to be reported.
func (a *app) complain(err error) {
	terminal.Fprintf(a.stderr, "toolvet: error: %s\n", errorText(err))
	var hinted *enforce.HintedError
	if errors.As(err, &hinted) {
		terminal.Fprintf(a.stderr, "toolvet: hint: %s\n", hinted.Hint)
	}
}

// errorText returns the text of an error. Its lines after the first are those of a policy, or begin
// with a space.
func errorText(err error) terminal.Text {
	text := strings.TrimPrefix(err.Error(), "toolvet: ")
	if errors.As(err, new(*policy.Error)) || errors.As(err, new(policy.Errors)) {
		return terminal.Text(text)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		if strings.HasPrefix(line, " ") {
			line = "\n" + line
		} else {
			line = `\n` + line
		}
		lines[i+1] = line
	}
	return terminal.Text(strings.Join(lines, ""))
}

func (a *app) warn(format string, args ...any) {
	terminal.Fprintf(a.stderr, "toolvet: warning: %s\n", fmt.Sprintf(format, args...))
}

// serverArgs splits the arguments at "--".
func serverArgs(cmd *cobra.Command, args []string) (before, server []string) {
	if i := cmd.ArgsLenAtDash(); i >= 0 {
		return args[:i], args[i:]
	}
	return args, nil
}
