// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/diagnose"
	"github.com/toolvet/toolvet/cmd/internal/hook/fast"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/cmd/internal/hook/link"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schema"
)

// hookInstallFlags are the flags of "toolvet hook install" and "uninstall".
type hookInstallFlags struct {
	scope   string
	policy  string
	program string
	yes     bool
	verbose bool
}

func (f *hookInstallFlags) add(cmd *cobra.Command, scope string) {
	cmd.Flags().StringVar(&f.scope, "scope", scope, "whose configuration: `user|project|managed`; the project is this directory, managed is the whole machine")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "write without asking")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show each line that changes")
}

func (a *app) hookInstallCommand() *cobra.Command {
	var flags hookInstallFlags
	cmd := &cobra.Command{
		Use:   "install [HOST...]",
		Short: "Make hosts of agents ask toolvet before each tool call",
		Long: `Make hosts of agents ask toolvet before each tool call: install adds toolvet to their
configurations, next to what is there. Without HOST, it takes the hosts that it finds on
this machine. It tells which hooks change (-v shows each line) and asks before it writes.

Where a host has a switch that makes a failed hook block the call, install sets it.
A second install changes nothing; one with another policy replaces toolvet's own entry.
'toolvet hook uninstall' undoes it exactly.

Exit codes: 0 installed, 1 not written, 2 a configuration that cannot be edited.`,
		Example: `  toolvet hook install
  toolvet hook install claude-code --policy toolvet.yaml
  toolvet hook install codex --scope project --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			scope, err := hookScope(cmd, flags.scope)
			if err != nil {
				return err
			}
			in, err := newInstaller()
			if err != nil {
				return err
			}
			return exclusively(in, func() error { return a.hookInstall(in, scope, flags, args) })
		},
	}
	flags.add(cmd, string(install.User))
	cmd.Flags().StringVar(&flags.policy, "policy", "", "policy `FILE` for these hosts; default: none, so that the preset standard holds")
	cmd.Flags().StringVar(&flags.program, "program", "", "`PROGRAM` that hosts run in place of this one")
	return cmd
}

func (a *app) hookUninstallCommand() *cobra.Command {
	var flags hookInstallFlags
	cmd := &cobra.Command{
		Use:   "uninstall [HOST...]",
		Short: "Undo 'toolvet hook install'",
		Long: `Undo 'toolvet hook install': a configuration that nobody has changed since gets the bytes
that it had before. From any other, uninstall takes toolvet's entries alone. Without HOST,
it takes all hosts; without --scope, your and this project's configurations.

Exit codes: 0 undone, or nothing to undo; 1 not written; 2 a configuration that cannot be edited.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			scopes := []install.Scope{install.User, install.Project}
			if flags.scope != "" {
				scope, err := hookScope(cmd, flags.scope)
				if err != nil {
					return err
				}
				scopes = []install.Scope{scope}
			}
			in, err := newInstaller()
			if err != nil {
				return err
			}
			return exclusively(in, func() error { return a.hookUninstall(in, scopes, flags, args) })
		},
	}
	flags.add(cmd, "")
	return cmd
}

func hookScope(cmd *cobra.Command, name string) (install.Scope, error) {
	scope := install.Scope(name)
	if !slices.Contains(install.Scopes, scope) {
		return "", usageError(cmd, "--scope has to be user, project or managed")
	}
	return scope, nil
}

// namedHosts returns the hosts with names.
func namedHosts(names []string) ([]*hook.Host, error) {
	var out []*hook.Host
	for _, name := range names {
		h, ok := hook.Lookup(name)
		if !ok {
			return nil, unknownHost(name)
		}
		out = append(out, h)
	}
	return out, nil
}

func unknownHost(name string) error {
	err := fmt.Errorf("unknown host %q", name)
	if near := schema.Nearest(name, hostNames()); near != "" {
		return enforce.WithHint(err, "did you mean %s?", near)
	}
	return enforce.WithHint(err, "the hosts are %s", strings.Join(hostNames(), ", "))
}

// newInstaller looks at this machine.
func newInstaller() (*install.Installer, error) {
	dir, dirErr := os.Getwd()
	home, homeErr := os.UserHomeDir()
	config, configErr := os.UserConfigDir()
	if err := cmp.Or(homeErr, configErr); err != nil {
		return nil, enforce.WithHint(fmt.Errorf("looking for the configurations of hosts: %w", err), "toolvet finds them below your home directory: set this variable")
	}
	if dirErr != nil {
		return nil, fmt.Errorf("looking for the configurations of hosts: %w", dirErr)
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(home, ".local", "state")
	}
	return &install.Installer{
		Machine: install.Machine{GOOS: runtime.GOOS, Home: home, Config: config, Dir: dir, Getenv: os.Getenv, LookPath: install.LookPath, Version: saidOnce(diagnose.Version)},
		State:   filepath.Join(state, "toolvet", "hooks"),
		Version: toolvet.Version,
	}, nil
}

// saidOnce asks each program once.
func saidOnce(ask func(program string) string) func(string) string {
	said := map[string]string{}
	return func(program string) string {
		text, ok := said[program]
		if !ok {
			text = ask(program)
			said[program] = text
		}
		return text
	}
}

// exclusively does something while no other process changes configurations.
func exclusively(in *install.Installer, do func() error) error {
	done, err := in.Exclusive()
	if errors.Is(err, install.ErrBusy) {
		return enforce.WithHint(err, "wait until it has ended, or answer its question")
	}
	if err != nil {
		return err
	}
	defer done()
	return do()
}

func (a *app) hookInstall(in *install.Installer, scope install.Scope, flags hookInstallFlags, names []string) error {
	hosts, err := namedHosts(names)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if hosts = in.Machine.Found(); len(hosts) == 0 {
			return enforce.WithHint(errors.New("no host was found on this machine"), "name one: toolvet hook install claude-code")
		}
		var titles []string
		for _, h := range hosts {
			titles = append(titles, h.Title)
		}
		terminal.Fprintf(a.stdout, "found on this machine: %s\n", strings.Join(titles, ", "))
	}
	command, err := a.hookProgram(flags)
	if err != nil {
		return err
	}
	var changes []*install.Change
	var notes []string
	for _, h := range hosts {
		list, advice, err := in.Install(h, scope, command)
		if err != nil && len(names) == 0 && errors.As(err, new(*install.UnsupportedError)) {
			a.warn("%v", err) // it was found, and not asked for
			continue
		}
		if err != nil {
			return hookError(err)
		}
		changes, notes = append(changes, list...), append(notes, advice...)
	}
	if len(changes) == 0 {
		return fmt.Errorf("none of these hosts has a configuration for the scope %s that toolvet knows", scope)
	}
	if err := a.hookApply(in, changes, notes, flags.verbose, flags.yes, "installed already: nothing to change"); err != nil {
		return err
	}
	_, err = terminal.Fprintf(a.stdout, "'toolvet hook doctor' shows what each host does when toolvet fails, 'toolvet hook uninstall' undoes this\n")
	return err
}

func hookError(err error) error {
	if errors.As(err, new(*install.Malformed)) {
		return enforce.WithHint(err, "correct it there first; nothing was written")
	}
	return err
}

func (a *app) hookUninstall(in *install.Installer, scopes []install.Scope, flags hookInstallFlags, names []string) error {
	hosts, err := namedHosts(names)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		hosts = hook.Hosts()
	}
	var changes []*install.Change
	for _, h := range hosts {
		for _, scope := range scopes {
			list, err := in.Uninstall(h, scope)
			if err != nil {
				if len(names) == 0 && errors.As(err, new(*install.UnsupportedError)) {
					continue
				}
				return hookError(err)
			}
			changes = append(changes, list...)
		}
	}
	if err := a.hookApply(in, changes, nil, flags.verbose, flags.yes, "not installed: nothing to undo"); err != nil {
		return err
	}
	if slices.Contains(scopes, install.User) { // what a person installs next is not setup's
		var gone []string
		for _, h := range hosts {
			gone = append(gone, h.Name)
		}
		if err := ledgerOf(in).forgetHooks(gone); err != nil {
			return err
		}
	}
	a.retireJudges(in)
	return nil
}

// retireJudges ends the resident judges, which would wait for half an hour, of this program and of those that hosts may have run before. A host
// that still has its hook starts another one. Once no host asks toolvet, what only judges need goes as well.
func (a *app) retireJudges(in *install.Installer) {
	dir, err := fast.Dir()
	if err != nil {
		return
	}
	// The directory may be one with sockets of other programs. Its own name is no pattern.
	files := func(suffix string) (list []string) {
		names, _ := fs.Glob(os.DirFS(dir), strings.Repeat("[0-9a-f]", 16)+suffix)
		for _, name := range names {
			list = append(list, filepath.Join(dir, name))
		}
		return list
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, address := range files(".sock") {
		_ = link.End(ctx, address) // nobody may listen there
		_ = os.Remove(address)     // a judge that did not listen ends without its socket, a little later
	}
	if in.Used() {
		return
	}
	for _, file := range slices.Concat(files(".session"), files(".sock.lock")) {
		_ = os.Remove(file) // a judge may still end
	}
	if left, err := os.ReadDir(dir); err == nil && len(left) > 0 {
		terminal.Fprintf(a.stdout, "logs of the judge, and counts of limits, stay in %s\n", dir)
		return
	}
	_ = os.Remove(dir)
	_ = os.Remove(filepath.Dir(dir)) // stays unless it is empty
}

// hookProgram is what hosts will run.
func (a *app) hookProgram(flags hookInstallFlags) (install.Command, error) {
	c := install.Command{Program: flags.program}
	switch {
	case c.Program == "":
		self, err := os.Executable()
		if err != nil {
			return c, fmt.Errorf("looking for toolvet's own program: %w", err)
		}
		c.Program = self
		// A package manager's link outlives the version behind it.
		if link, err := install.LookPath("toolvet"); err == nil && filepath.IsAbs(link) && sameFile(link, self) {
			c.Program = link
		}
	case strings.ContainsAny(c.Program, `/\`):
		abs, err := filepath.Abs(c.Program)
		if err != nil {
			return c, err
		}
		c.Program = abs
	}
	if flags.policy != "" {
		// A hook whose policy does not load refuses every call.
		p, err := policy.LoadEach(flags.policy, a.checks.Demands()...)
		if err != nil {
			return c, err
		}
		for _, s := range p.Servers {
			switch what, sure := strayAgent(s); {
			case sure:
				return c, fmt.Errorf("%s: %s", flags.policy, what)
			case what != "":
				a.warn("%s: %s", flags.policy, what)
			}
		}
		abs, err := filepath.Abs(flags.policy)
		if err != nil {
			return c, err
		}
		c.Policy = abs
	}
	return c, nil
}

func sameFile(x, y string) bool {
	a, errA := os.Stat(x)
	b, errB := os.Stat(y)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// hookApply shows changes and what the user has to know about them, asks, and writes.
func (a *app) hookApply(in *install.Installer, changes []*install.Change, notes []string, lines, yes bool, nothing string) error {
	real, err := a.showHookChanges(in, changes, lines)
	if err != nil {
		return err
	}
	for _, n := range notes {
		terminal.Fprintf(a.stdout, "note: %s\n", n)
	}
	if len(real) == 0 {
		_, err := terminal.Fprintf(a.stdout, "%s\n", nothing)
		return err
	}
	if !yes {
		ok, err := a.confirm("write these changes?")
		if err != nil || !ok {
			return err
		}
	}
	return a.writeHookChanges(in, real)
}

// showHookChanges shows what changes in files, each line or only the hooks, and returns the changes.
func (a *app) showHookChanges(in *install.Installer, changes []*install.Change, lines bool) ([]*install.Change, error) {
	var real []*install.Change
	seen := map[string]bool{}
	for _, c := range changes {
		if seen[c.Target] { // in the home directory, the project's file is the user's
			continue
		}
		seen[c.Target] = true
		if c.Same() {
			if err := in.Apply(c); err != nil { // the notes may be out of date
				return nil, err
			}
			continue
		}
		real = append(real, c)
		after := c.After
		verb := "change"
		switch {
		case c.Delete:
			verb, after = "delete", nil
		case !c.Existed:
			verb = "new file"
		}
		terminal.Fprintf(a.stdout, "%s, %s: %s %s\n", c.Host.Title, c.Scope, verb, c.File)
		_, text, _ := strings.Cut(string(diff.Diff("before", c.Before, "after", after)), "\n+++ after\n")
		if lines {
			terminal.Fprintf(a.stdout, "%s", terminal.Text(text))
		} else {
			verb := "run"
			if !c.Installs() {
				verb = "no longer run"
			}
			terminal.Fprintf(a.stdout, "  the hooks %s 'toolvet hook %s': %s; -v shows them\n", verb, c.Host.Name, moreAndLess(text))
			for _, told := range c.Hooks() {
				terminal.Fprintf(a.stdout, "  %s\n", oneLine(told, 400))
			}
		}
	}
	return real, nil
}

// moreAndLess counts the lines of a difference.
func moreAndLess(text string) string {
	more, less := strings.Count("\n"+text, "\n+"), strings.Count("\n"+text, "\n-")
	switch {
	case less == 0:
		return count(more, "line") + " more"
	case more == 0:
		return count(less, "line") + " less"
	}
	return fmt.Sprintf("%s more, %d less", count(more, "line"), less)
}

func (a *app) writeHookChanges(in *install.Installer, changes []*install.Change) error {
	for i, c := range changes {
		if err := in.Apply(c); err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return enforce.WithHint(err, "it is another user's: run this as that user, or for another --scope")
			}
			if i > 0 {
				return enforce.WithHint(err, "%d of %d files are written; the same command does the rest", i, len(changes))
			}
			return err
		}
		word := "wrote"
		if c.Delete {
			word = "deleted"
		}
		terminal.Fprintf(a.stdout, "%s %s\n", word, c.File)
	}
	return nil
}

// confirm asks the user on a terminal. Without one the answer is no, and the exit code 1.
func (a *app) confirm(question string) (bool, error) {
	if !isTerminal(a.stdin) {
		a.complain(enforce.WithHint(errors.New("nothing is written: there is no terminal to ask on"), "look at the changes on standard output, and say --yes"))
		return false, exitCode(exitNoGo)
	}
	terminal.Fprintf(a.stdout, "%s [y/N] ", question)
	answer, err := bufio.NewReader(io.LimitReader(a.stdin, 1<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	terminal.Fprintf(a.stdout, "nothing is written\n")
	return false, exitCode(exitNoGo)
}
