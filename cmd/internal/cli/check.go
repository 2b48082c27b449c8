// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/cmd/internal/clientconfig"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

// checkFlags are the flags of "toolvet check".
type checkFlags struct {
	live    bool
	gate    enforce.Source
	tools   string
	timeout time.Duration
	json    bool
	jsonl   bool
}

func (a *app) checkCommand() *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check [flags] [CALL.json | -]... [-- SERVER-COMMAND...]",
		Short: "Judge calls without running them",
		Long: `Judge calls without running them.

A call is {"tool": …, "arguments": {…}}. Without files, check reads standard input. "tool"
is the name of a tool that --tools or the server lists, or a whole definition with name
and inputSchema. With only a policy, such as the toolvet.yaml of this directory, it is
SERVER:TOOL: check starts the server that the policy describes. If a server that runs has validation of its own, check asks that, too.

The verdict is that of 'toolvet proxy' with the same flags and the same server: without a
policy, that of the preset "standard". Only a missing file, of which a live call has a warning,
is an error here, because the call could only fail: see --allow-warnings.

The verdict "ask" means that only a person's consent is missing: a door that can ask nobody, such as
the proxy, refuses the call.

Exit codes: 0 all calls are a go, 1 a call is a no-go or to ask about, 2 a call was not judged.`,
		Example: `  toolvet check --tools tools.json call.json
  toolvet check call.json -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet check --policy toolvet.yaml call.json
  toolvet check --jsonl --tools tools.json < calls.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, server, err := placesAndCommand(cmd, args, isCallPlace)
			if err != nil {
				return err
			}
			return a.check(cmd, flags, files, server)
		},
	}
	takesCommand(cmd)
	f := cmd.Flags()
	a.addGateFlags(cmd, &flags.gate)
	f.StringVar(&flags.tools, "tools", "", "`FILE` with a tools/list result, for calls that name a tool")
	f.DurationVar(&flags.timeout, "server-timeout", upstream.DefaultTimeout, "how long the server may take to start, and to list its tools")
	f.BoolVar(&flags.live, "allow-warnings", false, "judge as live: a file that a tool reads and that is missing brings a warning, not an error")
	f.BoolVar(&flags.json, "json", false, "print verdicts as JSON, one object a line")
	f.BoolVar(&flags.jsonl, "jsonl", false, "read a call a line from standard input, print a verdict a line")
	return cmd
}

func (a *app) check(cmd *cobra.Command, flags checkFlags, files, server []string) error {
	switch {
	case flags.tools != "" && server != nil:
		return usageError(cmd, "--tools and a server command exclude each other")
	case flags.jsonl && len(files) > 0:
		return usageError(cmd, "--jsonl reads standard input and takes no files")
	case flags.timeout <= 0:
		return usageError(cmd, "--server-timeout must be longer than 0")
	case len(files) == 0 && isTerminal(a.stdin):
		return usageError(cmd, "no call to judge: name a file, or pipe a call in")
	}
	ctx := cmd.Context()
	j, done, err := a.judger(ctx, flags, server)
	if err != nil {
		return err
	}
	defer done()
	if flags.jsonl {
		return a.checkLines(ctx, j)
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	return a.checkFiles(ctx, j, files, flags.json)
}

// judger judges calls by the tools of a file or of a server. With only a policy, it judges by the
// tools of its servers.
func (a *app) judger(ctx context.Context, flags checkFlags, server []string) (j judger, done func(), err error) {
	plain := func() (*judge, error) { return a.plainJudge(ctx, flags, server) }
	if flags.gate.Policy == "" && flags.tools == "" && server == nil && isFile(policyFile) {
		if flags.gate.Server == "" {
			return a.unnamedJudge(ctx, flags)
		}
		flags.gate.Policy = policyFile
	}
	if flags.gate.Policy == "" || flags.tools != "" || server != nil {
		j, err := plain()
		if err != nil {
			return nil, nil, err
		}
		return j, func() { j.close(ctx) }, nil
	}
	named, err := a.openServers(serversFlags{gate: flags.gate, timeout: flags.timeout}, nil)
	switch {
	case err != nil:
		return nil, nil, err
	case len(named.Names()) == 0:
		j, err := plain()
		return j, func() {}, err
	}
	named.session.AllowWarnings = flags.live
	return &namedJudge{named, sync.OnceValues(plain)}, func() { named.close(ctx) }, nil
}

// An unnamedJudge judges calls of tools called SERVER:TOOL by the policy of this directory, and others without a policy.
type unnamedJudge struct{ named, plain func() (judger, error) }

// unnamedJudge returns one. It reads the policy when a call needs it.
func (a *app) unnamedJudge(ctx context.Context, flags checkFlags) (judger, func(), error) {
	plain, err := a.plainJudge(ctx, flags, nil)
	if err != nil {
		return nil, nil, err
	}
	end := func() {}
	flags.gate.Policy = policyFile
	return &unnamedJudge{
		plain: func() (judger, error) { return plain, nil },
		named: sync.OnceValues(func() (j judger, err error) {
			j, end, err = a.judger(ctx, flags, nil)
			return j, err
		}),
	}, func() { plain.close(ctx); end() }, nil
}

func (j *unnamedJudge) judge(ctx context.Context, raw []byte) judged {
	of := j.plain
	if tool, _, err := parts(raw); err == nil {
		if name, _ := nameOf(tool); strings.Contains(name, ":") {
			of = j.named
		}
	}
	judge, err := of()
	if err != nil {
		return notJudged(err)
	}
	return judge.judge(ctx, raw)
}

func (a *app) plainJudge(ctx context.Context, flags checkFlags, server []string) (*judge, error) {
	all, presetName, err := flags.gate.Load()
	if err != nil {
		return nil, err
	}
	p, err := flags.gate.Narrow(all, presetName, server)
	if err != nil {
		return nil, err
	}
	gate, err := a.checks.NewRehearsingGate(&access.Enforcer{Contains: true, Shared: backend.SharedLimits, Server: p.Servers[0].Name, Log: newLogger(a.stderr, false)}, p, backend.Before(server))
	if err != nil {
		return nil, err
	}
	session := flags.gate.Session(p)
	session.AllowWarnings = flags.live
	j := &judge{gate: gate, server: p.Servers[0].Name, session: &session, log: newLogger(a.stderr, false)}
	j.schemaOnly = flags.gate.Policy == "" && flags.gate.Preset == preset.None
	var tools *call.Catalog
	if server != nil {
		defer a.working("starting the server")()
		if j.client, err = startServer(ctx, a.starter(p.Servers[0], server, backend.Kept(flags.gate.Policy, all)), flags.timeout); err != nil {
			return nil, err
		}
		if tools, err = a.listTools(ctx, j.client); err != nil {
			j.close(ctx)
			return nil, err
		}
	} else if flags.tools != "" {
		if tools, err = a.savedTools(flags.tools); err != nil {
			return nil, err
		}
	}
	j.tools = newToolSet(tools)
	return j, nil
}

// checkFiles judges one call in each file and returns the worst exit code.
func (a *app) checkFiles(ctx context.Context, j judger, files []string, asJSON bool) error {
	worst := exitGo
	for _, name := range files {
		verdict := a.checkFile(ctx, j, name)
		if err := ctx.Err(); err != nil {
			return err
		}
		worst = max(worst, verdict.code)
		if verdict.err != nil {
			a.complain(fmt.Errorf("%s: %w", displayName(name), verdict.err))
		}
		label := ""
		if len(files) > 1 {
			label = displayName(name)
		}
		if err := a.writeVerdict(verdict, label, asJSON); err != nil {
			return fmt.Errorf("writing the verdict: %w", err)
		}
	}
	return exitWith(worst)
}

func (a *app) checkFile(ctx context.Context, j judger, name string) judged {
	raw, err := a.readCall(ctx, name)
	if err != nil {
		return notJudged(err)
	}
	v := j.judge(ctx, raw)
	switch fault := faultOf(raw); {
	case fault == nil:
	case v.err != nil:
		v.err = fault
	default: // the verdict knows only the part at fault
		a.warn("%s: %v", displayName(name), fault)
	}
	return v
}

// faultOf tells where a text is no JSON; nil: it is JSON.
func faultOf(text []byte) error {
	_, err := strictjson.Parse(text, strictjson.Limits{Bytes: len(text)})
	if e := (*strictjson.Error)(nil); errors.As(err, &e) && (e.Kind == strictjson.Syntax || e.Kind == strictjson.TrailingData) {
		return clientconfig.Located(text, err)
	}
	return nil
}

// writeVerdict prints a verdict. Text output has none for a call that was not judged.
func (a *app) writeVerdict(v judged, label string, asJSON bool) error {
	switch {
	case asJSON:
		return writeJSON(a.stdout, v.result)
	case v.err != nil:
		return nil
	}
	return writeReport(a.stdout, label, &v.result)
}

// exitWith is nil for exitGo.
func exitWith(code int) error {
	if code == exitGo {
		return nil
	}
	return exitCode(code)
}

func displayName(file string) string {
	switch {
	case file == "-":
		return "standard input"
	case isInline(file):
		return "the JSON on the command line"
	}
	return file
}

// isInline reports whether a word of the command line is JSON itself, and no file's name.
func isInline(word string) bool {
	word = strings.TrimSpace(word)
	return strings.HasPrefix(word, "{") || strings.HasPrefix(word, "[")
}

// readCall returns JSON of the command line itself, or reads a file, or standard input for "-", and stops once it is too large. When ctx
// is done, it leaves a waiting read behind.
func (a *app) readCall(ctx context.Context, name string) ([]byte, error) {
	if isInline(name) {
		return []byte(name), nil
	}
	in := a.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, pathless(err)
		}
		defer f.Close()
		in = f
	}
	type content struct {
		raw []byte
		err error
	}
	read := make(chan content, 1)
	go func() {
		raw, err := io.ReadAll(io.LimitReader(in, maxCall+1))
		read <- content{raw, err}
	}()
	select {
	case c := <-read:
		return c.raw, pathless(c.err)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pathless removes the file's name from an error that will be printed after the name.
func pathless(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return fmt.Errorf("cannot %s: %w", pathErr.Op, pathErr.Err)
	}
	return err
}

// isTerminal reports whether somebody may type at r: it is a device of characters, and not the null device.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
