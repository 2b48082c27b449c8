// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/demo"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/servers"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/upstream"
)

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show toolvet at work, without network or configuration",
		Long: `Show toolvet at work: start a small file server, first alone and then behind
'toolvet proxy', and talk to it as an MCP client does. Everything happens in a
temporary directory. The exit code is 0 if every step had the expected outcome.`,
		Example: "  toolvet demo",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(cmd, "demo takes no arguments")
			}
			return a.demo(cmd.Context())
		},
	}
}

// demoServerCommand runs the server of the demo, and of tests.
func (a *app) demoServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "demo-server DIR",
		Short:  "Serve a directory over MCP on stdio, for the demo",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(cmd, "demo-server takes one directory")
			}
			return demo.Serve(cmd.Context(), args[0], io.NopCloser(a.stdin), nopWriteCloser{a.wire})
		},
	}
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

// The two calls of the demo: there is no schedule "nightly", and keep is a number.
const (
	demoBad  = `{"path":"notes","schedule":"nightly","keep":"7"}`
	demoGood = `{"path":"notes","schedule":"daily","keep":7}`
)

// errDemo reports that the demo did not go as announced.
var errDemo = errors.New("the demo did not go as it should")

func (a *app) demo(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "toolvet-demo-")
	if err != nil {
		return fmt.Errorf("making a directory for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "notes"), []byte("buy milk\n"), 0o600); err != nil {
		return fmt.Errorf("writing a file for the demo: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding toolvet's own program: %w", err)
	}
	d := &demonstration{out: a.stdout, server: []string{self, "demo-server", dir}, jobs: filepath.Join(dir, demo.JobsFile)}
	if err := d.alone(ctx); err != nil {
		return err
	}
	d.server = append([]string{self, "proxy", "--"}, d.server...)
	return d.guarded(ctx)
}

// A demonstration takes the steps of the demo, and prints each.
type demonstration struct {
	out    io.Writer
	server []string
	jobs   string // file with a line for each scheduled job

	client servers.Client
	err    error // the first; later steps are left out
}

func (d *demonstration) connect(ctx context.Context) error {
	var err error
	d.client, err = startServer(ctx, upstream.Command{Args: d.server}, upstream.DefaultTimeout)
	return err
}

// alone shows the server without toolvet: it takes the bad call.
func (d *demonstration) alone(ctx context.Context) error {
	if err := d.connect(ctx); err != nil {
		return err
	}
	defer d.client.Close(ctx)
	d.say("A file server, alone. An agent schedules a backup:\n")
	d.call(ctx, "schedule_backup", demoBad, expectSuccess)
	d.say(`
The server said yes, but it knows no schedule "nightly": the job would never run,
and nobody would notice until the backup is needed.

The same server behind "toolvet proxy". It has gained the tool "validate", a dry run:
`)
	d.expectJobs(1)
	return d.err
}

// guarded shows the server behind the proxy.
func (d *demonstration) guarded(ctx context.Context) error {
	if err := d.connect(ctx); err != nil {
		return err
	}
	defer d.client.Close(ctx)
	d.validate(ctx, demoBad, false)
	d.say("\nAn agent that calls without asking is stopped before the server sees the call:\n")
	d.call(ctx, "schedule_backup", demoBad, expectRefusal)
	d.expectJobs(1)
	d.say("\nIt mends the call. The dry run first, which runs nothing, then the call:\n")
	d.validate(ctx, demoGood, true)
	d.expectJobs(1)
	d.call(ctx, "schedule_backup", demoGood, expectSuccess)
	d.expectJobs(2)
	d.say("\nThe server ran what was right, and never saw what was wrong. In front of your own:\n" +
		"\n  toolvet proxy -- YOUR-SERVER-COMMAND\n")
	return d.err
}

func (d *demonstration) say(format string, args ...any) {
	if d.err == nil {
		_, d.err = terminal.Fprintf(d.out, format, args...)
	}
}

// A toolResult has the members of a CallToolResult that the demo reads.
type toolResult struct {
	IsError bool                       `json:"isError"`
	Content []struct{ Text string }    `json:"content"`
	Meta    map[string]json.RawMessage `json:"_meta"`

	// Result is the verdict of the validate tool.
	Result struct {
		Valid       bool     `json:"valid"`
		Errors      []string `json:"errors"`
		Suggestions []string `json:"suggestions"`
	} `json:"structuredContent"`
}

func (r *toolResult) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// Expected outcomes of a call.
func expectSuccess(r *toolResult) bool { return !r.IsError }
func expectRefusal(r *toolResult) bool { return r.IsError && r.Meta[protocol.VerdictKey] != nil }

// call makes a call, and prints it with its result.
func (d *demonstration) call(ctx context.Context, tool, arguments string, expect func(*toolResult) bool) {
	d.say("  → %s %s\n", tool, arguments)
	r := d.ask(ctx, tool, arguments)
	d.say("%s\n", terminal.Text(indent(r.text())))
	if d.err == nil && !expect(r) {
		d.err = fmt.Errorf("%w: the call of %s was not answered as expected", errDemo, tool)
	}
}

// validate makes a dry run of schedule_backup.
func (d *demonstration) validate(ctx context.Context, arguments string, valid bool) {
	request := fmt.Sprintf(`{"tool":"schedule_backup","arguments":%s}`, arguments)
	d.say("  → validate %s\n", request)
	r := d.ask(ctx, protocol.ToolName, request)
	d.say("  ← valid: %t\n", r.Result.Valid)
	for _, e := range r.Result.Errors {
		d.say("    error: %s\n", e)
	}
	for _, s := range r.Result.Suggestions {
		d.say("    fix:   %s\n", s)
	}
	if d.err == nil && r.Result.Valid != valid {
		d.err = fmt.Errorf("%w: validate said valid: %t", errDemo, r.Result.Valid)
	}
}

func (d *demonstration) ask(ctx context.Context, tool, arguments string) *toolResult {
	r := &toolResult{}
	if d.err != nil {
		return r
	}
	raw, err := d.client.Call(ctx, tool, json.RawMessage(arguments))
	if err == nil {
		err = json.Unmarshal(raw, r)
	}
	if err != nil {
		d.err = fmt.Errorf("%w: %w", errDemo, err)
	}
	return r
}

// expectJobs checks the server's own record of its jobs.
func (d *demonstration) expectJobs(want int) {
	if d.err != nil {
		return
	}
	jobs, err := os.ReadFile(d.jobs)
	if got := bytes.Count(jobs, []byte("\n")); err != nil || got != want {
		d.err = fmt.Errorf("%w: the server has scheduled %d jobs, not %d", errDemo, got, want)
	}
}

func indent(text string) string {
	return "  ← " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
