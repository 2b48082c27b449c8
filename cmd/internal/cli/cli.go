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
//	141              the reader of the output has gone
//
// "toolvet proxy" ends with the exit code of its server instead.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
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
	exitPipe = 128 + 13 // nobody reads any more: what a shell shows of a program that SIGPIPE ends
)

// An app is one run of the command.
type app struct {
	checks         enforce.Checks
	stdin          io.Reader
	stdout, stderr io.Writer   // for a terminal
	wire           io.Writer   // standard output for messages of the protocol
	status         *statusLine // nil: nobody hears of work under way
	stray          error       // the help of a command was asked for that there is not
}

// Main runs toolvet with its checks and arguments (without the program's name) and returns the exit
// code. When ctx is done, it stops everything that it has started and returns, perhaps with a read of
// stdin still waiting.
func Main(ctx context.Context, checks []*check.Check, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	status := &statusLine{w: stderr}
	a := &app{checks: checks, stdin: stdin, stdout: terminal.NewWriter(stdout), stderr: terminal.NewWriter(status), wire: stdout, status: status}
	if tty, ok := stderr.(io.Reader); ok && isTerminal(tty) {
		status.drawn = true
		if out, ok := stdout.(io.Reader); ok && isTerminal(out) {
			a.stdout = terminal.NewWriter(&besideStatus{stdout, status})
		}
	}
	root := a.rootCommand()
	root.SetArgs(append([]string{}, args...)) // cobra takes nil for os.Args
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = a.stray // which cobra's help has no way to return
	}
	return a.exitCode(ctx, err)
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
			terminal.Fprintf(a.stderr, "%s", nextSteps("."))
			return exitCode(exitNotJudged)
		},
	}
	root.SetHelpCommand(helpCommand(root))
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if name := strayName(cmd); name != "" {
			a.stray = unknownCommand(cmd, name)
			return
		}
		var text strings.Builder
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(a.stdout)
		terminal.Fprintf(a.stdout, "%s", terminal.Text(wrapped(text.String())))
	})
	root.SetVersionTemplate("toolvet {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"begin", "Begin:", []*cobra.Command{a.demoCommand(), a.setupCommand(), a.importCommand(), a.doctorCommand(), a.explainCommand()}},
		{"guard", "Guard servers and agents:", []*cobra.Command{a.proxyCommand(), a.serveCommand(), a.hookCommand()}},
		{"try", "Try a server or a call:", []*cobra.Command{a.toolsCommand(), a.checkCommand(), a.callCommand(), a.rehearseCommand(), a.auditCommand()}},
		{"policy", "Write a policy:", []*cobra.Command{a.initCommand(), a.policyCommand(), a.lockCommand(), a.serversCommand(), a.tokenCommand(), a.logCommand()}},
		{"more", "More:", []*cobra.Command{a.scheduleCommand(), a.conformanceCommand(), a.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
		}
		root.AddCommand(g.commands...)
	}
	checkEach(root)
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	root.AddCommand(a.demoServerCommand(), a.sandboxCommand(), a.hookJudgeCommand(), a.hookShellCommand()) // hidden
	return root
}

// helpCommand differs from cobra's: it fails for an unknown command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			switch {
			case err != nil || len(rest) > 0 && !cmd.HasSubCommands():
				return unknownCommand(root, strings.Join(args, " "))
			case len(rest) > 0 && !slices.Contains(hostNames(), rest[0]):
				return unknownCommand(cmd, rest[0])
			}
			return cmd.Help()
		},
	}
}

// strayName returns the name behind a command of commands that is none of them, nor a host of the hook; "" if there is none.
func strayName(cmd *cobra.Command) string {
	names := cmd.Flags().Args()
	if len(names) == 0 || cmd.HasParent() && !slices.Contains(strings.Fields("completion hook log schedule"), cmd.Name()) || slices.Contains(hostNames(), names[0]) {
		return ""
	}
	return names[0]
}

// unknownCommand reports a name that stands behind a command and is none of its own commands. Another command may have one of that name.
func unknownCommand(cmd *cobra.Command, name string) error {
	err := fmt.Errorf("unknown command %q", name)
	var names, meant []string
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		names = append(names, c.Name())
		if slices.Contains(c.SuggestFor, name) {
			meant = append(meant, "'"+c.CommandPath()+"'")
		}
		for _, below := range c.Commands() {
			if below.Name() == name && below.IsAvailableCommand() {
				meant = append(meant, "'"+below.CommandPath()+"'")
			}
		}
	}
	if meant != nil {
		return enforce.WithHint(err, "did you mean %s?", strings.Join(meant, " or "))
	}
	if near := schema.Nearest(name, names); near != "" {
		return enforce.WithHint(err, "did you mean '%s %s'?", cmd.CommandPath(), near)
	}
	return enforce.WithHint(err, "the commands are %s", strings.Join(names, ", "))
}

// flagError reports an unknown flag of a command, and the nearest one that it has.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageError(cmd, "%v", err)
	}
	if name := strayName(cmd); name != "" && !cmd.HasParent() {
		return unknownCommand(cmd, name)
	}
	if unknown.GetSpecifiedShortnames() != "" && strings.Contains(cmd.Use, "-- SERVER-COMMAND") {
		return enforce.WithHint(err, "put -- before the server's command, if the flag is part of it; else see '%s --help'", cmd.CommandPath())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if ours := otherWords[unknown.GetSpecifiedName()]; slices.Contains(names, ours) {
		return enforce.WithHint(err, "did you mean --%s?", ours)
	}
	if near := schema.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return enforce.WithHint(err, "did you mean --%s?", near)
	}
	return usageError(cmd, "%v", err)
}

// otherWords are flags of other programs, with toolvet's own for the same.
var otherWords = map[string]string{"port": "listen", "host": "listen", "bind": "listen", "address": "listen", "addr": "listen", "config": "policy", "rules": "policy"}

// An exitCode is an error without words.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError reports a command line that toolvet does not understand.
func usageError(cmd *cobra.Command, format string, args ...any) error {
	if file := strayPolicy(cmd); file != "" {
		return enforce.WithHint(fmt.Errorf(format, args...), "name the policy with a flag: --policy %s", file)
	}
	return enforce.WithHint(fmt.Errorf(format, args...), "see '%s --help'", cmd.CommandPath())
}

// strayPolicy is the file that was probably meant for --policy; "" if there is none.
func strayPolicy(cmd *cobra.Command) string {
	flag := cmd.Flags().Lookup("policy")
	if flag == nil || flag.Changed {
		return ""
	}
	args := cmd.Flags().Args()
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		args = args[:dash]
	}
	for _, arg := range args {
		if ext := filepath.Ext(arg); (ext == ".yaml" || ext == ".yml") && isFile(arg) {
			return arg
		}
	}
	return ""
}

func (a *app) exitCode(ctx context.Context, err error) int {
	var code exitCode
	switch {
	case err == nil:
		return exitGo
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
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
	var missing *fs.PathError
	switch {
	case errors.As(err, &hinted):
		terminal.Fprintf(a.stderr, "toolvet: hint: %s\n", hinted.Hint)
	case errors.As(err, &missing) && missing.Path == policyFile && errors.Is(missing, fs.ErrNotExist): // the default, of which the user said nothing
		terminal.Fprintf(a.stderr, "toolvet: hint: 'toolvet import' writes one from the configuration of an MCP client, 'toolvet init' one for a server; --policy names another file\n")
	}
}

// ofPolicy reports whether an error has lines of a policy.
func ofPolicy(err error) bool {
	return errors.As(err, new(*policy.Error)) || errors.As(err, new(policy.Errors))
}

// errorText returns the text of an error. Its lines after the first are those of a policy, or begin
// with a space.
func errorText(err error) terminal.Text {
	text := strings.TrimPrefix(err.Error(), "toolvet: ")
	if ofPolicy(err) {
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
	text := fmt.Sprintf(format, args...)
	var shown any = text
	for _, arg := range args {
		if err, ok := arg.(error); ok && ofPolicy(err) {
			shown = terminal.Text(text)
		}
	}
	terminal.Fprintf(a.stderr, "toolvet: warning: %s\n", shown)
}

// checkEach has each command check its line before its own look at the arguments.
func checkEach(cmd *cobra.Command) {
	own := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := checkLine(cmd, args)
		if err == nil && own != nil {
			err = own(cmd, args)
		}
		return err
	}
	for _, c := range cmd.Commands() {
		checkEach(c)
	}
}

// fillsRoot marks a command that puts a directory in the place of [policy.Root] in the command of a server.
const fillsRoot = "fills-root"

// checkLine reports a flag that took the "--" before a server's command for its value, and a place for a directory that nobody filled.
func checkLine(cmd *cobra.Command, args []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if slices.Contains(values, "--") {
			what, _ := pflag.UnquoteUsage(f)
			err = usageError(cmd, "--%s needs a value before --: %s", f.Name, what)
		}
	})
	open := func(word string) bool { return strings.Contains(word, policy.Root) }
	if err == nil && strings.Contains(cmd.Use, "SERVER-COMMAND") && cmd.Annotations[fillsRoot] == "" && slices.ContainsFunc(args, open) {
		err = enforce.WithHint(fmt.Errorf("the server's command has %s, which stands for the server's directory", policy.Root), "write the directory in the place of %s", policy.Root)
	}
	return err
}

// takesCommand has a command take everything from its first argument on as the command of a server, with or without "--"
// before it.
func takesCommand(cmd *cobra.Command) { cmd.Flags().SetInterspersed(false) }

// serverCommand returns the command of a server. Without "--" before it, a flag of cmd's own within is an error: toolvet would
// start without a policy that the user has named too late.
func serverCommand(cmd *cobra.Command, args []string) ([]string, error) {
	switch {
	case cmd.ArgsLenAtDash() >= 0:
		return args, nil
	case len(args) == 0:
		return nil, nil
	case strings.HasSuffix(args[0], ".yaml") || strings.HasSuffix(args[0], ".yml"):
		return nil, usageError(cmd, "%s is no command: give a policy with --policy", args[0])
	}
	for _, arg := range args {
		name, long := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		if long && cmd.Flags().Lookup(name) != nil {
			return nil, usageError(cmd, "--%s stands in the server's command: put flags of toolvet before the command, or -- before the command if the flag is the server's", name)
		}
	}
	return args, nil
}

// placesAndCommand splits the arguments of a command that takes places, such as files, with flags between them, and a server's
// command, with or without "--" before it. Without it, the command begins with the first program that is no place. Cmd must be
// one that [takesCommand]. An error comes with the places before it.
func placesAndCommand(cmd *cobra.Command, args []string, isPlace func(string) bool) (places, server []string, err error) {
	f := cmd.Flags()
	for cmd.ArgsLenAtDash() < 0 && len(args) > 0 {
		if _, missing := install.LookPath(args[0]); missing == nil && !isPlace(args[0]) && !slices.Contains(args, "--") {
			server, err = serverCommand(cmd, args)
			return places, server, err
		}
		places = append(places, args[0])
		if err := f.Parse(args[1:]); err != nil { // what follows a place is not parsed yet
			return places, nil, cmd.FlagErrorFunc()(cmd, err)
		}
		if err := checkLine(cmd, nil); err != nil {
			return places, nil, err
		}
		if help, err := f.GetBool("help"); err == nil && help {
			return places, nil, pflag.ErrHelp
		}
		args = f.Args()
	}
	if cmd.ArgsLenAtDash() >= 0 {
		server = args
	}
	return places, server, nil
}

// isCallPlace reports whether an argument is a call, or names a file with calls.
func isCallPlace(arg string) bool {
	return arg == "-" || strings.HasPrefix(strings.TrimSpace(arg), "{") || strings.HasSuffix(arg, ".json") || isFile(arg) && !strings.ContainsAny(arg, `/\`)
}
