// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command"
	"github.com/toolvet/toolvet/checks/identifier"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/text"
	"github.com/toolvet/toolvet/checks/url"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/enforce"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/jsonpointer"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/rule"
	"github.com/toolvet/toolvet/schema"
)

// A linter collects gaps of a policy, one line each.
type linter struct {
	known   enforce.Checks
	policy  *policy.Policy
	tools   map[string]*call.Catalog // by server; nil for unknown ones
	listed  map[string]*call.Catalog // the prompts, of servers that list some
	started bool                     // --start was given
	misfits []*policy.Error          // conditions of rules that do not fit a tool
	gaps    []gap
	notes   []string // worth knowing, but no gaps
}

// A gap is one of a tool or a request of a server, or without those of the policy.
type gap struct{ server, of, what string }

func (l *linter) gap(format string, args ...any) {
	l.gaps = append(l.gaps, gap{what: fmt.Sprintf(format, args...)})
}

// gapOf notes a gap of a tool or a request, or of a pattern for them.
func (l *linter) gapOf(s *policy.Server, of, format string, args ...any) {
	l.gaps = append(l.gaps, gap{s.Name, of, fmt.Sprintf(format, args...)})
}

// maxNamed bounds the tools that a line names. People read the first, and mend all at once.
const maxNamed = 8

// lines says the gaps, one a line. Tools with the same gap share a line: a server may have forty arguments called path.
func (l *linter) lines() (list []string) {
	alike := map[gap][]string{} // the names of tools
	for _, g := range l.gaps {
		key := gap{server: g.server, what: g.what}
		alike[key] = append(alike[key], g.of)
	}
	for _, g := range l.gaps {
		key := gap{server: g.server, what: g.what}
		names := slices.Compact(alike[key])
		delete(alike, key)
		switch {
		case len(names) == 0: // said with the first
		case g.of == "":
			list = append(list, g.what)
		case len(names) > maxNamed+1:
			list = append(list, fmt.Sprintf("%s: %s and %d more: %s", g.server, strings.Join(names[:maxNamed], ", "), len(names)-maxNamed, g.what))
		default:
			list = append(list, fmt.Sprintf("%s: %s: %s", g.server, strings.Join(names, ", "), g.what))
		}
	}
	return list
}

// checks reports checks that the policy weakens.
func (l *linter) checks() {
	if l.policy.Preset == "observe" {
		l.gap("preset observe: nothing is refused")
	}
	for _, name := range slices.Sorted(maps.Keys(l.policy.Checks)) {
		switch c := l.policy.Checks[name]; {
		case c.Off:
			l.gap("checks: %s is off", name)
		case c.Observe:
			l.gap("checks: %s only observes", name)
		case c.FailOpen:
			l.gap("checks: %s fails open: calls go through when it breaks", name)
		case c.Severity != nil && *c.Severity == check.Warning && l.severityOf(name) == check.Error:
			l.gap("checks: %s only warns", name)
		}
	}
}

func (l *linter) severityOf(name string) check.Severity {
	for _, c := range l.known {
		if c.Name == name {
			return c.Severity
		}
	}
	return check.Error
}

// server reports gaps for a server. The tools are nil if they are not known.
func (l *linter) server(s *policy.Server, tools *call.Catalog) {
	if len(s.World.Roots) == 0 && !s.World.Remote {
		s = with(s, preset.World(s.Command))
	}
	for _, t := range s.Tools {
		if t.Calls != nil && t.Calls.Unknown {
			l.gapOf(s, t.Pattern, "inner tools without a definition are not judged: leave out unknown: allow")
		}
		l.arguments(s, t.Pattern, t.Arguments)
	}
	for _, r := range s.Requests {
		l.arguments(s, r.Pattern, r.Arguments)
	}
	l.strayRequests(s)
	if err := gateway.CheckServerName(s.Name); err != nil && len(l.policy.Servers) > 1 {
		l.gap("%v", err)
	}
	l.agentGaps(s)
	l.startsOutside(s)
	if tools == nil {
		return
	}
	l.strays(s, tools)
	if ofAgent(s) { // the preset judges what the policy leaves out
		return
	}
	rules := access.RulesOf(l.policy)
	l.prompts(s, rules, l.listed[s.Name])
	open := len(tools.Names()) == 0
	for _, name := range tools.Names() {
		if !refusedByRules(rules, s.Name, tools.Tool(name)) {
			open = true
			l.tool(s, tools.Tool(name))
			l.code(s, tools.Tool(name))
			l.meta(s, tools.Tool(name))
		}
	}
	if !open {
		l.gap("%s: the rules let nobody call any of its tools", s.Name)
	}
}

// refusedByRules reports whether rules refuse every call of a tool, so that nothing needs to be demanded of it.
func refusedByRules(rules []rule.Rule, server string, tool *call.Tool) bool {
	return refusesAll(rules, func(r *rule.Rule) bool {
		holds, told := byHints(*r, server, tool)
		if holds && told {
			r.When = ""
		}
		return r.Covers(server, tool.Name) && (holds || !told)
	})
}

// refusesAll reports whether rules refuse all calls or requests of a kind. Covers picks the rules for it, and may take the condition off its copy of one.
func refusesAll(rules []rule.Rule, covers func(*rule.Rule) bool) bool {
	allowing, allowed := false, false
	for _, r := range rules {
		covered := covers(&r)
		switch {
		case r.Observe:
		case r.Effect != rule.Deny:
			allowing, allowed = allowing || r.Effect == rule.Allow, allowed || covered
		case covered && r.When == "":
			return true
		}
	}
	return allowing && !allowed
}

// startsOutside tells that a server starts outside its roots, if a demand holds there what does not say where it is.
func (l *linter) startsOutside(s *policy.Server) {
	if len(s.World.Roots) == 0 || s.ClientRoots || s.World.Remote || ofAgent(s) {
		return
	}
	starts, key := preset.Base(s.Dir, s.Command, s.World.Roots), "dir"
	base := cmp.Or(s.World.Base, starts)
	if base != starts {
		key = "base"
	}
	if base == "" || slices.ContainsFunc(s.World.Roots, func(root string) bool { return holdsDirectory(root, base) }) {
		return
	}
	for _, t := range slices.Concat(s.Tools, s.Requests) {
		for _, a := range t.Arguments {
			for _, d := range a.Demands {
				if what := needsRoots(d); what != "" {
					l.notes = append(l.notes, fmt.Sprintf("%s: relative paths start in %s, outside its roots, so that %s: %s refuses %s: set %s: %s", s.Name, base, t.Pattern, shown(a.Address), what, key, s.World.Roots[0]))
					return
				}
			}
		}
	}
}

// needsRoots says what a demand refuses if relative paths start outside the roots of the server; "" if nothing.
func needsRoots(d policy.Demand) string {
	switch o := d.Options.(type) {
	case *path.Options:
		if len(o.Within) == 0 && !o.NameOnly && o.Base == "" {
			return "relative paths"
		}
	case *command.Options:
		if slices.Contains(o.Deny, "roaming") {
			return "a command such as ls"
		}
	}
	return ""
}

// holdsDirectory reports whether a directory is another, or has it below, as they are written or behind links.
func holdsDirectory(dir, other string) bool {
	below := func(dir, other string) bool {
		rel, err := filepath.Rel(dir, other)
		return err == nil && filepath.IsLocal(rel)
	}
	if below(dir, other) {
		return true
	}
	realDir, err := filepath.EvalSymlinks(dir)
	realOther, otherErr := filepath.EvalSymlinks(other)
	return err == nil && otherErr == nil && below(realDir, realOther)
}

// arguments reports demands that leave something open.
func (l *linter) arguments(s *policy.Server, of string, list []policy.Argument) {
	for _, a := range list {
		for _, d := range a.Demands {
			if what := leftOpen(d, s.World); what != "" {
				l.gapOf(s, of, "%s: %s", shown(a.Address), what)
			}
		}
		if ofAgent(s) && len(a.Demands) > 0 && !slices.ContainsFunc(a.Demands, keepsSecrets) {
			l.gapOf(s, of, "%s: files with secrets: the demand replaces those of the preset, so add not: [secret]", shown(a.Address))
		}
		if ofAgent(s) && slices.ContainsFunc(a.Demands, onCommand) {
			l.gapOf(s, of, "%s: all that the preset says of commands: the demand replaces it; to let more pass, name it under unasked of the server", shown(a.Address))
		}
	}
}

// onCommand reports whether a demand is on a command.
func onCommand(d policy.Demand) bool {
	_, ok := d.Options.(*command.Options)
	return ok
}

// keepsSecrets reports whether a demand is no demand on a path, or one that holds files with secrets back.
func keepsSecrets(d policy.Demand) bool {
	o, ok := d.Options.(*path.Options)
	return !ok || slices.Contains(o.Not, "secret")
}

// unseen says of which servers the tools are not known; "" if of none.
func (l *linter) unseen() string {
	var names []string
	for _, s := range l.policy.Servers {
		if known, asked := l.tools[s.Name]; asked && known == nil && !ofAgent(s) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	give := "--start, --tools"
	if l.started { // it reached every server that the policy can reach
		give = "--tools"
	}
	return fmt.Sprintf(" in what the policy says; what it leaves out of %s, only the tools tell: give %s or a command", strings.Join(names, ", "), give)
}

// meta reports a tool that probably makes calls of other tools, which nobody judges unless the policy
// says where they are.
func (l *linter) meta(s *policy.Server, t *call.Tool) {
	if m, ok := metaTool(t); ok && l.policy.Calls(s.Name, t.Name) == nil {
		l.gapOf(s, t.Name, "it seems to call the tool that its argument %s names, and that call is not judged: set calls: {tool: %s, arguments: %s}", m.Tool, m.Tool, m.Arguments)
	}
}

// metaTool is infer.MetaTool, except for tools that only judge a call.
func metaTool(t *call.Tool) (infer.Meta, bool) {
	m, ok := infer.MetaTool(t)
	return m, ok && protocol.NativeFault(t) != nil
}

func with(s *policy.Server, world check.World) *policy.Server {
	changed := *s
	world.Base = s.World.Base
	changed.World = world
	return &changed
}

// leftOpen describes the gap that a demand leaves; "" if there is none.
func leftOpen(d policy.Demand, world check.World) string {
	if d.Severity == check.Warning {
		return "the demand " + d.Kind.Name + " only warns"
	}
	switch o := d.Options.(type) {
	case *path.Options:
		switch dirs := cmp.Or(len(o.Within), len(world.Roots)); {
		case dirs == 0 && !o.NameOnly:
			return "any file: set within, or the server's roots"
		case len(o.Within) > 0 && slices.ContainsFunc(o.Within, whole), len(o.Within) == 0 && !o.NameOnly && slices.ContainsFunc(world.Roots, whole):
			return "any file: a directory is the root of a file system"
		}
	case *url.Options:
		switch {
		case slices.ContainsFunc(o.Schemes, func(s string) bool { return strings.EqualFold(s, "file") }):
			return "any file, by the scheme file: leave it out"
		case len(o.Hosts) == 0:
			return `any public host: set hosts, to ["*"] if any is meant`
		case slices.ContainsFunc(o.Hosts, func(h url.Pattern) bool {
			return strings.HasPrefix(h.String(), "*.") && !strings.Contains(h.String()[2:], ".")
		}):
			return "any host below a name without a dot: name the domain in hosts"
		}
	case *command.Options:
		switch {
		case len(o.Programs) == 0:
			return "any program that is not known to be harmful: set programs"
		case slices.Contains(o.Allow, "interpreter"):
			return "any program that another one starts: leave interpreter out of allow"
		}
	}
	return ""
}

// whole reports whether a directory is the root of a file system.
func whole(dir string) bool {
	dir = strings.ReplaceAll(dir, `\`, "/")
	if len(dir) > 1 && dir[1] == ':' {
		dir = "/" + dir[2:]
	}
	return slashpath.Clean(dir) == "/"
}

// shown returns an address in the spelling of policies.
func shown(address string) string {
	name := strings.TrimPrefix(address, "/")
	if name == "" || strings.Contains(name, "/") {
		return address
	}
	return jsonpointer.Unescape(name)
}

// strays reports tools and arguments in the policy that the server does not have. A misspelt name
// demands nothing.
func (l *linter) strays(s *policy.Server, tools *call.Catalog) {
	for _, t := range s.Tools {
		matched := slices.DeleteFunc(slices.Clone(tools.Names()), func(name string) bool { return !t.Matches(name) })
		if len(matched) == 0 {
			l.gapOf(s, t.Pattern, "the server has no such tool%s", nearest(t.Pattern, tools.Names()))
			continue
		}
		for _, a := range t.Arguments {
			top, _, _ := strings.Cut(strings.TrimPrefix(a.Address, "/"), "/")
			if top == "" || top == "*" {
				continue
			}
			var names []string
			for _, name := range matched {
				names = append(names, properties(tools.Tool(name))...)
			}
			switch {
			case slices.Contains(names, jsonpointer.Unescape(top)):
			case len(names) == 0 && slices.ContainsFunc(matched, func(name string) bool { return open(tools.Tool(name)) }):
				l.notes = append(l.notes, fmt.Sprintf("%s: %s: %s: the tool declares no arguments, so that a misspelt name does not show", s.Name, t.Pattern, shown(a.Address)))
			default:
				l.gapOf(s, t.Pattern, "%s: no such tool declares this argument%s", shown(a.Address), nearest(top, names))
			}
		}
	}
}

// strayRequests reports methods and params in the policy that MCP does not have.
func (l *linter) strayRequests(s *policy.Server) {
	known := call.RequestMethods()
	for _, r := range s.Requests {
		var names []string
		for _, method := range known {
			if r.Matches(method) {
				names = append(names, properties(call.RequestOf(method).Tool)...)
			}
		}
		if !slices.ContainsFunc(known, r.Matches) {
			l.gapOf(s, r.Pattern, "MCP has no such request%s", nearest(r.Pattern, known))
			continue
		}
		for _, a := range r.Arguments {
			top, _, _ := strings.Cut(strings.TrimPrefix(a.Address, "/"), "/")
			if top != "" && top != "*" && !slices.Contains(names, jsonpointer.Unescape(top)) {
				l.gapOf(s, r.Pattern, "%s: no such request has this member%s", shown(a.Address), nearest(top, names))
			}
		}
	}
}

func nearest(name string, names []string) string {
	if near := schema.Nearest(name, names); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

// open reports whether a tool takes arguments that it does not declare.
func open(t *call.Tool) bool {
	var s struct{ AdditionalProperties any }
	return json.Unmarshal(t.InputSchema, &s) == nil && s.AdditionalProperties != false
}

// properties returns the arguments that a tool declares.
func properties(t *call.Tool) []string {
	var s struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(t.InputSchema, &s) // a schema that cannot be read declares nothing
	return slices.Sorted(maps.Keys(s.Properties))
}

// tool reports arguments without a demand that look like more than text.
func (l *linter) tool(s *policy.Server, t *call.Tool) {
	for _, g := range infer.Tool(t) {
		demands, spoken := demandsOn(s, t.Name, g.Address)
		programs := fmt.Sprintf("tools: {%s: {arguments: {%s: {command: {programs: [git, ls], deny: [roaming]}}}}}", key(oneLine(t.Name, maxDescription)), key(oneLine(argument(g.Address), maxDescription)))
		l.guessed(s, t.Name, g, demands, spoken, programs)
	}
}

// prompts reports arguments of a server's prompts that look like more than text: a server may run a command for a prompt as it does for a tool.
func (l *linter) prompts(s *policy.Server, rules []rule.Rule, prompts *call.Catalog) {
	const method = "prompts/get"
	if prompts == nil || ofAgent(s) || refusesAll(rules, func(r *rule.Rule) bool { return r.CoversRequest(s.Name, method) }) {
		return
	}
	for _, name := range prompts.Names() {
		for _, g := range infer.Tool(asTool(prompts.Tool(name))) {
			var demands []policy.Demand
			spoken := false
			for _, r := range s.Requests {
				for _, a := range r.Arguments {
					if r.Matches(method) && a.Address == g.Address {
						demands, spoken = append(demands, a.Demands...), true
					}
				}
			}
			l.guessed(s, method, g, demands, spoken, fmt.Sprintf("requests: {%s: {arguments: {%q: {command: {programs: [git, ls], deny: [roaming]}}}}}", method, oneLine(g.Address, maxDescription)))
		}
	}
}

// guessed reports an argument that nothing bounds, of a tool or a request. Programs is a demand to copy for a command.
func (l *linter) guessed(s *policy.Server, of string, g infer.Guess, demands []policy.Demand, spoken bool, programs string) {
	switch {
	case spoken && harms[g.Kind] != "" && !slices.ContainsFunc(demands, func(d policy.Demand) bool { return bounds(d, harms[g.Kind]) }):
		l.gapOf(s, of, "%s: looks like a %s (%s), and nothing that the policy demands bounds it: demand %s", shown(g.Address), g.Kind, g.Reason, g.Kind)
	case spoken:
	case l.policy.Preset == preset.None:
		l.gapOf(s, of, "%s: no demand on what looks like a %s (%s)", shown(g.Address), g.Kind, g.Reason)
	case g.Kind == infer.Path && len(s.World.Roots) == 0:
		l.gapOf(s, of, "%s: any file, for what looks like a path (%s): set the server's roots, such as roots: [/srv/data]", shown(g.Address), g.Reason)
	case g.Kind == infer.URL:
		l.gapOf(s, of, "%s: any public host, for what looks like a url (%s): demand hosts", shown(g.Address), g.Reason)
	case g.Kind == infer.Command:
		l.gapOf(s, of, "%s: any program, for what looks like a command (%s): demand programs, such as %s", shown(g.Address), g.Reason, programs)
	case g.Kind == infer.SQL && l.policy.Preset != "strict":
		l.gapOf(s, of, "%s: any statement, for what looks like sql (%s): demand sql", shown(g.Address), g.Reason)
	}
}

// code reports a tool for code without walls around its server. A demand for plain text, such as a pattern, may show that it is no code.
func (l *linter) code(s *policy.Server, t *call.Tool) {
	for _, address := range infer.Code(t) {
		demands, _ := demandsOn(s, t.Name, address)
		switch plain := slices.ContainsFunc(demands, func(d policy.Demand) bool {
			return (d.Kind == text.Demand || d.Kind == identifier.Demand) && d.Severity == check.Error && bounds(d, aCode)
		}); {
		case plain, s.Contain != nil:
		case s.URL != "" || s.Lacks() && s.World.Remote: // a url that lacks a variable
			l.notes = append(l.notes, fmt.Sprintf("%s: %s: %s: runs any code: no demand on arguments bounds it: contain the server where it runs", s.Name, t.Name, shown(address)))
		default:
			l.gapOf(s, t.Name, "%s: runs any code: no demand on arguments bounds it: add contain", shown(address))
		}
	}
}

// aCode is some code, in most languages.
const aCode = `print("x")`

// runsUnbounded reports whether a tool has an argument that looks like a command, and nothing in the policy bounds it.
func runsUnbounded(p *policy.Policy, s *policy.Server, t *call.Tool) bool {
	return !ofAgent(s) && !refusedByRules(access.RulesOf(p), s.Name, t) && slices.ContainsFunc(infer.Tool(t), func(g infer.Guess) bool {
		demands, _ := demandsOn(s, t.Name, g.Address)
		return g.Kind == infer.Command && !slices.ContainsFunc(demands, func(d policy.Demand) bool { return bounds(d, harms[g.Kind]) })
	})
}

// unbounded names the tools of a server that run commands without a bound in the policy; "" if none does.
func unbounded(p *policy.Policy, server string, tools *call.Catalog) string {
	s := p.Server(server)
	if s == nil || tools == nil {
		return ""
	}
	running := slices.DeleteFunc(slices.Clone(tools.Names()), func(name string) bool { return !runsUnbounded(p, s, tools.Tool(name)) })
	if len(running) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s: any program may run, as nothing in the policy bounds the command: 'toolvet policy lint --start' shows what to demand", server, oneLine(strings.Join(running, ", "), 200))
}

// harms are values that a demand on each kind of argument must not let through.
var harms = map[infer.Kind]string{
	infer.Path:    "/../../etc/passwd",
	infer.URL:     "http://169.254.169.254/",
	infer.Command: "rm -rf /",
	infer.SQL:     "DROP TABLE users",
}

// bounds reports whether a demand may well refuse a harmful value. leftOpen tells what demands on paths and the like leave open.
func bounds(d policy.Demand, harm string) bool {
	switch o := d.Options.(type) {
	case *identifier.Options:
		return len(o.Kinds) > 0 || o.Pattern.FindString(harm) != harm
	case *text.Options:
		return o.Pattern != nil && !o.Pattern.MatchString(harm)
	}
	return slices.Contains([]string{"path", "url", "uri", "command", "sql", "email", "time", "cron"}, d.Kind.Name)
}

// demandsOn returns what the policy demands of an argument, and whether it speaks of it at all.
func demandsOn(s *policy.Server, tool, address string) (demands []policy.Demand, spoken bool) {
	for _, t := range s.Tools {
		for _, a := range t.Arguments {
			if t.Matches(tool) && (a.Address == address || a.Address == address+"/*") {
				demands, spoken = append(demands, a.Demands...), true
			}
		}
	}
	return demands, spoken
}
