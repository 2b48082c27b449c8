// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"regexp"
	"strings"

	"github.com/toolvet/toolvet/audit"
)

// A hitKey is what is told once: the worst of what reaches the sinks of a class.
type hitKey struct {
	tool, param string
	class       audit.Class
	rule        string
}

type hit struct {
	rank int // the higher the worse
	fact audit.Fact
}

// judged is what became of one tainted part of a value at a sink.
type judged struct {
	verdict    audit.Verdict
	confidence audit.Confidence
	rule, why  string
}

func traced(rule, why string) judged {
	return judged{audit.Vulnerable, audit.Traced, rule, why}
}

func suspected(rule, why string) judged {
	return judged{audit.Vulnerable, audit.Suspected, rule, why}
}

func noted(rule, why string) judged {
	return judged{audit.Vulnerable, audit.Metadata, rule, why}
}

func guarded(rule, why string) judged { return judged{audit.Guarded, "", rule, why} }

const guardedRank = 3

func (j judged) rank() int {
	switch {
	case j.confidence == audit.Traced:
		return 5
	case j.confidence == audit.Suspected:
		return 4
	case j.confidence == audit.Metadata:
		return 2
	}
	return guardedRank
}

// report notes what reaches a sink.
func (in *Interp) report(class audit.Class, n *node, j judged, pos Pos, what string) {
	tool := n.src.Tool
	if tool == "" {
		tool = in.st.tool
	}
	if in.st.effective(n)&Optional != 0 && (j.verdict == audit.Guarded || j.rule == "symlink") {
		j = noted("optional-guard", "there is a guard before SINK, if the server is set up so")
	}
	key := hitKey{tool, n.src.Param, class, j.rule}
	if old, ok := in.hits[key]; ok && old.rank >= j.rank() {
		return
	}
	in.hits[key] = &hit{rank: j.rank(), fact: audit.Fact{
		Cell:       audit.Cell{Tool: tool, Param: n.src.Param, Class: class},
		Method:     audit.Static,
		Verdict:    j.verdict,
		Confidence: j.confidence,
		Rule:       j.rule,
		Why:        strings.ReplaceAll(j.why, "SINK", what),
		Flow:       in.flow(n, pos, what),
	}}
}

const maxFlow = 12

// flow is the way of a value from the arguments to a sink.
func (in *Interp) flow(n *node, pos Pos, what string) []audit.Place {
	var back []audit.Place
	for at := n; at != nil; {
		if at.pos.Line > 0 && (len(at.in) == 0 || at.how != Baked) {
			back = append(back, place(at.pos, at.note))
		}
		if len(at.in) == 0 {
			break
		}
		at = at.in[0]
	}
	out := make([]audit.Place, 0, len(back)+1)
	for i := len(back) - 1; i >= 0; i-- {
		p := back[i]
		if k := len(out) - 1; k >= 0 && out[k].File == p.File && out[k].Line == p.Line {
			if out[k].Note == "" {
				out[k].Note = p.Note
			}
			continue
		}
		out = append(out, p)
	}
	if len(out) > maxFlow-1 {
		out = append(out[:1:1], out[len(out)-maxFlow+2:]...)
	}
	return append(out, place(pos, "passed to "+what))
}

func place(p Pos, note string) audit.Place {
	return audit.Place{File: p.File, Line: p.Line, Col: p.Col, Note: note}
}

// each calls f for every tainted part of a value, with its labels.
func (in *Interp) each(v Value, f func(n *node, l Label)) {
	for _, n := range in.deep(v) {
		in.step()
		f(n, in.st.effective(n))
	}
}

// PathSink is a function that reads, writes or lists what a value names.
func (in *Interp) PathSink(pos Pos, what string, v Value) {
	in.each(v, func(n *node, l Label) { in.report(audit.Path, n, judgePath(l), pos, what) })
}

// RootedSink is such a function that itself keeps to a directory.
func (in *Interp) RootedSink(pos Pos, what string, v Value) {
	in.each(v, func(n *node, _ Label) {
		in.report(audit.Path, n, guarded("", "SINK does not leave its directory"), pos, what)
	})
}

func judgePath(l Label) judged {
	switch {
	case l&Chosen != 0:
		return guarded("", "the path is one of a fixed list before SINK")
	case l&ContainReal != 0:
		return guarded("", "the path is resolved and compared with a root before SINK")
	case l&Contain != 0, l&NoDotDot != 0 && l&Relative != 0, l&PrefixSep != 0 && l&NoDotDot != 0:
		return noted("symlink", "the path is compared with a root before SINK, but symbolic links are not resolved first")
	case l&PrefixSep != 0:
		return suspected("not-normalised", "the path is compared with a root before SINK, but .. segments are not resolved first")
	case l&PrefixWeak != 0:
		return suspected("sibling-prefix", "the path is compared with the beginning of a root's name, so that a sibling whose name begins alike passes, before SINK")
	case l&NoDotDot != 0:
		return suspected("absolute", "the path is searched for .. only before SINK; an absolute path passes")
	case l&NoMeta != 0:
		return suspected("pattern", "the path is compared with a pattern before SINK that does not keep it below a root")
	}
	if l&(Mangled|Answer) != 0 {
		return noted("through-library", "the path is what a library made of the caller's text; SINK")
	}
	return traced("traversal", "the path comes from the caller, and nothing keeps it below a root before SINK")
}

// URLSink is a function that makes a request to where a value says.
func (in *Interp) URLSink(pos Pos, what string, v Value, hooked bool) {
	in.each(v, func(n *node, l Label) {
		if hooked {
			l |= Hooked
		}
		if j, ok := judgeURL(l); ok {
			in.report(audit.URL, n, j, pos, what)
		}
	})
}

func judgeURL(l Label) (judged, bool) {
	switch {
	case l&HostFixed != 0:
		return judged{}, false
	case l&Chosen != 0, l&HostAllow != 0:
		return guarded("", "the host is one of a list before SINK"), true
	case l&Hooked != 0:
		return guarded("", "addresses are checked as the connection of SINK is made"), true
	case l&DNSChecked != 0 && l&private == private:
		return guarded("", "the addresses of the host are checked before SINK"), true
	case l&private == private:
		return suspected("ssrf-dns", "the host is checked before SINK, but not what its name resolves to"), true
	case l&private != 0 && l&DNSChecked != 0:
		return suspected("ssrf-ranges", "the addresses of the host are checked before SINK, but not for loopback, private and link-local ones alike"), true
	case l&private != 0:
		return suspected("ssrf-ranges", "the host is checked before SINK, but not for loopback, private and link-local addresses alike"), true
	case l&(HostWeak|PrefixWeak|PrefixSep) != 0:
		return suspected("allow-list-prefix", "the host is compared in part only before SINK, so that a name that looks alike passes"), true
	}
	if l&HostLooked != 0 {
		return suspected("ssrf-unchecked-way", "an address is checked before SINK, but there is a way past the check"), true
	}
	if l&(Mangled|Answer) != 0 {
		return noted("through-library", "the URL is what a library made of the caller's text; SINK"), true
	}
	return traced("ssrf", "the host comes from the caller, and nothing checks it before SINK"), true
}

// ShellSink is a function that has a shell read a value.
func (in *Interp) ShellSink(pos Pos, what string, v Value) {
	in.each(v, func(n *node, l Label) { in.report(audit.Command, n, in.judgeShell(v, n, l), pos, what) })
}

var commandName = regexp.MustCompile(`(?i)^/(.*/)?(.*_)?(cmd|commands?|commandline|command_line|shell_command|script|code|expression|shell)$`)

func (in *Interp) judgeShell(v Value, n *node, l Label) judged {
	switch {
	case l&(Chosen|NoMeta) != 0:
		return guarded("", "the text can only be one that a shell takes for a word before SINK")
	case l&Quoted != 0:
		return guarded("", "the text is quoted for the shell before SINK")
	case v.pre == "" && v.suf == "" && whole(n) && commandName.MatchString(n.src.Param):
		return noted("command-by-design", "running the caller's command is what the tool is for: SINK")
	case l&MetaWeak != 0:
		return suspected("blacklist", "some of a shell's characters are refused before SINK, not all")
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

// ProgramSink is a function that starts the program that a value names.
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

// ArgsSink is a function that starts a program with the arguments that a list holds, the first of
// which is the program.
func (in *Interp) ArgsSink(pos Pos, what string, argv Value) {
	elems, _ := in.Elems(argv)
	if len(elems) == 0 {
		if argv.Tainted() { // of the words of a text, the first is the program
			in.argumentSink(pos, what, argv, false, true)
		}
		return
	}
	in.ProgramSink(pos, what, elems[0])
	shell := shellOf(elems[0])
	reading, ended := false, false
	for _, v := range elems[1:] {
		if s, ok := v.String(); ok {
			reading = reading || isOption(shell, s)
			ended = ended || s == "--"
			continue
		}
		switch {
		case reading:
			in.ShellSink(pos, what, v)
		default:
			in.argumentSink(pos, what, v, ended, false)
		}
	}
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
func (in *Interp) argumentSink(pos Pos, what string, v Value, ended, program bool) {
	in.each(v, func(n *node, l Label) {
		split := l&Parted != 0
		switch {
		case l&(Chosen) != 0:
			in.report(audit.Command, n, guarded("", "the argument is one of a fixed list before SINK"), pos, what)
		case split && whole2(n) && commandName.MatchString(n.src.Param):
			in.report(audit.Command, n, noted("command-by-design", "running the caller's command is what the tool is for: SINK"), pos, what)
		case split && l&NoMeta == 0:
			in.report(audit.Command, n, traced("argument-split", "the caller's text is cut at blanks into arguments of SINK"), pos, what)
		case program:
			in.report(audit.Command, n, traced("program", "the caller names the program that SINK starts"), pos, what)
		case l&(NoDash|NoMeta|Contain|ContainReal) == 0 && !ended && v.Prefix() == "":
			in.report(audit.Command, n, noted("argument-lead", "an argument of SINK comes from the caller and may begin with a dash"), pos, what)
		}
	})
}

// whole2 reports that a value is the words of an argument as it came, and nothing else.
func whole2(n *node) bool {
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

// NoteSink is something that the rubric has no row for.
func (in *Interp) NoteSink(pos Pos, what, rule, why string, v Value) {
	in.each(v, func(n *node, l Label) {
		if l&(Chosen|NoMeta) == 0 {
			in.report(audit.Command, n, noted(rule, why), pos, what)
		}
	})
}
