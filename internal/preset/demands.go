// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package preset

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/command"
	"github.com/toolvet/toolvet/checks/cron"
	"github.com/toolvet/toolvet/checks/email"
	"github.com/toolvet/toolvet/checks/glob"
	"github.com/toolvet/toolvet/checks/path"
	"github.com/toolvet/toolvet/checks/regex"
	"github.com/toolvet/toolvet/checks/sql"
	"github.com/toolvet/toolvet/checks/substitution"
	"github.com/toolvet/toolvet/checks/url"
	"github.com/toolvet/toolvet/internal/infer"
	"github.com/toolvet/toolvet/internal/policy"
)

// Standard refuses metadata addresses, URLs that parsers read differently, paths out of the
// server's known directories, paths that hide their destination, and shell substitution in
// names, paths and URLs. It warns of malformed URLs, loopback and private addresses, destructive
// commands and statements, and missing files for reading tools.
func Standard(t *call.Tool) []policy.Argument {
	return arguments(t, standardDemands)
}

// Observe demands what [Standard] does; [Apply] sees to it that nothing is refused.
func Observe(t *call.Tool) []policy.Argument { return Standard(t) }

// Strict makes the demand of each guess with its default options, and demands that the files of
// reading tools exist.
func Strict(t *call.Tool) []policy.Argument {
	return arguments(t, strictDemands)
}

// A subject is a tool with its string parameters, which each guess may ask for: to find them takes time.
type subject struct {
	*call.Tool
	strings []stringParameter
}

// arguments joins the demands of guesses with the demands on plain values, one Argument an
// address.
//
// Where nothing says what a string is, its looks do: an absolute path, a step upwards, or a URL is judged.
func arguments(tool *call.Tool, demands func(*subject, infer.Guess) []policy.Demand) []policy.Argument {
	return argumentsOf(tool, demands, looks)
}

// argumentsOf is arguments with the demands on what nothing is known of.
func argumentsOf(tool *call.Tool, demands func(*subject, infer.Guess) []policy.Demand, looks func() []policy.Demand) []policy.Argument {
	t := &subject{tool, stringParameters(tool.InputSchema)}
	var list []policy.Argument
	guessed := map[string]bool{}
	for _, g := range infer.Tool(tool) {
		guessed[g.Address] = true
		if d := demands(t, g); len(d) > 0 {
			list = append(list, policy.Argument{Address: g.Address, Demands: d, Inferred: g.Reason})
		}
	}
	for _, s := range t.strings {
		if guessed[s.address] || holdsText(s.name) {
			continue
		}
		a := policy.Argument{Address: s.address, Demands: looks(), Inferred: "a value may look like a path or URL"}
		if s.cell { // of a table with data of any kind
			a.Demands = agentLooks()
		}
		if namesOneThing(s.name) {
			a.Demands, a.Inferred = append(a.Demands, plain()), "it is named "+quote(s.name)
		}
		if d := nameOf(t, s.name); d != nil {
			a.Demands, a.Inferred = append(a.Demands, *d), "it is named "+quote(s.name)
		}
		list = append(list, a)
	}
	return list
}

// looks is demanded of arguments that nothing is known of.
func looks() []policy.Demand {
	return []policy.Demand{
		{Kind: path.Demand, Options: new(path.Options), If: looksLikePath},
		{Kind: url.Demand, Options: &url.Options{Guess: true, Userinfo: true, Private: "allow", Loopback: "allow", SingleLabel: "allow"}, If: looksLikeURL},
	}
}

// plain is demanded of arguments that hold the name of one thing, or a URL.
func plain() policy.Demand { return demand(substitution.Demand, new(substitution.Options)) }

func demand(rule *check.Demand, options any) policy.Demand {
	return policy.Demand{Kind: rule, Options: options}
}

// advise demands what only brings warnings: a guess alone should not refuse what people
// legitimately do.
func advise(rule *check.Demand, options any) policy.Demand {
	return policy.Demand{Kind: rule, Options: options, Severity: check.Warning}
}

func standardDemands(t *subject, g infer.Guess) []policy.Demand {
	switch g.Kind {
	case infer.Path:
		list := []policy.Demand{demand(path.Demand, new(path.Options))} // it looks for substitution, too
		return append(list, presence(t, g.Address)...)
	case infer.URL:
		o := lenientURL(t.Tool)
		resolved := *o
		resolved.Resolve, resolved.Existence = true, true
		return []policy.Demand{demand(url.Demand, o), plain(), {Kind: url.Demand, Options: &resolved, From: policy.Unattended, Beside: resolves}}
	case infer.Command:
		// A command that a shell reads may well be a pipeline, and may run elsewhere.
		return []policy.Demand{advise(command.Demand, &command.Options{Allow: shellWords, Exists: new(false)})}
	case infer.SQL:
		return []policy.Demand{advise(sql.Demand, new(sql.Options))}
	case infer.Cron:
		return []policy.Demand{plain(), advise(cron.Demand, &cron.Options{Allow: []string{"macros", "every"}})}
	case infer.Email:
		return []policy.Demand{plain(), advise(email.Demand, new(email.Options))}
	case infer.Glob:
		return []policy.Demand{advise(glob.Demand, &glob.Options{Absolute: true})}
	case infer.Regex:
		return []policy.Demand{advise(regex.Demand, &regex.Options{Explosive: "warn"})}
	}
	return nil // the schema's own format says what a time is
}

func strictDemands(t *subject, g infer.Guess) []policy.Demand {
	switch g.Kind {
	case infer.Path:
		o := new(path.Options)
		if reads(t.Name, g.Address) && !stored(t) {
			o.Exists = new(true)
		}
		return append([]policy.Demand{demand(path.Demand, o)}, presence(t, g.Address)...)
	case infer.URL:
		resolve := policy.Demand{Kind: url.Demand, Options: &url.Options{Resolve: true, Existence: true}, From: policy.Unattended, Beside: resolves}
		return []policy.Demand{demand(url.Demand, new(url.Options)), plain(), resolve}
	case infer.Command:
		return []policy.Demand{demand(command.Demand, new(command.Options))}
	case infer.SQL:
		return []policy.Demand{demand(sql.Demand, new(sql.Options))}
	case infer.Cron:
		return []policy.Demand{demand(cron.Demand, new(cron.Options))}
	case infer.Email:
		return []policy.Demand{demand(email.Demand, new(email.Options))}
	case infer.Glob:
		return []policy.Demand{demand(glob.Demand, new(glob.Options))}
	case infer.Regex:
		return []policy.Demand{demand(regex.Demand, new(regex.Options))}
	}
	return nil
}

// shellWords is what a shell does every day. Everything else brings a warning: to destroy, to touch
// secrets, to send things away.
var shellWords = strings.Fields("substitution redirection pipe list background glob expansion escape comment newline assignment compound interpreter")

// Schemes for tools, and more schemes for browsers.
var (
	fetched  = strings.Fields("http https ws wss ftp ftps sftp ssh git git+https git+ssh s3 gs mailto")
	browsers = strings.Fields("about blob chrome data devtools edge file view-source")
)

func lenientURL(t *call.Tool) *url.Options {
	o := &url.Options{Guess: true, Schemes: fetched, Userinfo: true, Private: "warn", Loopback: "warn", SingleLabel: "allow"}
	if Browses(t) {
		o.Schemes = slices.Concat(fetched, browsers)
	}
	return o
}

// Browses reports whether a tool opens pages in a browser, going by its name.
func Browses(t *call.Tool) bool {
	return overlaps(words(t.Name), "browser", "browse", "navigate", "goto", "page", "tab", "screenshot", "open", "webpage", "puppeteer", "playwright")
}

// Clones reports whether a tool reads or writes a repository of git elsewhere, going by its name.
func Clones(t *call.Tool) bool {
	return overlaps(words(t.Name), "git", "clone", "repo", "repository", "remote", "submodule")
}
