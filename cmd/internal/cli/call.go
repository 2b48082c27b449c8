// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/record"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/upstream"
)

func (a *app) callCommand() *cobra.Command {
	var flags serversFlags
	cmd := &cobra.Command{
		Use:   "call [flags] SERVER:TOOL [ARGUMENTS.json | JSON | -]",
		Short: "Call a tool of a server in a policy, if the call is a go",
		Long: `Call a tool of a server in a policy: start the server, judge the call as 'toolvet proxy'
would, make it if it is a go, review the result and print it, a CallToolResult as JSON.
The arguments are a JSON object: as it stands, from a file, or from standard input (-). The
default is {}.
Findings of the output layer go to standard error. 'toolvet check' judges a call without
making it.

Exit codes: 0 the tool ran, 1 the call was refused, its result withheld, or the tool
reported an error, 2 the call was not made or ended without a result.`,
		Example: `  toolvet call files:read_text_file '{"path": "notes.txt"}'
  toolvet call files:read_text_file arguments.json
  echo '{"path": "notes.txt"}' | toolvet call --policy toolvet.yaml files:read_text_file -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usageError(cmd, "call takes the name of a tool, SERVER:TOOL, and its arguments: a file, - for standard input, or JSON in quotes")
			}
			return a.call(cmd.Context(), flags, args)
		},
	}
	a.addServersFlags(cmd, &flags)
	return cmd
}

func (a *app) call(ctx context.Context, flags serversFlags, args []string) error {
	arguments := json.RawMessage("{}")
	if len(args) == 2 {
		raw, err := a.readCall(ctx, args[1])
		if err != nil {
			return fmt.Errorf("%s: %w", displayName(args[1]), err)
		}
		arguments = raw
		if fault := faultOf(raw); fault != nil {
			a.warn("%s: %v", displayName(args[1]), fault)
		}
	}
	p, err := policy.LoadEach(flags.gate.Policy, a.checks.Demands()...)
	if err != nil {
		return err
	}
	record, err := record.Open(p.Log, record.Options{Logger: newLogger(a.stderr, flags.verbose)})
	if err != nil {
		return err
	}
	defer record.Close(context.WithoutCancel(ctx))
	set, err := a.openServers(flags, record)
	if err != nil {
		return err
	}
	defer set.close(ctx)
	end := a.working("calling " + oneLine(args[0], 64))
	outcome, err := set.Call(ctx, args[0], arguments, upstream.WithSession(&set.session))
	end()
	if err != nil {
		server, _, _ := strings.Cut(args[0], ":")
		return set.hinted(server, err)
	}
	return a.writeOutcome(outcome)
}

func (a *app) writeOutcome(o *upstream.Outcome) error {
	for _, f := range o.Reviewed.Findings {
		a.warn("the result: %s [%s]", f, f.Check)
	}
	if err := writeJSON(a.stdout, o.Raw); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	members, err := strictjson.Members(o.Raw, strictjson.Limits{Bytes: len(o.Raw)})
	if err != nil {
		return fmt.Errorf("the server's result is malformed: %w", err)
	}
	for _, m := range members {
		if m.Key == "isError" && string(m.Raw) == "true" {
			return exitCode(exitNoGo)
		}
	}
	return nil
}
