// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/audit"
	"github.com/toolvet/toolvet/infer"
)

// payloads have a shell make a file, in each kind of quoting. FILE is where.
var payloads = []string{
	"$(: > FILE)", "`: > FILE`", "; : > FILE ;", "&& : > FILE &&", "| : > FILE", "\n: > FILE\n", `"; : > FILE; "`, `'; : > FILE; '`, `"$(: > FILE)"`, `;:>FILE;#`,
}

// command tries whether the text of a parameter becomes a command, or further arguments of one.
func (a *auditor) command(ctx context.Context, t *tool, p parameter) {
	c := cell(t, p, audit.Command)
	if p.kind == infer.Command && a.byDesign(ctx, t, p) {
		return
	}
	normal := a.normal(t, p)
	programs, r := a.watched(ctx, t, p, normal)
	started := len(programs) > 0
	for i, payload := range payloads {
		id := token()
		value := normal + strings.ReplaceAll(payload, "FILE", a.world.inside("fired", id))
		more, last := a.watched(ctx, t, p, value)
		started = started || len(more) > 0
		if a.session != nil && a.session.made("fired/"+id) {
			a.proof(c, t, p, value, "shell", "the text becomes a command of a shell", "a file that the command made", i+1)
			return
		}
		if r = last; r.failed != "" && (!r.late && !r.gone || a.late[t.Name] >= maxLate) {
			break
		}
	}
	if !started {
		if p.kind == infer.Command {
			a.fact(audit.Fact{Cell: c, Verdict: audit.NoEvidence, Why: "no command that was sent has run, and no program was started"})
		}
		return // it has nothing to do with commands
	}
	a.arguments(ctx, t, p, c, r)
}

// watched makes a call with a value, and says which programs it started.
func (a *auditor) watched(ctx context.Context, t *tool, p parameter, value string) ([][]string, reply) {
	from := 0
	if a.session != nil && !a.session.broken {
		_, from = a.session.programs(0)
	}
	before := a.session
	r := a.call(ctx, t, t.sample(a.world, setting{p, value}))
	if a.session == nil {
		return nil, r
	}
	if a.session != before {
		from = 0
	}
	list, _ := a.session.programs(from)
	return list, r
}

func (a *auditor) proof(c audit.Cell, t *tool, p parameter, value, rule, why, seen string, tried int) {
	raw, _ := json.Marshal(t.sample(a.world, setting{p, value})) // it was encoded for the call
	a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Rule: rule, Why: why,
		Proof: &audit.Proof{Arguments: string(raw), Seen: seen, Probes: tried}})
}

// normal is a value that the tool should take.
func (a *auditor) normal(t *tool, p parameter) string {
	switch p.kind {
	case infer.Path:
		return a.world.inside("root", insideName+".txt")
	case infer.URL:
		return "http://" + publicHost + "/"
	}
	properties, _ := t.schema["properties"].(map[string]any)
	if s, ok := t.value(properties[p.name], p.name, a.world, 0).(string); ok && strings.Count(p.pointer, "/") == 1 {
		return s
	}
	return "audit"
}

// byDesign reports whether the tool is there to run commands: it ran one that was sent as it is.
func (a *auditor) byDesign(ctx context.Context, t *tool, p parameter) bool {
	id := token()
	value := "touch " + a.world.inside("fired", id)
	a.call(ctx, t, t.sample(a.world, setting{p, value}))
	if a.session == nil || !a.session.made("fired/"+id) {
		return false
	}
	raw, _ := json.Marshal(t.sample(a.world, setting{p, value})) // it was encoded for the call
	a.fact(audit.Fact{Cell: cell(t, p, audit.Command), Verdict: audit.Vulnerable, Confidence: audit.Metadata, Rule: "command-by-design",
		Why: "the tool runs commands that callers write; whoever may call it may do all that the server may", Proof: &audit.Proof{Arguments: string(raw), Seen: "a file that the command made", Probes: 1}})
	return true
}

// arguments tries whether a value becomes several arguments of a program, or an option of it.
func (a *auditor) arguments(ctx context.Context, t *tool, p parameter, c audit.Cell, last reply) {
	first, second, option := "a"+token(), "b"+token(), "--"+token()
	split := first + " --" + second
	programs, r := a.watched(ctx, t, p, split)
	for _, args := range programs {
		if slices.ContainsFunc(args, func(s string) bool { return s == "--"+second || strings.HasPrefix(s, "--"+second) }) {
			a.proof(c, t, p, split, "argument-split", "the text becomes several arguments of a program", "an argument of its own for "+program0(args)+" behind the blank", len(payloads)+1)
			return
		}
	}
	whole := slices.ContainsFunc(programs, func(args []string) bool { return anyContains(args, first) })
	programs, r2 := a.watched(ctx, t, p, option)
	for _, args := range programs {
		at := slices.Index(args, option)
		if at > 0 && !slices.Contains(args[:at], "--") {
			raw, _ := json.Marshal(t.sample(a.world, setting{p, option})) // it was encoded for the call
			a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Metadata, Rule: "argument-lead",
				Why: "a value that begins with - becomes an option of a program", Proof: &audit.Proof{Arguments: string(raw), Seen: "an argument of " + program0(args), Probes: len(payloads) + 2}})
		}
	}
	switch {
	case r.failed != "" || r2.failed != "" || last.failed != "":
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "the tool starts programs, and did not answer every probe"})
	case whole:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: fmt.Sprintf("the text was one argument of a program, and none of %d probes became more", len(payloads)+2)})
	case p.kind == infer.Command:
		a.fact(audit.Fact{Cell: c, Verdict: audit.NoEvidence, Why: "programs were started, and none had the text in its arguments"})
	}
}

func anyContains(args []string, s string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, s) })
}

func program0(args []string) string {
	if len(args) == 0 {
		return "a program"
	}
	return show(filepath.Base(args[0]))
}
