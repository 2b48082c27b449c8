// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/contain"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/rule"
	"github.com/toolvet/toolvet/internal/terminal"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// summarize prints in words what a policy says of each tool.
func (a *app) summarize(cmd *cobra.Command, flags lintFlags, command []string) error {
	p, err := policy.LoadEach(flags.policy, a.checks.Demands()...)
	if err != nil {
		return err
	}
	if err := p.Validate(a.checks.Nameable()); err != nil {
		return err
	}
	servers := p.Servers
	if flags.server != "" || flags.tools != "" || command != nil || len(servers) == 0 {
		server, err := enforce.ServerOf(p, flags.server, command)
		if err != nil {
			return err
		}
		servers = []*policy.Server{server}
	}
	told, names, err := a.withoutVariables(flags.policy)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(a.stdout)
	s := &summary{b: b, policy: told, rules: access.RulesOf(told), names: names}
	failed := false
	for i, known := range a.lintAll(cmd.Context(), flags, p, servers, command) {
		server := servers[i]
		known.said.tell(a.stderr)
		if err := known.err; err != nil {
			if !flags.start || cmd.Context().Err() != nil {
				return err
			}
			failed = true
			a.complain(err) // the summary has this server's patterns
		}
		s.shown, s.command = command, command
		if command == nil {
			s.command = server.Command
		}
		if t := told.Server(server.Name); t != nil {
			server = t
		}
		if command == nil {
			s.shown = server.Command
		}
		s.shown = slices.Clone(s.shown)
		for i, word := range s.shown {
			s.shown[i] = names.Replace(word)
		}
		s.server(server, known.tools)
	}
	s.end()
	if err := b.Flush(); err != nil || !failed {
		return err
	}
	return exitCode(exitNotJudged)
}

// A summary writes a policy in words.
type summary struct {
	b      io.Writer
	policy *policy.Policy
	rules  []rule.Rule
	names  *strings.Replacer // writes the names of variables; see withoutVariables

	shown, command []string // how a server is started: without the values of variables, and with them; nil: one is missing
}

func (s *summary) line(indent int, format string, args ...any) {
	terminal.Fprintf(s.b, "%s%s\n", terminal.Text(strings.Repeat(" ", indent)), strictjson.Printable(s.names.Replace(fmt.Sprintf(format, args...)), 1000))
}

// server tells of each tool that is known, or of each pattern that the policy has.
func (s *summary) server(server *policy.Server, tools *call.Catalog) {
	rest := ""
	if ofAgent(server) {
		s.agent(server)
		rest = " by the rules; the preset judges its arguments"
	} else {
		start := cmp.Or(strings.Join(append(server.Command, server.Drafted...), " "), server.URL, "any command")
		s.line(0, "%s: %s", cmp.Or(server.Name, "the server"), start)
	}
	if len(server.World.Roots) > 0 {
		s.line(2, "works in %s", strings.Join(server.World.Roots, ", "))
	}
	if server.Contain != nil {
		s.line(2, "behind walls: %s", s.wallWords(server))
	}
	var names []string
	if tools != nil {
		names = tools.Names()
	} else {
		names = s.patterns(server)
	}
	s.demands(server, "every tool", func(t *policy.Tool) bool { return t.Pattern == "*" })
	for _, name := range names {
		s.line(2, "%s: %s", name, s.access(server.Name, name, tools.Tool(name)))
		s.demands(server, "", func(t *policy.Tool) bool { return t.Pattern != "*" && t.Matches(name) })
	}
	if tools == nil {
		which := "every other tool"
		if len(names) == 0 {
			which = "every tool"
		}
		access := s.access(server.Name, anyOther, nil)
		if access == "allowed" {
			access += rest
		}
		s.line(2, "%s: %s", which, access)
	}
}

// wallWords tells what the walls around a server leave open. Without roots in the policy, its command says where it works.
func (s *summary) wallWords(server *policy.Server) string {
	walls, roots := server.Contain, server.World.Roots
	if len(roots) == 0 && server.ClientRoots {
		roots = s.places(server.Dir)
	}
	words := contain.Words(contain.Places(walls, roots))
	if hosts := walls.Network.Allow; len(hosts) > 0 {
		words += "; reaches " + strings.Join(hosts, ", ")
	}
	if hosts := walls.Network.AllowPrivate; len(hosts) > 0 {
		words += "; reaches at private addresses " + strings.Join(hosts, ", ")
	}
	if len(walls.Network.Allow)+len(walls.Network.AllowPrivate) == 0 {
		words += "; reaches no host"
	}
	return words
}

// places returns the directories in a server's command. A variable stands for its value, and counts as a directory if it is missing.
func (s *summary) places(dir string) []string {
	plain := preset.WorldIn(dir, s.shown).Roots
	list := slices.Clone(plain)
	for i, word := range s.shown {
		if s.command != nil && word == s.command[i] || !strings.Contains(word, "${") {
			continue
		}
		if s.command != nil {
			valued := slices.Clone(s.shown)
			valued[i] = s.command[i]
			if len(preset.WorldIn(dir, valued).Roots) == len(plain) {
				continue
			}
		}
		if flag, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(flag, "-") {
			word = value
		}
		list = append(list, word)
	}
	return list
}

// anyOther is a tool that only the pattern * covers.
const anyOther = "\x00other"

// demands tells the demands on arguments of a server's matching tools, below a title if there is one.
func (s *summary) demands(server *policy.Server, title string, matches func(*policy.Tool) bool) {
	for i := range server.Tools {
		t := &server.Tools[i]
		if !matches(t) {
			continue
		}
		if title != "" {
			s.line(2, "%s:", title)
		}
		for _, argument := range t.Arguments {
			s.line(6, "%s: %s", shown(argument.Address), demandWords(argument.Demands))
		}
		if len(t.Requires) > 0 {
			s.line(6, "the call: %s", demandWords(t.Requires))
		}
	}
}

// patterns are the names of tools in a policy, in the order of their names.
func (s *summary) patterns(server *policy.Server) []string {
	names := map[string]bool{}
	for _, t := range server.Tools {
		names[t.Pattern] = true
	}
	for _, r := range s.policy.Rules {
		for _, pattern := range r.Tools {
			of, tool, named := strings.Cut(pattern, ":")
			switch {
			case !named:
				names[pattern] = true
			case of == server.Name || of == "*":
				names[tool] = true
			}
		}
	}
	delete(names, "*")
	return slices.Sorted(maps.Keys(names))
}

func (s *summary) allows() bool {
	return slices.ContainsFunc(s.rules, func(r rule.Rule) bool { return r.Effect == rule.Allow && !r.Observe })
}

// access tells what the rules say of a tool.
func (s *summary) access(server, tool string, definition *call.Tool) string {
	var allowed, more []string
	free := !s.allows()
	for _, r := range s.rules {
		if r.Observe || !r.Covers(server, tool) {
			continue
		}
		condition := strings.Join(strings.Fields(r.When), " ")
		if holds, told := byHints(r, server, definition); told {
			if !holds {
				continue
			}
			condition = ""
		}
		switch {
		case r.Effect == rule.Deny && condition == "":
			return fmt.Sprintf("refused (rule %s)", r.Name)
		case r.Effect == rule.Deny:
			more = append(more, fmt.Sprintf("refused if %s (rule %s)", condition, r.Name))
		case r.Effect == rule.Ask && condition == "":
			more = append(more, fmt.Sprintf("asks a person (rule %s)", r.Name))
		case r.Effect == rule.Ask:
			more = append(more, fmt.Sprintf("asks a person if %s (rule %s)", condition, r.Name))
		case condition == "":
			allowed, free = append(allowed, fmt.Sprintf("allowed (rule %s)", r.Name)), true
		default:
			allowed = append(allowed, fmt.Sprintf("allowed if %s (rule %s)", condition, r.Name))
		}
	}
	switch {
	case len(allowed) == 0 && free:
		allowed = []string{"allowed"}
	case len(allowed) == 0:
		return "refused, because no rule allows it"
	}
	if s.policy.DryRun.Covers(server, tool) {
		more = append(more, "needs a dry run before")
	}
	if s.policy.Rehearsal.Covers(server, tool) {
		more = append(more, "is rehearsed before")
	}
	return strings.Join(slices.Concat([]string{strings.Join(allowed, " or ")}, more), "; ")
}

// onlyHints are conditions on the hints of a tool alone.
var onlyHints = lazyregexp.New(`^\s*!?\s*tool\.(read_only|destructive|idempotent|open_world)(\s*(&&|\|\|)\s*!?\s*tool\.(read_only|destructive|idempotent|open_world))*\s*$`)

// byHints decides a condition that a known definition decides; told is false for another one.
func byHints(r rule.Rule, server string, definition *call.Tool) (holds, told bool) {
	if definition == nil || !onlyHints.MatchString(r.When) {
		return false, false
	}
	set, err := rule.Compile([]rule.Rule{{Name: r.Name, Effect: rule.Allow, When: r.When}}, rule.Limits{})
	if err != nil {
		return false, false
	}
	return set.ForTool(server, definition).Evaluate(context.Background(), rule.Input{Server: server, Tool: definition.Name, Definition: definition}).Allowed, true
}

// end tells what holds for all servers.
func (s *summary) end() {
	p := s.policy
	s.line(0, "all servers:")
	s.line(2, "arguments that are not mentioned: preset %s", cmp.Or(p.Preset, "standard"))
	if p.Authorization != nil {
		s.line(2, "callers over HTTP: %s", callerWords(p.Authorization))
	}
	for _, l := range p.Limits {
		name := l.Name
		l.Name = ""
		s.line(2, "limit %s: %s", name, optionWords(&l))
	}
	if p.Pinning.Lock != "" {
		s.line(2, "definitions of tools: locked in %s", p.Pinning.Lock)
	}
	if p.HideRefused {
		s.line(2, "lists: without tools that the caller may not call")
	}
	if p.Log.File != "" {
		s.line(2, "log: %s", p.Log.File)
	}
	if len(p.Output) > 0 {
		s.line(2, "results: %s", demandWords(p.Output))
	}
}

// callerWords tells who gets in at an HTTP endpoint: the rules say what they may do there.
func callerWords(a *policy.Authorization) string {
	var list []string
	for _, t := range a.Tokens {
		list = append(list, t.Subject+" (token)")
	}
	for _, i := range a.Issuers {
		list = append(list, "those with a token of "+i.Issuer)
	}
	return strings.Join(list, ", ")
}

// demandWords puts demands into words: the kind, and its options in brackets.
func demandWords(demands []policy.Demand) string {
	list := make([]string, len(demands))
	for i, d := range demands {
		list[i] = d.Kind.Name
		if options := optionWords(d.Options); options != "" {
			list[i] += " (" + options + ")"
		}
		switch d.Severity {
		case check.Warning:
			list[i] += ", as a warning"
		case check.Ask:
			list[i] += ", or a person is asked"
		}
	}
	return strings.Join(list, "; ")
}

// optionWords puts the options of a policy that are set into words, by their names.
func optionWords(options any) string {
	v := reflect.Indirect(reflect.ValueOf(options))
	if v.Kind() != reflect.Struct {
		return ""
	}
	var list []string
	for i := range v.NumField() {
		name := strings.ReplaceAll(v.Type().Field(i).Tag.Get("policy"), "_", " ")
		value := v.Field(i)
		if name == "" || value.IsZero() {
			continue
		}
		text, speaks := value.Interface().(fmt.Stringer)
		switch value = reflect.Indirect(value); {
		case speaks:
			list = append(list, name+" "+text.String())
		case value.Kind() == reflect.Bool && value.Bool():
			list = append(list, name)
		case value.Kind() == reflect.Bool:
			list = append(list, "not "+name)
		case value.Kind() == reflect.Slice:
			texts := make([]string, value.Len())
			for j := range texts {
				texts[j] = fmt.Sprint(value.Index(j).Interface())
			}
			list = append(list, name+" "+strings.Join(texts, " or "))
		case value.Kind() == reflect.Struct && optionWords(value.Interface()) != "":
			list = append(list, name+" ("+optionWords(value.Interface())+")")
		default:
			list = append(list, fmt.Sprintf("%s %v", name, value.Interface()))
		}
	}
	return strings.Join(list, ", ")
}
