// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/toolvet/toolvet/check"
)

// Options are what a policy demands of a command. The zero Options demand what holds for every
// command: that it needs no shell, and starts no dangerous program.
//
// Options must not be changed once a check has seen them. They are safe for concurrent use.
type Options struct {
	Programs     []string            `policy:"programs" doc:"programs that may run: a name (git), an absolute path (/usr/bin/git), or either with its first words (git log); a name stands for its path in a system directory too, a path never for a name; default: every program that is not known to run anything it is told"`
	Flags        map[string][]string `policy:"flags" doc:"by program (* is every other): regular expressions, one of which each whole word that begins with a dash must match"`
	Arguments    []string            `policy:"arguments" doc:"regular expressions, one of which each whole word must match that is neither the program nor a flag"`
	EndOfOptions bool                `policy:"end_of_options" doc:"true: words that are not flags must stand after --"`
	Shell        string              `policy:"shell" doc:"who reads a command line: sh, bash, powershell, cmd, none, if the server splits it into words itself, or patch, if it is a patch and no command; default: sh and bash"`
	Allow        []string            `policy:"allow" doc:"what else a command may do: substitution, redirection, pipe, and, list, background, glob, expansion, escape, comment, newline, assignment, compound; interpreter (all of shell, code, sum, edit, project, starter, setting, environment, package, later, elsewhere, piped, unread), destructive (all of system, wipe), files (all of secret, startup, guard), network, privilege, credential, outside, temporary"`
	Deny         []string            `policy:"deny" doc:"what a command must not do, though nothing else refuses it: sending (to send to an address that is set up: git push, gh, aws), steering (to change a file that tells agents or builds what to do: AGENTS.md, package.json, Makefile), roaming (to look at a place outside the server's directories; a home directory is none of them), deleting (to delete a directory with all in it, or files that the line does not name), doubtful (what this check cannot place: an unknown option of a filter, another makefile than the project's, deep nesting)"`
	Hosts        []string            `policy:"hosts" doc:"hosts, such as example.org or *.example.org, to which programs for the network may connect; default: any"`
	Inside       bool                `policy:"inside" doc:"true: commands must not change files outside the server's directories, unless allow says so (outside, temporary)"`
	MaxLength    int                 `policy:"max_length" doc:"how long it may be, all words together, in bytes; default 32768"`

	Exists *bool `policy:"exists" doc:"true: the program must exist and be executable; false: it is not looked for; default: a warning if it does not"`

	once sync.Once
	made compiled
}

// The things that a command can do beyond running one plain program.
const (
	substitution = "substitution"
	redirection  = "redirection"
	pipe         = "pipe"
	and          = "and"
	list         = "list"
	background   = "background"
	glob         = "glob"
	expansion    = "expansion"
	escape       = "escape"
	comment      = "comment"
	newline      = "newline"
	assignment   = "assignment"
	compound     = "compound"

	inShell     = "shell"       // starts a shell; a line that it is given is judged like any other
	inCode      = "code"        // gives a program code to run
	sum         = "sum"         // gives a program code that only computes and prints
	edit        = "edit"        // gives a program code that also reads and writes files
	project     = "project"     // runs what the project's own files and packages tell
	starter     = "starter"     // starts any program, which is judged as far as it can be told
	setting     = "setting"     // makes a program start another one, or load settings, by its options
	environment = "environment" // sets a variable that makes programs run or load something else
	fetched     = "package"     // installs or runs what an address of the caller's choice holds
	later       = "later"       // makes something run at another time
	elsewhere   = "elsewhere"   // gives a shell on another host a command
	piped       = "piped"       // runs what another command prints
	unread      = "unread"      // runs what the line does not tell

	system = "system" // changes the system's own directories, devices, users
	wipe   = "wipe"   // deletes, overwrites or publishes

	secret  = "secret"  // names files that hold secrets or accounts
	guard   = "guard"   // changes a program that guards the agent; what allows startup allows it
	startup = "startup" // names files from which a shell, git, an agent or the system starts programs later

	network    = "network"    // sends to, or fetches from, an address of the caller's choice
	privilege  = "privilege"  // changes to another user
	credential = "credential" // shows a variable that holds a secret
	outside    = "outside"    // changes a file outside the server's directories
	temporary  = "temporary"  // changes a file in a directory for temporary files

	sending  = "sending"  // sends to an address that is set up already
	steering = "steering" // changes a file that tells agents or builds what to do
	roaming  = "roaming"  // looks at a place outside the server's directories
	deleting = "deleting" // deletes a directory, or files that the line does not name
	doubtful = "doubtful" // does what this check cannot place
)

// away stands before a kind if the finding is about something sent to another host: see [check.Finding.Sends].
const away = ">"

// deniable are the things that are fine unless a policy denies them.
var deniable = []string{sending, steering, roaming, deleting, doubtful}

// umbrellas are names for several things.
var umbrellas = []struct {
	name  string
	parts []string
}{
	{"interpreter", []string{inShell, inCode, sum, edit, project, starter, setting, environment, fetched, later, elsewhere, piped, unread}},
	{"destructive", []string{system, wipe}},
	{"files", []string{secret, startup}},
}

var allowable = []string{
	substitution, redirection, pipe, and, list, background, glob, expansion, escape, comment, newline, assignment, compound,
	"interpreter", inShell, inCode, sum, edit, project, starter, setting, environment, fetched, later, elsewhere, piped, unread,
	"destructive", system, wipe, "files", secret, startup, network, privilege, credential, outside, temporary,
}

var shells = []string{"", "sh", "bash", "powershell", "cmd", "none", patchShell}

// Limits for any policy.
const (
	defaultLength = 32 << 10
	maxLength     = 1 << 20
	maxWords      = 4096
)

// compiled is what is made of the options once.
type compiled struct {
	programs  map[string][][]string // by program: the words that must follow it
	names     string                // of the programs, for messages
	flags     map[string][]*regexp.Regexp
	arguments []*regexp.Regexp
	allow     map[string]bool
	deny      []string
	length    int
	hosts     []string
	inside    bool
	err       error // the options are wrong, so that nothing can be judged
}

func (o *Options) compile() *compiled {
	o.once.Do(func() {
		c := &o.made
		c.allow = make(map[string]bool)
		for _, name := range o.Allow {
			c.allow[name] = true
			for _, u := range umbrellas {
				for _, part := range u.parts {
					c.allow[part] = c.allow[part] || u.name == name
				}
			}
		}
		c.deny = o.Deny
		c.hosts = o.Hosts
		c.inside = o.Inside
		c.length = defaultLength
		if o.MaxLength > 0 {
			c.length = min(o.MaxLength, maxLength)
		}
		if len(o.Programs) > 0 {
			c.programs = make(map[string][][]string)
		}
		for _, entry := range o.Programs {
			name, rest := splitProgram(entry)
			c.programs[name] = append(c.programs[name], rest)
		}
		c.names = enumerate(slices.Clone(o.Programs), "none")
		c.flags = make(map[string][]*regexp.Regexp)
		for program, patterns := range o.Flags {
			c.flags[program], c.err = compileAll(patterns, c.err)
		}
		c.arguments, c.err = compileAll(o.Arguments, c.err)
	})
	return &o.made
}

// splitProgram splits an entry into the program and the words that must follow it. The
// path of a program may hold blanks.
func splitProgram(entry string) (name string, rest []string) {
	if hasPrefix(entry, "/") || contains(entry, `\`) {
		return entry, nil
	}
	words := strings.Fields(entry)
	if len(words) == 0 {
		return "", nil
	}
	return words[0], words[1:]
}

func compileAll(patterns []string, before error) ([]*regexp.Regexp, error) {
	list := make([]*regexp.Regexp, 0, len(patterns))
	for _, p := range patterns {
		re, err := regexp.Compile(`^(?s:` + p + `)$`)
		if err != nil {
			before = err
			continue
		}
		list = append(list, re)
	}
	return list, before
}

// problems reports what is wrong with the options.
func (o *Options) problems() []check.Problem {
	var list problems
	fail := list.fail
	if !holds(shells, o.Shell) {
		fail("shell", "must be %s", strings.Join(shells[1:], ", "))
	}
	for _, name := range o.Allow {
		if !holds(allowable, name) {
			fail("allow", "must hold only %s", strings.Join(allowable, ", "))
			break
		}
	}
	for _, name := range o.Deny {
		if !holds(deniable, name) {
			fail("deny", "must hold only %s", strings.Join(deniable, ", "))
			break
		}
	}
	if o.Programs != nil && len(o.Programs) == 0 {
		fail("programs", "lists no program, so that no command would be allowed: leave it out, or list one")
	}
	for _, p := range o.Programs {
		if strings.TrimSpace(p) == "" {
			fail("programs", "must not hold an empty name")
		}
	}
	if o.MaxLength < 0 || o.MaxLength > maxLength {
		fail("max_length", "must be from 1 to %d bytes", maxLength)
	}
	for _, program := range slices.Sorted(maps.Keys(o.Flags)) {
		expressionProblems(fail, "flags", o.Flags[program])
	}
	expressionProblems(fail, "arguments", o.Arguments)
	return list
}

// problems are what is wrong with options.
type problems []check.Problem

func (p *problems) fail(field, format string, args ...any) {
	*p = append(*p, check.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
}

func expressionProblems(fail func(field, format string, args ...any), field string, patterns []string) {
	for i, p := range patterns {
		if _, err := compileAll([]string{p}, nil); err != nil {
			fail(field, "number %d is not a regular expression: %v", i+1, err)
		}
	}
}
