// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// reading reads the words of a program by its grammar, or by that of most programs.
func reading(program string, words []string) *grammar.Reading {
	if g := grammar.Lookup(program); g != nil {
		return g.Read(words)
	}
	return new(grammar.Program).Read(words)
}

// nested returns the program started by a program, with the variables for it.
func nested(program string, s simple, r *grammar.Reading) (simple, bool) {
	next := simple{variables: r.Variables}
	switch {
	case program == "command" && r.Gave("-v", "-V"): // tells where a program is
		return simple{}, false
	case program == "watch" && !r.Gave("-x", "--exec"), program == "tmux", program == "watchexec" && !r.Gave("-n", "--shell"), program == "flock" && flockLine(s.words, r) != "":
		return simple{}, false // a line, which inlineLines returns
	case r.Started > 0:
		next.words, next.within = s.words[r.Started:], r.Within || s.within
	}
	return next, len(next.words) > 0 || len(next.variables) > 0
}

// containers are programs that start another in a container.
const containers = "docker podman nerdctl docker-compose podman-compose kubectl oc k"

// contained returns the index of the program that a command starts in a container, toolvet as a server, or git for each commit; 0 if it starts none.
func contained(program string, words []string, r *grammar.Reading) int {
	names := r.Operands
	if program == "git" && len(names) > 2 && words[names[0]] == "bisect" && words[names[1]] == "run" {
		return names[2]
	}
	if i := launched(program, words, r); i > 0 {
		return i
	}
	if program == "toolvet" { // a server
		if i := indexOf(words, "--") + 1; i > 0 && i < len(words) {
			return i
		}
		return 0
	}
	if !among(program, containers) {
		return 0
	}
	if len(names) > 0 && among(words[names[0]], "compose container") {
		names = names[1:]
	}
	if len(names) > 2 && among(words[names[0]], "run create") {
		if callsItself(words[names[1]]) { // whose entry point is the program
			return names[1]
		}
		if callerOf(programName(words[names[2]])) != 0 {
			return names[2]
		}
		for k, i := range names[2:] {
			if program := programName(words[i]); k < maxLater && i == names[2]+k && (among(program, shellNames) || among(program, interpreterNames) || languageOf(program) != nil) {
				return i
			}
		}
		return 0
	}
	if len(names) == 0 || words[names[0]] != "exec" {
		return 0
	}
	if among(program, "kubectl oc k") {
		if i := indexOf(words, "--"); i > 0 && i+1 < len(words) {
			return i + 1
		}
	}
	if len(names) > 2 {
		return names[2]
	}
	return 0
}

// callsItself reports whether the program of an image is a client of hosts. Images of browsers are for any program.
func callsItself(image string) bool {
	name := imageName(image)
	return callerOf(name) != 0 && !opens(name)
}

// imageName returns the name of an image without the registry and the version: that of the program in it, as with curlimages/curl:8.1.
func imageName(image string) string {
	name, _, _ := cut(lastStep(image), ":")
	return programName(name)
}

// lookers are commands that only look, of programs that are refused by default: their first words.
const lookers = "crontab -l|csrutil status|diskutil list|diskutil info|lvm lvs|lvm vgs|lvm pvs|keepassxc-cli ls" +
	"|auditctl -l|auditctl -s|auditctl -h|setcap -v|frpc -v|nvram -p|mount -l|at -l|atq|ufw status|iptables -L|iptables -S|losetup -l|losetup -a" +
	"|fdisk -l|launchctl list|launchctl print|schtasks /query|sysctl -n|sysctl -a|vault version|op account list|op vault list|op whoami" +
	"|security find-certificate|security find-identity|nc -z localhost|nc -z 127.0.0.1|nc -zv localhost|nc -zv 127.0.0.1|nc -vz localhost" +
	"|nc -vz 127.0.0.1"

// looksOnly reports whether a command of a program that is refused by default only looks.
func looksOnly(name string, words []string) bool {
	line := strings.Join(append([]string{name}, words[1:min(len(words), 3)]...), " ")
	for _, l := range strings.Split(lookers, "|") {
		if line == l || hasPrefix(line, l+" ") {
			rest := words[min(len(words), len(strings.Fields(l))):]
			return !anyWord(rest, func(w string) bool {
				return strings.ContainsAny(w, "=") || hasPrefix(w, "-") && !among(w, "-n -v -u -t --line-numbers") && name != "security" || name == "mount"
			})
		}
	}
	if among(name, "nc ncat netcat") && len(words) > 3 && !anyWord(words[1:len(words)-2], func(w string) bool { return !among(w, "-z -v -zv -vz -n") }) && contains(words[1], "z") {
		host := words[len(words)-2]
		return (nearby(host) || privateAddress(host)) && strings.Trim(words[len(words)-1], "0123456789") == "" // only whether it listens
	}
	return len(words) == 1 && name == "mount" || len(words) == 2 && among(words[1], "--help --version")
}

// flockLine is the line that flock gives to a shell behind the name of its file.
func flockLine(words []string, r *grammar.Reading) string {
	if len(r.Operands) == 0 {
		return ""
	}
	rest := words[r.Operands[0]+1:]
	if len(rest) > 1 && (rest[0] == "-c" || rest[0] == "--command") {
		return rest[1]
	}
	return ""
}

// inlineLines returns the lines of code that a program is given, to be judged as plain commands: by
// the shells' option -c, and as trap, eval and watch get them.
func inlineLines(program string, words []string, r *grammar.Reading) []string {
	switch program {
	case "trap":
		if len(words) > 2 && words[1] != "-" && words[1] != "" {
			return words[1:2]
		}
		return nil
	case "eval":
		return joined(words[1:])
	case "watch", "tmux", "watchexec":
		if r.Started > 0 && !r.Gave("-x", "--exec") && !(program == "watchexec" && r.Gave("-n", "--shell")) {
			return joined(words[r.Started:])
		}
		return nil
	case "flock":
		if line := flockLine(words, r); line != "" {
			return []string{line}
		}
		return nil
	}
	var lines []string
	if among(program, powerShellNames) {
		return nil // which judgePowerShell reads
	}
	if among(program, "make gmake bmake") {
		for _, w := range words[1:] {
			if m := shellAssigned.FindStringSubmatch(w); m != nil {
				lines = with(lines, strings.ReplaceAll(m[1], "$$", "$"))
			}
		}
	}
	if program == "npm" && len(r.Operands) > 2 && words[r.Operands[0]] == "pkg" && words[r.Operands[1]] == "set" {
		for _, i := range r.Operands[2:] {
			if name, line, _ := cut(words[i], "="); hasPrefix(name, "scripts") && line != "" {
				lines = with(lines, line)
			}
		}
	}
	if among(program, containers) && len(r.Operands) > 2 && among(words[r.Operands[0]], "run create") {
		if i := indexOf(words[r.Operands[1]:], "-c"); i > 0 && anyWord(words[:r.Operands[1]], entryShell.MatchString) && r.Operands[1]+i+1 < len(words) {
			lines = with(lines, words[r.Operands[1]+i+1]) // of a shell that is the entry point
		}
	}
	if program == "fzf" {
		for _, w := range words[1:] {
			for _, m := range fzfLines.FindAllStringSubmatch(w, -1) {
				lines = with(lines, fzfPlaces.ReplaceAllString(m[1], "1"))
			}
		}
	}
	for _, use := range r.Uses {
		if program == "fzf" {
			use.Value = fzfPlaces.ReplaceAllString(use.Value, "1")
		}
		if program == "concurrently" && packageScript.MatchString(use.Value) {
			continue // the scripts of a package, by a pattern
		}
		if use.Kind == grammar.Line && !holds(lines, use.Value) {
			lines = with(lines, use.Value)
		}
	}
	return lines
}

// entryShell is a shell, as the value of an option.
var entryShell = lazyregexp.New(`(^|[=/])(ba|da|a|z)?sh$`)

// fzfPlaces are what fzf puts an item of its list in the place of, in quotes.
var fzfPlaces = lazyregexp.New(`\{[+sfn]*(-?\d*(\.\.)?-?\d*|q)\}`)

var packageScript = lazyregexp.New(`^(npm|pnpm|yarn|bun|node|deno):[\w:*./-]+( [\w ./=@:-]*)?$`)

func joined(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return []string{strings.Join(words, " ")}
}
