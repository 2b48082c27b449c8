// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/checks/internal/filekind"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// PowerShell has programs of its own for files. This package reads them as those of Unix that do the same, so that the same is judged.

// cmdlets are programs of Unix, each with what PowerShell has in its place.
var cmdlets = []struct{ unix, names string }{
	{"rm", "ri"},
	{"tee", "set-content add-content out-file tee-object clear-content ac clc"},
	{"cp", "copy-item cpi cp copy"},
	{"mv", "move-item rename-item mi rni ren mv move"},
	{"touch", "new-item ni"},
	{"cat", "get-content gc type"},
	{"ls", "get-childitem gci dir"},
	{"grep", "select-string sls"},
	{"zip", "compress-archive"},
	{"cd", "set-location sl chdir"},
}

// parameters are those of the cmdlets that take the next word, and -Recurse; each stands before a letter for what it is: a place, the destination, an
// expression, a value that names no file, or a recursion. PowerShell takes their beginnings, too.
const parameters = "-path p -literalpath p -filepath p -lp p -pspath p -target p -destination d -newname d -pattern e -recurse r -value v -encoding v -width v -inputobject v -include v -exclude v -filter v -itemtype v -name v -type v -depth v -stream v -delimiter v -tail v -totalcount v -first v -context v"

// asUnix returns the words of a command of PowerShell as those of the program of Unix that does the same; the words themselves if there is none, or if
// the policy lists the cmdlet.
func (j *judge) asUnix(words []string) []string {
	unix := ""
	for _, c := range cmdlets {
		if among(programName(words[0]), c.names) {
			unix = c.unix
		}
	}
	if unix == "" || j.listed(words) {
		return words
	}
	words = parted(words)
	list, plain, last := []string{unix}, false, ""
	for i := 1; i < len(words); i++ {
		word, kind := words[i], byte(0)
		if len(word) > 1 && word[0] == '-' {
			kind = 's' // a switch
			known := strings.Fields(parameters)
			for k := 0; k < len(known); k += 2 {
				if hasPrefix(known[k], trimSuffix(strings.ToLower(word), ":")) {
					kind = known[k+1][0]
					break
				}
			}
		}
		if i++; kind == 0 || kind == 's' || kind == 'r' {
			i--
		} else if i < len(words) {
			word = words[i]
		}
		switch {
		case kind == 'd':
			last = word
			continue
		case kind == 's', kind == 'v', kind == 0 && plain && unix == "tee": // the second is what is written
			continue
		case kind == 'r':
			word = "-r"
		case kind == 'e':
			word = "--regexp=x" // the words are all files
		default:
			plain = true
		}
		list = append(list, splitAt(word, ",")...)
	}
	if last != "" {
		list = with(list, last)
	}
	return list
}

// parted parts the names of parameters from their values: -Path:x.
func parted(words []string) (list []string) {
	for _, w := range words {
		if m := namedValue.FindStringSubmatch(w); m != nil {
			list = append(list, m[1], m[2])
		} else {
			list = with(list, w)
		}
	}
	return list
}

var namedValue = lazyregexp.New(`^(-[A-Za-z]+):([^$].*)$`)

// starts judges the commands of PowerShell that run a text or start a program, and reads the text.
func (w *windowsReader) starts(words []string) {
	line := strings.Join(words[1:], " ")
	switch program := programName(words[0]); {
	case anyWord(words, webClient.MatchString):
		w.refuse(-1, away+network, "sends to or fetches from a place that is no listed host")
	case among(program, "iex invoke-expression"):
		switch {
		case w.bracket || line == "" && w.behind:
			w.refuse(-1, piped, runsPrinted)
		case contains(line, "$"):
			w.refuse(-1, unread, "runs what the line does not tell")
		}
	case among(program, "start-process saps start"):
		words = slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return hasPrefix(w, "-") && !contains(w, " ") })
		line = strings.ReplaceAll(strings.Join(words, " "), ",", " ")
		if len(words) > 0 && contains(words[0], "://") {
			return
		}
	case among(program, "sal set-alias nal new-alias"):
		if anyWord(words[1:], func(w string) bool { _, bad := denied(programName(w)); return bad }) {
			w.refuse(-1, unread, "gives another name to a program that runs what it is told")
		}
		return
	case among(program, "rm ri del rd rmdir erase") && w.behind && !anyWord(words[1:], func(w string) bool { return w != "" && w[0] != '-' }):
		w.refuse(-1, wipe, "deletes what another command names")
		return
	default:
		return
	}
	if strings.TrimSpace(line) != "" && w.spend(len(line)) {
		w.commands = append(w.commands, w.windows(line)...)
	}
}

// webClient are classes and functions of .NET that reach the network.
var webClient = lazyregexp.New(`(?i)\bnet\.(webclient|webrequest|http|sockets)|\.(download|upload)(string|file|data|values)`)

// place returns a word of PowerShell with the home directory in place of its variables, and a name that this package knows in place of its profile.
func (w *windowsReader) place(word string) string {
	if w.cmd {
		return word
	}
	return profiles.ReplaceAllString(homes.ReplaceAllString(word, "~$3"), "~/.profile")
}

var (
	homes    = lazyregexp.New(`(?i)^\$(\{?env:(userprofile|home)\}?|\{?home\}?)($|[\\/])`)
	profiles = lazyregexp.New(`(?i)^\$\{?profile(\}|\.\w+|$).*`)
)

// redirected judges the file to which a redirection of PowerShell or cmd writes.
func (j *judge) redirected(word string) {
	switch {
	case word == "" || hasPrefix(word, "$null") || strings.EqualFold(word, "nul") || word[0] == '&':
	case j.namesSecret(word, j.directory):
		j.refuse(-1, secret, "redirects to or from a file that holds secrets or accounts")
	case filekind.Startup(word):
		j.refuse(-1, startup, "redirects to a file from which a shell, git or the system starts programs later")
	case ofSystem(word):
		j.refuse(-1, system, "redirects to or from a file or device of the system")
	default:
		j.leaves(-1, j.directory, word)
	}
}

// judgeRegistry refuses to change the registry and variables of the environment by the cmdlets for items.
func judgeRegistry(j *judge, s simple) {
	if !among(s.program(), "set-item new-item set-itemproperty new-itemproperty rename-itemproperty remove-itemproperty copy-item si ni sp rp") {
		return
	}
	for _, w := range s.words[1:] {
		if registry.MatchString(w) {
			j.refuse(-1, system, "changes the registry, from which Windows starts programs")
		}
		if at, name, ok := cut(w, ":"); ok && strings.EqualFold(at, "env") {
			j.variable(strings.Trim(name, `\/`)+"=x", true)
		}
	}
}

var registry = lazyregexp.New(`(?i)^(hk(cu|lm|cr|u|cc):|registry::)`)
