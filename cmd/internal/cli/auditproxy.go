// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/probe"
	"github.com/toolvet/toolvet/internal/audit/render"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/pin"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/terminal"
)

// auditBehindProxy audits the server again, behind the proxy, in the same kind of sandbox. The grade
// behind the proxy counts. In is the input of the first report, and alone its result.
func (a *app) auditBehindProxy(ctx context.Context, flags auditFlags, server []string, in audit.Input, alone *probe.Result) error {
	before := audit.New(in)
	p := &proxied{app: a, flags: flags, server: server, in: in, before: before}
	var after *audit.Report
	var found *probe.Result
	var err error
	if flags.writePolicy != "" {
		after, found, err = p.drafted(ctx, alone)
	} else {
		after, found, err = p.given(ctx)
	}
	if err != nil {
		if !flags.json { // this evidence took minutes
			if err := render.Text(a.stdout, before); err != nil {
				return err
			}
		}
		return fmt.Errorf("behind the proxy: %w", err)
	}
	if err := flags.writeFiles(after, ""); err != nil {
		return err
	}
	compared := audit.Compare(before, after, alone.Controls, found.Controls)
	p.explainLost(compared.Harmless.Lost, found.Refused, p.walled)
	if flags.json {
		err = writeJSON(a.stdout, compared)
	} else {
		err = render.Comparison(a.stdout, &compared)
	}
	if err != nil {
		return err
	}
	switch {
	case flags.writePolicy != "":
		where, line, after := p.use()
		_, _ = terminal.Fprintf(a.stderr, "toolvet: wrote %s: read it, tighten it, and use it%s with\n  %s\n", flags.writePolicy, where, line)
		if after != "" {
			_, _ = terminal.Fprintf(a.stderr, "toolvet: %s\n", after)
		}
	case flags.policy == "" && compared.Outcome.Remain > 0:
		fmt.Fprintln(a.stderr, "toolvet: hint: a preset refuses only what nobody can mean; say in a policy what the tools may do: --write-policy FILE drafts one that closes what was proven, and tries it")
	}
	return a.auditOutcome(flags, after)
}

// A proxied audit tries a server behind the proxy.
type proxied struct {
	*app
	flags  auditFlags
	server []string
	in     audit.Input
	before *audit.Report
	name   string // of the server in the policy
	walled bool   // walls stood around the server
	draft  *drafting
}

// given tries the server behind the policy or preset of the flags.
func (p *proxied) given(ctx context.Context) (*audit.Report, *probe.Result, error) {
	walls, err := p.walls()
	if err != nil {
		return nil, nil, err
	}
	after, found, err := p.try(ctx, p.flags.policy, p.flags.proxyFlags(), walls)
	if err == nil && walls != nil {
		after.Notes = append(after.Notes, "walls stood around the server, too: a place may be guarded by the walls alone, and is open without contain")
	}
	return after, found, err
}

// walls returns those of the policy of the flags; nil: there are none.
func (p *proxied) walls() (*policy.Containment, error) {
	all, err := enforce.Source{Checks: p.checks, Policy: p.flags.policy, Preset: p.flags.preset}.ForServer(p.server)
	if err != nil {
		return nil, err
	}
	p.name = all.Servers[0].Name
	if walls := all.Servers[0].Contain; walls != nil || !p.flags.contain {
		return walls, nil
	}
	return new(policy.Containment), nil
}

// try audits the server behind the proxy with a policy, in walls unless they are nil. Shown are the flags of the proxy in the report.
func (p *proxied) try(ctx context.Context, policyFile string, shown []string, walls *policy.Containment) (*audit.Report, *probe.Result, error) {
	command, err := p.flags.proxied(policyFile, p.server)
	if err != nil {
		return nil, nil, err
	}
	p.walled = walls != nil
	found, err := p.tryServer(ctx, p.flags, command, walls, nil)
	if err != nil {
		return nil, nil, err
	}
	in := p.in
	in.Target.Name = strings.Join(slices.Concat([]string{"toolvet proxy"}, shown, []string{"--", p.before.Target.Name}), " ")
	in.Target.Server, in.Notes = found.Server, found.Notes
	in.Tools, in.Facts = withoutOwn(p.before.Tools, found)
	in.Facts = audit.Behind(p.before, in.Facts)
	return audit.New(in), found, nil
}

// withoutOwn removes the proxy's own tools and the facts about them.
func withoutOwn(tools []string, found *probe.Result) ([]string, []audit.Fact) {
	facts := slices.DeleteFunc(slices.Clone(found.Facts), func(f audit.Fact) bool { return f.Tool != "" && !slices.Contains(tools, f.Tool) })
	return slices.DeleteFunc(slices.Clone(found.Tools), func(name string) bool { return !slices.Contains(tools, name) }), facts
}

// drafted drafts the policy that closes the proven weaknesses, and tries the server behind it. If attacks still get through, the policy
// gets walls, and the server is tried once more.
func (p *proxied) drafted(ctx context.Context, alone *probe.Result) (*audit.Report, *probe.Result, error) {
	if alone.Catalog == nil {
		return nil, nil, errors.New("there is nothing to draft a policy from: the server's tools could not be listed")
	}
	p.name = serverName(p.server)
	d := &drafting{checks: p.checks, command: p.server, listed: map[string]*call.Catalog{pin.Tools: alone.Catalog}, audited: true, found: p.before.Weaknesses, worked: alone.Controls}
	shown := []string{"--policy=" + p.flags.writePolicy}
	after, found, err := p.behind(ctx, d, shown)
	if err != nil {
		return nil, nil, err
	}
	left, loosened := attacks(after), d.loosen(alone, found)
	if left > 0 || p.flags.contain || slices.ContainsFunc(d.found, func(w audit.Weakness) bool { return runsAnything(&w) }) {
		bare := after
		d.walls = wallsFor(alone, rooted(p.server), nil, nil)
		if after, found, err = p.behind(ctx, d, shown); err != nil {
			return nil, nil, err
		}
		byWalls(bare, after)
	} else if loosened {
		if after, found, err = p.behind(ctx, d, shown); err != nil {
			return nil, nil, err
		}
	}
	if left > 0 {
		after.Notes = append(after.Notes, fmt.Sprintf("demands on arguments alone left %s open, so the policy has walls (contain)", count(left, "place")))
	}
	if d.walls != "" { // the audit's root stood for the directory
		if d.git, err = p.gitFor(alone, d.found); err != nil {
			return nil, nil, err
		}
		d.place = p.placeFor(alone, d.found)
		d.walls = wallsFor(alone, rooted(p.server), d.place, d.git.shown)
	}
	p.draft = d
	if err := writePolicy(p.flags.writePolicy, d.text(), false); err != nil {
		return nil, nil, err
	}
	return after, found, nil
}

// byWalls says of each place that was open to attacks in an audit of the same demands without walls, and is not any more, that the walls alone guard it.
func byWalls(bare, walled *audit.Report) {
	for i := range walled.Cells {
		a := &walled.Cells[i]
		open := slices.ContainsFunc(bare.Cells, func(b audit.Assessment) bool { return b.Cell == a.Cell && b.Verdict == audit.Vulnerable })
		if open && a.Verdict != audit.Vulnerable {
			a.Why = "guarded by the walls alone: without contain, attacks get through; " + a.Why
		}
	}
}

// behind tries the server behind the proxy with a draft, in which the audit's root stands for the server's directories, if the draft knows any.
func (p *proxied) behind(ctx context.Context, d *drafting, shown []string) (*audit.Report, *probe.Result, error) {
	inside := *d
	if rooted(d.command) {
		inside.roots = []string{probe.RootInside()}
	}
	dir, err := os.MkdirTemp("", "toolvet-draft-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, policyFile)
	text := inside.text()
	all, err := policy.Parse(file, text, p.checks.Demands()...)
	if err == nil {
		err = all.Validate(p.checks)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the policy that was drafted cannot be read, so that it is not written: %w", err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, nil, err
	}
	return p.try(ctx, file, shown, all.Servers[0].Contain)
}

// attacks counts the places where attacks on files, addresses or commands get through.
func attacks(r *audit.Report) (n int) {
	for i := range r.Weaknesses {
		w := &r.Weaknesses[i]
		if w.Graded() && slices.Contains([]audit.Class{audit.Path, audit.URL, audit.Command}, w.Class) {
			n++
		}
	}
	return n
}

// checkNewPolicy reports that a drafted policy has no place, before any server is started: its file exists, or its directory cannot be made.
func (f *auditFlags) checkNewPolicy() error {
	if f.writePolicy == "" {
		return nil
	}
	if _, err := os.Lstat(f.writePolicy); !errors.Is(err, fs.ErrNotExist) {
		return enforce.WithHint(fmt.Errorf("%s exists and is left as it is", f.writePolicy), "give another file with --write-policy; --policy tries an existing one")
	}
	return os.MkdirAll(filepath.Dir(f.writePolicy), 0o700)
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
	if f.contain {
		list = append(list, "--contain")
	}
	return list
}

// proxied returns the command that starts the server behind the proxy. The audit's sandbox has the walls, if there are any: no sandbox can be
// built inside another.
func (f *auditFlags) proxied(policyFile string, server []string) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding toolvet's own program, which is the proxy: %w", err)
	}
	command := []string{self, "proxy", "--" + containedFlag}
	if policyFile != "" {
		path, err := filepath.Abs(policyFile)
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
