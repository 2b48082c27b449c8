// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// policyFile is the default file of "toolvet init" and "toolvet policy lint".
const policyFile = "toolvet.yaml"

func (a *app) policyCommand() *cobra.Command {
	var flags lintFlags
	cmd := &cobra.Command{
		Use:   "policy [flags] [-- SERVER-COMMAND...]",
		Short: "Tell in words what a policy permits; test it, replay calls with it, find its gaps",
		Long: `Tell in words what a policy says of each tool: who may call it, and what its arguments must be.

The tools come from a server's command, from the servers of the policy with --start, from a
saved list, or from the lock that the policy names. Without any, the policy's own names stand.`,
		Example: `  toolvet policy
  toolvet policy --start
  toolvet policy lint
  toolvet policy test`,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, server, err := placesAndCommand(cmd, args, func(arg string) bool { // a lone word is a misspelt command of policy
				return arg == "show" || len(args) == 1 && !strings.ContainsAny(arg, `/\`)
			})
			switch {
			case len(before) > 0 && !isFile(before[0]) && before[0] != "show": // also with --help behind it
				return unknownCommand(cmd, before[0])
			case err != nil:
				return err
			case len(before) == 1 && before[0] == "show":
				return enforce.WithHint(errors.New(`unknown command "show"`), "'%s' shows the policy", cmd.CommandPath())
			case len(before) > 0:
				return usageError(cmd, "give the policy with --policy: toolvet policy --policy %s", oneLine(before[len(before)-1], 100))
			case flags.tools != "" && (server != nil || flags.start), flags.start && server != nil:
				return usageError(cmd, "--tools, --start and a server command exclude each other")
			case flags.timeout <= 0:
				return usageError(cmd, "--server-timeout must be longer than 0")
			}
			return a.summarize(cmd, flags, server)
		},
	}
	flags.add(cmd)
	cmd.AddCommand(a.schemaCommand(), a.lintCommand(), a.testCommand(), a.replayCommand())
	return cmd
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of policies, for editors",
		Long: `Print the JSON Schema (draft 2020-12) of toolvet.yaml. With it, an editor completes keys,
explains them and underlines misspelt ones.`,
		Example: "  toolvet policy schema > toolvet.schema.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(cmd, "schema takes no arguments")
			}
			_, err := a.stdout.Write(policy.JSONSchema(a.checks.Nameable(), a.checks.Demands()))
			return err
		},
	}
}

// lintFlags are the flags of "toolvet policy" and "toolvet policy lint".
type lintFlags struct {
	policy  string
	server  string
	tools   string
	start   bool
	timeout time.Duration
}

func (a *app) lintCommand() *cobra.Command {
	var flags lintFlags
	cmd := &cobra.Command{
		Use:   "lint [flags] [-- SERVER-COMMAND...]",
		Short: "List the gaps of a policy, and its parts without effect",
		Long: `List the gaps of a policy: paths without directories, URLs without hosts, commands
without programs, checks that are off. If a server's tools are known, list also arguments
that the policy does not mention, also those of prompts, rules with conditions that do
not fit a tool's arguments, and rules and limits that match no tool.

Lint takes the tools from a server's command, from the servers of the policy with
--start, from a saved list, or else from the lock that the policy names.

Exit codes: 0 no gaps, 1 gaps (one server of several that cannot be reached is one), 2 the
policy could not be read, or no server could be reached.`,
		Example: `  toolvet policy lint
  toolvet policy lint --start
  toolvet policy lint --policy toolvet.yaml -- npx -y @modelcontextprotocol/server-filesystem .`,
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := serverCommand(cmd, args)
			switch {
			case err != nil:
				return err
			case flags.tools != "" && (server != nil || flags.start), flags.start && server != nil:
				return usageError(cmd, "--tools, --start and a server command exclude each other")
			case flags.timeout <= 0:
				return usageError(cmd, "--server-timeout must be longer than 0")
			}
			return a.lint(cmd, flags, server)
		},
	}
	flags.add(cmd)
	return cmd
}

func (flags *lintFlags) add(cmd *cobra.Command) {
	takesCommand(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.policy, "policy", policyFile, "policy `FILE`")
	f.StringVar(&flags.server, "server", "", "`NAME` of the server in the policy; default: all, or the one with the command")
	f.StringVar(&flags.tools, "tools", "", "`FILE` with a saved list of the server's tools")
	f.BoolVar(&flags.start, "start", false, "start the servers of the policy, or connect to their URLs, and list their tools")
	f.DurationVar(&flags.timeout, "server-timeout", upstream.DefaultTimeout, "how long a server may take to start, and to list its tools")
}

func (a *app) lint(cmd *cobra.Command, flags lintFlags, command []string) error {
	p, err := policy.LoadEach(flags.policy, a.checks.Demands()...)
	if err != nil {
		return err
	}
	_, wrong := access.Rules(p)
	if err := errors.Join(p.Validate(a.checks.Nameable()), wrong); err != nil {
		return err
	}
	servers := p.Servers
	if flags.server != "" || flags.tools != "" || command != nil || len(servers) == 0 {
		server, err := enforce.ServerOf(p, flags.server, command)
		if err != nil {
			return err
		}
		servers = []*policy.Server{server}
	}
	l := &linter{known: a.checks, policy: p, tools: map[string]*call.Catalog{}, listed: map[string]*call.Catalog{}, started: flags.start}
	failed := 0
	for i, known := range a.lintAll(cmd.Context(), flags, p, servers, command) {
		s := servers[i]
		l.tools[s.Name], l.listed[s.Name] = cmp.Or(known.tools, toolsOfHost(s)), known.prompts
		known.said.tell(a.stderr)
		if err := known.err; err != nil {
			if !flags.start || cmd.Context().Err() != nil {
				return err
			}
			failed++
			a.complain(err)
			l.gap("%s: it cannot be reached, so that lint does not know its tools", s.Name)
		}
	}
	l.checks()
	for _, s := range servers {
		l.server(s, l.tools[s.Name])
	}
	l.access()
	err = a.writeGaps(flags.policy, l)
	if failed == len(servers) && (err == nil || errors.As(err, new(exitCode))) {
		return exitCode(exitNotJudged)
	}
	return err
}

// A knownServer is what lintTools found out about a server.
type knownServer struct {
	tools   *call.Catalog
	prompts *call.Catalog // nil if nothing tells them
	err     error
	said    said // warnings
}

// said collects what goroutines write.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) tell(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.text.WriteTo(w) // a failed write of a warning shows at the next one
}

// lintAll returns the tools of servers, in their order. It starts the servers at once.
func (a *app) lintAll(ctx context.Context, flags lintFlags, p *policy.Policy, servers []*policy.Server, command []string) []*knownServer {
	out := make([]*knownServer, len(servers))
	defer a.working("starting the servers")()
	var asking sync.WaitGroup
	for i, s := range servers {
		out[i] = &knownServer{}
		asking.Go(func() {
			of := *a
			of.stderr, of.status = terminal.NewWriter(&out[i].said), nil
			out[i].tools, out[i].prompts, out[i].err = of.lintTools(ctx, flags, p, s, command)
		})
	}
	asking.Wait()
	return out
}

// lintTools returns a server's tools and prompts, or nil if nothing tells them.
func (a *app) lintTools(ctx context.Context, flags lintFlags, p *policy.Policy, s *policy.Server, command []string) (tools, prompts *call.Catalog, err error) {
	var start upstream.Dialer
	keep := backend.Kept(flags.policy, p)
	if command != nil {
		start = a.starter(s, command, keep)
	}
	if flags.start && s.Command != nil {
		start = a.starter(s, s.Command, keep)
	}
	if _, err := s.Environ(os.LookupEnv); err != nil && (start != nil || flags.start) {
		return nil, nil, err
	}
	if flags.start && s.URL != "" {
		start = &backend.Dialer{Server: s, Logger: newLogger(a.stderr, false), Told: backend.Every}
	}
	if start != nil {
		listed, err := a.listedBy(ctx, start, flags.timeout, servers.Prompts)
		if err != nil && s.Name != "" {
			err = fmt.Errorf("the server %q: %w", s.Name, err)
		}
		return listed[pin.Tools], listed[string(servers.Prompts)], err
	}
	if flags.tools != "" {
		tools, err = a.savedTools(flags.tools)
		return tools, nil, err
	}
	if p.Pinning.Lock == "" {
		return nil, nil, nil
	}
	lock, err := pin.Load(p.Pinning.Lock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	tools, err = lock.Catalog(cmp.Or(s.Name, pin.DefaultServer))
	return tools, nil, err
}

func (a *app) writeGaps(file string, l *linter) error {
	b := bufio.NewWriter(a.stdout)
	for _, err := range l.misfits {
		fmt.Fprintln(b, err)
	}
	for _, line := range l.lines() {
		terminal.Fprintf(b, "%s: %s\n", file, strictjson.Printable(line, 600))
	}
	open := len(l.misfits)+len(l.gaps) > 0
	if !open {
		terminal.Fprintf(b, "%s: lint finds no gaps%s\n", file, l.unseen())
	}
	for _, note := range l.notes {
		terminal.Fprintf(b, "%s: note: %s\n", file, strictjson.Printable(note, 400))
	}
	if err := b.Flush(); err != nil || !open {
		return err
	}
	return exitCode(exitNoGo)
}
