// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// The names that code may call without a question stand in the table of programs: they compute, or read and write the files that their texts name.
// Functions that start programs, delete or send are not there, so code cannot call them in any way. Beside them stand the modules of Python's library that
// do more than compute: what they hand out must be known by name.

var (
	called         = lazyregexp.New(`([\w$]+)\s*\(`)
	decorator      = lazyregexp.New(`(?m)^[ \t]*@[ \t]*(?:\w+\.)*(\w+)`)
	pythonDefined  = lazyregexp.New(`\b(?:def|class)\s+(\w+)|\b(\w+)\s*=\s*lambda\b`)
	scriptDefined  = lazyregexp.New(`\b(?:function\s*\*?|class)\s+([\w$]+)|\bconst\s+([\w$]+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>|([\w$]+)[ \t]*\([^()]*\)[ \t]*\{`)
	assigned       = lazyregexp.New(`([\w$]+)\s*(?:\*\*|>>|<<|[-+*/|&^%:?]{0,2})=[^=>]|\[([^\[\]]*)\]\s*=[^=>]|\{([^{}]*)\}\s*=[^=>]|(?m:^([\w ,*]+)=[^=>])|\bfor\b([^;:{}\n]*?)\b(?:in|of)\b|\bas\s+(\w+)`)
	memberAssigned = lazyregexp.New(`\.\s*([\w$]+)\s*=[^=>]`)
	notNames       = lazyregexp.New(`[^\w$]+`)
	pythonKeywords = `and or not in is if elif else while for return yield await lambda assert del with except raise from as class import`
	scriptKeywords = `if for while switch catch return typeof await of in function async throw void do else case yield instanceof constructor default`
)

// ofModule reports whether code ends with the name of a module and a dot.
func ofModule(code, module string) bool {
	code, found := strings.CutSuffix(code, module+".")
	return found && (code == "" || !isNamePart(code[len(code)-1]) && code[len(code)-1] != '.')
}

// callsKnown reports whether code calls only harmless functions of the list, its own functions, and those of modules of the
// project. A variable is none of these: it may hold any function.
func (l *language) callsKnown(code string, taken, modules []string) bool {
	known, keywords, defines := grammar.List("python"), pythonKeywords, pythonDefined
	if l.script {
		known, keywords, defines = grammar.List("script"), scriptKeywords, scriptDefined
	}
	times, members := map[string]int{}, map[string]bool{} // how often a variable, and whether a member, is given a value
	for _, m := range assigned.FindAllStringSubmatch(code, -1) {
		for _, names := range m[1:] {
			for _, name := range notNames.Split(names, -1) {
				times[name]++
			}
		}
	}
	for _, m := range memberAssigned.FindAllStringSubmatch(code, -1) {
		members[m[1]] = true
	}
	own, listed := map[string]bool{}, map[string]bool{}
	for _, m := range defines.FindAllStringSubmatch(code, -1) {
		for i, name := range m[1:] {
			own[name] = own[name] || i == 1 && times[name] == 1 || i != 1 && times[name] == 0
		}
	}
	for _, name := range taken {
		own[name] = own[name] || times[name] <= 1
	}
	for _, name := range known {
		listed[name] = true
	}
	harmless := func(name string, member bool) bool {
		if own[name] && !members[name] {
			return true
		}
		if member && members[name] || !member && times[name] > 0 {
			return false
		}
		return listed[name] || !l.script && (hasPrefix(name, "is") || hasPrefix(name, "assert")) || hasSuffix(name, "Error") || hasSuffix(name, "Exception")
	}
	for _, m := range called.FindAllStringSubmatchIndex(code, -1) {
		name, member := code[m[2]:m[3]], hasSuffix(strings.TrimRight(code[max(0, m[2]-looksBack):m[2]], " \t\n"), ".")
		if member && anyWord(modules, func(module string) bool {
			return times[module] == 0 && ofModule(code[max(0, m[2]-looksBack):m[2]], module)
		}) {
			continue
		}
		if !harmless(name, member) && (member || !among(name, keywords)) {
			return false
		}
	}
	if !l.script {
		for _, m := range decorator.FindAllStringSubmatch(code, -1) {
			if !harmless(m[1], false) {
				return false
			}
		}
	}
	return true
}
