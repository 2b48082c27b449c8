// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolvet/toolvet/audit"
	"github.com/toolvet/toolvet/audit/render"
)

// auditBehindProxy audits the server again, behind the proxy, in the same sandbox. The grade
// behind the proxy is the one that counts.
func (a *app) auditBehindProxy(ctx context.Context, flags auditFlags, server []string, before *audit.Report) error {
	command, err := flags.proxied(server)
	if err != nil {
		return err
	}
	found, err := a.tryServer(ctx, flags, command)
	if err != nil {
		return fmt.Errorf("behind the proxy: %w", err)
	}
	after := audit.New(audit.Input{
		Target:   audit.Target{Name: "toolvet proxy -- " + before.Target.Name, Server: found.Server, Methods: []audit.Method{audit.Dynamic}},
		Language: audit.LanguageOfCommand(server), Tools: found.Tools, Facts: found.Facts, Notes: found.Notes, Now: time.Now(),
	})
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
	return flags.outcome(after)
}

// proxied is the command that starts the server behind the proxy.
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
