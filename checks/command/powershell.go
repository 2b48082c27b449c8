// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// PowerShell within a line of another shell: this package reads no more of it than its words. It asks about every cmdlet unless it is known to look only.

const powerShellNames = "pwsh powershell"

// environment refuses a word of PowerShell that inserts a variable which, going by its name, holds a secret, or that names all variables.
func (j *judge) environment(word string) {
	for _, m := range environmentDrive.FindAllStringSubmatch(word, maxOthers) {
		if m[1] == "" || secretVariable(m[1]) {
			j.refuse(-1, credential, "shows a variable that, going by its name, holds a secret, or all variables")
		}
	}
}

// environmentDrive is how PowerShell names variables of the environment: $env:NAME, or as files of a drive.
var environmentDrive = lazyregexp.New(`(?i)^env:[\\/*]*$|(?:^|\$\{?)env:[\\/*?]*(\w+)`)

// judgePowerShell judges the text that a PowerShell is given by an option, as words, or on standard input.
func judgePowerShell(j *judge, s simple, r *grammar.Reading) {
	text, given := "", false
	for _, use := range r.Uses {
		if use.Kind == grammar.Line {
			text, given = use.Value, true
		}
	}
	if j.powerShellScript(s) {
		return
	}
	if !given && len(r.Operands) > 0 && (s.program() == "powershell" || !powerShellFile.MatchString(s.first(r))) {
		text, given = strings.Join(s.words[r.Operands[0]:], " "), true
	}
	if in := s.fed(); in != nil && (!given || strings.TrimSpace(text) == "-") {
		text, given = *in, true
	}
	if !given || powerShellFile.MatchString(text) {
		return
	}
	for _, word := range fieldsBy(text, " \t\r\n;|&(){}[]'\"`,=<>") {
		if j.namesSecret(word, j.directory) {
			j.refuse(-1, secret, "names a file that holds secrets or accounts")
		}
		j.environment(word)
	}
	if !powerShellLooks(text) {
		j.refuse(-1, inCode, "gives PowerShell commands that may do more than look")
	}
}

// powerShellScript reports whether a command runs a script by -File, behind plain options alone. It judges a script of the line's own.
func (j *judge) powerShellScript(s simple) bool {
	for i := 1; i+1 < len(s.words); i++ {
		switch w := strings.ToLower(s.words[i]); {
		case among(w, "-noprofile -nologo -noninteractive -sta -mta -login"):
		case among(w, "-executionpolicy -ep -ex -windowstyle -version"):
			i++
		case w != "-file" || !powerShellFile.MatchString(s.words[i+1]):
			return false
		default:
			if text, written := j.made[j.at(s.words[i+1])]; written && text == insertion {
				j.refuse(-1, piped, runsPrinted)
			} else if written {
				j.refuse(-1, inCode, runsWritten)
			}
			return true
		}
	}
	return false
}

// powerShellFile is the name of a script, which the project has.
var powerShellFile = lazyregexp.New(`(?i)^[\w./\\:~-]+\.ps1(\s|$)`)

// powerShellLooks reports whether each command of a text only looks, or is a program that builds and tests.
func powerShellLooks(text string) bool {
	if strings.TrimSpace(text) == "" || powerShellActs.MatchString(text) {
		return false
	}
	for _, one := range fieldsBy(text, ";|\n{") {
		one = strings.Trim(one, " \t\r}")
		if one != "" && !powerShellReads.MatchString(one) {
			return false
		}
	}
	return true
}

var (
	powerShellActs  = lazyregexp.New("(?i)[&><`]|\\[[\\w.]+\\]|::|\\$\\(|@\\(|\\benv:|credential|\\.(invoke|delete|kill|create|move|copyto|replace)\\w*\\(|remove-|-path.*registry|hk(lm|cu)|get-(clipboard|content.*secret)")
	powerShellReads = lazyregexp.New(`(?i)^(get-(childitem|content|item|itemproperty|location|date|process|service|command|help|module|host|member|filehash|volume|psdrive|culture|random|unique|verb|variable|alias|history|installedmodule|computerinfo)|select-(object|string|xml)|where(-object)?|sort(-object)?|measure-(object|command)|group-object|format-(list|table|wide)|compare-object|` +
		`write-(host|output|verbose|warning|error)|test-(path|json)|resolve-path|join-path|split-path|convert(from|to)-(json|csv)|out-(string|null|host)|invoke-(pester|scriptanalyzer)|import-module [\w.]+|set-strictmode|set-location|\$psversiontable[\w.]*|\$_[\w.]* -\w+ [\w.'"*-]+|gci|ls|dir|pwd|echo|whoami|hostname|exit)( [\w\s.,:/\\*'"$=-]*)?$`)
)
