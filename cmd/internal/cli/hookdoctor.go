// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/diagnose"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/cmd/internal/hook/semantics"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/terminal"
)

// hookDiagnosis is a host in the output of "toolvet hook doctor --json".
type hookDiagnosis struct {
	Host      string           `json:"host"`
	Scope     install.Scope    `json:"scope"`
	File      string           `json:"file"`
	Program   string           `json:"program"`
	State     string           `json:"state"`
	Harmless  diagnose.Trial   `json:"harmless"`
	Dangerous diagnose.Trial   `json:"dangerous"`
	Failures  []diagnose.Trial `json:"failures"`
	Open      bool             `json:"open"` // a call runs that could be stopped, or toolvet does not judge
	Switch    string           `json:"switch,omitempty"`
	Ignored   bool             `json:"switch_ignored,omitempty"` // by the host's version
	Condition string           `json:"condition,omitempty"`      // of the host's version
	Verified  string           `json:"verified"`
	Off       []string         `json:"off,omitempty"` // files that tell the host to run no hooks
	Others    []hookOther      `json:"others,omitempty"`
}

func (a *app) hookDoctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [HOST...]",
		Short: "Show what hosts do with toolvet's answers, and when it fails",
		Long: `Show what hosts do with toolvet's answers, and when it fails. For each host that asks
toolvet, doctor runs the installed command with a harmless and with a dangerous call, and
then lets the hook fail in eight ways. It runs neither a host nor a call: it says what
the host would do, by its documentation or source, and names the version and the date.

Exit codes: 0 all is closed that can be, 1 a call would run that could be stopped, or
toolvet refuses everything; 2 nothing could be tried.`,
		RunE: func(cmd *cobra.Command, names []string) error {
			list, err := a.hookDiagnoses(cmd.Context(), names)
			if err != nil {
				return err
			}
			open := false
			for _, d := range list {
				open = open || d.Open
				if asJSON {
					if err := writeJSON(a.stdout, d); err != nil {
						return err
					}
					continue
				}
				a.showHookDiagnosis(d)
			}
			if open {
				return exitCode(exitNoGo)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one object a line")
	return cmd
}

func (a *app) hookDiagnoses(ctx context.Context, names []string) ([]hookDiagnosis, error) {
	in, hosts, err := hostsOf(names)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	var out []hookDiagnosis
	for _, h := range hosts {
		s := in.Status(h)
		if len(names) > 0 && len(s.Own) == 0 {
			return nil, enforce.WithHint(fmt.Errorf("%s does not ask toolvet", h.Title), "run 'toolvet hook install %s'", h.Name)
		}
		for _, err := range s.Faults {
			a.warn("%s: %v", h.Title, err)
		}
		for _, scope := range install.Scopes {
			own, ok := install.Before(s.In(scope))
			if !ok {
				continue
			}
			condition := in.Machine.Condition(h)
			tried := own
			tried.Closed = own.Closed && !condition.Open
			report, err := diagnose.Run(ctx, h, tried, dir)
			if err != nil {
				return nil, err
			}
			i := a.hookInstalled(ctx, h, own, s.In(scope), scope, versions)
			out = append(out, hookDiagnosis{
				Host: h.Name, Scope: scope, File: own.File, Program: i.Program, State: i.State,
				Harmless: report.Harmless, Dangerous: report.Dangerous, Failures: report.Failures, Open: report.Open() || len(s.Off) > 0 || condition.Blind,
				Switch: h.FailClosed, Ignored: own.Closed && condition.Open, Condition: condition.Text, Verified: h.Verified, Off: s.Off, Others: hookOthers(s),
			})
		}
	}
	if len(out) == 0 {
		return nil, enforce.WithHint(errors.New("no host asks toolvet"), "run 'toolvet hook install'")
	}
	return out, nil
}

var outcomeWords = map[semantics.Outcome]string{
	semantics.Blocked: "blocked",
	semantics.Asked:   "asks the user",
	semantics.Allowed: "runs",
}

func (a *app) showHookDiagnosis(d hookDiagnosis) {
	h, _ := hook.Lookup(d.Host)
	terminal.Fprintf(a.stdout, "%s (%s, %s)\n", h.Title, d.Scope, d.File)
	if d.State != diagnose.ThisVersion {
		terminal.Fprintf(a.stdout, "  the program %s: %s\n", d.Program, d.State)
	}
	a.showCondition(d.Condition)
	a.showOff(d.Off)
	show := func(t diagnose.Trial, indent, advice string) {
		if !t.Closable {
			advice = ""
		}
		if t.BySwitch {
			advice = " by the host's switch"
		}
		terminal.Fprintf(a.stdout, "%s%-17s %s%s\n", indent, t.Name+":", outcomeWords[t.Outcome], advice)
	}
	show(d.Harmless, "  ", "")
	if d.Harmless.Outcome == semantics.Blocked {
		terminal.Fprintf(a.stdout, "    toolvet says: %s\n", oneLine(d.Harmless.Said, 200))
	}
	show(d.Dangerous, "  ", ": toolvet let "+diagnose.Dangerous+" pass")
	terminal.Fprintf(a.stdout, "  when toolvet fails, a call:\n")
	stuck := false
	for _, t := range d.Failures {
		advice := ": the host's switch is off; 'toolvet hook install' sets it"
		if d.Ignored {
			advice = ": this version of the host ignores its switch"
		}
		if t.Name == "missing policy" || t.Name == "judge gone" {
			advice = ": the fault is toolvet's"
		}
		show(t, "    ", advice)
		stuck = stuck || t.Outcome == semantics.Allowed && !t.Closable
	}
	switch {
	case stuck && d.Switch == "":
		terminal.Fprintf(a.stdout, "  where a call runs: %s has no switch to fail closed\n", h.Title)
	case stuck:
		terminal.Fprintf(a.stdout, "  where a call runs: %s has the switch %s, and it does not cover this\n", h.Title, d.Switch)
	case d.Switch != "":
		terminal.Fprintf(a.stdout, "  the host's switch: %s\n", d.Switch)
	}
	terminal.Fprintf(a.stdout, "  by: %s\n", d.Verified)
	a.showOthers(d.Others)
}
