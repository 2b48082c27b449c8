// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
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
	case program == "watch" && !r.Gave("-x", "--exec"), program == "tmux", program == "flock" && flockLine(s.words, r) != "":
		return simple{}, false // a line, which inlineLines returns
	case r.Started > 0:
		next.words, next.within = s.words[r.Started:], r.Within || s.within
	}
	return next, len(next.words) > 0 || len(next.variables) > 0
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
	case "watch", "tmux":
		if r.Started > 0 && !r.Gave("-x", "--exec") {
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
	for _, use := range r.Uses {
		if use.Kind == grammar.Line && !slices.Contains(lines, use.Value) {
			lines = append(lines, use.Value)
		}
	}
	return lines
}

func joined(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return []string{strings.Join(words, " ")}
}
