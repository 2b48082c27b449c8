// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// Many tools do one of several things, by the choice of a parameter ("action"), and use others only for some of them. Nothing in the
// schema says which belong together. So a parameter is sent with a random name and with each choice in turn, until the name turns up somewhere: in the
// arguments of a program, in a path, in a host, in a statement or in a request. That choice is kept for all of its probes.

// Bounds of the choices that are tried for one parameter.
const (
	maxSteered       = 30
	maxSlowlySteered = 8   // with a tool whose calls wait for long: the time is for the probes
	maxChoices       = 24  // of one parameter
	maxBeside        = 100 // parameters beside it: a schema is untrusted
)

// steer returns a copy of the tool with the values with which a parameter takes effect, or the tool itself.
func (a *auditor) steer(ctx context.Context, t *tool, p parameter) *tool {
	if a.session == nil || a.session.box == nil || strings.Count(p.pointer, "/") != 1 {
		return t
	}
	ways := t.ways(a.world, p, a.cfg.SkipDestructive)
	if len(ways) == 0 || a.arrives(ctx, t, p) {
		return t
	}
	most := maxSteered
	if a.slow[t.Name] {
		most = maxSlowlySteered
	}
	for _, way := range ways[:min(len(ways), most)] {
		if a.over(ctx) || a.silent(t) {
			break
		}
		u := *t
		u.steered = way
		if a.arrives(ctx, &u, p) {
			return &u
		}
	}
	return t
}

// ways are the values to try beside a parameter: each choice of each other parameter, alone and with everything else that the tool
// can take, and at last that alone. Required parameters come first: they are what a tool does. Choices that delete or stop something may be left out.
func (t *tool) ways(w *world, p parameter, harmless bool) []map[string]any {
	properties, _ := t.schema["properties"].(map[string]any)
	var first, last []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		switch {
		case name == p.name || len(first)+len(last) >= maxBeside:
		case slices.Contains(t.required[:min(len(t.required), maxBeside)], name):
			first = append(first, name)
		default:
			last = append(last, name)
		}
	}
	rest := map[string]any{}
	for _, name := range last {
		form, ok := t.resolve(properties[name])
		if _, given := form["default"]; ok && !given && hasType(form, "string") {
			rest[name] = t.value(properties[name], name, w, 1)
		}
	}
	var list []map[string]any
	for _, name := range slices.Concat(first, last) {
		form, ok := t.resolve(properties[name])
		if !ok {
			continue
		}
		choices := stringsOf(form["enum"])
		if said, _ := form["description"].(string); len(choices) == 0 && isText(form) {
			choices = choicesIn(said)
		}
		for _, choice := range choices[:min(len(choices), maxChoices)] {
			if harmless && destructiveName.MatchString(choice) {
				continue
			}
			list = append(list, map[string]any{name: choice})
			full := maps.Clone(rest)
			if full[name] = choice; len(full) > 1 {
				list = append(list, full)
			}
			if len(list) >= maxSteered {
				return list
			}
		}
	}
	if len(rest) > 0 && len(list) == 0 {
		list = append(list, rest)
	}
	return list
}

// arrives reports whether a random name in a parameter turns up anywhere behind the server.
func (a *auditor) arrives(ctx context.Context, t *tool, p parameter) bool {
	name := a.world.name()
	began, stated, from := a.session, 0, 0
	if began != nil {
		stated = len(began.stated.since(0))
		_, from = began.programs(0)
	}
	a.canary.expectPath(name)
	defer a.canary.forgetPath(name)
	a.call(ctx, t, t.sample(a.world, setting{p, name}))
	a.mend()
	if a.session == nil || a.session.box == nil {
		return false
	}
	if a.session != began {
		stated, from = 0, 0
	}
	_ = a.session.box.Settle() // if the sandbox has ended, nothing more will come
	events := a.session.box.Events()
	for _, e := range events[min(from, len(events)):] {
		if strings.Contains(e.Path, name) || strings.Contains(e.Name, name) || anyContains(e.Exec, name) {
			return true
		}
	}
	return holds(a.session.stated.since(stated), name) || a.canary.requestsWith(name)
}

var (
	// choiceLead finds the words in front of a list of choices.
	choiceLead = lazyregexp.New(`(?i)\b(?:one of|either|options?(?: are)?|choices?(?: are)?|allowed(?: values)?|valid(?: values)?|possible values|supported(?: values)?|values|can be|must be|actions?|operations?|modes?|types?)\s*[:(=]+\s*([^.;)\n]+)|\b(?:one of|either)\s+([^.;)\n]+)`)
	// quotedChoices finds lists of quoted words.
	quotedChoices = lazyregexp.New("(?:[\"'`][A-Za-z][A-Za-z0-9_:-]{0,30}[\"'`](?: \\([^)]{0,60}\\))?(?:,? or |,? and | ?[,|/] ?)){1,}[\"'`][A-Za-z][A-Za-z0-9_:-]{0,30}[\"'`]")
	// barredChoices finds words with bars between them.
	barredChoices = lazyregexp.New(`\b[A-Za-z][A-Za-z0-9_-]{0,30}(?: ?\| ?[A-Za-z][A-Za-z0-9_-]{0,30}){1,}\b`)
	choiceWord    = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_:-]{0,30}$`)
	choiceNotes   = lazyregexp.New(`\([^)]*\)`)
)

// choicesIn are the values that a description names for a parameter: "one of: start, stop", "'a' or 'b'", "a|b".
func choicesIn(said string) []string {
	if len(said) > 4000 {
		said = said[:4000]
	}
	if m := quotedChoices.FindString(said); m != "" {
		return wordsIn(m, ",|/")
	}
	if m := choiceLead.FindStringSubmatch(said); m != nil {
		if list := wordsIn(m[1]+m[2], ",|/"); len(list) > 1 {
			return list
		}
	}
	if m := barredChoices.FindString(said); m != "" {
		return wordsIn(m, "|")
	}
	return nil
}

// wordsIn are the words of a list, or none if there is anything else in it.
func wordsIn(text, separators string) []string {
	text = strings.NewReplacer(" or ", ",", " and ", ",").Replace(choiceNotes.ReplaceAllString(text, ""))
	var list []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		word = strings.Trim(word, " \"'`*")
		switch {
		case word == "" || word == "or" || word == "and":
		case !choiceWord.MatchString(word):
			return nil
		case !slices.Contains(list, word):
			list = append(list, word)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}
