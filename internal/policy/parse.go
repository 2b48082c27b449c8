// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/limit"
)

// maxBytes is the size of the largest policy: some thousand times a large one.
const maxBytes = 1 << 20

// maxErrors bounds what one reading reports.
const maxErrors = 100

// Read returns the text in a policy's file. A text that is too large for [Parse] is cut, and still too large.
func Read(filename string) ([]byte, error) {
	text, err := readAll(filename)
	if err != nil {
		return nil, fmt.Errorf("reading the policy: %w", err)
	}
	return text, nil
}

// Load reads the policy in a file. The error is that of [Parse], or of reading.
func Load(filename string, kinds ...*check.Demand) (*Policy, error) {
	data, err := Read(filename)
	if err != nil {
		return nil, err
	}
	return Parse(filename, data, kinds...)
}

// LoadEach is [Load] for a program that can do without each server; see [ParseFor].
func LoadEach(filename string, kinds ...*check.Demand) (*Policy, error) {
	data, err := Read(filename)
	if err != nil {
		return nil, err
	}
	return ParseFor(NoServer, os.LookupEnv, filename, data, kinds...)
}

// Parse reads a policy: one YAML document of at most 1 MiB.
//
//	version: 1
//	preset: standard        # observe | standard | strict | none; default: standard
//	checks:
//	  format: off
//	  unknown-argument:
//	    severity: error     # error | warning; default: as the check says
//	    mode: observe       # enforce | observe; default: enforce
//	    fail_open: false    # default: false
//	output:
//	  secrets: {action: redact}    # demands on results; also below a server and below a tool
//	servers:
//	  files:
//	    command: [npx, -y, "@modelcontextprotocol/server-filesystem", /srv/data]
//	    env: {TOKEN: "${FILES_TOKEN}"}    # looked up when the server is started
//	    dir: /srv
//	    contain: {write: [/srv/data], network: {allow: [api.example.com]}}    # walls; see Containment
//	    location: local     # local | remote
//	    roots: [/srv/data]
//	    resolver: 10.0.0.53 # DNS server that names are looked up at; default: this machine's
//	    tools:
//	      "read_*":
//	        arguments:
//	          path: {path: {exists: true}}    # a name or a JSON Pointer; demands by name
//	      call_tool:
//	        calls: {tool: name, arguments: arguments}    # its arguments are the call of another tool; see Calls
//
//	  api:
//	    url: https://api.example.org/mcp    # in place of command; location: remote, if it is elsewhere
//	    credentials:        # header, header_file, client_credentials; see Credentials
//	      header: {Authorization: "Bearer ${API_TOKEN}"}
//
//	authorization:        # tokens for an endpoint on the network
//	  resource: https://mcp.example.org/mcp
//	  issuers: [{issuer: "https://login.example.org"}]    # see Issuer
//	  tokens: [{sha256: DIGEST, subject: ci, claims: {scope: mcp}}]    # toolvet token makes one
//	  scopes: [mcp]       # that every token must have
//	  clock_skew: 1m
//	session:
//	  subject: ${USER}    # the caller, where nobody is authenticated
//	rules:                # access rules; see package rule
//	  - {name: readers, effect: allow, tools: ["files:read_*"], when: 'session.subject == "ann"'}
//	pinning: {lock: toolvet.lock, changed: refuse, unknown: refuse}    # refuse | warn
//	limits:
//	  - {name: calls, tools: ["files:*"], rate: 10/s, burst: 20, concurrency: 4, quota: 1000/day}
//	shared: {url: "redis://127.0.0.1:6379"}    # count together with other proxies
//	rehearsal:            # calls that are made in a sandbox before they are made; see package rehearse
//	  before: ["files:move_*"]
//	  effects: [{name: careful, no_deletes: true, below: [/srv/data], max_changes: 20, no_network: true}]
//	  env: [API_URL]      # variables that a rehearsed server has beside PATH, HOME and their like
//	  network: {allow: [api.example.com]}    # or replay: answers.har; see RehearsalNetwork
//	dry_run: {before: ["bank:transfer"]}    # calls that need the token of a dry run
//	log: {file: log.jsonl, on_error: refuse}        # see package calllog
//	schedule: {store: jobs.db, alerts: {command: [notify-send]}}    # see Schedule
//	visibility: allowed   # all | allowed: leave out of tools/list what the session may not call
//
// A policy may make demands of these kinds. ${NAME} in a string is the value of an environment
// variable, which no message shows.
//
// The error is an [Errors] with every fault, except for unknown names of checks, which
// [Policy.Validate] reports. Filename is for its messages. Anchors, aliases, merge keys and tags
// are refused.
func Parse(filename string, data []byte, kinds ...*check.Demand) (*Policy, error) {
	return ParseWith(os.LookupEnv, filename, data, kinds...)
}

// ParseWith is [Parse] with another environment, so that a policy can be checked without its
// variables.
func ParseWith(lookup func(name string) (string, bool), filename string, data []byte, kinds ...*check.Demand) (*Policy, error) {
	return parse(decoder{lookup: lookup}, filename, data, kinds)
}

// ParseFor is [ParseWith] for a program that reaches one server. A variable that is missing where another server is
// reached, or in its dir, base, roots or walls, is no fault; that server has neither a command nor a url then, and its Environ names the variable.
func ParseFor(server string, lookup func(name string) (string, bool), filename string, data []byte, kinds ...*check.Demand) (*Policy, error) {
	return parse(decoder{lookup: lookup, only: server}, filename, data, kinds)
}

// NoServer is the server of [ParseFor] for a program that can do without each server.
const NoServer = ":"

func parse(with decoder, filename string, data []byte, kinds []*check.Demand) (*Policy, error) {
	for _, k := range kinds {
		if err := k.Validate(); err != nil {
			return nil, fmt.Errorf("policy: the program %w", err)
		}
	}
	d, root, errs := open(filename, "policy", data)
	if errs != nil {
		return nil, errs.ordered()
	}
	d.kinds, d.lookup, d.only = kinds, with.lookup, with.only
	p := &Policy{origin: &origin{file: d.file, checks: map[string]position{}}}
	if root != nil {
		p.read(d, root)
		p.withhold(d.held)
	} else if len(d.errs) == 0 {
		d.errorf(position{1, 1}, "the policy is empty: begin it with %q", "version: 1")
	}
	if len(d.errs) > 0 {
		return nil, d.errs.ordered()
	}
	return p, nil
}

// open reads the YAML of a file of a kind: "policy" or "test file". The errors are those of a
// text that cannot be read at all. The decoder holds all other errors, and then the node may be
// nil.
func open(filename, kind string, data []byte) (*decoder, ast.Node, Errors) {
	f := newFile(filename, kind, "")
	if len(data) > maxBytes {
		return nil, nil, Errors{f.errorf(position{1, 1}, "the %s is larger than 1 MiB", kind)}
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	f = newFile(filename, kind, text)
	if errs := f.characters(); errs != nil {
		return nil, nil, errs
	}
	root, errs := parseTree(f, text)
	return &decoder{file: f, errs: errs, lookup: os.LookupEnv}, root, nil
}

// read reads the whole file.
func (p *Policy) read(d *decoder, n ast.Node) {
	d.object(n, "the policy",
		field{key: "version", required: true, read: func(n ast.Node) { readVersion(d, n) }},
		field{key: "preset", read: func(n ast.Node) { p.Preset = oneOf(d, n, presetChoices()...) }},
		field{key: "checks", read: func(n ast.Node) { p.readChecks(d, n) }},
		field{key: "output", read: func(n ast.Node) { p.Output = d.readDemands(n, ofResults) }},
		field{key: "servers", read: func(n ast.Node) { p.readServers(d, n) }},
		field{key: "authorization", read: func(n ast.Node) { p.readAuthorization(d, n) }},
		field{key: "session", read: func(n ast.Node) { p.readSession(d, n) }},
		field{key: "rules", read: func(n ast.Node) { p.readRules(d, n) }},
		field{key: "pinning", read: func(n ast.Node) { p.readPinning(d, n) }},
		field{key: "limits", read: func(n ast.Node) { p.readLimits(d, n) }},
		field{key: "shared", read: func(n ast.Node) {
			p.Shared = new(limit.Shared)
			d.private = true
			d.options(n, "the shared limits", p.Shared, p.Shared.Problems)
			d.private = false
		}},
		field{key: "rehearsal", read: func(n ast.Node) {
			d.options(n, "the rehearsal", &p.Rehearsal, p.Rehearsal.Problems)
			if file := &p.Rehearsal.Network.Replay; *file != "" {
				*file = d.file.beside(*file)
			}
		}},
		field{key: "dry_run", read: func(n ast.Node) { d.options(n, "the dry run", &p.DryRun, p.DryRun.Problems) }},
		field{key: "log", read: func(n ast.Node) { p.readLog(d, n) }},
		field{key: "schedule", read: func(n ast.Node) { p.readSchedule(d, n) }},
		field{key: "errors", read: func(n ast.Node) {
			d.object(n, "the forms of errors",
				field{key: "invalid_calls", read: func(n ast.Node) {
					p.ProtocolErrors = oneOf(d, n, choice[bool]{"tool", false}, choice[bool]{"protocol", true})
				}},
				field{key: "invalid_params", read: func(n ast.Node) {
					p.ToolErrors = oneOf(d, n, choice[bool]{"protocol", false}, choice[bool]{"tool", true})
				}},
			)
		}},
		field{key: "visibility", read: func(n ast.Node) {
			p.HideRefused = oneOf(d, n, choice[bool]{"all", false}, choice[bool]{"allowed", true})
		}},
	)
}

// presets are the names that a policy may give. Package preset says what they mean.
var presets = []string{"observe", "standard", "strict", "none"}

func presetChoices() []choice[string] {
	choices := make([]choice[string], len(presets))
	for i, name := range presets {
		choices[i] = choice[string]{name, name}
	}
	return choices
}

func readVersion(d *decoder, n ast.Node) {
	if v, ok := d.integer(n); ok && v != 1 {
		d.errorf(positionOf(n), "version %d is not known to this toolvet, which reads version 1", v)
	}
}

func (p *Policy) readChecks(d *decoder, n ast.Node) {
	entries, _ := d.entries(n, "checks by name")
	p.Checks = make(map[string]Check, len(entries))
	for _, e := range entries {
		p.Checks[e.key] = readCheck(d, e.value)
		p.origin.checks[e.key] = e.at
	}
}

func readCheck(d *decoder, n ast.Node) (c Check) {
	if s, ok := bare(n).(*ast.StringNode); ok && s.Value == "off" {
		return Check{Off: true}
	}
	if _, ok := bare(n).(ast.MapNode); !ok {
		d.mismatch(n, "off, or a mapping such as {severity: warning}")
		return c
	}
	d.object(n, "the check",
		field{key: "severity", read: func(n ast.Node) {
			severity := readSeverity(d, n)
			c.Severity = &severity
		}},
		field{key: "mode", read: func(n ast.Node) {
			c.Observe = oneOf(d, n, choice[bool]{"enforce", false}, choice[bool]{"observe", true})
		}},
		field{key: "fail_open", read: func(n ast.Node) { c.FailOpen = d.boolean(n) }},
	)
	return c
}

// ordered sorts by place and keeps the first errors.
func (e Errors) ordered() Errors {
	// Not by slices.SortStableFunc, whose code a program has once for each type.
	sort.SliceStable(e, func(i, j int) bool {
		a, b := e[i], e[j]
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Message, b.Message)) < 0
	})
	if left := len(e) - maxErrors; left > 0 {
		last := *e[maxErrors]
		last.Message = fmt.Sprintf("and %d more errors from here", left)
		e = append(e[:maxErrors:maxErrors], &last)
	}
	return e
}
