// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/audit/source/internal/programs"
)

// Arguments of programs that start without a shell. Each argument arrives as it is, so quoting
// and metacharacters do not matter; its place among the others does.

// An argvPlace is a place in the arguments of a program, and what the arguments in front of it
// say about it. In ["git", "log", "--", path] the last place follows "--", where a leading dash
// means nothing.
type argvPlace struct {
	// the names that the program may have
	programs   []string
	subcommand string
	// the argument in front, if it is constant
	before string
	// "--" came: there are no options any more
	ended bool
	// a shell reads the arguments
	shell bool
}

// nestedShells are shells that other programs start: docker exec, sudo, ssh.
var nestedShells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "/bin/sh": true, "/bin/bash": true, "powershell": true, "powershell.exe": true, "pwsh": true, "cmd": true, "cmd.exe": true}

// arguments judges the arguments of a program. No shell reads them, so metacharacters are
// harmless; three things are not: a line for a shell among them, text that was cut at blanks, and
// values with a dash in front.
//
//	execFile("git", ["log", args.ref])      // ref may be "--output=/etc/cron.d/x"
//	spawn("sh", ["-c", "ls " + args.dir])   // the shell reads the line
func (sk *sinks) arguments(name string, program Value, list sequence, at position) {
	place := argvPlace{}
	for _, w := range textOf(program).words() {
		last := w[strings.LastIndexAny(w, `/\`)+1:]
		place.shell = place.shell || shells[w] || shells[last]
		place.programs = append(place.programs, strings.TrimSuffix(strings.ToLower(last), ".exe"))
	}
	for _, v := range list.known {
		sk.argument(name, textOf(v), &place, at)
	}
	// Elements without an index may stand in any order, so a "--" among them counts for all.
	if len(list.rest) > 0 { // in any order
		rest := textOf(list.rest)
		words := rest.words()
		place.ended = place.ended || slices.Contains(words, "--")
		if i := slices.IndexFunc(words, programs.Valued); i >= 0 && !programs.Valued(place.before) {
			place.before = words[i]
		}
		sk.argument(name, rest, &place, at)
	}
}

// argument judges one argument, and notes its consequences for the next.
func (sk *sinks) argument(name string, text Value, place *argvPlace, at position) {
	for _, a := range text {
		for i, h := range holes(a.text) {
			switch {
			case place.shell && shellOptions[place.before]:
				sk.shell(name, Value{a}, at)
			case h.split:
				sk.judge(sk.split(a, h), audit.Command, name, h, at)
			case i == 0 && !place.ended && a.text[0].hole != nil && h.form != formResolved && h.form != formReal:
				sk.judge(sk.lead(a, h, place), audit.Command, name, h, at)
			}
		}
	}
	before := place.before
	place.before = ""
	if w, ok := text.one(); ok {
		place.before = w
		place.shell = place.shell || nestedShells[w]
		place.ended = place.ended || w == "--"
		if place.subcommand == "" && !strings.HasPrefix(w, "-") && !programs.Valued(before) {
			place.subcommand = w
		}
		return
	}
	for _, w := range text.words() {
		if strings.HasPrefix(w, "-") || strings.HasPrefix(w, "/") {
			place.before = w
		}
	}
}

// lead judges an argument that begins with the caller's text. It is a weakness only for programs
// with an option that writes files or starts programs; for others it is worth a remark.
func (sk *sinks) lead(a Atom, h *hole, place *argvPlace) judgement {
	if sk.state.have(a, h)&bitDash != 0 {
		return judgement{verdict: audit.Guarded, kind: "argument-lead", why: "a leading dash is excluded"}
	}
	for _, p := range place.programs {
		if programs.Harmful(p, place.subcommand) && !programs.Valued(place.before) && !commandWord(h.origin.pointer) {
			return judgement{verdict: audit.Vulnerable, confidence: audit.Suspected, kind: "option-injection", why: "a value that starts with a dash would be an option of " + clip(p) + ", of which one writes files or starts programs"}
		}
	}
	return judgement{verdict: audit.Vulnerable, confidence: audit.Metadata, kind: "argument-lead", why: "a value that starts with a dash would be an option of the program"}
}
