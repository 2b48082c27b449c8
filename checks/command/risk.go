// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// consequence says what a kind of entries in the table of options is refused for, and what
// allows it.
type consequence struct {
	kind        grammar.Kind
	allow, what string
}

var consequences = []consequence{
	{grammar.Runs, setting, "makes the program start another one, run code or load settings"},
	{grammar.Own, project, "makes the program run what the files of the project tell"},
	{grammar.Starts, starter, "makes the program start another one"},
	{grammar.Fetches, fetched, "makes the program install or run code from an address of the caller's choice"},
	{grammar.Code, inCode, givesCode},
	{grammar.Wipes, wipe, "makes the program delete, overwrite or publish"},
	{grammar.Reaches, network, "makes the program send to or fetch from an address of the caller's choice"},
	{grammar.Touches, secret, "names a file that the program should leave alone"},
	{grammar.Shows, credential, "makes the program print a password, a key or a token"},
}

const givesCode = "gives the program code to run"

func consequenceOf(kind grammar.Kind) (c consequence, bad bool) {
	for _, c := range consequences {
		if c.kind == kind {
			return c, true
		}
	}
	return consequence{}, false
}

// options judges the words of a program by the table of options, and by code where words count
// together. depth counts the programs that start it.
func (j *judge) options(program string, s simple, r *grammar.Reading, depth int) {
	for _, use := range r.Uses {
		if use.Kind == grammar.Code && use.Class == "" {
			j.interpret(s.element(use.Word), s.place(use.Word), program, use.Value, depth)
			continue
		}
		j.use(s, r, use)
	}
	if m := r.Module; len(m) > 0 && depth < maxNested {
		inner := simple{words: m, array: s.array, offset: s.offset + len(s.words) - len(m)}
		j.options(m[0], inner, reading(m[0], m), depth+1)
		for _, i := range rewritten(m[0], inner, reading(m[0], m)) {
			if ofSystem(m[i]) {
				j.refuseWord(&inner, i, system, "names a directory or device of the system, which the program would change")
			}
			j.leaves(inner.element(i), j.directory, m[i])
		}
	} else if len(m) > 0 {
		j.refuse(-1, inCode, givesCode)
	}
	for _, special := range specials {
		if among(program, special.programs) {
			special.judge(j, s, r)
		}
	}
	if clientNames()[program] {
		judgeDeletes(j, s, r)
	}
}

// use judges the use of one entry of the table.
func (j *judge) use(s simple, r *grammar.Reading, use grammar.Use) {
	if use.Kind == grammar.Warns && !j.allow[wipe] && !(j.inside && clientNames()[s.program()]) { // judgeDeletes tells more
		// what people do with the program in good faith, and cannot take back
		j.add(s.element(use.Word), check.Finding{Severity: check.Warning, Message: s.place(use.Word) + "stops or destroys something for good", Suggestion: mendOf(wipe)})
	}
	c, bad := consequenceOf(use.Kind)
	if !bad || use.Kind == grammar.Wipes && (s.excused(r) || j.inside && cleans(s.words, r)) || use.Kind == grammar.Reaches && len(j.hosts) > 0 && ownAddress.MatchString(use.Value) {
		return
	}
	if use.Class != "" {
		class := classOf(use.Class)
		if module, _, _ := cut(use.Value, "@"); class.name == "versioned" && len(j.hosts) > 0 && (listedHost(j.hosts, splitAt(module, "/")[0]) || moduleHosts.MatchString(module)) {
			return // a module by its name, as of a registry
		}
		if !class.holds(use.Value) || class.name == "world-writable" && j.ownWork(use.Value) {
			return // what the line itself writes there is judged
		}
		if class.what != "" {
			c.what = class.what
		}
		if class.sends {
			c.allow = away + c.allow
		}
		if contains(use.Value, printedFile) {
			if k := use.Word; k > 1 && s.words[k][0] != '-' && !hasPrefix(s.words[k-1], "-") {
				return // a file of data
			}
			if c.allow, c.what = piped, runsPrinted; among(s.program(), containers) {
				c.allow = elsewhere // a person may consent to what runs in a container
			}
		}
	}
	j.refuseWord(&s, use.Word, c.allow, c.what)
}

// cleans reports whether the words of a git clean name the places that it deletes, as an rm does.
func cleans(words []string, r *grammar.Reading) bool {
	for k, i := range r.Operands {
		if k == 0 && words[i] != "clean" || k > 0 && !ownPlaces.MatchString(words[i]) {
			return false
		}
	}
	return len(r.Operands) > 1
}

func (s *simple) excused(r *grammar.Reading) bool {
	if s.program() == "gh" && len(r.Operands) > 1 && s.words[r.Operands[0]] == "api" && s.words[r.Operands[1]] == "graphql" {
		return anyWord(s.words, readingQuery.MatchString) && !anyWord(s.words, func(w string) bool {
			return contains(w, "mutation") || hasPrefix(w, "--input") || hasPrefix(w, "-X") || hasPrefix(w, "--method") || contains(w, "=@")
		})
	}
	if among(s.program(), "docker podman") && len(r.Operands) > 1 && s.words[r.Operands[1]] == "prune" {
		return among(s.first(r), "builder buildx") || s.words[r.Operands[0]] == "image" && !anyWord(s.words, func(w string) bool {
			return hasPrefix(w, "--a") || hasPrefix(w, "-") && !hasPrefix(w, "--") && contains(w, "a")
		})
	}
	for _, use := range r.Uses {
		if use.Kind == grammar.Excuses {
			return true
		}
	}
	return false
}

// ownPlaces are names below the directory of the shell.
var ownPlaces = lazyregexp.New(`^(\./)?(\.?[\w@ -]+(\.[\w@ -]+)*/?)+$`)

// moduleHosts name modules of Go that well-known projects publish under a host of their own.
var moduleHosts = lazyregexp.New(`^((sigs\.)?k8s\.io|go\.etcd\.io|go\.uber\.org|go\.opentelemetry\.io|go\.k6\.io|google\.golang\.org|gotest\.tools|gopkg\.in|mvdan\.cc|honnef\.co|modernc\.org|entgo\.io|gorm\.io|helm\.sh|istio\.io|knative\.dev|tailscale\.com|cuelang\.org|oras\.land|rsc\.io|filippo\.io|goa\.design|dagger\.io|cloud\.google\.com|go\.mongodb\.org|go\.starlark\.net|pault\.ag)/`)

// readingQuery is a query for GraphQL that changes nothing.
var readingQuery = lazyregexp.New(`^query=\s*(query\b|\{)`)

// first is the first of the words that are no options; "" if there is none.
//
//go:noinline
func (s *simple) first(r *grammar.Reading) string {
	if len(r.Operands) == 0 {
		return ""
	}
	return s.words[r.Operands[0]]
}

// element is where a fault in a word is told.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (s *simple) element(i int) int {
	if s.array {
		return s.offset + i
	}
	return -1
}

// plainOption is an option that holds no value, and so no secret: messages may repeat it.
var plainOption = lazyregexp.New(`^(--[a-z][a-z-]{1,30}|-[A-Za-z]{1,3})$`)

// place names a word of a line; an element of an array has a pointer of its own.
// It is not inlined: its copies weigh more than they save.
//
//go:noinline
func (s *simple) place(i int) string {
	if s.array {
		return ""
	}
	if i < len(s.words) && plainOption.MatchString(s.words[i]) {
		return fmt.Sprintf("word %d (%s) ", s.offset+i+1, s.words[i])
	}
	return fmt.Sprintf("word %d ", s.offset+i+1)
}
