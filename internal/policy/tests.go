// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Tests say what becomes of calls under a policy. The policy only reads them; the command
// "toolvet policy test" runs them.
type Tests struct {
	Policy  string // file of the policy, as the text names it
	Runtime bool   // checks of level runtime look at the world, too
	Tools   []TestTools
	Cases   []Case
}

// TestTools are the tools of one server, or of all.
type TestTools struct {
	Server string          // "": of all
	File   string          // with a tools/list result, as the text names it; "": List has them
	List   json.RawMessage // an array of definitions

	Origin
}

// A Case is one call, and what must become of it.
type Case struct {
	Name      string
	Tool      string          // TOOL or SERVER:TOOL; "" for a request
	Request   string          // METHOD or SERVER:METHOD of a request other than tools/call; "" for a call
	Arguments json.RawMessage // an object; of a request, its params
	Session   *call.Session   // the caller; nil: as the policy says, over stdio
	Now       time.Time       // when the call is made; zero: when the tests run
	Want      Want
	Line      int // where the case begins, from 1

	Origin
}

// Want is the expected verdict on a call: go, ask or no-go, and one finding that fits every field
// given here. Unless for a go, the finding must be one that refuses the call.
type Want struct {
	Go      bool
	Ask     bool    // a person's consent is all that the call lacks
	Check   string  // that finds it; "" is any
	Rule    string  // of the policy's rules, by its name; "" is any
	Pointer *string // place in the arguments; nil is any
	Message string  // part of what is said
}

// Anything reports whether w asks for no finding.
func (w Want) Anything() bool {
	return w.Check == "" && w.Rule == "" && w.Pointer == nil && w.Message == ""
}

// ParseTests reads tests of a policy: one YAML document of at most 1 MiB.
//
//	version: 1
//	policy: toolvet.yaml
//	tools: tools.json               # or a list of definitions; or either by server
//	session: {subject: ann}         # also in a case; subject, claims, transport, roots, client_address
//	now: 2026-11-21T09:30:00+01:00  # also in a case; default: the time of the test
//	runtime: false                  # true: look at files, network and databases, too
//	cases:
//	  - name: stays below the root  # default: the tool's name
//	    call: {tool: files:read_text_file, arguments: {path: ../etc/passwd}}
//	    go: false                   # or true, or ask: only a person's consent is missing
//	    check: path                 # or rule: a name of rules; pointer: /path; message: a part of it
//	  - call: {request: files:resources/read, params: {uri: file:///etc/passwd}}
//	    go: false
//
// Nothing in a call or a session is expanded: ${IFS} is what it is. The error is an [Errors]
// with everything that is wrong, except for names of servers, checks and rules.
func ParseTests(filename string, data []byte) (*Tests, error) {
	d, root, errs := open(filename, "test file", data)
	if errs != nil {
		return nil, errs.ordered()
	}
	t := &Tests{}
	if root != nil {
		t.read(d, root)
	} else if len(d.errs) == 0 {
		d.errorf(position{1, 1}, "the test file is empty: it needs version, policy, tools and cases")
	}
	if len(d.errs) > 0 {
		return nil, d.errs.ordered()
	}
	return t, nil
}

func (t *Tests) read(d *decoder, n ast.Node) {
	var session *call.Session
	var now time.Time
	required := func(key string, read func(n ast.Node)) field { return field{key: key, required: true, read: read} }
	d.object(n, "the test file",
		required("version", func(n ast.Node) { readVersion(d, n) }),
		required("policy", func(n ast.Node) { t.Policy = d.filled(n) }),
		required("tools", func(n ast.Node) { t.readTools(d, n) }),
		field{key: "session", read: func(n ast.Node) { session = d.session(n) }},
		field{key: "now", read: func(n ast.Node) { now = d.moment(n) }},
		field{key: "runtime", read: func(n ast.Node) { t.Runtime = d.boolean(n) }},
		required("cases", func(n ast.Node) { t.readCases(d, n) }),
	)
	for i := range t.Cases {
		if t.Cases[i].Session == nil {
			t.Cases[i].Session = session
		}
		if t.Cases[i].Now.IsZero() {
			t.Cases[i].Now = now
		}
	}
}

func (t *Tests) readTools(d *decoder, n ast.Node) {
	if _, ok := bare(n).(ast.MapNode); !ok {
		t.Tools = []TestTools{d.testTools("", n)}
		return
	}
	entries, _ := d.entries(n, "tools by server")
	for _, e := range entries {
		t.Tools = append(t.Tools, d.testTools(e.key, e.value))
	}
}

func (d *decoder) testTools(server string, n ast.Node) TestTools {
	tools := TestTools{Server: server, Origin: Origin{file: d.file, at: positionOf(n)}}
	switch bare(n).(type) {
	case *ast.SequenceNode:
		tools.List = d.json(n)
	case *ast.StringNode:
		tools.File = d.filled(n)
	default:
		d.mismatch(n, `a file with a tools/list result, or a list of definitions such as {name: read, inputSchema: {type: object}}`)
	}
	return tools
}

func (t *Tests) readCases(d *decoder, n ast.Node) {
	list, ok := bare(n).(*ast.SequenceNode)
	if !ok {
		d.mismatch(n, "a list of cases such as {call: {tool: read, arguments: {}}, go: true}")
		return
	}
	if len(list.Values) == 0 {
		d.errorf(positionOf(n), "there are no cases: tests that test nothing would always pass")
	}
	for _, n := range list.Values {
		t.Cases = append(t.Cases, d.testCase(n))
	}
}

func (d *decoder) testCase(n ast.Node) Case {
	at := positionOf(n)
	c := Case{Line: at.line, Origin: Origin{file: d.file, at: at, fields: map[string]textPosition{}}}
	text := func(key string, into *string) field {
		return field{key: key, read: func(n ast.Node) {
			c.fields[key] = textPosition{position: positionOf(n)}
			*into = d.filled(n)
		}}
	}
	d.object(n, "the case",
		text("name", &c.Name),
		field{key: "call", required: true, read: func(n ast.Node) { c.readCall(d, n) }},
		field{key: "session", read: func(n ast.Node) { c.Session = d.session(n) }},
		field{key: "now", read: func(n ast.Node) { c.Now = d.moment(n) }},
		field{key: "go", required: true, read: func(n ast.Node) {
			if text, ok := bare(n).(*ast.StringNode); ok && text.Value == "ask" {
				c.Want.Ask = true
				return
			}
			if _, ok := bare(n).(*ast.BoolNode); !ok {
				d.mismatch(n, "true, false or ask")
				return
			}
			c.Want.Go = d.boolean(n)
		}},
		text("check", &c.Want.Check),
		text("rule", &c.Want.Rule),
		field{key: "pointer", read: func(n ast.Node) {
			p, ok := d.verbatim(n)
			if c.Want.Pointer = &p; ok && p != "" && p[0] != '/' {
				d.errorf(positionOf(n), `must be a JSON Pointer such as "/path", or "" for the arguments as a whole`)
			}
		}},
		text("message", &c.Want.Message),
	)
	if c.Name == "" {
		c.Name = cmp.Or(c.Tool, c.Request)
	}
	return c
}

func (c *Case) readCall(d *decoder, n ast.Node) {
	c.Arguments = json.RawMessage("{}")
	said := map[string]bool{}
	named := func(key string, into *string) field {
		return field{key: key, read: func(n ast.Node) {
			c.fields["tool"] = textPosition{position: positionOf(n)}
			*into = d.filled(n)
			said[key] = true
		}}
	}
	object := func(key, what string) field {
		return field{key: key, read: func(n ast.Node) {
			said[key] = true
			if _, ok := bare(n).(ast.MapNode); !ok {
				d.mismatch(n, "a mapping: "+what)
				return
			}
			c.Arguments = d.json(n)
		}}
	}
	d.object(n, "the call",
		named("tool", &c.Tool), object("arguments", "the arguments by name"),
		named("request", &c.Request), object("params", "the params by name"))
	switch {
	case said["tool"] == said["request"]:
		d.errorf(positionOf(n), "the call names a tool or a request: {tool: files:read_file, arguments: {…}}, or {request: files:resources/read, params: {…}}")
	case said["tool"] && said["params"] || said["request"] && said["arguments"]:
		d.errorf(positionOf(n), "a tool has arguments, and a request has params")
	}
}

// moment reads a time with its zone.
func (d *decoder) moment(n ast.Node) time.Time {
	text, ok := d.verbatim(n)
	at, err := time.Parse(time.RFC3339, text)
	if ok && (err != nil || at.IsZero()) {
		d.errorf(positionOf(n), "must be a time with its zone, such as 2026-11-21T09:30:00Z or 2026-11-21T09:30:00+01:00")
	}
	return at
}

// session reads who makes calls, as an authenticating door would know it.
func (d *decoder) session(n ast.Node) *call.Session {
	s := &call.Session{Transport: "stdio"}
	d.object(n, "the session",
		field{key: "subject", read: func(n ast.Node) { s.Subject, _ = d.verbatim(n) }},
		field{key: "claims", read: func(n ast.Node) {
			if _, ok := bare(n).(ast.MapNode); !ok {
				d.mismatch(n, "a mapping: the claims by name")
				return
			}
			claims, err := strictjson.Parse(d.json(n), strictjson.Limits{Bytes: maxBytes * maxEscape})
			if err != nil {
				d.errorf(positionOf(n), "%v", err)
			}
			s.Claims, _ = claims.(map[string]any)
		}},
		field{key: "transport", read: func(n ast.Node) {
			s.Transport = oneOf(d, n, choice[string]{"stdio", "stdio"}, choice[string]{"http", "http"})
		}},
		field{key: "roots", read: func(n ast.Node) {
			d.list(n, "directories", func(n ast.Node) { s.Roots = append(s.Roots, d.absolute(n, d.filled(n))) })
		}},
		field{key: "client_address", read: func(n ast.Node) { s.ClientAddress = d.filled(n) }},
	)
	return s
}
