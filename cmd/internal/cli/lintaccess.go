// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/cmd/internal/daemon"
	"github.com/toolvet/toolvet/gateway"
	"github.com/toolvet/toolvet/internal/access"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/jsonpointer"
	"github.com/toolvet/toolvet/internal/lazyregexp"
	"github.com/toolvet/toolvet/internal/limit"
	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/protocol"
	"github.com/toolvet/toolvet/internal/rule"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// access reports rules that do not fit the tools, and rules and limits without effect.
func (l *linter) access() {
	rules := access.RulesOf(l.policy)
	for i, r := range rules {
		l.fit(i, r)
		l.pathsAsText(i, r)
		l.shadowed(r, rules)
		if r.Observe {
			l.gap("rule %s: only observes", r.Name)
		}
		l.ofRule(r)
		l.strangers(r)
		if r.Dynamic() && arguments.MatchString(r.When) {
			l.notes = append(l.notes, fmt.Sprintf("rule %s: dynamic: it is over several tools, so that a misspelt argument shows only when a call is refused for it", r.Name))
		}
	}
	for _, bound := range l.policy.Limits {
		l.ofLimit(bound)
	}
	l.silentOnRequests(rules)
	l.shutOut(rules)
}

// ofRule reports what a rule names and nobody has.
func (l *linter) ofRule(r rule.Rule) {
	l.patterns("rule "+r.Name, r.Tools, func(pattern, server, tool string) bool {
		one := r
		one.Tools = []string{pattern}
		return one.Covers(server, tool)
	})
	l.methods("rule "+r.Name, r.Requests)
}

// ofLimit reports what a limit names and nobody has.
func (l *linter) ofLimit(bound limit.Limit) {
	l.patterns("limit "+bound.Name, bound.Tools, func(pattern, server, tool string) bool {
		one := limit.Limit{Tools: []string{pattern}}
		return one.Covers(server, tool) || one.Covers(server, protocol.ToolName) // its calls count, too
	})
	l.methods("limit "+bound.Name, bound.Requests)
}

// methods reports patterns of requests that match nothing.
func (l *linter) methods(what string, list []string) {
	known := call.RequestMethods()
	for _, pattern := range list {
		one := rule.Rule{Effect: rule.Allow, Requests: []string{pattern}}
		meant := slices.DeleteFunc(l.servers(), func(s string) bool {
			return s != "" && !(&rule.Rule{Effect: rule.Allow, Requests: []string{serverOnly(pattern)}}).CoversRequest(s, "")
		})
		server, method, found := strings.Cut(pattern, ":")
		if !found {
			method = pattern
		}
		switch {
		case len(meant) == 0:
			l.gap("%s: %s: matches no request: the policy has no such server%s", what, pattern, nearest(server, l.servers()))
		case !slices.ContainsFunc(known, func(m string) bool {
			return slices.ContainsFunc(meant, func(s string) bool { return one.CoversRequest(s, m) })
		}):
			l.gap("%s: %s: matches no request of MCP%s", what, pattern, nearest(method, known))
		}
	}
}

// silentOnRequests tells that rules which speak of tools alone refuse all other requests.
func (l *linter) silentOnRequests(rules []rule.Rule) {
	allows := func(r rule.Rule) bool { return r.Effect == rule.Allow && !r.Observe }
	if !slices.ContainsFunc(rules, allows) || slices.ContainsFunc(rules, func(r rule.Rule) bool { return allows(r) && (len(r.Requests) > 0 || len(r.Tools) == 0) }) {
		return
	}
	l.notes = append(l.notes, `rules: no rule allows requests other than calls, so that resources, prompts and completions are refused; to allow some: {name: reads, effect: allow, requests: ["resources/read", "prompts/get", "completion/complete"]}`)
}

// arguments matches references to arguments in a condition.
var arguments = lazyregexp.New(`\bargs\b`)

// fit compiles a rule for each tool that it covers. Each part of a dynamic rule needs to fit only one of
// them.
func (l *linter) fit(index int, r rule.Rule) {
	covered := 0
	var unfit []rule.Errors
	var names []string
	l.each(r, func(server string, t *call.Tool) {
		covered++
		if errs := misfits(r, server, t); len(errs) > 0 {
			unfit, names = append(unfit, errs), append(names, t.Name)
		}
	})
	if errs, method := misfit(r); len(errs) > 0 {
		covered++
		unfit, names = append(unfit, errs), append(names, method)
	}
	if r.Dynamic() {
		if len(unfit) < covered || covered == 0 {
			return
		}
		common := slices.DeleteFunc(slices.Clone(unfit[0]), func(e *rule.Error) bool {
			return slices.ContainsFunc(unfit[1:], func(errs rule.Errors) bool {
				return !slices.ContainsFunc(errs, func(o *rule.Error) bool {
					return o.Line == e.Line && o.Column == e.Column && o.Message == e.Message
				})
			})
		})
		unfit = []rule.Errors{common}
	}
	for i, errs := range unfit {
		for _, err := range errs {
			err.Index = index
			located := access.Located(l.policy, rule.Errors{err})[0]
			located.Message = strictjson.Printable(located.Message+", for the tool "+names[i], 400)
			l.misfits = append(l.misfits, located)
		}
	}
}

// pathsAsText reports comparisons of paths as text.
func (l *linter) pathsAsText(index int, r rule.Rule) {
	for _, use := range rule.TextUses(r.When) {
		if !l.path(r, use) {
			continue
		}
		what := `is compared as text, and "..", links and other spellings lead elsewhere`
		if use.Joined {
			what = "is followed behind other text, and the server opens it without that"
		}
		mend := "compare it by within or resolve alone"
		if use.Fix != "" {
			mend = "write " + use.Fix
		}
		err := &rule.Error{Rule: r.Name, Index: index, Field: "when", Line: use.Line, Column: use.Column,
			Message: fmt.Sprintf("the path %q %s: %s", shown(use.Address), what, mend)}
		located := access.Located(l.policy, rule.Errors{err})[0]
		located.Message = strictjson.Printable(located.Message, 400)
		l.misfits = append(l.misfits, located)
	}
}

// path reports whether an argument that a rule compares is a path: by a demand, by the definitions of the tools that
// the rule covers or, where none is known, by its name. The URI of a request is one if it names a file.
func (l *linter) path(r rule.Rule, use rule.TextUse) bool {
	if len(r.Requests) > 0 && len(r.Tools) == 0 {
		return strings.HasSuffix(use.Address, "uri") && strings.HasPrefix(strings.ToLower(use.Literal), "file:")
	}
	for _, s := range l.policy.Servers {
		for _, t := range s.Tools {
			for _, a := range t.Arguments {
				if same(a.Address, use.Address) && slices.ContainsFunc(a.Demands, func(d policy.Demand) bool { return d.Kind == path.Demand }) && r.Covers(s.Name, t.Pattern) {
					return true
				}
			}
		}
	}
	said, is := false, false // by a definition
	l.each(r, func(_ string, t *call.Tool) {
		for _, g := range infer.Tool(t) {
			is = is || same(g.Address, use.Address) && g.Kind == infer.Path
		}
		said = said || declares(t.InputSchema, use.Address)
	})
	return is || !said && (namedPath(use.Address) || strings.HasPrefix(use.Literal, "/") && strings.Count(use.Literal, "/") > 2)
}

// same reports whether an address of a condition may mean the same argument as one of a demand or a guess: a step * stands for
// any, and what holds for a list holds for its elements.
func same(a, b string) bool {
	as, bs := strings.Split(strings.TrimSuffix(a, "/*"), "/"), strings.Split(strings.TrimSuffix(b, "/*"), "/")
	if b == "/*" || a == "/*" { // any argument
		return len(as) <= 2 && len(bs) <= 2
	}
	return slices.EqualFunc(as, bs, func(x, y string) bool { return x == y || x == "*" || y == "*" })
}

// declares reports whether a schema says what the value at an address is, as far as properties and items tell.
func declares(raw json.RawMessage, address string) bool {
	for step := range strings.SplitSeq(strings.TrimPrefix(address, "/"), "/") {
		var s struct {
			Properties map[string]json.RawMessage
			Items      json.RawMessage
		}
		if json.Unmarshal(raw, &s) != nil {
			return false
		}
		if raw = s.Properties[jsonpointer.Unescape(step)]; step == "*" {
			raw = s.Items
		}
		if raw == nil {
			return false
		}
	}
	return true
}

// namedPath reports whether the name of an argument is one of a path.
func namedPath(address string) bool {
	name := ""
	for step := range strings.SplitSeq(address, "/") {
		if step != "" && step != "*" {
			name = jsonpointer.Unescape(step)
		}
	}
	definition, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": "string"}}})
	if err != nil {
		return false
	}
	guesses := infer.Tool(&call.Tool{InputSchema: definition})
	return len(guesses) == 1 && guesses[0].Kind == infer.Path
}

// each calls f with the known tools that a rule covers.
func (l *linter) each(r rule.Rule, f func(server string, t *call.Tool)) {
	for _, server := range l.servers() {
		tools := l.tools[server]
		for _, name := range tools.Names() {
			if r.Covers(server, name) {
				f(server, tools.Tool(name))
			}
		}
	}
}

// misfits returns the errors of a condition if the arguments have the types of one tool.
func misfits(r rule.Rule, server string, t *call.Tool) rule.Errors {
	if !arguments.MatchString(r.When) {
		return nil // it fits, because the policy was read
	}
	r.Tools = []string{t.Name}
	if server != "" {
		r.Tools[0] = server + ":" + t.Name
	}
	if r.Dynamic() || !r.Covers(server, t.Name) {
		return nil // no pattern names this tool alone
	}
	set, err := rule.Compile([]rule.Rule{r}, rule.Limits{})
	if err != nil {
		return nil // no pattern names this tool alone
	}
	return set.ForTool(server, t).Errors()
}

// shadowed reports a rule that can never apply because another refuses all calls of its tools.
func (l *linter) shadowed(r rule.Rule, rules []rule.Rule) {
	if r.Effect == rule.Deny && r.When == "" {
		return
	}
	by, all := "", l.knownFor(func(server string) bool { return covers(r, server) })
	l.each(r, func(server string, t *call.Tool) {
		i := slices.IndexFunc(rules, func(d rule.Rule) bool {
			return d.Effect == rule.Deny && d.When == "" && !d.Observe && d.Covers(server, t.Name)
		})
		if all = all && i >= 0; all {
			by = rules[i].Name
		}
	})
	if all && by != "" {
		l.gap("rule %s: can never apply: the rule %s refuses all calls of its tools", r.Name, by)
	}
}

// covers reports whether a rule may cover a tool of a server.
func covers(r rule.Rule, server string) bool {
	r.Tools = slices.Clone(r.Tools)
	for i, pattern := range r.Tools {
		r.Tools[i] = serverOnly(pattern)
	}
	return r.Covers(server, "")
}

// serverOnly returns the pattern for all tools of the servers of a pattern.
func serverOnly(pattern string) string {
	server, _, found := strings.Cut(pattern, ":")
	if !found {
		return "*"
	}
	return server + ":*"
}

// servers returns the names of the policy's servers; for a policy without servers, "".
func (l *linter) servers() []string {
	if len(l.policy.Servers) == 0 {
		return []string{""}
	}
	var names []string
	for _, s := range l.policy.Servers {
		names = append(names, s.Name)
	}
	if l.policy.Schedule != nil && !slices.Contains(names, daemon.SchedulerName) {
		names = append(names, daemon.SchedulerName)
	}
	return names
}

// knownFor reports whether the tools of all matching servers are known.
func (l *linter) knownFor(meant func(server string) bool) bool {
	return !slices.ContainsFunc(l.servers(), func(s string) bool { return meant(s) && l.tools[s] == nil })
}

// patterns reports patterns that match no tool.
func (l *linter) patterns(what string, list []string, covers func(pattern, server, tool string) bool) {
	for _, pattern := range list {
		if own := l.exposed(pattern); own != "" {
			l.gap("%s: %s: matches no call: this is a client's name for the tool, and a policy names it %q", what, pattern, own)
			continue
		}
		meant := slices.DeleteFunc(l.servers(), func(s string) bool { return !covers(serverOnly(pattern), s, "") })
		if len(meant) == 0 {
			server, _, _ := strings.Cut(pattern, ":")
			l.gap("%s: %s: matches no call: the policy has no such server%s", what, pattern, nearest(server, l.servers()))
			continue
		}
		var names []string
		holds := !l.knownFor(func(s string) bool { return slices.Contains(meant, s) })
		for _, s := range meant {
			names = append(names, l.tools[s].Names()...)
			holds = holds || slices.ContainsFunc(l.tools[s].Names(), func(tool string) bool { return covers(pattern, s, tool) })
		}
		if !holds {
			_, tool, found := strings.Cut(pattern, ":")
			if !found {
				tool = pattern
			}
			l.gap("%s: %s: matches no call: the server has no such tool%s", what, pattern, nearest(tool, names))
		}
	}
}

// exposed returns a policy's name for a tool that a pattern names as clients of the gateway do; "" if it does not.
func (l *linter) exposed(pattern string) string {
	for _, server := range l.servers() {
		tool, found := strings.CutPrefix(pattern, gateway.Expose(server, ""))
		if found && tool != "" && server != "" && !slices.ContainsFunc(l.servers(), func(s string) bool { return l.tools[s].Tool(pattern) != nil }) {
			return server + ":" + tool
		}
	}
	return ""
}

// subjectOf matches a comparison of the caller with names, as far as it is written in one piece.
var subjectOf = lazyregexp.New(`\bsession\.subject\s*(?:[=!]=\s*|in\s*\[)((?:"[^"\\]*"|'[^'\\]*'|[\s,])+)`)

// quotedName matches one of the names.
var quotedName = lazyregexp.New(`"[^"]*"|'[^']*'`)

// strangers reports names of callers that no token has. An issuer may know others.
func (l *linter) strangers(r rule.Rule) {
	a := l.policy.Authorization
	if a == nil || len(a.Issuers) > 0 {
		return
	}
	var known []string
	for _, t := range a.Tokens {
		known = append(known, t.Subject)
	}
	for _, said := range subjectOf.FindAllStringSubmatch(r.When, -1) {
		for _, quoted := range quotedName.FindAllString(said[1], -1) {
			if name := quoted[1 : len(quoted)-1]; !slices.Contains(known, name) {
				l.gap("rule %s: no token of authorization has the subject %q%s", r.Name, name, nearest(name, known))
			}
		}
	}
}

// shutOut reports tokens whose holder no rule lets call anything: each rule that allows names others.
func (l *linter) shutOut(rules []rule.Rule) {
	if l.policy.Authorization == nil {
		return
	}
	var named []string
	allows := false
	for _, r := range rules {
		if r.Effect == rule.Deny || r.Observe {
			continue
		}
		said := subjectOf.FindAllStringSubmatch(r.When, -1)
		if len(said) == 0 || strings.Contains(r.When, "||") || strings.Contains(r.When, "!") {
			return // it may let anybody
		}
		allows = allows || r.Effect == rule.Allow
		for _, one := range said {
			for _, quoted := range quotedName.FindAllString(one[1], -1) {
				named = append(named, quoted[1:len(quoted)-1])
			}
		}
	}
	for _, t := range l.policy.Authorization.Tokens {
		if allows && !slices.Contains(named, t.Subject) {
			l.gap("authorization: no rule lets the subject %q call anything%s", t.Subject, nearest(t.Subject, named))
		}
	}
}

// misfit returns what does not fit in a condition over the requests of one method.
func misfit(r rule.Rule) (errs rule.Errors, method string) {
	if len(r.Requests) != 1 || r.Dynamic() {
		return nil, ""
	}
	server, method, found := strings.Cut(r.Requests[0], ":")
	if !found {
		server, method = "", r.Requests[0]
	}
	known := call.RequestOf(method)
	if known == nil {
		return nil, ""
	}
	set, err := rule.Compile([]rule.Rule{r}, rule.Limits{})
	if err != nil {
		return nil, "" // it was read with the policy
	}
	return set.For(&call.Call{Server: server, Method: method, Name: method, Tool: known.Tool}).Errors(), method
}
