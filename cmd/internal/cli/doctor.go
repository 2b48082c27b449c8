// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/backend"
	"github.com/toolvet/toolvet/internal/machine/process"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/rehearsal"
	"github.com/toolvet/toolvet/internal/terminal"
)

// A diagnosis is the outcome of one test of the machine.
type diagnosis struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	How  string `json:"how,omitempty"` // replaces "works"
	Why  string `json:"why,omitempty"`
	Fix  string `json:"fix,omitempty"`

	lines bool // Why has those of a policy's faults
}

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	var file string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "List which parts of toolvet work on this machine",
		Long: `List which parts of toolvet work on this machine, and how to enable the others.

Exit codes: 0 all works, 1 something does not.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := a.diagnose(cmd.Context(), file)
			if err := a.showDiagnoses(list, asJSON); err != nil {
				return err
			}
			for _, d := range list {
				if !d.OK {
					return exitCode(exitNoGo)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one object a line")
	cmd.Flags().StringVar(&file, "policy", "", "policy `FILE` to check as well")
	return cmd
}

func (a *app) showDiagnoses(list []diagnosis, asJSON bool) error {
	for _, d := range list {
		if asJSON {
			if err := writeJSON(a.stdout, d); err != nil {
				return err
			}
			continue
		}
		word := cmp.Or(d.How, "works")
		if !d.OK {
			word = "does not work: " + d.Why
		}
		var shown any = word
		if d.lines {
			shown = terminal.Text(word)
		}
		terminal.Fprintf(a.stdout, "%s: %s\n", d.What, shown)
		if d.Fix != "" {
			terminal.Fprintf(a.stdout, "  fix: %s\n", d.Fix)
		}
	}
	return nil
}

func (a *app) diagnose(ctx context.Context, file string) []diagnosis {
	list := slices.Concat([]diagnosis{diagnoseSupervisor(ctx), diagnoseSandbox(ctx)}, diagnoseServices(ctx), diagnoseHooks())
	if file == "" {
		return list
	}
	_, err := policy.LoadEach(file, a.checks.Demands()...)
	d := diagnosis{What: "the policy", OK: err == nil}
	if err != nil {
		d.Why, d.lines = err.Error(), true
	}
	return append(list, d)
}

// diagnoseHooks names the hosts that ask toolvet. Another command tries their hooks.
func diagnoseHooks() []diagnosis {
	in, hosts, err := hostsOf(nil)
	if err != nil {
		return nil
	}
	var titles []string
	for _, h := range hosts {
		if len(in.Status(h).Own) > 0 {
			titles = append(titles, h.Title)
		}
	}
	if titles == nil {
		return nil
	}
	return []diagnosis{{What: "hooks of " + strings.Join(titles, ", "), OK: true, How: "installed: 'toolvet hook doctor' tries them"}}
}

// diagnoseSupervisor starts toolvet itself as it starts servers.
func diagnoseSupervisor(ctx context.Context) diagnosis {
	d := diagnosis{What: "servers of which nothing is left behind (toolvet proxy)", OK: true}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	exit, err := superviseSelf(ctx)
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("the program %s", exit)
	}
	if err != nil {
		d.OK, d.Why = false, err.Error()
	}
	return d
}

func superviseSelf(ctx context.Context) (process.Exit, error) {
	self, err := os.Executable()
	if err != nil {
		return process.Exit{}, err
	}
	supervisor, err := backend.Supervisor()
	if err != nil {
		return process.Exit{}, err
	}
	p, err := process.Start(process.Command{Args: []string{self, "version"}, Supervisor: supervisor})
	if err != nil {
		return process.Exit{}, err
	}
	defer p.Stdout().Close()
	go func() { _, _ = io.Copy(io.Discard, p.Stdout()) }()
	return p.End(ctx, process.Grace{EOF: doctorTimeout}), nil
}

// doctorTimeout bounds each test.
const doctorTimeout = 10 * time.Second

func diagnoseSandbox(ctx context.Context) diagnosis {
	d := diagnosis{What: "rehearsals (toolvet rehearse)", OK: true}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	init, err := backend.SandboxInit()
	var bounds rehearsal.Bounds
	if err == nil {
		bounds, err = rehearsal.Probe(ctx, init)
	}
	var missing *rehearsal.UnsupportedError
	switch {
	case errors.As(err, &missing):
		d.OK, d.Why, d.Fix = false, missing.What, missing.Fix
	case err != nil:
		d.OK, d.Why = false, err.Error()
	default:
		d.How, d.Fix = "works; "+boundsOf(bounds), bounds.Fix
	}
	return d
}

// boundsOf describes the mechanism that keeps servers within their limits.
func boundsOf(b rehearsal.Bounds) string {
	if b.Why == "" {
		return "a control group holds servers within their limits (" + strings.Join(b.Group, ", ") + ")"
	}
	return "memory and processes are counted 50 times a second: " + b.Why
}
