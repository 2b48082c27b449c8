// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// serversFlags are the flags of commands that reach the servers of a policy.
type serversFlags struct {
	gate    enforce.Source
	timeout time.Duration
	verbose bool
}

func (a *app) addServersFlags(cmd *cobra.Command, f *serversFlags) {
	flags := cmd.Flags()
	a.addGateFlags(cmd, &f.gate)
	f.gate.Policy = policyFile
	flags.Lookup("policy").DefValue = policyFile
	_ = flags.MarkHidden("server") // arguments name servers instead
	flags.DurationVar(&f.timeout, "server-timeout", upstream.DefaultTimeout, "how long a server may take to start, and to list its tools")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print each step on standard error")
}

// named holds the servers of a policy, each with its gate.
type named struct {
	*upstream.Set
	policy  *policy.Policy
	session call.Session
}

func (n *named) close(ctx context.Context) { n.Set.Close(ctx) }

// openServers reads a policy with servers. It starts none.
func (a *app) openServers(flags serversFlags, observer toolvet.Observer) (*named, error) {
	log := newLogger(a.stderr, flags.verbose)
	steps := slog.New(slog.DiscardHandler) // the command itself reports errors
	if flags.verbose {
		steps = log
	}
	p, err := policy.LoadEach(flags.gate.Policy, a.checks.Demands()...)
	if err != nil {
		return nil, err
	}
	supervisor, err := backend.Supervisor()
	if err != nil {
		return nil, err
	}
	gates, counters := map[string]*toolvet.Gate{}, new(access.Counters)
	cfg := upstream.Config{Gate: func(server string) *toolvet.Gate { return gates[server] }, Observer: observer, Logger: steps}
	for _, s := range p.Servers {
		own := flags.gate
		own.Server, own.Each = s.Name, true
		alone, err := own.ForServer(nil)
		if err != nil {
			return nil, err
		}
		if gates[s.Name], err = a.checks.NewRehearsingGate(&access.Enforcer{Contains: true, Shared: backend.SharedLimits, Server: s.Name, Log: log, Counters: counters}, alone, backend.Before(nil)); err != nil {
			return nil, err
		}
		cfg.Servers = append(cfg.Servers, upstream.Server{Name: s.Name, Dialer: &backend.Dialer{Server: s, Supervisor: supervisor, Keep: backend.Kept(flags.gate.Policy, p), Logger: log, Told: backend.Every}, Timeout: flags.timeout})
	}
	set, err := upstream.NewSet(cfg)
	if err != nil {
		return nil, err
	}
	return &named{Set: set, policy: p, session: flags.gate.Session(p)}, nil
}

// A namedJudge judges calls of tools called SERVER:TOOL, and others by themselves.
type namedJudge struct {
	*named
	plain func() (*judge, error)
}

func (j *namedJudge) judge(ctx context.Context, raw []byte) judged {
	tool, arguments, err := parts(raw)
	if err != nil {
		return undecided(err)
	}
	name, _ := nameOf(tool)
	if !strings.Contains(name, ":") {
		plain, err := j.plain()
		if err != nil {
			return notJudged(err)
		}
		return plain.judge(ctx, raw)
	}
	v, err := j.Validate(ctx, name, arguments, upstream.WithSession(&j.session))
	result := protocol.Result{Validation: v}
	switch {
	case err != nil:
		server, _, _ := strings.Cut(name, ":")
		return judged{result: result, code: exitNotJudged, err: j.hinted(server, err)}
	case !result.Valid:
		return judged{result: result, code: exitNoGo}
	}
	return judged{result: result}
}

// nameOf returns the text of a JSON string, and whether it is one.
func nameOf(raw json.RawMessage) (string, bool) {
	v, err := strictjson.Parse(raw, call.Limits{})
	s, ok := v.(string)
	return s, ok && err == nil
}

func (a *app) serversCommand() *cobra.Command {
	var flags serversFlags
	var asJSON bool
	var has string
	cmd := &cobra.Command{
		Use:   "servers [flags] [NAME...]",
		Short: "Start the servers of a policy and print their state",
		Long: `Start all servers of a policy, or the named ones, and print the state of each: whether
toolvet can connect to it and why not, the protocol version, whether it offers a dry run
itself (native validation), its tools. With --json, print its capabilities, too.

With --has, print whether each announces a capability. The capability is a path of member
names with dots between them. An object counts, even an empty one, because MCP announces a
capability without options in this way; false, 0, null, empty texts and empty lists do not.

Exit codes: 0 all are ready and announce the capability, 1 one is not or does not, 2 the
policy could not be read.`,
		Example: `  toolvet servers
  toolvet servers --has experimental.toolValidation files
  toolvet servers --policy toolvet.yaml --json files`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.servers(cmd.Context(), flags, args, has, asJSON)
		},
	}
	a.addServersFlags(cmd, &flags)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object per server and line")
	cmd.Flags().StringVar(&has, "has", "", "print whether each server announces the capability at this `path`")
	return cmd
}

// A standing is the output of "toolvet servers" for one server.
type standing struct {
	Server       string            `json:"server"`
	Status       upstream.Status   `json:"status"`
	Error        string            `json:"error,omitempty"`
	Hint         string            `json:"hint,omitempty"`
	Version      string            `json:"protocolVersion,omitempty"`
	Info         json.RawMessage   `json:"serverInfo,omitempty"`
	Capabilities json.RawMessage   `json:"capabilities,omitempty"`
	Asked        string            `json:"capability,omitempty"`
	Announced    *bool             `json:"announced,omitempty"` // whether the server announces the capability Asked
	Native       *nativeValidation `json:"nativeValidation"`    // null: the server has none
	Tools        []string          `json:"tools"`               // NAME:TOOL

	tools *call.Catalog // nil: the server does not tell
}

func (a *app) servers(ctx context.Context, flags serversFlags, names []string, has string, asJSON bool) error {
	set, err := a.openServers(flags, nil)
	if err != nil {
		return err
	}
	defer set.close(ctx)
	for _, s := range set.policy.Servers {
		if err := gateway.CheckServerName(s.Name); err != nil {
			a.warn("%v", err)
		}
	}
	if len(names) == 0 {
		names = set.Names()
	}
	if len(names) == 0 {
		return enforce.WithHint(fmt.Errorf("%s names no servers", flags.gate.Policy), "'toolvet import' takes them from the configuration of a client")
	}
	standings := make([]chan standing, len(names))
	for i, name := range names {
		standings[i] = make(chan standing, 1)
		go func() { standings[i] <- set.standing(ctx, name, has) }()
	}
	worst, told := exitGo, map[string]bool{"": true}
	for i, one := range standings {
		end := a.working("starting " + oneLine(names[i], 64))
		s := <-one
		end()
		if s.Status != upstream.Ready || s.Announced != nil && !*s.Announced {
			worst = exitNoGo
		}
		if err := s.write(a.stdout, asJSON); err != nil {
			return err
		}
		if !asJSON && !told[s.Hint] { // servers that fail alike share it
			told[s.Hint] = true
			terminal.Fprintf(a.stderr, "toolvet: hint: %s\n", s.Hint)
		}
		if what := unbounded(set.policy, s.Server, s.tools); what != "" {
			a.warn("%s", what)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return exitWith(worst)
}

// hinted adds advice to the error of a server that does not complete the handshake.
func (n *named) hinted(name string, err error) error {
	s := n.policy.Server(name)
	return withHandshakeHint(err, s != nil && s.URL != "")
}

func (n *named) standing(ctx context.Context, name, has string) standing {
	s := standing{Server: name, Asked: has, Status: upstream.Failed, Tools: []string{}}
	tools, err := n.Tools(ctx, name)
	if err == nil {
		s.Capabilities, err = servers.Of(n.Set).Capabilities(ctx, name)
	}
	if err == nil {
		s.Info, _, err = servers.Of(n.Set).Info(ctx, name)
	}
	if err == nil && has != "" {
		var announced bool
		announced, err = servers.Of(n.Set).HasCapability(ctx, name, has)
		s.Announced = &announced
	}
	if err != nil {
		var unavailable *upstream.UnavailableError
		if errors.As(err, &unavailable) {
			err = unavailable.Err // this run does not try again
		}
		s.Error = err.Error()
		var hinted *enforce.HintedError
		if errors.Is(err, context.DeadlineExceeded) && errors.As(n.hinted(name, err), &hinted) {
			s.Hint = hinted.Hint
		}
		return s
	}
	for _, tool := range tools.Names() {
		s.Tools = append(s.Tools, name+":"+tool)
	}
	s.tools = tools
	if method, ok, err := servers.Of(n.Set).NativeValidation(ctx, name); err == nil && ok {
		s.Native = &nativeValidation{method}
	}
	states := n.States()
	i := slices.IndexFunc(states, func(state upstream.State) bool { return state.Server == name })
	s.Status, s.Version = states[i].Status, states[i].Version
	return s
}

func (s *standing) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, s)
	}
	var err error
	if s.Status != upstream.Ready {
		_, err = terminal.Fprintf(w, "%s: %s: %s\n", s.Server, s.Status, terminal.Text(s.Error))
		return err
	}
	if s.Announced != nil {
		verb := "announces"
		if !*s.Announced {
			verb = "does not announce"
		}
		_, err = terminal.Fprintf(w, "%s: %s %s\n", s.Server, verb, s.Asked)
		return err
	}
	native := "none"
	if s.Native != nil {
		native = "the tool " + oneLine(s.Native.Method, maxDescription)
	}
	_, err = terminal.Fprintf(w, "%s: %s, %s, protocol %s, native validation: %s\n", s.Server, s.Status, count(len(s.Tools), "tool"), s.Version, native)
	for _, tool := range s.Tools {
		_, toolErr := terminal.Fprintf(w, "  %s\n", oneLine(tool, maxDescription))
		err = errors.Join(err, toolErr)
	}
	return err
}
