// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/clientconfig"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schema"
)

// setupFlags are the flags of "toolvet setup".
type setupFlags struct {
	yes, undo, dryRun, verbose bool

	clients []string
	program string
	timeout time.Duration
}

func (a *app) setupCommand() *cobra.Command {
	var flags setupFlags
	cmd := &cobra.Command{
		Use: "setup [flags]", SuggestFor: []string{"install"},
		Short: "Put toolvet in front of every MCP server and agent on this machine",
		Long: `Put toolvet in front of every MCP server and agent on this machine. setup finds the
configurations of MCP clients and the hosts of agents, for this directory and for you, and
lists their servers and hooks. It shows each change and asks before it writes. Then it proves
the result: it starts each server as its client would, has toolvet refuse a call, and makes a
dry run of a good one; it runs each hook with a harmless and a dangerous call. What fails is put
back as it was, and named. No tool runs.

A server's command gets 'toolvet proxy --' before it, and a URL becomes 'toolvet proxy
--upstream'. Environment, headers and placeholders such as ${input:key} stay the client's.
'toolvet import --proxy' puts servers behind a policy instead.

'toolvet setup --undo' gives each entry and each hook its former text.

Exit codes: 0 set up and proven, or nothing to change; 1 not written, or something was put
back, or after --undo something still runs toolvet, such as the hooks of 'toolvet hook
install'; 2 a configuration that cannot be edited, or nothing found.`,
		Example: `  toolvet setup
  toolvet setup --dry-run
  toolvet setup --client cursor --client claude-code --yes
  toolvet setup --undo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.newSetup(flags)
			switch {
			case err != nil:
				return err
			case flags.timeout <= 0:
				return usageError(cmd, "--server-timeout must be longer than 0")
			}
			do := func() error { return s.run(cmd.Context()) }
			if flags.undo {
				do = s.undo
			}
			if flags.dryRun {
				return do()
			}
			return exclusively(s.installer, do)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&flags.yes, "yes", "y", false, "write without asking")
	f.BoolVar(&flags.dryRun, "dry-run", false, "show the changes, and write nothing")
	f.BoolVar(&flags.undo, "undo", false, "undo what setup did")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "show each line of the hooks, too")
	f.StringSliceVar(&flags.clients, "client", nil, "only this client or host of agents, `NAME`; default: all that are found")
	f.StringVar(&flags.program, "program", "", "`PROGRAM` that clients run in place of this one")
	f.DurationVar(&flags.timeout, "server-timeout", time.Minute, "how long a server may take to start, and to list its tools")
	return cmd
}

// A setupRun is one run of "toolvet setup".
type setupRun struct {
	*app
	flags     setupFlags
	dir, home string
	around    clientconfig.Surroundings
	places    []clientconfig.Place
	rewriter  *clientconfig.Rewriter
	installer *install.Installer
	command   install.Command
	ledger    ledger
	failed    int      // entries and hooks that were put back
	unread    int      // files of clients and hosts that could not be read
	told      []string // what was said of hosts' files among them
	passing   []string // servers whose calls do not pass toolvet, because it could not be put in front
	elsewhere int      // servers of other projects, which stay
	projects  []string // that have them
	written   bool     // something has changed
}

func (a *app) newSetup(flags setupFlags) (*setupRun, error) {
	in, err := newInstaller()
	if err != nil {
		return nil, err
	}
	s := &setupRun{app: a, flags: flags, dir: in.Machine.Dir, home: in.Machine.Home, installer: in,
		ledger: ledgerOf(in)}
	s.around = clientconfig.Surroundings{Dir: s.dir, Home: s.home, Config: in.Machine.Config, Getenv: in.Machine.Getenv}
	s.places = s.around.Places()
	if err := s.checkNames(); err != nil {
		return nil, err
	}
	if s.command, err = a.hookProgram(hookInstallFlags{program: flags.program}); err != nil {
		return nil, err
	}
	if passing(s.command.Program) {
		return nil, enforce.WithHint(errors.New("'go run' and 'npx' keep this toolvet for a time only: clients would not find it later"), "install it, or name another with --program")
	}
	s.rewriter, err = clientconfig.NewRewriter(s.command.Program, s.dir, s.home)
	return s, err
}

// passing reports whether a program is one that "go run" deletes at its end, or stands in the cache of npx.
func passing(program string) bool {
	slashed := filepath.ToSlash(program)
	return strings.Contains(slashed, "/_npx/") || strings.Contains(slashed, "/go-build") && strings.HasPrefix(filepath.Clean(program), filepath.Clean(os.TempDir()))
}

// checkNames refuses unknown clients.
func (s *setupRun) checkNames() error {
	var known []string
	for _, p := range s.places {
		known = append(known, p.ID)
	}
	for _, h := range hook.Hosts() {
		known = append(known, h.Name)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range s.flags.clients {
		if slices.Contains(known, name) {
			continue
		}
		err := fmt.Errorf("unknown client %q", name)
		if near := schema.Nearest(name, known); near != "" {
			return enforce.WithHint(err, "did you mean %s?", near)
		}
		return enforce.WithHint(err, "the clients are %s", strings.Join(known, ", "))
	}
	return nil
}

func (s *setupRun) wanted(client string) bool {
	return len(s.flags.clients) == 0 || slices.Contains(s.flags.clients, client)
}

// A setupFile is the configuration of a client.
type setupFile struct {
	place   clientconfig.Place
	target  string // place.File, with links followed
	text    []byte
	entries []*clientconfig.Entry
}

// changing returns the entries that change.
func (f *setupFile) changing() []*clientconfig.Entry {
	return slices.DeleteFunc(slices.Clone(f.entries), func(e *clientconfig.Entry) bool { return e.Left != "" })
}

func (s *setupRun) run(ctx context.Context) error {
	files := s.find()
	hosts := slices.DeleteFunc(s.installer.Machine.Found(), func(h *hook.Host) bool { return !s.wanted(h.Name) })
	s.listFiles(files)
	s.listHosts(hosts)
	s.showElsewhere()
	if len(files) == 0 && len(hosts) == 0 && s.unread == 0 {
		return s.nothingFound()
	}
	servers := s.showFiles(files)
	changes, err := s.planHooks(hosts)
	if err != nil {
		return err
	}
	real, err := s.showHookChanges(s.installer, changes, s.flags.verbose)
	switch {
	case err != nil:
		return err
	case servers == 0 && len(real) == 0:
		if err := s.incomplete(); err != nil {
			return err
		}
		_, err := terminal.Fprintf(s.stdout, "nothing to change: toolvet is in front of everything that it can guard here\n")
		return err
	}
	s.notes(files, hosts, real)
	switch {
	case s.flags.dryRun:
		_, err := terminal.Fprintf(s.stdout, "nothing is written: this was a dry run\n")
		return err
	case !s.flags.yes:
		question := "write these changes?"
		if servers > 0 {
			question = "write these changes, and start each of these servers once to prove them?"
		}
		if ok, err := s.confirm(question); err != nil || !ok {
			return err
		}
	}
	if err := s.apply(ctx, files, hosts, real); err != nil {
		return err
	}
	return s.incomplete()
}

// nothingFound says where setup has looked for clients that the user has named.
func (s *setupRun) nothingFound() error {
	if s.elsewhere > 0 {
		return enforce.WithHint(errors.New("nothing was found for this directory, and no host of agents"), "run setup in the directories of the projects above")
	}
	if len(s.flags.clients) == 0 {
		return enforce.WithHint(errors.New("no client with MCP servers and no host of agents was found on this machine"),
			"'toolvet proxy --help' shows how to guard a server by hand")
	}
	var looked []string
	for _, p := range s.places {
		if s.wanted(p.ID) {
			looked = append(looked, p.File)
		}
	}
	err := fmt.Errorf("no MCP servers and no agents of %s were found on this machine", strings.Join(s.flags.clients, ", "))
	if len(looked) == 0 {
		return err
	}
	return enforce.WithHint(err, "looked for servers in %s", strings.Join(looked, ", "))
}

// find reads the files of clients.
func (s *setupRun) find() []*setupFile {
	var files []*setupFile
	seen := map[string]bool{}
	offInProject, off := s.switchedOff()
	for _, p := range s.places {
		if !s.wanted(p.ID) {
			continue
		}
		target, err := filepath.EvalSymlinks(p.File)
		if err != nil || seen[target+"\x00"+p.ID] { // in the home directory, the project's file is the user's
			continue
		}
		seen[target+"\x00"+p.ID] = true
		text, err := readRegular(target)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			s.unread++
			s.warn("%s: %s cannot be read: %v", p.Client, p.File, pathless(err))
			continue
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if p.ID == "claude-code" && filepath.Base(p.File) != projectFile {
			s.elsewhere, s.projects = clientconfig.Elsewhere(text, s.dir)
		}
		entries, err := s.rewriter.Entries(text, p.ID)
		if err != nil {
			s.unread++
			s.warn("%s: %s stays as it is: %v", p.Client, p.File, err)
			continue
		}
		entries = slices.DeleteFunc(entries, func(e *clientconfig.Entry) bool { // another client has the same file by a link
			place := target + "\x00" + strings.Join(e.Keys, "\x00")
			twice := seen[place]
			seen[place] = true
			return twice
		})
		names := off
		if filepath.Base(p.File) == projectFile {
			names = offInProject
		}
		for _, e := range entries {
			if e.Left == "" && p.ID == "claude-code" && slices.Contains(names, e.Name()) {
				e.Left = clientconfig.ErrOff.Error()
			}
		}
		if len(entries) > 0 {
			files = append(files, &setupFile{p, target, text, entries})
		}
	}
	return files
}

// projectFile is Claude Code's file in a project.
const projectFile = ".mcp.json"

// switchedOff returns the names of the servers that Claude Code does not start: those of the project's file, and the user's.
func (s *setupRun) switchedOff() (project, user []string) {
	for _, file := range s.around.ClaudeSettings() {
		text, err := readRegular(file)
		if err != nil {
			continue // it switches nothing off, then
		}
		inProject, ofUser := clientconfig.SwitchedOff(text, s.dir)
		project, user = append(project, inProject...), append(user, ofUser...)
	}
	return project, user
}

// listFiles lists what was found.
func (s *setupRun) listFiles(files []*setupFile) {
	for _, f := range files {
		terminal.Fprintf(s.stdout, "%s, %s\n", f.place.Client, f.place.File)
		for _, e := range f.entries {
			terminal.Fprintf(s.stdout, "  %s: %s\n", oneLine(e.Name(), 64), e.Runs)
			if e.Left != "" {
				terminal.Fprintf(s.stdout, "    stays: %s\n", e.Left)
			}
		}
	}
}

// showElsewhere tells of servers in a user's file that are for other directories than this one.
func (s *setupRun) showElsewhere() {
	if s.elsewhere == 0 {
		return
	}
	const most = 3
	var names []string
	for _, project := range s.projects[:min(len(s.projects), most)] {
		names = append(names, oneLine(project, 100))
	}
	if len(s.projects) > most {
		names = append(names, "…")
	}
	verb := "stay"
	if s.elsewhere == 1 {
		verb = "stays"
	}
	terminal.Fprintf(s.stdout, "Claude Code: %s of %s %s: run setup there, in %s\n", count(s.elsewhere, "server"), count(len(s.projects), "other project"), verb, strings.Join(names, ", "))
}

func (s *setupRun) listHosts(hosts []*hook.Host) {
	for _, h := range hosts {
		status := s.installer.Status(h)
		state := "does not ask toolvet"
		if len(status.Own) > 0 {
			state = "asks toolvet"
		}
		terminal.Fprintf(s.stdout, "%s, host of agents: %s\n", h.Title, state)
		s.showOff(status.Off)
		s.showOthers(hookOthers(status))
		for _, err := range status.Faults {
			s.hostFault(h.Title + ": " + err.Error())
		}
	}
}

// hostFault warns of a file of a host that cannot be read, once.
func (s *setupRun) hostFault(text string) {
	if !slices.Contains(s.told, text) {
		s.told = append(s.told, text)
		s.unread++
		s.warn("%s", text)
	}
}

// showFiles shows what changes in files, and returns how many entries do.
func (s *setupRun) showFiles(files []*setupFile) (servers int) {
	for _, f := range files {
		var before, after strings.Builder
		for _, e := range f.changing() {
			servers++
			before.WriteString(e.BeforeShown)
			after.WriteString(e.AfterShown)
		}
		if before.Len() == 0 {
			continue
		}
		terminal.Fprintf(s.stdout, "%s: change %s\n", f.place.Client, f.place.File)
		_, text, _ := strings.Cut(string(diff.Diff("before", []byte(before.String()), "after", []byte(after.String()))), "\n+++ after\n")
		terminal.Fprintf(s.stdout, "%s", terminal.Text(text))
	}
	return servers
}

// planHooks plans the hooks of hosts that do not ask toolvet yet: an entry with a policy stays. A host without a place for them is
// left out with a warning.
func (s *setupRun) planHooks(hosts []*hook.Host) ([]*install.Change, error) {
	var changes []*install.Change
	for _, h := range hosts {
		if len(s.installer.Status(h).Own) > 0 {
			continue
		}
		list, _, err := s.installer.Install(h, install.User, s.command)
		switch text := fmt.Sprint(err); {
		case err != nil && slices.Contains(s.told, text):
			continue
		case err != nil:
			s.warn("%s", text)
			continue
		}
		changes = append(changes, list...)
	}
	return changes, nil
}

func (s *setupRun) apply(ctx context.Context, files []*setupFile, hosts []*hook.Host, shown []*install.Change) error {
	err := s.applyAll(ctx, files, hosts, shown)
	if err != nil && s.written && !errors.As(err, new(exitCode)) {
		s.warn("not all of this is proven: 'toolvet setup --undo' undoes it")
	}
	return err
}

func (s *setupRun) applyAll(ctx context.Context, files []*setupFile, hosts []*hook.Host, shown []*install.Change) error {
	for _, f := range files {
		if err := s.write(f); err != nil {
			s.complain(err)
			for _, e := range f.changing() {
				s.failed++
				s.passing = append(s.passing, f.place.Client+", "+oneLine(e.Name(), 64))
			}
			f.entries = nil
		}
		for _, other := range files { // by a link
			if other.target == f.target {
				other.text = f.text
			}
		}
	}
	if err := s.writeHooks(shown); err != nil { // the servers do not suffer from it
		s.complain(err)
		before := len(shown)
		shown = slices.DeleteFunc(shown, func(c *install.Change) bool { return len(s.installer.Status(c.Host).In(install.User)) == 0 })
		s.failed += max(1, before-len(shown))
	}
	for _, f := range files {
		for _, e := range f.changing() {
			if err := s.proveEntry(ctx, f, e); err != nil {
				return err
			}
		}
	}
	for _, h := range hosts {
		if slices.ContainsFunc(shown, func(c *install.Change) bool { return c.Host == h }) {
			if err := s.proveHook(ctx, h); err != nil {
				return err
			}
		}
	}
	if len(s.passing) > 0 {
		terminal.Fprintf(s.stdout, "not judged: calls of %s, which do not pass toolvet\n", strings.Join(s.passing, "; "))
	}
	if s.failed > 0 {
		terminal.Fprintf(s.stdout, "%s not in force; 'toolvet setup --undo' undoes the rest\n", count(s.failed, "change"))
		return exitCode(exitNoGo)
	}
	_, err := terminal.Fprintf(s.stdout, "done: start your clients again; 'toolvet setup --undo' undoes this\n")
	return err
}

// incomplete reports the files that could not be read: their servers are not guarded.
func (s *setupRun) incomplete() error {
	if s.unread == 0 {
		return nil
	}
	return enforce.WithHint(fmt.Errorf("%s not read, and left alone", count(s.unread, "configuration")), "a warning above says why: mend the file, and run setup again")
}

// notes tells of further steps for the hosts, and of changed files that other people may get, too.
func (s *setupRun) notes(files []*setupFile, hosts []*hook.Host, shown []*install.Change) {
	for _, f := range files {
		inside, err := filepath.Rel(s.dir, f.place.File)
		if err == nil && filepath.IsLocal(inside) && s.dir != s.home && filepath.IsAbs(s.command.Program) && len(f.changing()) > 0 {
			terminal.Fprintf(s.stdout, "note: %s will name %s, which other machines may not have: if you share this file, say --program toolvet\n", inside, s.command.Program)
		}
	}
	for _, h := range hosts {
		if !slices.ContainsFunc(shown, func(c *install.Change) bool { return c.Host == h }) {
			continue
		}
		if _, notes, err := s.installer.Install(h, install.User, s.command); err == nil {
			for _, n := range notes {
				terminal.Fprintf(s.stdout, "note: %s\n", n)
			}
		}
	}
}

// write writes the changes of a file, after it has remembered how to undo them.
func (s *setupRun) write(f *setupFile) error {
	list := f.changing()
	if len(list) == 0 {
		return nil
	}
	now, err := readSmall(f.target)
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.place.File, pathless(err))
	}
	if !bytes.Equal(now, f.text) {
		return fmt.Errorf("%s: %w", f.place.File, install.ErrChanged)
	}
	text := f.text
	for _, e := range list {
		var found clientconfig.Swapped
		if text, found, err = clientconfig.Exchange(text, f.place.ID, e.Keys, e.Before, e.After); err != nil || found != clientconfig.Swap {
			return fmt.Errorf("%s: the entry %q cannot be replaced", f.place.File, oneLine(e.Name(), 64))
		}
	}
	if err := s.ledger.remember(f, list); err != nil {
		return fmt.Errorf("remembering how to undo it: %w", err)
	}
	if err := replaceFile(f.target, text); err != nil {
		return errors.Join(err, s.ledger.forget(pageName(f.target, f.place.ID), keysOf(list)))
	}
	s.written, f.text = true, text
	_, err = terminal.Fprintf(s.stdout, "wrote %s\n", f.place.File)
	return err
}

// writeHooks plans the hooks anew, because a host's file may be a client's as well.
func (s *setupRun) writeHooks(shown []*install.Change) error {
	var names []string
	var changes []*install.Change
	for _, c := range shown {
		if slices.Contains(names, c.Host.Name) {
			continue
		}
		names = append(names, c.Host.Name)
		list, _, err := s.installer.Install(c.Host, install.User, s.command)
		if err != nil {
			return hookError(err)
		}
		changes = append(changes, slices.DeleteFunc(list, func(c *install.Change) bool { return c.Same() })...)
	}
	if len(changes) == 0 {
		return nil
	}
	if err := s.ledger.rememberHooks(names); err != nil {
		return fmt.Errorf("remembering how to undo it: %w", err)
	}
	s.written = true
	return s.writeHookChanges(s.installer, changes)
}

// keysOf names entries as a ledger does.
func keysOf(entries []*clientconfig.Entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, strings.Join(e.Keys, "\x00"))
	}
	return out
}

// putBack gives an entry its former text.
func (s *setupRun) putBack(f *setupFile, e *clientconfig.Entry) error {
	text, err := readSmall(f.target)
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.place.File, pathless(err))
	}
	text, found, err := clientconfig.Exchange(text, f.place.ID, e.Keys, e.After, e.Before)
	if err != nil || found != clientconfig.Swap {
		return enforce.WithHint(fmt.Errorf("%s: the entry %q has changed meanwhile, and cannot be put back", f.place.File, oneLine(e.Name(), 64)),
			"take 'toolvet proxy' out of it by hand")
	}
	if err := replaceFile(f.target, text); err != nil {
		return err
	}
	return s.ledger.forget(pageName(f.target, f.place.ID), keysOf([]*clientconfig.Entry{e}))
}
