// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/calllog"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
)

// replayFlags are the flags of "toolvet policy replay".
type replayFlags struct {
	policy string
	server string
	tools  string
	json   bool
}

func (a *app) replayCommand() *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] LOG... --policy FILE",
		Short: "Judge recorded calls with another policy, and tell what would change",
		Long: `Judge the calls in a log with another policy, and tell which would be refused
now, and which would go through. No server is started, and no call goes anywhere. Several
files of one log are read in the order given: the oldest first.

Only calls whose arguments were recorded can be judged. Tools are as the log has them, or
as --tools says. Rules that read the time get that of the call. Checks that look at files,
network and databases are off.

Exit codes: 0 nothing changes, 1 a verdict changes, 2 the log could not be read,
or no call in it could be judged.`,
		Example: `  toolvet policy replay log.jsonl --policy new.yaml
  toolvet policy replay log.jsonl --policy new.yaml --server files --tools tools.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageError(cmd, "no log: name its file")
			case flags.policy == "":
				return usageError(cmd, "no policy: name the new one with --policy FILE")
			}
			return a.replay(cmd.Context(), flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.policy, "policy", "", "policy `FILE` to judge with")
	f.StringVar(&flags.server, "server", "", "`NAME` of the server in the policy: calls of others are left out; default: as recorded")
	f.StringVar(&flags.tools, "tools", "", "`FILE` with a tools/list result; default: the tools that the log has")
	f.BoolVar(&flags.json, "json", false, "print JSON: one object a change, and at the end one with the counts")
	return cmd
}

// A replay judges the calls of a log once more.
type replay struct {
	checks enforce.Checks
	flags  replayFlags
	policy *policy.Policy // as in the file
	gates  map[string]*offlineGate
	tools  recordedTools
	ran    map[string]bool // checks that a replay runs

	counts replayCounts
}

func (a *app) replay(ctx context.Context, flags replayFlags, files []string) error {
	r, err := a.newReplay(flags)
	if err != nil {
		return err
	}
	if more := readsMore(r.policy); len(more) > 0 {
		a.warn("rules read values that the log does not have in full: %s; their decisions may differ", strings.Join(more, ", "))
	}
	defer a.working("replaying")()
	out := bufio.NewWriter(a.stdout)
	for _, file := range files {
		for record, err := range calllog.Records(file) {
			if err != nil {
				r.counts.Faults++
				a.complain(err)
				continue
			}
			c, err := r.record(ctx, record)
			if err == nil && c != nil {
				err = r.tell(out, c)
			}
			if err != nil {
				return errors.Join(err, out.Flush())
			}
		}
	}
	if err := errors.Join(r.sum(out), out.Flush()); err != nil {
		return err
	}
	return r.outcome()
}

func (a *app) newReplay(flags replayFlags) (*replay, error) {
	r := &replay{checks: a.checks, flags: flags, gates: map[string]*offlineGate{}, ran: map[string]bool{ruleCheck: true}}
	r.counts.NotJudged = map[string]int{}
	for _, c := range a.checks {
		r.ran[c.Name] = c.Level != check.RuntimeLevel
	}
	var err error
	if r.policy, err = policy.LoadEach(flags.policy, a.checks.Demands()...); err != nil {
		return nil, err
	}
	if flags.server != "" {
		if _, err := enforce.Choose(r.policy, flags.server, nil); err != nil {
			return nil, err
		}
	}
	for _, s := range r.policy.Servers { // report faults of the policy before any call
		if r.gates[s.Name], err = r.newGate(s.Name); err != nil {
			return nil, err
		}
	}
	if len(r.policy.Servers) == 0 {
		if r.gates[""], err = r.newGate(""); err != nil {
			return nil, err
		}
	}
	if flags.tools != "" {
		r.tools.said, err = a.savedTools(flags.tools)
	}
	return r, err
}

func (r *replay) newGate(server string) (*offlineGate, error) {
	return newOfflineGate(enforce.Source{Checks: r.checks, Policy: r.flags.policy, Server: server}, false)
}

// record takes in a record. If it is a call with a new verdict, it returns the change.
func (r *replay) record(ctx context.Context, record calllog.Record) (*change, error) {
	switch record.Kind {
	case calllog.KindList:
		r.tools.learn(record)
		return nil, nil
	case calllog.KindCall:
		c, why, err := r.call(ctx, record)
		if why != "" {
			r.counts.NotJudged[why]++
		}
		return c, err
	}
	return nil, nil
}

// call judges a recorded call. Why gives the reason if it cannot.
func (r *replay) call(ctx context.Context, record calllog.Record) (c *change, why string, err error) {
	gate, why := r.gateOf(record.Server)
	if why != "" {
		return nil, why, nil
	}
	was, known := map[calllog.Verdict]string{calllog.Go: allows, calllog.Observed: allows, calllog.Ask: asks, calllog.NoGo: denies}[record.Verdict]
	switch {
	case !known:
		return nil, "no verdict was recorded", nil
	case record.Omitted:
		return nil, "not recorded whole", nil
	case record.Arguments == nil:
		return nil, "arguments were not recorded", nil
	}
	var tools *call.Catalog
	switch {
	case strings.HasPrefix(record.Method, "unknown "):
		why = "the method is none of MCP, and was not recorded"
	case record.Method == "":
		tools, why = r.tools.of(record)
	}
	if why != "" {
		return nil, why, nil
	}
	session := call.Session{Subject: record.Subject, Transport: "stdio", Roots: record.Roots}
	v, err := gate.judge(ctx, tools, recordedCall{record.Tool, record.Method, record.Arguments, &session, record.Time})
	now := decisionOf(&v)
	switch {
	case err != nil:
		return nil, "", err
	case v.Go && was != allows && r.elsewhere(record):
		return nil, "refused by what a replay does not do", nil
	}
	r.counts.Judged++
	if now == was {
		return nil, "", nil
	}
	c = &change{Time: record.Time, Change: was + "→" + now, Server: record.Server, Tool: cmp.Or(record.Tool, record.Method), Subject: record.Subject, Request: record.Request,
		Was:      slices.DeleteFunc(append([]calllog.Finding{}, record.Findings...), func(f calllog.Finding) bool { return !refused(f) }),
		findings: v.Errors()}
	c.Now = protocol.NewResult(cmp.Or(record.Tool, record.Method), toolvet.Verdict{Findings: c.findings}).Findings
	switch now {
	case allows:
		r.counts.Allowed++
	case asks:
		r.counts.Asked++
	default:
		r.counts.Denied++
	}
	return c, "", nil
}

// elsewhere reports whether a check that a replay does not run, such as one that looks at files, had a part
// in the refusal. Its present verdict is unknown.
func (r *replay) elsewhere(record calllog.Record) bool {
	return slices.ContainsFunc(record.Findings, func(f calllog.Finding) bool { return refused(f) && !r.ran[f.Check] })
}

// refused reports whether a recorded finding refused the call.
func refused(f calllog.Finding) bool { return f.Severity != check.Warning.String() && !f.Observed }

// gateOf returns the gate for recorded calls of a server.
func (r *replay) gateOf(server string) (gate *offlineGate, why string) {
	if said := r.flags.server; said != "" {
		if server != "" && server != said {
			return nil, "of another server"
		}
		server = said
	}
	known, err := policyServer(r.policy, server)
	if err != nil {
		return nil, "the policy has no such server"
	}
	if known == "" && len(r.policy.Servers) == 1 {
		known = r.policy.Servers[0].Name
	}
	return r.gates[known], ""
}
