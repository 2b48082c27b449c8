// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import "strings"

// interpreters are programs that take code in an option. Where the code of the shells is
// one plain command, it is judged as one; see inlineLine.
var interpreters = map[string]profile{
	"python": {valued: "cmQWX", runs: "-c"},
	"perl":   {valued: "eEIMmFDCilx0V", runs: "-e -E -M -m"},
	"ruby":   {valued: "eIrCEKTWFx", runs: "-e"},
	"node":   {valued: "eprCi", runs: "-e -p --eval --print --loader --experimental-loader"},
	"deno":   {runs: "eval"},
	"bun":    {valued: "epr", runs: "-e -p --eval --print"},
	"php":    {valued: "rRBEFdczt", runs: "-r -R -B -E -F --run --process-code"},
	"lua":    {valued: "el", runs: "-e"},
	"r":      {runs: "-e"}, "rscript": {runs: "-e"}, "guile": {valued: "ceLl", runs: "-c"},
	"julia": {valued: "eEL", runs: "-e -E --eval --print"}, "groovy": {runs: "-e"}, "scala": {runs: "-e"},
	"osascript": {runs: "-e"}, "jrunscript": {runs: "-e"}, "erl": {runs: "-eval -s -run"}, "elixir": {runs: "-e --eval"},
	"swift": {runs: "-e"}, "raku": {valued: "eIM", runs: "-e -M"}, "ghc": {runs: "-e"}, "ipython": {runs: "-c"}, "clojure": {runs: "-e --eval"},
	"sbcl": {runs: "--eval --load"}, "maxima": {runs: "--batch-string"}, "octave": {runs: "--eval"}, "racket": {runs: "-e"},
}

func codeOptions(program string) (profile, bool) {
	name := strings.TrimRight(program, "0123456789.-")
	switch name {
	case "pypy", "jython", "micropython", "pythonw", "py":
		name = "python"
	case "nodejs", "tsx", "ts-node":
		name = "node"
	case "luajit", "luatex", "texlua":
		name = "lua"
	}
	p, ok := interpreters[name]
	return p, ok
}

// codeShells are shells, with the options that take a line to run.
var codeShells = map[string]profile{
	"sh": {valued: "oO", runs: "-c"}, "fish": {valued: "Cdo", runs: "-c -C --command --init-command"}, "nu": {runs: "-c -e --commands --execute"},
	"pwsh": {runs: "-c -command -com -comm"}, "cmd": {runs: "/c /k /r"}, "xonsh": {runs: "-c"}, "elvish": {runs: "-c"},
}

func shellOf(program string) (profile, bool) {
	switch program {
	case "bash", "dash", "ash", "zsh", "ksh", "mksh", "pdksh", "rbash", "csh", "tcsh", "yash", "rksh", "rc", "su":
		program = "sh"
	case "powershell":
		program = "pwsh"
	}
	p, ok := codeShells[program]
	return p, ok
}

// inlineLine returns the line of code that a program is given, if it can be judged as one
// plain command: it is the shells' option -c, and what trap, eval and watch are given.
func inlineLine(program string, words []string) (string, bool) {
	switch program {
	case "trap", "eval":
		if len(words) > 1 && (program == "eval" || len(words) > 2 && words[1] != "-" && words[1] != "") {
			if program == "trap" {
				return words[1], true
			}
			return strings.Join(words[1:], " "), true
		}
		return "", false
	case "watch":
		rest := skipOptions(words, "nq", "--interval --equexit")
		return strings.Join(rest, " "), len(rest) > 0
	case "flock":
		if rest := skipOptions(words, "wE", ""); len(rest) > 2 && (rest[1] == "-c" || rest[1] == "--command") {
			return rest[2], true
		}
		return "", false
	case "script", "su", "runuser":
		return after(words, profile{valued: "wE", runs: "-c --command"})
	}
	p, ok := shellOf(program)
	if !ok {
		return "", false
	}
	return after(words, p)
}

// after returns what is given to the first of a profile's options.
func after(words []string, p profile) (string, bool) {
	for i, w := range words[1:] {
		lower := strings.ToLower(w)
		for option := range strings.FieldsSeq(p.runs) {
			name, value, joined := strings.Cut(w, "=")
			switch {
			case option[0] == '/' && strings.HasPrefix(lower, option):
				return strings.Join(append([]string{w[len(option):]}, words[i+2:]...), " "), true
			case joined && strings.HasPrefix(option, "--") && name == option:
				return value, true
			case option[0] == '-' && (lower == option || p.is(option, w)):
				if i+2 < len(words) {
					return words[i+2], true
				}
				return "", true
			}
		}
		if strings.HasPrefix(lower, "-enc") || lower == "-e" || lower == "-ec" || lower == "-encodedcommand" {
			return "", true
		}
	}
	return "", false
}

// starters are programs that start the program behind their own words: the short and long options
// that take a value, and how many words come before the program.
var starters = map[string]struct {
	short, long string
	before      int
}{
	"env": {"uCS", "--unset --chdir --split-string", 0}, "nohup": {}, "setsid": {}, "time": {"fo", "--format --output", 0},
	"nice": {"n", "--adjustment", 0}, "ionice": {"cnp", "--class --classdata", 0}, "chrt": {"TPD", "", 1}, "taskset": {"", "", 1},
	"stdbuf": {"ioe", "--input --output --error", 0}, "timeout": {"ks", "--kill-after --signal", 1},
	"xargs": {"adEIinLlnPsR", "--arg-file --delimiter --replace --max-lines --max-args --max-procs --max-chars", 0},
	"watch": {"nq", "--interval --equexit", 0}, "flock": {"wE", "--timeout --wait --conflict-exit-code", 1},
	"command": {}, "exec": {"a", "", 0}, "builtin": {}, "coreutils": {}, "busybox": {}, "toybox": {},
	"sudo": {"CDghpRTtUu", "--user --group --host --chdir", 0}, "doas": {"Cu", "", 0}, "chroot": {"", "", 1}, "strace": {"aeEIoOpPsSuUX", "", 0}, "ltrace": {"aeoplsuFn", "", 0}, "unbuffer": {}, "catchsegv": {}, "torsocks": {"aPpu", "--address --port --user --pass", 0},
	"sshpass": {"pfdP", "", 0}, "proxychains": {"f", "", 0}, "proxychains4": {"f", "", 0}, "chpst": {"uUbedolmnpfc", "", 0}, "setarch": {"", "", 1}, "caffeinate": {"tw", "", 0},
}

// nested returns the program started by a program, with the variables for it.
func nested(program string, words []string) (simple, bool) {
	how, ok := starters[program]
	if !ok || program == "watch" && !anyOf(words, "-x --exec") {
		return simple{}, false
	}
	rest := skipOptions(words, how.short, how.long)
	var next simple
	for program == "env" && len(rest) > 0 && strings.IndexByte(rest[0], '=') > 0 {
		next.variables = append(next.variables, rest[0])
		rest = rest[1:]
	}
	if len(rest) < how.before {
		return simple{}, false
	}
	rest = rest[how.before:]
	if program == "flock" && len(rest) > 0 && rest[0] == "-c" {
		return simple{}, false // a line, which inlineLine returns
	}
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	next.words = rest
	return next, len(rest) > 0 || len(next.variables) > 0
}

// skipOptions returns the words after a program's own options.
func skipOptions(words []string, short, long string) []string {
	rest := words[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		w := rest[0]
		rest = rest[1:]
		switch {
		case w == "--":
			return rest
		case strings.HasPrefix(w, "--"):
			if anyOf([]string{w}, long) && len(rest) > 0 {
				rest = rest[1:]
			}
		case strings.IndexByte(short, w[len(w)-1]) >= 0 && !valueInside(w[1:len(w)-1], short) && len(rest) > 0:
			rest = rest[1:]
		}
	}
	return rest
}

// valueInside reports whether a short option before the last one takes the rest of the
// cluster for its value.
func valueInside(cluster, short string) bool { return strings.ContainsAny(cluster, short) }
