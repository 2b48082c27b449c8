// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/cmd/internal/hook"
	"github.com/toolvet/toolvet/cmd/internal/hook/builtin"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/schema"
)

// ofAgent reports whether the tools of a server are a coding agent's own.
func ofAgent(s *policy.Server) bool {
	_, host := hook.Lookup(s.Name)
	return s.Agent || host && !reached(s)
}

// reached reports whether the policy says how to reach a server.
func reached(s *policy.Server) bool {
	return s.Command != nil || s.Drafted != nil || s.URL != "" || s.Lacks()
}

// toolsOfHost returns the tools that a host of agents brings along; nil for another server.
func toolsOfHost(s *policy.Server) *call.Catalog {
	if !ofAgent(s) {
		return nil
	}
	listed, err := builtin.Catalog(s.Name)
	if err != nil { // a test reads all of them
		return nil
	}
	return listed
}

// kindWords say what agents do, by the kinds of presets.
var kindWords = map[string]string{
	"secret":      "naming a file with keys, passwords or accounts",
	"piped":       "running what another command prints or fetches",
	"system":      "changing the system's directories, disks or users",
	"outside":     "changing a file outside the project",
	"wipe":        "deleting, overwriting or publishing at large",
	"guard":       "changing a program that guards the agent",
	"startup":     "changing what starts later: shell profiles, git hooks, CI",
	"later":       "commands for another time",
	"privilege":   "another user's rights, as by sudo",
	"network":     "talking to an unlisted host",
	"credential":  "printing or inserting what holds a secret",
	"environment": "variables that decide what programs run",
	"package":     "packages from an address instead of a registry",
	"setting":     "options by which a program starts another",
	"code":        "code that starts programs, reaches the network or cannot be understood",
	"elsewhere":   "commands for another machine",
	"unread":      "commands that the line does not tell",
	"project":     "what files and packages of the project tell programs to run",
	"sum":         "code that only computes",
	"edit":        "code that reads and writes files of the project",
	"temporary":   "changing a file in a directory for temporary files",
	"shell":       "a shell with a line of its own",
	"starter":     "programs that start others",
	"steering":    "changing a file that tells agents or builds what to do",
	"roaming":     "looking at a place outside the project",
	"deleting":    "deleting a directory with all in it",
	"doubtful":    "commands that toolvet cannot place",
}

// agent tells what the preset refuses an agent, what it asks about, and what passes without a question.
func (s *summary) agent(server *policy.Server) {
	name := cmp.Or(s.policy.Preset, preset.Default)
	s.line(0, "%s: a coding agent, whose own tools 'toolvet hook %s' judges", server.Name, server.Name)
	kinds := func(title string, list []string) {
		s.line(2, "%s:", title)
		for _, kind := range list {
			s.line(4, "%s: %s", kind, kindWords[kind])
		}
	}
	refuses, asks := preset.AgentKinds(name, server.Unasked)
	switch {
	case asks == nil:
		s.line(2, "preset %s: nothing is refused or asked about but by what stands below", name)
		return
	case name == "observe":
		s.line(2, "preset observe: nothing is refused or asked about; the log has what standard would say")
		return
	}
	kinds("refused (preset "+name+")", refuses)
	kinds("asked about (preset "+name+")", asks)
	if name == "strict" {
		s.line(4, "every command that is not known to be harmless, and hosts other than those of packages and source code")
	}
	s.line(2, "not asked about:")
	if name != "strict" {
		s.line(4, "ordinary work, such as builds, tests, edits in the project, and documentation")
	}
	u := server.Unasked
	for _, kind := range u.Kinds {
		s.line(4, "%s: %s (unasked)", kind, kindWords[kind])
	}
	if len(u.Hosts) > 0 {
		s.line(4, "talking to %s (unasked)", strings.Join(u.Hosts, ", "))
	}
	if len(u.Directories) > 0 {
		s.line(4, "changing files in %s (unasked)", strings.Join(u.Directories, ", "))
	}
	if len(u.Commands) > 0 {
		s.line(4, "deleting, overwriting or publishing by %s (unasked)", strings.Join(u.Commands, ", "))
	}
	if len(u.Files) > 0 {
		s.line(4, "reading and writing %s, which would be refused (unasked)", strings.Join(u.Files, ", "))
	}
}

// agentGaps reports what makes a policy for an agent count for less than it says.
func (l *linter) agentGaps(s *policy.Server) {
	stray, sure := strayAgent(s)
	_, lacks := s.Environ(os.LookupEnv)
	startless, wrong := cannotStart(s)
	switch {
	case lacks != nil && !l.started: // who starts it has said so
		l.gap("%v", lacks)
	case startless != "" && !l.started && wrong:
		l.gap("%s: %s", s.Name, startless)
	case startless != "" && !l.started:
		l.notes = append(l.notes, s.Name+": "+startless)
	case s.Drafted != nil:
		l.gap("%s: the policy alone cannot start it: give its command with the directory after --, or write the directory in the place of %s", s.Name, policy.Root)
	case !s.Agent && ofAgent(s):
		l.gap("%s: this is a host of agents: say agent: true, so that its presets hold in every command", s.Name)
	case sure:
		l.gap("%s", stray)
	case stray != "":
		l.notes = append(l.notes, stray)
	}
}

// strayAgent says of a server that seems to stand for an agent that no hook uses it; "" if one does. It is sure if more than the
// likeness of a name says so: groq is no misspelt grok.
func strayAgent(s *policy.Server) (text string, sure bool) {
	near, u := schema.Nearest(s.Name, hostNames()), s.Unasked
	like, same := likeHost(s, near)
	sure = same || s.Agent || u.Given()
	_, host := hook.Lookup(s.Name)
	switch {
	case host, reached(s), !like && !sure:
		return "", false
	case near == "":
		return s.Name + ": no hook uses it, because no host of agents has this name", sure
	}
	return s.Name + ": no hook uses it, because no host of agents has this name: did you mean " + near + "? If not, give it a command or a url", sure
}

// plain leaves letters and digits.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// likeHost reports whether nothing but its name tells a server from a host of agents, and whether it is the same for sure: it has the
// letters of the host, or a tool. One that runs code may be called code, as a proxy's command line starts it.
func likeHost(s *policy.Server, host string) (like, same bool) {
	if host == "" || s.Contain != nil || s.Env != nil || s.Dir != "" {
		return false, false
	}
	listed, err := builtin.Catalog(host)
	unknown := err != nil || listed == nil
	tool := !unknown && slices.ContainsFunc(s.Tools, func(t policy.Tool) bool {
		return slices.ContainsFunc(listed.Names(), t.Matches)
	})
	like = tool || unknown || len(s.Tools) == 0
	return like, tool || like && plain(s.Name) == plain(host)
}
