// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A value that begins with - and reaches a program may be an option of it, or stay a value. Two things tell: a plain value stands in
// the same place as an operand, or the program itself complains of an option that it does not know.

// led says what became of a value that begins with -, if it became an argument of a program. It reports whether that is graded.
func (a *auditor) led(ctx context.Context, w *watch, c audit.Cell, option, said string, tried int) bool {
	led := w.find(option, true)
	if led == nil {
		return false
	}
	raw := string(written(w.t.sample(a.world, setting{w.p, option})))
	if !w.p.passesOptions() {
		plain, answer := "a"+token(), ""
		w.follow(ctx, []string{plain}, func(_ int, r reply) bool { answer = r.text; return true })
		tried++
		// A server that has such words for a plain value, too, says nothing with them about options.
		args, seen := w.optionBeside(plain, option), ""
		switch {
		case args != nil:
			seen = "an argument of " + program0(args) + ", in the place of an operand"
		case refusesOption(said, option) && !refusesOption(answer, plain):
			if args = w.optionGiven(option); args != nil {
				seen = "an error of " + program0(args) + " about an option that it does not know"
			}
		}
		if seen != "" {
			a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Proven, Kind: "option", Why: "a value that begins with - becomes an option of a program",
				Proof: &audit.Proof{Arguments: raw, Seen: seen, Probes: tried}})
			return true
		}
	}
	a.fact(audit.Fact{Cell: c, Verdict: audit.Vulnerable, Confidence: audit.Metadata, Kind: "argument-lead",
		Why: "a value that begins with - becomes an argument of a program", Proof: &audit.Proof{Arguments: raw, Seen: "an argument of " + program0(led), Probes: tried}})
	return false
}

// optionGiven is a started program that may have complained of an option: one that knows options at all.
func (w *watch) optionGiven(option string) []string {
	for _, args := range w.started {
		at := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, option) })
		if at > 0 && !slices.Contains(args[:at], "--") && !takesText(args[:at]) {
			return args
		}
	}
	return nil
}

// takesText reports whether a program takes its further arguments for plain text, also one that another program starts with its own arguments
// (docker exec NAME echo TEXT).
func takesText(args []string) bool {
	return optionless.MatchString(filepath.Base(args[0])) || slices.ContainsFunc(args[1:], func(arg string) bool { return textOnly.MatchString(filepath.Base(arg)) })
}

// optionBeside is a started program to which an option was given where another start of it had the plain value as an operand.
func (w *watch) optionBeside(plain, option string) []string {
	for _, args := range w.started {
		at := slices.Index(args, option)
		if at < 1 || slices.Contains(args[:at], "--") || isInterpreter(args) || takesText(args[:at]) || mayTakeValue(args[at-1]) {
			continue
		}
		if slices.ContainsFunc(w.started, func(other []string) bool {
			return len(other) == len(args) && other[0] == args[0] && other[at] == plain && other[at-1] == args[at-1]
		}) {
			return args
		}
	}
	return nil
}

// mayTakeValue reports whether an argument is an option that may take the next one as its value, whatever that begins with.
func mayTakeValue(arg string) bool {
	return strings.HasPrefix(arg, "-") && arg != "-" && !strings.Contains(arg, "=") && !valueless.MatchString(arg)
}

var (
	// optionless finds programs that take their arguments for plain text, or run another program with them.
	optionless = lazyregexp.New(`^(echo|printf|test|\[|true|false|which|where|command|env|xargs|sudo|nohup|time)$`)
	textOnly   = lazyregexp.New(`^(echo|printf|true|false)$`)
	// valueless finds options that take no value in any program that is known to us.
	valueless = lazyregexp.New(`^--(oneline|stat|shortstat|numstat|cached|staged|name-only|name-status|no-color|no-pager|porcelain|json|quiet|silent|verbose|force|recursive|all|hard|soft|mixed|short|bare|global|yes|no-edit|amend|prune|tags|decorate|graph|follow|no-ff|ff-only|abort|continue|list|dry-run)$`)
	// unknownOption finds a program's complaint about an option.
	unknownOption = lazyregexp.New(`(?i)\b(unknown|unrecogni[sz]ed|invalid|illegal|unexpected|undefined|bad|no such|not a valid|is not a|ambiguous) (command[- ]line )?(option|argument|switch|flag|parameter)s?\b|flag provided but not defined|(option|flag|argument) not (recogni[sz]ed|found|known|supported)`)
)

// maxMentions bounds the places of an answer where an option is looked for.
const maxMentions = 20

// refusesOption reports whether an answer has a program's complaint about an option.
func refusesOption(said, option string) bool {
	name := strings.TrimLeft(option, "-")
	for range maxMentions {
		at := strings.Index(said, name)
		if at < 0 {
			return false
		}
		if unknownOption.MatchString(said[max(0, at-120):min(len(said), at+len(name)+60)]) {
			return true
		}
		said = said[at+len(name):]
	}
	return false
}

// passesOptions reports whether a parameter is meant for options, or for a command with them.
func (p *parameter) passesOptions() bool {
	return p.kind == infer.Command || optionsName.MatchString(p.name) || optionsWords.MatchString(p.description)
}

var (
	optionsName  = lazyregexp.New(`(?i)(^|[_-])(args?|argv|arguments?|flags?|options?|opts|params?|parameters|switch(es)?|cmd|commands?|extra)$|(Args?|Flags?|Options|Arguments|Command)$`)
	optionsWords = lazyregexp.New(`(?i)\b(flags|options|switches|arguments|command[- ]line)\b`)
)
