// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// payloads make a shell create the file FILE, in each kind of quoting. Those with a comment at their end leave no quotation mark open
// that a server put a backslash before.
var payloads = []string{
	"$(: > FILE)", "`: > FILE`", "; : > FILE ;", "&& : > FILE &&", "| : > FILE", "\n: > FILE\n", `"; : > FILE; "`, `'; : > FILE; '`, `"$(: > FILE)"`, `;:>FILE;#`, `'; : > FILE #`, `"; : > FILE #`,
}

// command tries whether the text of a parameter becomes a command, or further arguments of one.
func (a *auditor) command(ctx context.Context, t *tool, p parameter) {
	if p.kind == infer.Command && a.byDesign(ctx, t, p) {
		return
	}
	c := cell(t, p, audit.Command)
	w := &watch{a: a, t: t, p: p}
	normal := a.normal(t, p)
	works := false
	w.follow(ctx, []string{normal}, func(_ int, r reply) bool { works = r.ok(); return false })
	if works {
		a.worked(c)
	}
	var values, ids []string
	for _, payload := range payloads {
		id := token()
		ids = append(ids, "fired/"+id)
		values = append(values, normal+strings.ReplaceAll(payload, "FILE", a.world.inside("fired", id)))
	}
	shell, answered := false, true
	w.follow(ctx, values, func(i int, r reply) bool {
		shell = a.session != nil && a.session.made(ids[i])
		if shell {
			a.proof(c, t, p, values[i], "shell", "the text becomes a command of a shell", "a file that the command made", i+1)
		}
		answered = r.failed == ""
		return shell || !answered && (!r.late && !r.gone || a.silent(t))
	})
	if !shell && answered && p.kind == infer.Path {
		shell = a.planted(ctx, w, c)
	}
	if !shell && answered {
		shell = a.program(ctx, w, c)
	}
	switch {
	case shell:
	case len(w.started) > 0:
		a.arguments(ctx, w, c, answered)
	case p.kind == infer.Command && works:
		a.fact(audit.Fact{Cell: c, Verdict: audit.NoEvidence, Why: "no command that was sent has run, and no program was started"})
	case p.kind == infer.Command:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "no control call worked: the tool started no program, and fails at a plain value, too"})
	}
}

// planted tries existing files and directories with a command in their names: many tools look for a file before they
// start a program with its name.
func (a *auditor) planted(ctx context.Context, w *watch, c audit.Cell) bool {
	for i, plant := range a.world.plants {
		if a.session != nil && a.session.made(plant.fired) { // by another tool
			a.spend()
		}
		value, fired := a.world.inside("root", plant.file), false
		if w.t.takesDirectory(w.p) {
			value = a.world.inside("root", plant.dir)
		}
		w.follow(ctx, []string{value}, func(int, reply) bool { fired = a.session != nil && a.session.made(plant.fired); return true })
		if fired {
			a.proof(c, w.t, w.p, value, "shell", "the text becomes a command of a shell", "a file that the command made", len(payloads)+i+1)
			a.spend()
			return true
		}
	}
	return false
}

// program tries whether the text names the program to start.
func (a *auditor) program(ctx context.Context, w *watch, c audit.Cell) bool {
	value, before := a.world.inside("outside", a.world.program), w.started
	w.started = nil
	w.follow(ctx, []string{value}, func(int, reply) bool { return true })
	started := slices.ContainsFunc(w.started, func(args []string) bool { return args[0] == value })
	w.started = append(before, w.started...)
	switch {
	case !started:
	case w.p.kind == infer.Command:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "command-by-design",
			Why: "the tool starts programs for its callers, so each caller may do everything that the server may do", Proof: &audit.Proof{Arguments: string(written(w.t.sample(a.world, setting{w.p, value}))), Seen: "the start of a program outside the root", Probes: 1}})
	default:
		a.proof(c, w.t, w.p, value, "program", "the text is the program that is started", "the start of a program outside the root", len(payloads)+1)
	}
	return started
}

// A watch observes the programs that a parameter's calls start.
type watch struct {
	a       *auditor
	t       *tool
	p       parameter
	started [][]string // the arguments of each
}

// follow makes a call with each value, and notes the programs started meanwhile.
func (w *watch) follow(ctx context.Context, values []string, seen func(i int, r reply) bool) {
	a := w.a
	calls := make([]map[string]any, len(values))
	for i, value := range values {
		calls[i] = w.t.sample(a.world, setting{w.p, value})
	}
	before, from := a.session, 0
	if before != nil { // earlier programs do not belong to these calls
		_, from = before.programs(0)
	}
	a.each(ctx, w.t, calls, func(i int, r reply) bool {
		if a.session != before && a.session != nil {
			before, from = a.session, a.session.begun
		}
		if a.session != nil {
			var list [][]string
			list, from = a.session.programs(from)
			w.started = append(w.started, list...)
		}
		return seen(i, r)
	})
}

func (a *auditor) proof(c audit.Cell, t *tool, p parameter, value, kind, why, seen string, tried int) {
	raw := written(t.sample(a.world, setting{p, value}))
	a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: kind, Why: why,
		Proof: &audit.Proof{Arguments: string(raw), Seen: seen, Probes: tried}})
}

// normal is a value that the tool should take.
func (a *auditor) normal(t *tool, p parameter) string {
	switch p.kind {
	case infer.Path:
		return t.place(a.world, t.takesDirectory(p))
	case infer.URL:
		return p.publicPage()
	}
	properties, _ := t.schema["properties"].(map[string]any)
	if s, ok := t.value(properties[p.name], p.name, a.world, 0).(string); ok && strings.Count(p.pointer, "/") == 1 {
		return s
	}
	return "audit"
}

// byDesign reports whether running commands is the tool's purpose: it ran one as it was sent.
func (a *auditor) byDesign(ctx context.Context, t *tool, p parameter) bool {
	id := token()
	value := "touch " + a.world.inside("fired", id)
	a.call(ctx, t, t.sample(a.world, setting{p, value}))
	if a.session == nil || !a.session.made("fired/"+id) {
		return false
	}
	raw := written(t.sample(a.world, setting{p, value}))
	a.fact(audit.Fact{Cell: cell(t, p, audit.Command), Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "command-by-design",
		Why: "the tool runs commands from its callers, so each caller may do everything that the server may do", Proof: &audit.Proof{Arguments: string(raw), Seen: "a file that the command made", Probes: 1}})
	return true
}

// arguments tries whether a value becomes several arguments of a program, or an option of it.
func (a *auditor) arguments(ctx context.Context, w *watch, c audit.Cell, answered bool) {
	first, second, option := "a"+token(), "--b"+token(), "--"+token()
	split := first + " " + second
	w.started = nil
	w.follow(ctx, []string{split, option}, func(_ int, r reply) bool {
		answered = answered && r.failed == ""
		return false
	})
	parted, whole := w.find(second, false), slices.ContainsFunc(w.started, func(args []string) bool { return anyContains(args, first) && !interprets(args, first) })
	if led := w.find(option, true); parted == nil && led != nil {
		raw := written(w.t.sample(a.world, setting{w.p, option}))
		a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "argument-lead",
			Why: "a value that begins with - becomes an option of a program", Proof: &audit.Proof{Arguments: string(raw), Seen: "an argument of " + program0(led), Probes: len(payloads) + 2}})
	}
	switch {
	case parted != nil:
		a.proof(c, w.t, w.p, split, "argument-split", "the text becomes several arguments of a program", "an argument of its own for "+program0(parted)+" behind the blank", len(payloads)+1)
	case w.a.blind():
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: tooMuch})
		a.spend()
	case !answered:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "the tool starts programs, and did not answer every probe"})
	case !whole && slices.ContainsFunc(w.started, func(args []string) bool { return anyContains(args, first) }):
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "the text is a part of a program for an interpreter, and no probe shows whether it stays in its place"})
	case whole:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: fmt.Sprintf("the text was one argument of a program, and none of %d probes became more", len(payloads)+2)})
	case w.p.kind == infer.Command:
		a.fact(audit.Fact{Cell: c, Verdict: audit.NoEvidence, Why: "programs were started, and none had the text in its arguments"})
	}
}

// interpreters are programs that run what an argument says, behind one of codeOptions.
var (
	interpreters = lazyregexp.New(`^(sh|ash|bash|dash|zsh|ksh|fish|osascript|node|nodejs|bun|deno|python[0-9.]*|ruby|perl|php|powershell|pwsh)(\.exe)?$`)
	codeOptions  = []string{"-c", "-e", "-r", "-p", "--eval", "--print", "-Command", "eval"}
)

// interprets reports whether a started program runs an argument with a text as code.
func interprets(args []string, text string) bool {
	if !interpreters.MatchString(filepath.Base(args[0])) {
		return false
	}
	at := slices.IndexFunc(args, func(arg string) bool { return slices.Contains(codeOptions, arg) })
	return at > 0 && at+1 < len(args) && strings.Contains(args[at+1], text)
}

// find is a started program with an argument that begins like option. If it must be an option, it
// has to stand among the options.
func (w *watch) find(option string, one bool) []string {
	for _, args := range w.started {
		at := slices.IndexFunc(args, func(s string) bool { return strings.HasPrefix(s, option) })
		if at > 0 && !(one && slices.Contains(args[:at], "--")) {
			return args
		}
	}
	return nil
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
