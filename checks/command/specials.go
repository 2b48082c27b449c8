// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/toolvet/toolvet/checks/command/internal/grammar"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A special judges programs for which words count together, beyond the table of options.
type special struct {
	programs string
	judge    func(j *judge, s simple, r *grammar.Reading)
}

var specials = []special{
	{"git", judgeGitConfig},
	{"npm pnpm yarn bundle bundler aws gh", judgeSettings},
	{"export declare typeset readonly local setenv", judgeExport},
	{"toolvet", judgeToolvet},
	{"systemctl loginctl", judgeServices},
	{"env printenv export declare set", judgeDump},
	{"ssh slogin autossh", judgeSSH},
	{"rm del rd rmdir shred chmod chown chgrp", judgeRemoval},
	{"kill", judgeKill},
	{"sed gsed", judgeSed},
	{"psql mysql mariadb sqlite3 sqlcmd mysqlsh pgcli mycli usql duckdb rsql cockroach clickhouse-client mongo mongosh redis-cli", judgeStatement},
}

// each refuses every word after the program that bad holds of.
func (j *judge) each(s simple, kind, what string, bad func(i int, word string) bool) {
	for i, w := range s.words {
		if i > 0 && bad(i, w) {
			j.refuse(s.element(i), kind, s.place(i)+what)
		}
	}
}

// judgeGitConfig judges what "git config" sets.
func judgeGitConfig(j *judge, s simple, r *grammar.Reading) {
	if r.Sub != "config" {
		return
	}
	operands := r.Operands[1:]
	if len(operands) > 0 && among(s.words[operands[0]], "set get list unset edit") {
		operands = operands[1:]
	}
	if len(operands) > 1 && !gitSettings.MatchString(s.words[operands[0]]) {
		j.refuse(-1, setting, classOf("git-setting").what)
	}
}

// settings are those of package managers and the like by which they start programs, or get packages from elsewhere.
var settings = lazyregexp.New(`(?i)^((@[\w.-]+:)?registry|npmRegistryServer|script-shell|shell|node-options|editor|pager|git|viewer|init-module|userconfig|globalconfig|yarnPath|plugins(\.\w+)*|mirror\..*|([\w-]+\.)*(credential_process|endpoint_url))(=|$)`)

// judgeSettings judges what "npm config set" and its like set, lastingly.
func judgeSettings(j *judge, s simple, r *grammar.Reading) {
	operands := r.Operands
	if len(operands) == 0 || !among(s.words[operands[0]], "config conf c set configure") {
		return
	}
	sets := s.words[operands[0]] == "set"
	for _, i := range operands[1:] {
		switch w := s.words[i]; {
		case among(w, "get list ls delete rm unset"):
			return
		case w == "set":
			sets = true
		case settings.MatchString(w) && (sets || i+1 < len(s.words)) && (i+1 >= len(s.words) || s.words[i+1] != ""):
			j.refuse(s.element(i), setting, "sets a program to start, or where packages come from")
			return
		}
	}
}

// finders start programs in the middle of their words.
var finders = set("find gfind bfs")

// found judges the commands in the words of find. Each ends in a semicolon or a plus.
func (j *judge) found(s simple, depth int) {
	for i := 1; i < len(s.words); i++ {
		if !among(s.words[i], "-exec -execdir -ok -okdir") {
			continue
		}
		end := i + 1
		for end < len(s.words) && s.words[end] != ";" && s.words[end] != "+" {
			end++
		}
		if started := s.words[i+1 : end]; len(started) > 0 {
			j.simple(simple{words: started, array: s.array, offset: s.offset + i + 1}, depth+1)
		}
		i = end
	}
}

// looking are commands of toolvet that only look.
const looking = "check tools servers policy log explain version doctor rehearse audit help demo completion"

// judgeToolvet refuses to change what toolvet itself guards.
func judgeToolvet(j *judge, s simple, r *grammar.Reading) {
	if len(r.Operands) == 0 {
		return
	}
	name := s.words[r.Operands[0]]
	look := among(name, looking)
	if name == "hook" && len(r.Operands) > 1 {
		look = among(s.words[r.Operands[1]], "status doctor")
	}
	if !look {
		j.refuse(-1, startup, "changes what guards the agent, or lets calls pass it")
	}
}

// judgeServices refuses to have the system start something later, where commands must stay in their place.
func judgeServices(j *judge, s simple, r *grammar.Reading) {
	if j.inside && len(r.Operands) > 0 && among(s.words[r.Operands[0]], "enable reenable link edit add-wants add-requires set-default import-environment set-environment enable-linger") {
		j.refuse(-1, outside, "has the system start something later")
	}
}

// judgeDump refuses to print the whole environment, or a variable of it that holds a secret.
func judgeDump(j *judge, s simple, r *grammar.Reading) {
	if j.listed(s.words) {
		return
	}
	all := len(s.words) == 1 || s.words[0] == "export" && len(s.words) == 2 && s.words[1] == "-p" || s.words[0] == "declare" && len(s.words) == 2 && s.words[1] == "-x"
	if all && (s.words[0] != "env" || len(r.Variables) == 0) {
		j.refuse(-1, credential, "prints all variables of the environment, also those that hold secrets")
		return
	}
	if programName(s.words[0]) == "printenv" {
		j.each(s, credential, "prints a variable that, going by its name, holds a secret", func(_ int, w string) bool { return secretVariable(w) })
	}
}

// judgeSSH refuses a command for the other host: a shell there reads it.
func judgeSSH(j *judge, _ simple, r *grammar.Reading) {
	if len(r.Operands) > 1 {
		j.refuse(-1, elsewhere, "gives a shell on another host a command")
	}
}

func judgeExport(j *judge, s simple, _ *grammar.Reading) {
	for _, w := range s.words[1:] {
		if strings.IndexByte(w, '=') > 0 {
			j.variable(w, true)
		}
	}
}

// judgeRemoval refuses a whole directory at once, where it is the one that work is in.
func judgeRemoval(j *judge, s simple, r *grammar.Reading) {
	if !r.Gave("-r", "-R", "--recursive", "--no-preserve-root", "/s", "/S") {
		return
	}
	j.each(s, wipe, "names a whole directory, which the program would change with all that is in it", func(_ int, w string) bool {
		switch strings.TrimSuffix(w, "/") {
		case ".", "..", "*", "./*", "~", "./.", "../..", "$HOME":
			return true
		}
		return false
	})
}

func judgeKill(j *judge, s simple, _ *grammar.Reading) {
	j.each(s, system, "ends every process, or the first", func(i int, w string) bool {
		return i > 1 && (w == "-1" || w == "0") || w == "1" && s.words[i-1] != "-s" && s.words[i-1] != "-n"
	})
}

var statement = lazyregexp.New(`(?i)(^|[=;\s"'\\])(drop\s+(database|table|schema|user|role|owned|index|view|collection)|truncate\s+(table\s+)?\w|delete\s+from|alter\s+(system|user|role)|grant\s|revoke\s|shutdown|flushall|flushdb|copy\s.*\sprogram\s|load\s+data|into\s+(out|dump)file|create\s+(extension|function|language)|\\!|\\o\s*\||system\s+\S|\.shell|\.system|dropdatabase)`)

// judgeStatement looks at statements for a database; the demand sql judges those that a
// tool takes as such.
func judgeStatement(j *judge, s simple, _ *grammar.Reading) {
	j.each(s, wipe, "holds a statement that deletes, changes rights or runs programs", func(_ int, w string) bool { return statement.MatchString(w) })
}
