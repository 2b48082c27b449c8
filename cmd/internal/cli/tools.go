// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
	"github.com/toolvet/toolvet/upstream"
)

// toolsFlags are the flags of "toolvet tools".
type toolsFlags struct {
	timeout time.Duration
	json    bool
}

func (a *app) toolsCommand() *cobra.Command {
	var flags toolsFlags
	cmd := &cobra.Command{
		Use:   "tools [flags] -- SERVER-COMMAND...",
		Short: "List a server's tools and their parameters",
		Long: `List a server's tools, their parameters, and whether the server offers a dry run
itself (native validation).

With --json, tools prints the server's definitions; 'toolvet check --tools' reads them.`,
		Example: `  toolvet tools -- npx -y @modelcontextprotocol/server-filesystem .
  toolvet tools --json -- ./my-server > tools.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := serverCommand(cmd, args)
			switch {
			case err != nil:
				return err
			case len(server) == 0:
				return usageError(cmd, "no server command: give it after --")
			case flags.timeout <= 0:
				return usageError(cmd, "--server-timeout must be longer than 0")
			}
			return a.listServer(cmd, flags, server)
		},
	}
	takesCommand(cmd)
	f := cmd.Flags()
	f.DurationVar(&flags.timeout, "server-timeout", upstream.DefaultTimeout, "how long the server may take to start, and to list its tools")
	f.BoolVar(&flags.json, "json", false, "print JSON")
	return cmd
}

// A listing is the output of "toolvet tools".
type listing struct {
	Tools  []json.RawMessage `json:"tools"`
	Native *nativeValidation `json:"nativeValidation"` // null: the server has none

	catalog *call.Catalog
	version string // of the protocol
}

type nativeValidation struct {
	Method string `json:"method"` // the name of the tool
}

func (a *app) listServer(cmd *cobra.Command, flags toolsFlags, server []string) error {
	ctx := cmd.Context()
	end := a.working("starting the server")
	defer end()
	client, err := startServer(ctx, upstream.Command{Args: server}, flags.timeout)
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	tools, err := a.listTools(ctx, client)
	if err != nil {
		return err
	}
	end()
	l := listing{Tools: []json.RawMessage{}, catalog: tools, version: client.ProtocolVersion()}
	for _, name := range tools.Names() {
		l.Tools = append(l.Tools, tools.Tool(name).Raw)
	}
	if method, ok := client.NativeValidation(); ok {
		l.Native = &nativeValidation{method}
		if !slices.ContainsFunc(tools.Names(), func(name string) bool { return name != method && name != "validate_batch" }) {
			fmt.Fprintln(a.stderr, "toolvet: hint: only tools for dry runs are listed: behind toolvet, servers may still be starting, so try again; if nothing changes, the rules allow this caller no other tool")
		}
	}
	if flags.json {
		return writeJSON(a.stdout, l)
	}
	return l.text(a.stdout)
}

// Widths of a server's texts on the screen.
const (
	maxDescription = 100
	maxKind        = 60
	maxValue       = 24
)

func (l listing) text(w io.Writer) error {
	b := bufio.NewWriter(w)
	terminal.Fprintf(b, "%s, protocol %s, native validation: %s\n", count(len(l.Tools), "tool"), l.version, l.native())
	schemas := schema.NewCache(schema.Limits{}, 1)
	for _, name := range l.catalog.Names() {
		t := l.catalog.Tool(name)
		terminal.Fprintf(b, "\n%s\n", strictjson.Printable(t.Name, maxDescription))
		if about := oneLine(cmp.Or(t.Description, t.Title), maxDescription); about != "" {
			terminal.Fprintf(b, "  %s\n", about)
		}
		if _, err := t.Schema(schemas); err != nil {
			terminal.Fprintf(b, "  every call is refused: %v\n", err)
			continue
		}
		writeParameters(b, parameters(t.InputSchema))
	}
	return b.Flush()
}

// writeParameters writes a table.
func writeParameters(w io.Writer, list []parameter) {
	var name, kind int
	for _, p := range list {
		name = max(name, utf8.RuneCountInString(p.name))
		kind = max(kind, utf8.RuneCountInString(p.kind))
	}
	for _, p := range list {
		line := fmt.Sprintf("    %-*s  %-*s  %s", name, p.name, kind, p.kind, p.about)
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

func (l listing) native() string {
	if l.Native == nil {
		return "none"
	}
	return fmt.Sprintf("the tool %q", strictjson.Printable(l.Native.Method, maxDescription))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// oneLine shortens a server's text and escapes characters that could harm a terminal.
func oneLine(s string, limit int) string {
	return strictjson.Printable(strings.Join(strings.Fields(s), " "), limit)
}
