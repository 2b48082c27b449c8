// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/diagnose"
	"github.com/toolvet/toolvet/cmd/internal/hook/install"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/terminal"
)

// hookStatus is a host in the output of "toolvet hook status --json".
type hookStatus struct {
	Host      string        `json:"host"`
	Title     string        `json:"title"`
	Found     string        `json:"found,omitempty"` // a program or a directory
	Installed []hookInstall `json:"installed,omitempty"`
	Others    []hookOther   `json:"others,omitempty"`
	Off       []string      `json:"off,omitempty"` // files that tell the host to run no hooks
	Faults    []string      `json:"faults,omitempty"`
	Ignored   bool          `json:"switch_ignored,omitempty"` // by the host's version
	Condition string        `json:"condition,omitempty"`      // of the host's version, for all of this
	Verified  string        `json:"verified"`
}

type hookInstall struct {
	Scope      install.Scope `json:"scope"`
	File       string        `json:"file"`
	Events     []string      `json:"events"`
	Guarded    bool          `json:"guarded"`     // a shell denies if toolvet fails
	FailClosed string        `json:"fail_closed"` // on, off, or none: the host has no such switch
	Policy     string        `json:"policy,omitempty"`
	Broken     string        `json:"policy_error,omitempty"` // why the judge cannot use the policy, so that it refuses every call
	Program    string        `json:"program"`
	State      string        `json:"state"` // of the program: "this version", another version, or what is wrong
}

type hookOther struct {
	Events  []string `json:"events"`
	Matcher string   `json:"matcher,omitempty"`
	Runs    string   `json:"runs"`
	File    string   `json:"file"`
}

func (a *app) hookStatusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status [HOST...]",
		Short: "List the hosts of agents, and which of them ask toolvet",
		Long: `List the hosts of agents on this machine: whether they ask toolvet, by which file and at
which events, what they do if toolvet fails, with which policy, and which other programs'
hooks they run. Those run on every call as well.`,
		RunE: func(cmd *cobra.Command, names []string) error {
			list, err := a.hookStates(cmd.Context(), names)
			if err != nil {
				return err
			}
			return a.showHookStates(list, len(names) > 0, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one object a line")
	return cmd
}

// hostsOf returns the hosts with these names, or all.
func hostsOf(names []string) (*install.Installer, []*hook.Host, error) {
	in, err := newInstaller()
	if err != nil || len(names) == 0 {
		return in, hook.Hosts(), err
	}
	hosts, err := namedHosts(names)
	return in, hosts, err
}

func (a *app) hookStates(ctx context.Context, names []string) ([]hookStatus, error) {
	in, hosts, err := hostsOf(names)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	var out []hookStatus
	for _, h := range hosts {
		s := in.Status(h)
		one := hookStatus{Host: h.Name, Title: h.Title, Found: s.Found, Off: s.Off, Verified: h.Verified}
		for i, scope := range s.Scopes {
			own := s.Own[i]
			if slices.ContainsFunc(one.Installed, func(x hookInstall) bool { return x.Scope == scope }) {
				continue
			}
			one.Installed = append(one.Installed, a.hookInstalled(ctx, h, own, s.In(scope), scope, versions))
		}
		if len(one.Installed) > 0 {
			condition := in.Machine.Condition(h)
			one.Condition, one.Ignored = condition.Text, condition.Open
		}
		one.Others = hookOthers(s)
		for _, err := range s.Faults {
			one.Faults = append(one.Faults, err.Error())
		}
		out = append(out, one)
	}
	return out, nil
}

// hookOthers lists other hooks, each once with all its events.
func hookOthers(s *install.Status) []hookOther {
	var out []hookOther
	for _, o := range s.Others {
		i := slices.IndexFunc(out, func(x hookOther) bool { return x.Runs == o.Line && x.File == o.File && x.Matcher == o.Matcher })
		if i < 0 {
			out = append(out, hookOther{Matcher: o.Matcher, Runs: o.Line, File: o.File})
			i = len(out) - 1
		}
		if !slices.Contains(out[i].Events, o.Event) {
			out[i].Events = append(out[i].Events, o.Event)
		}
	}
	return out
}

func (a *app) hookInstalled(ctx context.Context, h *hook.Host, first install.Handler, own []install.Handler, scope install.Scope, versions map[string]string) hookInstall {
	before, ok := install.Before(own)
	if !ok {
		before = first
	}
	program := before.Command[0]
	if _, ok := versions[program]; !ok {
		versions[program] = diagnose.Program(ctx, program)
	}
	state := "none"
	switch {
	case h.FailClosed != "" && before.Closed:
		state = "on"
	case h.FailClosed != "":
		state = "off"
	}
	broken := ""
	if policy := before.Policy(); policy != "" {
		source, err := enforce.Source{Policy: policy, Preset: preset.Default, Checks: a.checks}.Read()
		if err == nil {
			_, _, err = source.Load()
		}
		if err != nil {
			broken, _, _ = strings.Cut(strings.TrimPrefix(err.Error(), "toolvet: "), "\n")
		}
	}
	return hookInstall{scope, before.File, install.Events(own), before.Guarded, state, before.Policy(), broken, program, versions[program]}
}

func (a *app) showHookStates(list []hookStatus, all, asJSON bool) error {
	var missing []string
	for _, s := range list {
		if asJSON {
			if err := writeJSON(a.stdout, s); err != nil {
				return err
			}
			continue
		}
		if s.Found == "" && len(s.Installed) == 0 && len(s.Faults) == 0 && !all {
			missing = append(missing, s.Host)
			continue
		}
		a.showHookState(s)
	}
	if len(missing) > 0 {
		terminal.Fprintf(a.stdout, "not found: %s\n", strings.Join(missing, ", "))
	}
	return nil
}

func (a *app) showHookState(s hookStatus) {
	found := "not found"
	if s.Found != "" {
		found = "found by " + s.Found
	}
	word := "does not ask toolvet"
	if len(s.Installed) > 0 {
		word = "asks toolvet"
	}
	terminal.Fprintf(a.stdout, "%s (%s): %s; %s\n", s.Title, s.Host, word, found)
	for _, i := range s.Installed {
		terminal.Fprintf(a.stdout, "  %-8s %s\n", i.Scope, i.File)
		terminal.Fprintf(a.stdout, "    events:  %s\n", strings.Join(i.Events, ", "))
		when := "fails"
		if i.Guarded {
			when = "hangs"
			terminal.Fprintf(a.stdout, "    if it fails: the shell that runs it blocks the call\n")
		}
		word := switchWords[i.FailClosed]
		if s.Ignored && i.FailClosed == "on" {
			word = "the host's switch is on, but this version of the host ignores it: the call runs"
		}
		terminal.Fprintf(a.stdout, "    if it %s: %s\n", when, word)
		terminal.Fprintf(a.stdout, "    policy:  %s\n", cmp.Or(i.Policy, "none: the preset "+preset.Default+" holds"))
		if i.Broken != "" {
			terminal.Fprintf(a.stdout, "             cannot be used, so every call is refused: %s\n", i.Broken)
		}
		terminal.Fprintf(a.stdout, "    program: %s: %s\n", i.Program, i.State)
	}
	a.showCondition(s.Condition)
	a.showOff(s.Off)
	a.showOthers(s.Others)
	for _, f := range s.Faults {
		terminal.Fprintf(a.stdout, "  cannot be read: %s\n", f)
	}
}

var switchWords = map[string]string{
	"on":   "the host's switch is on, so the call is blocked",
	"off":  "the host's switch is off, so the call runs: 'toolvet hook install' sets it",
	"none": "the host has no switch; 'toolvet hook doctor' shows what it does",
}

// showCondition shows what all of this takes of the host's version.
func (a *app) showCondition(text string) {
	if text != "" {
		terminal.Fprintf(a.stdout, "  but: %s\n", text)
	}
}

func (a *app) showOff(files []string) {
	for _, f := range files {
		terminal.Fprintf(a.stdout, "  runs no hooks at all: %s says so\n", f)
	}
}

func (a *app) showOthers(list []hookOther) {
	if len(list) == 0 {
		return
	}
	terminal.Fprintf(a.stdout, "  other hooks, which run as well:\n")
	for _, o := range list {
		matcher := ""
		if o.Matcher != "" {
			matcher = " for " + o.Matcher
		}
		terminal.Fprintf(a.stdout, "    %s, in %s, at %s%s\n", oneLine(o.Runs, 120), o.File, strings.Join(o.Events, ", "), matcher)
	}
}
