// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/wordset"
)

// launcherNames are programs that run a program of a package: npx rimraf dist.
const launcherNames = "npx bunx pnpx uvx pipx npm pnpm yarn bun uv deno"

// eraserNames are programs of packages. They delete their operands, directories with everything in them. The removals of the system have options for that.
const eraserNames = "rimraf rmrf del-cli trash trash-cli trash-put rm-cli premove"

var erasers = wordset.New(eraserNames)

// packaged are programs of packages, beside the system's own, for deleting, writing or copying files.
var packaged = wordset.New(eraserNames + " shx mkdirp make-dir make-dir-cli touch-cli renamer cpy cpy-cli cpx cpx2 cpr ncp copyfiles move-cli move-file-cli degit tiged giget")

// launched returns the index of the program behind a package manager, if these tables know its words; 0 if not. By
// another name stands whatever its author wrote, as with any package.
func launched(program string, words []string, r *grammar.Reading) int {
	names := r.Operands
	direct := false
	switch {
	case len(names) == 0, !among(program, launcherNames):
		return 0
	case among(program, "npx bunx pnpx uvx"):
	case len(names) > 1 && among(words[names[0]], "exec x dlx run") && (program != "npm" && program != "pnpm" && program != "yarn" || words[names[0]] != "run") && program != "uv":
		names = names[1:]
	case len(names) > 2 && program == "uv" && words[names[0]] == "tool" && words[names[1]] == "run":
		names = names[2:]
	case among(program, "pnpm yarn"):
		if direct = true; words[names[0]] == "run" {
			names = names[1:]
		}
	default:
		return 0
	}
	if len(names) == 0 {
		return 0
	}
	for k, i := range names[:min(len(names), 3)] {
		if k > 0 && !hasPrefix(words[i-1], "-") && !hasPrefix(words[names[0]-1], "-") {
			break // what stands before is the program, and not the value of an option
		}
		name := packageProgram(words[i])
		if packaged.Has(name) || k == 0 && channels(name) || !direct && (callerOf(name) != 0 || among(name, relays) || writers.Has(name) || copiers.Has(name) || among(name, shellNames) || among(name, interpreterNames) || languageOf(name) != nil || grammar.Lookup(name) != nil && !shows.Has(name) || rewriting()[name] != nil) && ordinary(name) {
			return i
		}
	}
	return 0
}

// ordinary reports whether a name is not refused by default, or only as a shell: packages have names like those of programs that nobody would fetch.
func ordinary(name string) bool {
	why, bad := denied(name)
	return !bad || why.kind == inShell
}

// channels reports whether a name is of a program that opens connections for others.
func channels(name string) bool {
	why, _ := denied(name)
	return why.kind == network
}

// packageProgram returns the program that the name of a package stands for: without its version and the registry.
func packageProgram(word string) string {
	word = trimPrefix(trimPrefix(word, "npm:"), "jsr:")
	if i := strings.IndexByte(word, '@'); i > 0 {
		word = word[:i]
	}
	if contains(word, "/") {
		return "" // of a scope, or a path
	}
	return programName(word)
}
