// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"net/netip"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// A Server holds a policy's settings for one server.
type Server struct {
	Name    string
	Command []string   // how to start it; nil if the policy does not say
	Drafted []string   // a command with [Root] in it, in place of Command: nobody can start it yet
	Env     []Variable // added to the environment in which Command is started
	// Withheld are variables of toolvet's environment that Command does not get: the policy names them for credentials of toolvet
	// or of other servers, and not for this one.
	Withheld []string
	Dir      string       // where Command is started; "": where toolvet was
	URL      string       // where it listens, in place of Command; "" if the policy does not say
	Contain  *Containment // the walls around Command; nil: none
	// Credentials authenticate toolvet to the server at URL; nil: none.
	Credentials *Credentials
	Unused      *Credentials // those of a server that lacks a variable: nobody reaches it, and its files stay its own
	World       check.World
	// Agent says that the tools are those that a host of coding agents brings along, and "toolvet hook" judges their calls.
	Agent bool
	// Unasked is what the agent may do without a question, besides what the preset lets pass.
	Unasked Unasked
	// Memory is that of an agent's session. The hook's judge sets it; no policy file does.
	Memory Memory
	Tools  []Tool // in the order of the file
	// Requests hold demands on requests other than tools/call, by patterns of methods, in the order of
	// the file.
	Requests []Tool
	Output   []Demand // of what the server sends back

	// ClientRoots adds the roots that the client announces to those of World. A policy file that
	// names roots means these alone.
	ClientRoots bool
	// RootBase says that relative paths start in the server's first root: the client's, if the client announces roots and they count.
	RootBase bool

	missing []string // variables that are not set and say how to reach it
	lacking string   // the place in the policy that needs the first

	unplaced bool     // one of them says where its files are
	named    []string // variables that the policy names for the server
}

// Root stands in a drafted command for the directory of the server, which a person has to write there.
const Root = "{ROOT}"

// A Memory holds the readings of an agent's session to which a person has consented.
type Memory struct {
	Secret  bool // something that may hold a secret
	Foreign bool // the words of an unlisted host or an unknown server
}

// A Tool holds a policy's demands on the tools whose names match.
type Tool struct {
	Pattern   string // a name, or one with * for any characters; no other character is special
	Arguments []Argument
	Requires  []Demand // of the tool as a whole
	Output    []Demand // of its results
	// FillDefaults has the tool get the defaults of its schema for what the arguments lack.
	FillDefaults bool
	Calls        *Calls // the call of another tool within the arguments; nil: none
}

// Matches reports whether t speaks of the tool called name.
func (t *Tool) Matches(name string) bool {
	parts := strings.Split(t.Pattern, "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	if len(parts) == 1 || !ok {
		return ok && rest == ""
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, last)
}

// An Argument is a place in a tool's arguments, and what is demanded of it.
type Argument struct {
	// Address is a JSON Pointer in which a step * stands for every element or
	// property; "" is the arguments as a whole.
	Address string
	Demands []Demand
	// URI says that the value is a URI: demands on paths judge the path of a file: URI.
	URI      bool
	Inferred string // why toolvet takes the place for one of this kind; "" if the policy says so
}

// A Demand is one kind of demand with its options.
type Demand struct {
	Kind    *check.Demand
	Options any // made by Kind.Options, filled in
	// Severity is the worst that a finding can be because of this demand. A guess may only
	// warn.
	Severity check.Severity
	// If says which values the demand is about; nil: all.
	If func(value string) bool
	// From is the first occasion on which the demand counts.
	From Occasion
	// Beside makes of an inferred demand one that stays where the policy itself makes a demand of the same kind. It is
	// given the options of the policy's demand, and returns those of this one, or nil if the policy settles the matter.
	Beside func(options any) any
}

// An Occasion is the situation in which a call is judged.
type Occasion uint8

const (
	Live       Occasion = iota // the call runs next, and somebody sees how it ends
	DryRun                     // nothing runs
	Unattended                 // a schedule makes the call, now or later
)

// Server returns the settings of p for a server. For the name "" it returns the only server of p.
// It returns nil if there is none.
func (p *Policy) Server(name string) *Server {
	if p == nil {
		return nil
	}
	if name == "" && len(p.Servers) == 1 {
		return p.Servers[0]
	}
	for _, s := range p.Servers {
		if s.Name == name {
			return s
		}
	}
	return nil
}

func (p *Policy) readServers(d *decoder, n ast.Node) {
	entries, _ := d.entries(n, "servers by name")
	for _, e := range entries {
		p.Servers = append(p.Servers, readServer(d, e))
	}
}

func readServer(d *decoder, e entry) *Server {
	s := &Server{Name: e.key, ClientRoots: true}
	if strings.Contains(e.key, ":") {
		d.errorf(e.at, "the name of a server must not hold a colon: its tools are called SERVER:TOOL")
	}
	located := false
	reach := func(read func(n ast.Node)) func(n ast.Node) {
		return func(n ast.Node) {
			d.another = d.only != "" && d.only != e.key // [NoServer] has a colon
			read(n)
			d.another = false
		}
	}
	place := func(read func(n ast.Node)) func(n ast.Node) {
		return reach(func(n ast.Node) {
			before := len(d.missing)
			read(n)
			s.unplaced = s.unplaced || len(d.missing) > before
		})
	}
	d.missing, d.lacking, d.named = nil, "", nil
	d.object(e.value, "the server",
		field{key: "command", read: reach(func(n ast.Node) { s.Command = d.texts(n) })},
		field{key: "env", read: func(n ast.Node) { s.Env = d.environment(n) }},
		field{key: "dir", read: place(func(n ast.Node) { s.Dir = d.directory(n) })},
		field{key: "contain", read: reach(func(n ast.Node) {
			s.Contain = new(Containment)
			d.options(n, "the containment", s.Contain, s.Contain.Problems)
		})},
		field{key: "url", read: reach(func(n ast.Node) { s.URL = d.webURL(n) })},
		field{key: "credentials", read: reach(func(n ast.Node) {
			d.private = true
			s.Credentials = readCredentials(d, n)
			d.private = false
		})},
		field{key: "agent", read: func(n ast.Node) { s.Agent = d.boolean(n) }},
		field{key: "unasked", read: func(n ast.Node) { d.options(n, "what an agent may do", &s.Unasked, s.Unasked.Problems) }},
		field{key: "location", read: func(n ast.Node) {
			located = true
			s.World.Remote = oneOf(d, n, choice[bool]{"local", false}, choice[bool]{"remote", true})
		}},
		field{key: "platform", read: func(n ast.Node) {
			s.World.Platform = oneOf(d, n, choice[string]{"posix", "posix"}, choice[string]{"windows", "windows"})
		}},
		field{key: "base", read: place(func(n ast.Node) { s.World.Base = d.anyDirectory(n) })},
		field{key: "roots", read: place(func(n ast.Node) {
			s.ClientRoots = false
			d.list(n, "directories", func(n ast.Node) { s.World.Roots = append(s.World.Roots, d.anyDirectory(n)) })
		})},
		field{key: "output", read: func(n ast.Node) { s.Output = d.readDemands(n, ofResults) }},
		field{key: "resolver", read: func(n ast.Node) { s.World.Resolver = d.dnsServer(n) }},
		field{key: "tools", read: func(n ast.Node) {
			tools, _ := d.entries(n, "tools by name")
			for _, t := range tools {
				s.Tools = append(s.Tools, readTool(d, t))
			}
		}},
		field{key: "requests", read: func(n ast.Node) {
			requests, _ := d.entries(n, "requests by method")
			for _, e := range requests {
				r := readTool(d, e)
				for i := range r.Arguments {
					r.Arguments[i].URI = true
				}
				s.Requests = append(s.Requests, r)
			}
		}},
	)
	s.named = d.named
	s.checkURL(d, e.at)
	if s.missing, s.lacking = d.missing, d.lacking; s.missing != nil { // nobody reaches it
		defer func() { s.Command, s.Drafted, s.URL, s.Credentials, s.Unused = nil, nil, "", nil, s.Credentials }()
	}
	if slices.ContainsFunc(s.Command, func(word string) bool { return strings.Contains(word, Root) }) {
		defer func() { s.Drafted, s.Command = s.Command, nil }()
	}
	if !located {
		s.World.Remote = s.elsewhere() || s.World.Platform != "" && (s.World.Platform == "windows") != (runtime.GOOS == "windows")
	}
	return s
}

// checkURL reports what does not go together with the server's URL, or with its lack.
func (s *Server) checkURL(d *decoder, at position) {
	switch {
	case s.Agent && (s.Command != nil || s.URL != ""):
		d.errorf(at, "the server is an agent's host: it has neither a command nor a url")
	case (s.Command != nil || s.URL != "") && s.Unasked.Given():
		d.errorf(at, "unasked is for an agent's host, and the server has a command or a url: it would change nothing")
	case s.URL != "" && s.Command != nil:
		d.errorf(at, "the server has a command and a url: it is either started or reached")
	case s.Contain != nil && s.URL != "":
		d.errorf(at, "the server has a url: only a command can be contained")
	case s.URL != "" && (s.Env != nil || s.Dir != ""):
		d.errorf(at, "the server has a url: env and dir are for a command")
		d.errs[len(d.errs)-1].Source = "" // the line may hold a secret
	case s.Credentials != nil && s.URL == "":
		d.errorf(at, "the server has credentials and no url: a command gets its secrets from its environment")
	case s.Credentials != nil && secureURL(s.URL) != "":
		d.errorf(at, "the url of a server %s", secureURL(s.URL)+", where there are credentials")
	}
}

// elsewhere reports whether the server listens on another machine.
func (s *Server) elsewhere() bool {
	u, err := url.Parse(s.URL)
	return err == nil && u.Host != "" && !Loopback(u.Hostname())
}

func readTool(d *decoder, e entry) Tool {
	t := Tool{Pattern: e.key}
	d.object(e.value, "the tool",
		field{key: "arguments", read: func(n ast.Node) {
			arguments, _ := d.entries(n, "arguments by name or JSON Pointer")
			for _, a := range arguments {
				t.Arguments = append(t.Arguments, Argument{Address: Address(a.key), Demands: d.readDemands(a.value, ofArguments)})
			}
		}},
		field{key: "requires", read: func(n ast.Node) {
			d.list(n, "demands such as {env: {name: TOKEN}}", func(n ast.Node) { t.Requires = append(t.Requires, d.readDemands(n, ofArguments)...) })
		}},
		field{key: "output", read: func(n ast.Node) { t.Output = d.readDemands(n, ofResults) }},
		field{key: "fill_defaults", read: func(n ast.Node) { t.FillDefaults = d.boolean(n) }},
		field{key: "calls", read: func(n ast.Node) { t.Calls = readCalls(d, n) }},
	)
	return t
}

// Address is the JSON Pointer of an argument that is given by its name, or by one.
func Address(argument string) string {
	if argument == "" || argument[0] == '/' {
		return argument
	}
	return "/" + check.EscapePointer(argument)
}

// The subjects of demands; see [check.Demand].
const (
	ofArguments = false
	ofResults   = true
)

// readDemands reads demands by name, with their options.
func (d *decoder) readDemands(n ast.Node, about bool) []Demand {
	entries, _ := d.entries(n, "demands by name")
	var demands []Demand
	for _, e := range entries {
		kind := d.kind(e, about)
		if kind == nil {
			continue
		}
		made := Demand{Kind: kind, Options: kind.Options()}
		var more []field
		if !about { // of arguments
			more = []field{{key: "severity", read: func(n ast.Node) { made.Severity = readSeverity(d, n) }}}
		}
		options := made.Options
		d.options(e.value, "the demand "+kind.Name, options, func() []check.Problem {
			if kind.Problems == nil {
				return nil
			}
			return kind.Problems(options)
		}, more...)
		demands = append(demands, made)
	}
	return demands
}

func readSeverity(d *decoder, n ast.Node) check.Severity {
	return oneOf(d, n, choice[check.Severity]{"error", check.Error}, choice[check.Severity]{"ask", check.Ask}, choice[check.Severity]{"warning", check.Warning})
}

func (d *decoder) kind(e entry, about bool) *check.Demand {
	var names []string
	for _, k := range d.kinds {
		if k.Results != about {
			continue
		}
		if k.Name == e.key {
			return k
		}
		names = append(names, k.Name)
	}
	d.errorf(e.at, "unknown demand %s: %s", quote(e.key), hint(e.key, names))
	return nil
}

// dnsServer reads an IP address, with a port unless it is that of DNS.
func (d *decoder) dnsServer(n ast.Node) string {
	s, ok := d.text(n)
	if a, err := netip.ParseAddr(s); err == nil {
		return netip.AddrPortFrom(a, 53).String()
	}
	a, err := netip.ParseAddrPort(s)
	if ok && (err != nil || a.Port() == 0) {
		d.errorf(positionOf(n), "must be the IP address of a DNS server, with its port if that is not 53, such as 10.0.0.53 or [fd00::53]:5353")
	}
	return s
}

// directory reads an absolute path.
func (d *decoder) directory(n ast.Node) string {
	dir, ok := d.text(n)
	if !ok {
		return ""
	}
	return d.absolute(n, dir)
}

// anyDirectory reads a directory of the server's, which may be another system's.
func (d *decoder) anyDirectory(n ast.Node) string {
	dir, ok := d.text(n)
	if !ok {
		return ""
	}
	if foreignRoot.MatchString(dir) && !filepath.IsAbs(dir) {
		return dir
	}
	return d.absolute(n, dir)
}

// foreignRoot matches absolute directories of another system: a Windows drive or share, or a directory of POSIX.
var foreignRoot = lazyregexp.New(`^([A-Za-z]:[\\/]|\\\\[^\\/]|/)`)

func (d *decoder) absolute(n ast.Node, dir string) string {
	if !filepath.IsAbs(dir) {
		d.errorf(positionOf(n), "must be an absolute path")
	}
	return filepath.Clean(dir)
}
