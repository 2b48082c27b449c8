// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A payload makes a shell run something, in one kind of quoting.
type payload struct {
	quoting quoting
	text    string // RUN stands for the command, UNSPACED for it without a blank
}

// A quoting is where a text stands in the line of a shell, for which a payload is made.
type quoting int

const (
	bare quoting = iota
	expanded
	double
	single
	quotings
)

// payloads are for each kind of quoting. Those with a comment at their end leave no quotation mark open that a server put a backslash before.
var payloads = []payload{
	{expanded, "$(RUN)"}, {expanded, "`RUN`"}, {bare, "; RUN ;"}, {bare, "&& RUN &&"}, {bare, "| RUN"}, {bare, "\nRUN\n"}, {double, `"; RUN; "`}, {single, `'; RUN; '`},
	{expanded, `"$(RUN)"`}, {expanded, "$(UNSPACED)"}, {bare, `;UNSPACED;#`}, {single, `'; RUN #`}, {double, `"; RUN #`},
}

// with is the text of the payload for a command.
func (p payload) with(command string) string {
	return strings.NewReplacer("RUN", command, "UNSPACED", strings.ReplaceAll(command, " ", "${IFS}")).Replace(p.text)
}

// commands are those of payloads. The first one has no slash, because a server may take the text for the name of a file before it
// comes to a shell. It is a program in the PATH, which a shell may have lost; the second one is the shell's own, and needs no blank.
func (a *auditor) commands() []func(id string) string {
	return []func(string) string{
		a.world.fire,
		func(id string) string { return ":>" + a.world.inside("fired", id) },
	}
}

// A tried is a payload that was sent.
type tried struct {
	quoting quoting
	mark    string // of this payload alone
	refused bool   // the answer says that this text, or this parameter, is not allowed
}

// command tries whether the text of a parameter becomes a command, or further arguments of one.
func (a *auditor) command(ctx context.Context, t *tool, p parameter) {
	designed := a.byDesign(ctx, t, p)
	a.plainly(ctx, t, p)
	if designed {
		return
	}
	c := cell(t, p, audit.Command)
	w := &watch{a: a, t: t, p: p}
	normal := a.normal(t, p)
	works := false
	w.follow(ctx, []string{normal}, func(_ int, r reply) bool {
		works = r.ok()
		a.refused(c, r)
		return false
	})
	if works {
		a.worked(c)
	}
	shell, answered := false, true
	for _, command := range a.commands() {
		if shell, answered = a.shell(ctx, w, c, normal, command); shell || !answered || !slices.ContainsFunc(w.started, isInterpreter) {
			break // where there is no shell, another command is of no use
		}
	}
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

// shell tries whether the text of a parameter becomes a command of a shell, in each kind of quoting.
func (a *auditor) shell(ctx context.Context, w *watch, c audit.Cell, normal string, command func(id string) string) (found, answered bool) {
	ids, values := make([]string, len(payloads)), make([]string, len(payloads))
	for i, p := range payloads {
		ids[i] = token()
		values[i] = normal + p.with(command(ids[i]))
	}
	answered = true
	w.follow(ctx, values, func(i int, r reply) bool {
		w.tried = append(w.tried, tried{payloads[i].quoting, ids[i], refuses(w.p, ids[i], r)})
		found = a.session != nil && a.session.made("fired/"+ids[i])
		if found {
			a.proof(c, w.t, w.p, values[i], "shell", "the text becomes a command of a shell", "a file that the command made", len(w.tried))
		}
		answered = r.failed == ""
		return found || !answered && (!r.late && !r.gone || a.silent(w.t))
	})
	return found, answered
}

// planted tries existing files and directories with a command in their names: many tools look for a file before they
// start a program with its name.
func (a *auditor) planted(ctx context.Context, w *watch, c audit.Cell) bool {
	for _, plant := range a.world.plants {
		if a.session != nil && a.session.made("fired/"+plant.id) { // by another tool
			a.spend()
		}
		value, fired := a.world.inside("root", plant.file), false
		if w.t.takesDirectory(w.p) {
			value = a.world.inside("root", plant.dir)
		}
		w.follow(ctx, []string{value}, func(_ int, r reply) bool {
			w.tried = append(w.tried, tried{plant.quoting, plant.id, refuses(w.p, plant.id, r)})
			fired = a.session != nil && a.session.made("fired/"+plant.id)
			return true
		})
		if fired {
			a.proof(c, w.t, w.p, value, "shell", "the text becomes a command of a shell", "a file that the command made", len(w.tried))
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
		a.proof(c, w.t, w.p, value, "program", "the text is the program that is started", "the start of a program outside the root", len(w.tried)+1)
	}
	return started
}

// A watch observes the programs that a parameter's calls start.
type watch struct {
	a       *auditor
	t       *tool
	p       parameter
	started [][]string // the arguments of each
	tried   []tried
}

// settled reports whether the calls tell what becomes of the text of a payload, for each kind of quoting: it was refused, or it stood in an argument
// of a program that runs no code.
func (w *watch) settled() bool {
	var known [quotings]bool
	for _, t := range w.tried {
		known[t.quoting] = known[t.quoting] || t.refused || slices.ContainsFunc(w.started, func(args []string) bool { return anyContains(args, t.mark) && !interprets(args, t.mark) })
	}
	return !slices.Contains(known[:], false)
}

// refuses reports whether an answer refuses a text as such: it names the parameter or the text, and does not complain of a file or a program.
func refuses(p parameter, text string, r reply) bool {
	switch {
	case r.failed != "" || r.ok():
		return false
	case r.refused != nil && r.refused.Code == -32602:
		return true
	}
	named := strings.Contains(r.text, text) || slices.Contains(wordsOf(r.text), strings.ToLower(p.name)) || tellingRefusal.MatchString(r.text)
	return named && !systemError.MatchString(r.text) && (validationError.MatchString(r.text) || refusing.MatchString(r.text))
}

// wordsOf are the words of a text, in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' })
}

var (
	// refusing finds words of a refusal.
	refusing = lazyregexp.New(`(?i)not (be )?(allowed|permitted|supported|safe)|disallowed|illegal|unsafe|forbidden|dangerous|refus|reject|denied|malicious|suspicious|injection|only contain|may only|must match|not match|traversal|\b(outside|escapes|restricted|private|loopback)\b`)
	// tellingRefusal finds refusals that name no parameter, but what is wrong with its text.
	tellingRefusal = lazyregexp.New(`(?i)\bcharacters?\b|metacharacter|not (be )?(allowed|permitted)|disallowed|forbidden|\b(traversal|outside|escapes|private address|loopback)\b`)
	// systemError finds errors of the system, which may repeat the text: a missing file, a program that failed.
	systemError = lazyregexp.New(`(?i)(?-i:\bE(NO|AC|PERM|EXIST|ISDIR|INVAL|NAME|LOOP|CONN|HOST|NET|TIMED|PIPE|MFILE|XDEV|AI_)[A-Z]*\b)|no such file|not found|does not exist|(doesn't|don't) exist|could not find|cannot find|command failed|exit(ed)? (code|status|with)|errno|permission denied|file name too long`)
)

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

// arguments tries whether a value becomes several arguments of a program, or an option of it.
func (a *auditor) arguments(ctx context.Context, w *watch, c audit.Cell, answered bool) {
	first, second, option := "a"+token(), "--b"+token(), "--"+token()
	split := first + " " + second
	began := w.started
	w.started = nil
	said := ""
	w.follow(ctx, []string{split, option}, func(i int, r reply) bool {
		answered = answered && r.failed == ""
		if i == 1 { // not always the last one: unanswered calls are made again
			said = r.text
		}
		return false
	})
	calls := len(w.tried) + 2
	parted, whole := w.find(second, false), slices.ContainsFunc(w.started, func(args []string) bool { return anyContains(args, first) && !interprets(args, first) })
	graded := parted == nil && a.led(ctx, w, c, option, said, calls)
	w.started = append(began, w.started...)
	switch {
	case parted != nil:
		a.proof(c, w.t, w.p, split, "argument-split", "the text becomes several arguments of a program", "an argument of its own for "+program0(parted)+" behind the blank", calls-1)
	case graded:
	case w.a.blind():
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: tooMuch})
		a.spend()
	case !answered:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "the tool starts programs, and did not answer every probe"})
	case !whole && slices.ContainsFunc(w.started, func(args []string) bool { return anyContains(args, first) }):
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "the text is a part of a program for an interpreter, and no probe shows whether it stays in its place"})
	case whole && !w.settled():
		a.fact(audit.Fact{Cell: c, Verdict: audit.Inconclusive, Why: "the text was one argument of a program, but a text that a shell would run was seen neither there nor refused"})
	case whole:
		a.fact(audit.Fact{Cell: c, Verdict: audit.Guarded, Why: fmt.Sprintf("the text was one argument of a program, and none of %d probes became more", calls)})
	case w.p.kind == infer.Command:
		a.fact(audit.Fact{Cell: c, Verdict: audit.NoEvidence, Why: "programs were started, and none had the text in its arguments"})
	}
}

// interpreters are programs that run what an argument says, behind one of codeOptions.
var (
	interpreters = lazyregexp.New(`^(sh|ash|bash|dash|zsh|ksh|fish|osascript|node|nodejs|bun|deno|python[0-9.]*|ruby|perl|php|powershell|pwsh)(\.exe)?$`)
	codeOptions  = []string{"-c", "-e", "-r", "-p", "--eval", "--print", "-Command", "eval"}
)

func isInterpreter(args []string) bool { return interpreters.MatchString(filepath.Base(args[0])) }

// interprets reports whether a started program runs an argument with a text as code: an interpreter, also at the end of another program's
// arguments (docker exec NAME sh -c TEXT), or the shell of another machine.
func interprets(args []string, text string) bool {
	for i := range args {
		if !isInterpreter(args[i:]) {
			continue
		}
		at := slices.IndexFunc(args[i:], func(arg string) bool { return slices.Contains(codeOptions, arg) })
		if at > 0 && i+at+1 < len(args) && strings.Contains(args[i+at+1], text) {
			return true
		}
	}
	return anyContains(args[remoteFrom(args):], text)
}

// remoteFrom is the place in the arguments of ssh or adb from which on they are a line for a shell elsewhere.
func remoteFrom(args []string) int {
	switch filepath.Base(args[0]) {
	case "adb":
		if i := slices.IndexFunc(args, func(arg string) bool { return arg == "shell" || arg == "exec-out" }); i > 0 {
			return i + 1
		}
	case "ssh":
		for i := 1; i < len(args); i++ {
			switch {
			case !strings.HasPrefix(args[i], "-"):
				return i + 1 // behind the host
			case len(args[i]) == 2 && strings.Contains("BbcDEeFIiJLlmOopQRSWw", args[i][1:]):
				i++ // its value
			}
		}
	}
	return len(args)
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
