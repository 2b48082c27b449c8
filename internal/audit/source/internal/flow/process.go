// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"path"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source/internal/programs"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// ShellSink is a function that passes a value to a shell.
func (in *Interp) ShellSink(pos Pos, what string, v Value) {
	in.each(v, func(n *node, l Label) { in.report(audit.Command, n, in.judgeShell(v, n, l), pos, what) })
}

var commandName = lazyregexp.New(`(?i)^/(.*/)?(.*_)?(cmd|commands?|commandline|command_line|shell_command|script|code|expression|shell)$`)

func (in *Interp) judgeShell(v Value, n *node, l Label) judged {
	switch {
	case l&(Chosen|NoMeta) != 0:
		return guarded("", "the text can only be one that a shell takes for a word before SINK")
	case l&Quoted != 0:
		return guarded("", "the text is quoted for the shell before SINK")
	case v.pre == "" && v.suf == "" && (whole(n) || (n.how == Part || n.how == Word) && len(n.in) == 1 && whole(n.in[0])) && commandName.MatchString(n.src.Param):
		return noted("command-by-design", "running the caller's command is what the tool is for: SINK")
	case l&MetaWeak != 0:
		return suspected("blacklist", "some of a shell's characters are refused before SINK, not all")
	}
	if l&Unseen != 0 {
		return noted("unseen-guard", "a function with the name of a check of the text, but without code here, is called before SINK")
	}
	if l&Answer != 0 {
		return noted("through-library", "a part of what a library made of the caller's text is read by a shell: SINK")
	}
	return traced("shell", "the caller's text becomes part of a command that a shell reads: SINK")
}

// whole reports that a value is an argument as it came.
func whole(n *node) bool {
	for i := 0; i < 50; i++ {
		if n.how == FromArgs {
			return true
		}
		if len(n.in) != 1 || n.how != Whole && n.how != Baked && n.how != Through {
			return false
		}
		n = n.in[0]
	}
	return false
}

// ProgramSink is a function that starts the program named by a value.
func (in *Interp) ProgramSink(pos Pos, what string, v Value) {
	in.each(v, func(n *node, l Label) {
		j := traced("program", "the caller names the program that SINK starts")
		switch {
		case l&Chosen != 0:
			j = guarded("", "the program is one of a fixed list before SINK")
		case v.pre == "" && v.suf == "" && commandName.MatchString(n.src.Param):
			j = noted("command-by-design", "running the caller's command is what the tool is for: SINK")
		case l&(Contain|ContainReal) != 0:
			j = suspected("program", "the caller names the program that SINK starts, below a root")
		}
		in.report(audit.Command, n, j, pos, what)
	})
}

// shells read a command from the argument behind one of these.
var shells = map[string][]string{
	"sh": {"-c"}, "bash": {"-c"}, "zsh": {"-c"}, "dash": {"-c"}, "ash": {"-c"}, "ksh": {"-c"}, "fish": {"-c"}, "busybox": {"-c"},
	"cmd": {"/c", "/k"}, "powershell": {"-command", "-c", "-encodedcommand"}, "pwsh": {"-command", "-c", "-encodedcommand"},
	"osascript": {"-e"}, "python": {"-c"}, "python3": {"-c"}, "node": {"-e", "--eval", "-p"}, "perl": {"-e"}, "ruby": {"-e"}, "php": {"-r"},
}

// ArgsSink is a function that starts a program with a list of arguments; the first is the program.
func (in *Interp) ArgsSink(pos Pos, what string, argv Value) {
	elems, _ := in.Elems(argv)
	if len(elems) == 0 {
		if argv.Tainted() { // the first word of the text is the program
			in.argumentSink(pos, what, argv, &argv0{first: true})
		}
		return
	}
	in.ProgramSink(pos, what, elems[0])
	in.Options(pos, what, elems[0], elems[1:])
}

// Options are the arguments of a program.
func (in *Interp) Options(pos Pos, what string, program Value, args []Value) {
	shell := shellOf(program)
	reading := false
	at := &argv0{name: programOf(program)}
	for _, v := range args {
		if s, ok := v.String(); ok {
			at.subcommand(s)
			reading = reading || isOption(shell, s)
			at.ended = at.ended || s == "--"
			at.before = s
			continue
		}
		at.passed = at.passed || !strings.HasPrefix(v.Prefix(), "-") && !programs.Valued(at.before)
		if len(v.consts) > 0 && !v.Tainted() {
			at.before = v.consts[0]
			continue
		}
		if reading {
			in.ShellSink(pos, what, v)
		} else {
			in.argumentSink(pos, what, v, at)
		}
		at.before = ""
	}
}

// An argv0 is the place of an argument.
type argv0 struct {
	name   string // of the program, if it is known
	sub    string // its subcommand, if that is known
	passed bool   // something unknown stands in place of the subcommand
	before string // the argument in front of it, if it is known
	ended  bool   // there are no options any more
	first  bool   // it is the program, too
}

// danger reports that a leading dash does harm in this place.
func (a *argv0) danger() bool {
	return programs.Harmful(a.name, a.sub) && !programs.Valued(a.before)
}

// subcommand notes the first argument that is neither an option nor the value of one.
func (a *argv0) subcommand(s string) {
	if a.sub == "" && !a.passed && !strings.HasPrefix(s, "-") && !programs.Valued(a.before) {
		a.sub = s
	}
}

// programOf is the name of a known program.
func programOf(v Value) string {
	if names, ok := v.Strings(); ok {
		return strings.TrimSuffix(path.Base(strings.ToLower(names[0])), ".exe")
	}
	return ""
}

func shellOf(v Value) []string {
	names, _ := v.Strings()
	for _, name := range names {
		name = strings.ToLower(name[strings.LastIndexAny(name, `/\`)+1:])
		name = strings.TrimSuffix(name, ".exe")
		if options, ok := shells[name]; ok {
			return options
		}
	}
	return nil
}

func isOption(options []string, s string) bool {
	for _, o := range options {
		if strings.EqualFold(o, s) || len(o) == 2 && o[0] == '-' && len(s) > 2 && s[0] == '-' && s[1] != '-' && strings.HasSuffix(s, o[1:]) {
			return true
		}
	}
	return false
}

// argumentSink is an argument of a program.
func (in *Interp) argumentSink(pos Pos, what string, v Value, at *argv0) {
	in.each(v, func(n *node, l Label) {
		split := l&Parted != 0
		lead := l&(NoDash|NoMeta|Contain|ContainReal|Answer) == 0 && !at.ended && v.Prefix() == ""
		switch {
		case l&(Chosen) != 0:
			in.report(audit.Command, n, guarded("", "the argument is one of a fixed list before SINK"), pos, what)
		case split && words(n) && commandName.MatchString(n.src.Param):
			in.report(audit.Command, n, noted("command-by-design", "running the caller's command is what the tool is for: SINK"), pos, what)
		case split && l&NoMeta == 0:
			in.report(audit.Command, n, traced("argument-split", "the caller's text is cut at blanks into arguments of SINK"), pos, what)
		case at.first:
			in.report(audit.Command, n, traced("program", "the caller names the program that SINK starts"), pos, what)
		case lead && at.danger():
			in.report(audit.Command, n, suspected("option-injection", "an argument of "+at.name+" comes from the caller and may begin with a dash: an option of it writes files or starts programs: SINK"), pos, what)
		case lead:
			in.report(audit.Command, n, noted("argument-lead", "an argument of SINK comes from the caller and may begin with a dash"), pos, what)
		}
	})
}

// words reports that a value is the words of an argument as it came, and nothing else.
func words(n *node) bool {
	for i := 0; i < 50; i++ {
		if n.how == FromArgs {
			return true
		}
		if len(n.in) != 1 || n.how == Part {
			return false
		}
		n = n.in[0]
	}
	return false
}

// NoteSink is a remark: the rubric has no row for it.
func (in *Interp) NoteSink(pos Pos, what, kind, why string, v Value) {
	in.each(v, func(n *node, l Label) {
		if l&(Chosen|NoMeta) == 0 {
			in.report(audit.Command, n, noted(kind, why), pos, what)
		}
	})
}
