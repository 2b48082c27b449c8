// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolvet/toolvet/internal/listed"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/schema"
	"github.com/toolvet/toolvet/upstream"
)

// lockFlags are the flags of "toolvet lock".
type lockFlags struct {
	lock      string
	policy    string
	server    string
	tools     string
	resources bool
	accept    bool
	check     bool
	json      bool
	timeout   time.Duration
}

func (a *app) lockCommand() *cobra.Command {
	var flags lockFlags
	cmd := &cobra.Command{
		Use:   "lock [flags] [--accept [TOOL...]] [-- SERVER-COMMAND...]",
		Short: "Lock a server's tools and prompts, and show what has changed since",
		Long: `Lock the definitions of a server's tools, prompts and resource templates, and show what
has changed since.

The first run writes the lock file. Read it: it holds what the server lists now, safe or
not. Later runs show each difference, with escapes for invisible characters, and write
nothing until --accept accepts all changes, or those of the named tools, prompts and
templates. Commit the lock file.

Exit codes: 0 the server matches the lock, or is locked now; 1 it differs; 2 the lock or
the server could not be read.`,
		Example: `  toolvet lock -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet lock --check --policy toolvet.yaml --server files
  toolvet lock --accept read_text_file -- npx -y @modelcontextprotocol/server-filesystem .`,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, server, err := placesAndCommand(cmd, args, func(string) bool { return flags.accept }) // a tool may have a program's name
			switch {
			case err != nil:
				return err
			case len(before) > 0 && !flags.accept:
				return usageError(cmd, "%q is no program on this machine: give --accept to accept a tool", before[0])
			case flags.accept && flags.check:
				return usageError(cmd, "--accept and --check exclude each other")
			case flags.tools != "" && server != nil:
				return usageError(cmd, "--tools and a server command exclude each other")
			case flags.timeout <= 0:
				return usageError(cmd, "--server-timeout must be longer than 0")
			}
			return a.lock(cmd, flags, before, server)
		},
	}
	takesCommand(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.lock, "lock", "", "lock `FILE`; default: as the policy says, else "+pin.File)
	f.StringVar(&flags.policy, "policy", "", "policy `FILE` (toolvet.yaml) that names the server, and its command")
	f.StringVar(&flags.server, "server", "", "`NAME` of the server, in the lock and in the policy; default: as the policy says, else "+pin.DefaultServer)
	f.StringVar(&flags.tools, "tools", "", "`FILE` with a saved list of tools, in place of a server's command")
	f.BoolVar(&flags.resources, "resources", false, "lock the server's list of resources, too, from now on")
	f.BoolVar(&flags.accept, "accept", false, "accept all changes, or those of the named tools, prompts, templates or resources")
	f.BoolVar(&flags.check, "check", false, "write nothing, and report tools that were never locked, too (for CI)")
	f.BoolVar(&flags.json, "json", false, "print JSON")
	f.DurationVar(&flags.timeout, "server-timeout", upstream.DefaultTimeout, "how long the server may take to start, and to give each list")
	return cmd
}

// locked is the output of "toolvet lock".
type locked struct {
	Lock     string        `json:"lock"`
	Server   string        `json:"server"`
	Accepted []*pin.Change `json:"accepted"` // now in the lock
	Changes  []*pin.Change `json:"changes"`  // not accepted

	lists []string // that are compared
	fresh []string // of lists: those that are to be locked for the first time
	left  []string // of lists: those that are not locked, and stay so
	total []int    // entries in the lock, for each of lists
	never bool     // the server has never been locked
	first bool     // it is locked now, for the first time
}

func (a *app) lock(cmd *cobra.Command, flags lockFlags, accept, args []string) error {
	at, err := a.findLock(flags, args)
	if err != nil {
		return err
	}
	name, command := at.server, at.command
	if flags.tools == "" && command == nil {
		return usageError(cmd, "%s", at.commandless(flags.policy))
	}
	lock, err := pin.Load(at.file)
	if errors.Is(err, fs.ErrNotExist) {
		lock, err = &pin.Lock{}, nil
	}
	if err != nil {
		return err
	}
	listed, err := a.listedNow(cmd.Context(), flags, command, lock.Pins(listed.Resources, name))
	if err != nil {
		return err
	}
	result := locked{Lock: at.file, Server: name, Accepted: []*pin.Change{}, Changes: []*pin.Change{}, never: !lock.Has(name)}
	result.compare(lock, listed, flags.accept, accept)
	if err := known(accept, result.names(lock, listed)); err != nil {
		return err
	}
	if (flags.accept || result.never) && !flags.check {
		if lock, err = result.accept(lock, accept); err != nil {
			return err
		}
	}
	for _, list := range result.lists {
		result.total = append(result.total, len(lock.Names(list, name)))
	}
	for _, list := range result.left {
		if n := len(listed[list].Names()); n > 0 {
			a.warn("%s of the server %s: not locked yet; lock with --accept", count(n, pin.Noun(list)), pin.Visible(name))
		}
	}
	return a.tellLocked(&result, flags.json)
}

// listedNow returns what the server lists, by the method of the list. A saved list has tools alone.
func (a *app) listedNow(ctx context.Context, flags lockFlags, command upstream.Dialer, resources bool) (map[string]*call.Catalog, error) {
	if flags.tools != "" {
		tools, err := a.savedTools(flags.tools)
		return map[string]*call.Catalog{pin.Tools: tools}, err
	}
	defer a.working("starting the server")()
	client, err := startServer(ctx, command, flags.timeout)
	if err != nil {
		return nil, err
	}
	defer client.Close(ctx)
	tools, err := a.listTools(ctx, client)
	if err != nil {
		return nil, err
	}
	listed := map[string]*call.Catalog{pin.Tools: tools}
	lists := []servers.List{servers.Prompts, servers.ResourceTemplates}
	if resources || flags.resources {
		lists = append(lists, servers.Resources)
	}
	return listed, a.listEntries(ctx, client, listed, lists...)
}

// listEntries puts lists other than that of tools into listed, by their methods.
func (a *app) listEntries(ctx context.Context, client servers.Client, listed map[string]*call.Catalog, lists ...servers.List) error {
	for _, list := range lists {
		entries, faults, err := client.Entries(ctx, list)
		if err != nil {
			return fmt.Errorf("listing the server's %ss: %w", pin.Noun(string(list)), err)
		}
		for _, fault := range faults {
			a.warn("an entry is left out: %v", fault)
		}
		listed[string(list)] = entries
	}
	return nil
}

// compare finds what differs from the lock. A list that the lock of this server does not have differs in
// nothing, unless it is to be locked now: with all others, or because a name in it is to be accepted.
func (l *locked) compare(lock *pin.Lock, listed map[string]*call.Catalog, accept bool, names []string) {
	for _, list := range pin.Lists() {
		entries := listed[list]
		if entries == nil {
			continue
		}
		l.lists = append(l.lists, list)
		if !lock.Pins(list, l.Server) {
			named := slices.ContainsFunc(names, func(name string) bool { return entries.Tool(name) != nil })
			if !l.never && !(accept && (len(names) == 0 || named)) {
				l.left = append(l.left, list)
				continue
			}
			l.fresh = append(l.fresh, list)
		}
		l.Changes = append(l.Changes, lock.CompareList(list, l.Server, entries)...)
	}
}

// names are those of everything that can be accepted.
func (l *locked) names(lock *pin.Lock, listed map[string]*call.Catalog) []string {
	var names []string
	for _, list := range l.lists {
		names = append(append(names, lock.Names(list, l.Server)...), listed[list].Names()...)
	}
	return names
}

// A lockPlace locates a server and its lock.
type lockPlace struct {
	file    string
	server  string          // its name in the file
	command upstream.Dialer // how to start it; nil: not known
	url     bool            // the policy has a URL in place of a command
}

// commandless says that nothing names the server's command: not the command line, nor the policy in a file; "" for no policy.
func (l *lockPlace) commandless(file string) string {
	name := pin.Visible(l.server)
	switch {
	case file == "":
		return "no server command: give it after --, or a policy with --policy"
	case l.url:
		return fmt.Sprintf("the server %s in %s has a url and no command: give a saved list of its tools with --tools", name, displayName(file))
	}
	return fmt.Sprintf("the server %s in %s has no command: give it after --", name, displayName(file))
}

// findLock combines the flags with the policy.
func (a *app) findLock(f lockFlags, args []string) (lockPlace, error) {
	if f.policy == "" {
		return lockPlace{cmp.Or(f.lock, pin.File), cmp.Or(f.server, pin.DefaultServer), started(args, upstream.Command{Args: args}), false}, nil
	}
	p, err := policy.LoadEach(f.policy, a.checks.Demands()...)
	if err != nil {
		return lockPlace{}, err
	}
	server, err := enforce.Choose(p, f.server, args)
	if err != nil {
		return lockPlace{}, err
	}
	if f.tools == "" {
		if args == nil {
			args = server.Command
			if server.Drafted != nil {
				return lockPlace{}, backend.Unreachable(server)
			}
		}
		_, err = server.Environ(os.LookupEnv)
	}
	return lockPlace{cmp.Or(f.lock, p.Pinning.Lock, pin.File), cmp.Or(server.Name, pin.DefaultServer), started(args, a.starter(server, args, backend.Kept(f.policy, p))), server.URL != ""}, err
}

// started returns how to start a server with a command; nil: the command is missing.
func started(command []string, by upstream.Dialer) upstream.Dialer {
	if len(command) == 0 {
		return nil
	}
	return by
}

// known reports names that nothing has.
func known(accept, names []string) error {
	for _, name := range accept {
		if slices.Contains(names, name) {
			continue
		}
		err := fmt.Errorf("neither the lock nor the server has a tool, prompt or template %q", name)
		if near := schema.Nearest(name, names); near != "" {
			return enforce.WithHint(err, "did you mean %q?", near)
		}
		return err
	}
	return nil
}

// accept writes the lock with all changes, or with those of the names.
func (l *locked) accept(lock *pin.Lock, names []string) (*pin.Lock, error) {
	var left []*pin.Change
	for _, c := range l.Changes {
		if c.Kind == pin.Unusable || len(names) > 0 && !slices.Contains(names, c.Tool) {
			left = append(left, c)
			continue
		}
		l.Accepted = append(l.Accepted, c)
	}
	l.Changes = append([]*pin.Change{}, left...)
	if len(l.Accepted) == 0 && len(l.fresh) == 0 {
		return lock, nil
	}
	l.never, l.first = false, l.never
	lock = lock.AcceptLists(l.Server, l.Accepted, l.fresh...)
	return lock, lock.Write(l.Lock)
}

func (a *app) tellLocked(l *locked, asJSON bool) error {
	err := error(nil)
	if asJSON {
		err = writeJSON(a.stdout, l)
	} else {
		err = a.lockedText(l)
	}
	if err == nil && (l.never || len(l.Changes) > 0) {
		return exitCode(exitNoGo)
	}
	return err
}

func (a *app) lockedText(l *locked) error {
	w := bufio.NewWriter(a.stdout)
	if err := pin.WriteDiff(w, l.Changes); err != nil {
		return err
	}
	if len(l.Changes) > 0 {
		fmt.Fprintln(w)
	}
	terminal.Fprintf(w, "%s: %s\n", l.Lock, l.summary())
	for _, c := range l.Accepted {
		terminal.Fprintf(w, "  %s: %s\n", c.Kind, c.Title())
		for _, p := range c.Unseen {
			a.warn("%s: invisible characters in %s: %s", c.Title(), pin.Visible(p.Pointer), strings.Join(p.Characters, ", "))
		}
	}
	return w.Flush()
}

func (l *locked) summary() string {
	server := " of the server " + pin.Visible(l.Server)
	tools, differ := l.counts(func(i int) int { return l.total[i] })+server, l.counts(func(i int) int {
		n := 0
		for _, c := range l.Changes {
			if c.Method() == l.lists[i] {
				n++
			}
		}
		return n
	})+server
	usable := slices.ContainsFunc(l.Changes, func(c *pin.Change) bool { return c.Kind != pin.Unusable })
	switch {
	case l.never:
		return "never locked: " + differ
	case len(l.Accepted) > 0 && len(l.Changes) > 0:
		return "some is accepted; not as locked: " + differ
	case usable:
		return "not as locked: " + differ + "; accept with --accept, or with --accept TOOL"
	case len(l.Changes) > 0:
		return "cannot be locked: " + differ
	case l.first:
		return tools + ", locked now: read them, they are what the server lists and not what is safe"
	case len(l.Accepted) > 0:
		return tools + ", accepted now:"
	}
	return tools + ", as they were locked"
}

// counts counts the entries of each list, without lists that have none.
func (l *locked) counts(of func(i int) int) string {
	var words []string
	for i, list := range l.lists {
		if n := of(i); n > 0 {
			words = append(words, count(n, pin.Noun(list)))
		}
	}
	if words == nil {
		return count(0, pin.Noun(pin.Tools))
	}
	return strings.Join(words, ", ")
}
