// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/audit"
	"github.com/toolvet/toolvet/cmd/internal/audit/probe"
	"github.com/toolvet/toolvet/cmd/internal/audit/render"
)

// auditBehindProxy audits the server again, behind the proxy, in the same kind of sandbox. The grade
// behind the proxy counts. In is the input of the first report.
func (a *app) auditBehindProxy(ctx context.Context, flags auditFlags, server []string, in audit.Input) error {
	before := audit.New(in)
	command, err := flags.proxied(server)
	if err != nil {
		return err
	}
	found, err := a.tryServer(ctx, flags, command)
	if err != nil {
		return fmt.Errorf("behind the proxy: %w", err)
	}
	in.Target.Name = strings.Join(slices.Concat([]string{"toolvet proxy"}, flags.proxyFlags(), []string{"--", before.Target.Name}), " ")
	in.Target.Server, in.Notes = found.Server, found.Notes
	in.Tools, in.Facts = withoutOwn(before.Tools, found)
	after := audit.New(in)
	if err := flags.writeFiles(after, ""); err != nil {
		return err
	}
	compared := audit.Compare(before, after)
	if flags.json {
		err = writeJSON(a.stdout, compared)
	} else {
		err = render.Comparison(a.stdout, &compared)
	}
	if err != nil {
		return err
	}
	if flags.policy == "" && compared.Outcome.Remain > 0 {
		fmt.Fprintln(a.stderr, "toolvet: hint: a preset refuses only what nobody can mean; say in a policy what the tools may do, and give it with --policy FILE: 'toolvet init -- COMMAND' writes a first one")
	}
	return a.auditOutcome(flags, after)
}

// withoutOwn removes the proxy's own tools and the facts about them.
func withoutOwn(tools []string, found *probe.Result) ([]string, []audit.Fact) {
	facts := slices.DeleteFunc(slices.Clone(found.Facts), func(f audit.Fact) bool { return f.Tool != "" && !slices.Contains(tools, f.Tool) })
	return slices.DeleteFunc(slices.Clone(found.Tools), func(name string) bool { return !slices.Contains(tools, name) }), facts
}

// proxyFlags returns the flags for the proxy.
func (f *auditFlags) proxyFlags() []string {
	var list []string
	if f.policy != "" {
		list = append(list, "--policy="+f.policy)
	}
	if f.preset != "" {
		list = append(list, "--preset="+f.preset)
	}
	return list
}

// proxied returns the command that starts the server behind the proxy.
func (f *auditFlags) proxied(server []string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding toolvet's own program, which is the proxy: %w", err)
	}
	command := []string{self, "proxy"}
	if f.policy != "" {
		path, err := filepath.Abs(f.policy)
		if err != nil {
			return nil, err
		}
		command = append(command, "--policy="+path)
	}
	if f.preset != "" {
		command = append(command, "--preset="+f.preset)
	}
	return slices.Concat(command, []string{"--"}, server), nil
}
