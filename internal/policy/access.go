// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/limit"
)

// A Rule permits or refuses calls. Package rule says what it means; the policy only reads it.
type Rule struct {
	Name       string
	Effect     RuleEffect
	Tools      []string // patterns, SERVER:TOOL or TOOL
	Requests   []string // patterns of other requests, SERVER:METHOD or METHOD
	When       string   // a CEL expression
	Message    string
	Suggestion string
	Observe    bool

	Origin
}

// A RuleEffect is what a rule does to the calls that it matches.
type RuleEffect int

// The effects. The zero Effect is the safe one.
const (
	Deny RuleEffect = iota
	Ask             // a person must consent
	Allow
)

// An Origin remembers the position of an entry in a policy's file, for errors that only show
// later. The zero Origin belongs to an entry made in Go.
type Origin struct {
	file   *file
	at     position
	fields map[string]textPosition
}

// A textPosition is where a text begins in a file.
type textPosition struct {
	position
	inline bool // the text stands there as it is, on one line
}

// Errorf makes an error at a place in a field of the entry, or at the entry. Line and column
// count from 1 in the field's text.
func (o Origin) Errorf(field string, line, column int, format string, args ...any) *Error {
	f := o.file
	if f == nil {
		f = newFile("", "policy", "")
	}
	at := o.at
	if text, ok := o.fields[field]; ok {
		if at = text.position; text.inline && line == 1 {
			at.column += column - 1
		}
	}
	e := f.errorf(at, format, args...)
	if o.file == nil {
		e.Line = 0
	}
	return e
}

func (p *Policy) readRules(d *decoder, n ast.Node) {
	names := map[string]bool{}
	d.list(n, "rules such as {name: readers, effect: allow, tools: [files:read_*]}", func(n ast.Node) {
		r := readRule(d, n)
		if names[r.Name] && r.Name != "" {
			d.errorf(r.at, "two rules are called %s: reasons and logs name the rule", quote(r.Name))
		}
		names[r.Name] = true
		p.Rules = append(p.Rules, r)
	})
}

func readRule(d *decoder, n ast.Node) Rule {
	r := Rule{Origin: Origin{file: d.file, at: positionOf(n), fields: map[string]textPosition{}}}
	at := func(key string, read func(n ast.Node)) field {
		return field{key: key, read: func(n ast.Node) {
			r.fields[key] = textAt(n)
			read(n)
		}}
	}
	text := func(into *string) func(n ast.Node) { return func(n ast.Node) { *into, _ = d.text(n) } }
	name := at("name", text(&r.Name))
	name.required = true
	effect := at("effect", func(n ast.Node) {
		r.Effect = oneOf(d, n, choice[RuleEffect]{"allow", Allow}, choice[RuleEffect]{"ask", Ask}, choice[RuleEffect]{"deny", Deny})
	})
	effect.required = true
	d.object(n, "the rule", name, effect,
		at("tools", func(n ast.Node) { r.Tools = d.texts(n) }),
		at("requests", func(n ast.Node) { r.Requests = d.texts(n) }),
		at("when", func(n ast.Node) { r.When = d.expression(n) }),
		at("message", text(&r.Message)),
		at("suggestion", text(&r.Suggestion)),
		at("mode", func(n ast.Node) {
			r.Observe = oneOf(d, n, choice[bool]{"enforce", false}, choice[bool]{"observe", true})
		}),
	)
	return r
}

// expression reads a text in which nothing is expanded: a variable of the environment could
// change what the expression means.
func (d *decoder) expression(n ast.Node) string {
	var raw string
	switch v := bare(n).(type) {
	case *ast.StringNode:
		raw = v.Value
	case *ast.LiteralNode:
		raw = v.Value.Value
	default:
		d.mismatch(n, "a CEL expression: quote it")
	}
	if strings.Contains(raw, "${") {
		d.errorf(positionOf(n), "an expression holds no environment variables: give the session a subject or claims, and compare these")
	}
	return raw
}

func textAt(n ast.Node) textPosition {
	p := textPosition{position: positionOf(n)}
	s, ok := bare(n).(*ast.StringNode)
	if !ok {
		return p
	}
	origin := strings.TrimSpace(s.Token.Origin)
	p.inline = strings.Contains(origin, s.Value) // no escapes, no folded lines
	if strings.HasPrefix(origin, `"`) || strings.HasPrefix(origin, "'") {
		p.column++
	}
	return p
}

// Pinning configures the lock of tools. The zero Pinning has none.
type Pinning struct {
	Lock    string         // the lock file; "": tools are not compared with any
	Changed check.Severity // of a call of a tool whose definition has changed
	Unknown check.Severity // of a call of a tool that is not in the lock
}

// Beside lists the other files that are part of the policy: a gate reads them when it is made.
func (p *Policy) Beside() []string {
	if p == nil || p.Pinning.Lock == "" {
		return nil
	}
	return []string{p.Pinning.Lock}
}

func (p *Policy) readPinning(d *decoder, n ast.Node) {
	severity := func(n ast.Node) check.Severity {
		return oneOf(d, n, choice[check.Severity]{"refuse", check.Error}, choice[check.Severity]{"ask", check.Ask}, choice[check.Severity]{"warn", check.Warning})
	}
	d.object(n, "pinning",
		field{key: "lock", required: true, read: func(n ast.Node) { p.Pinning.Lock = d.beside(n) }},
		field{key: "changed", read: func(n ast.Node) { p.Pinning.Changed = severity(n) }},
		field{key: "unknown", read: func(n ast.Node) { p.Pinning.Unknown = severity(n) }},
	)
}

// Log configures the log of calls. The zero Log keeps none.
type Log struct {
	File      string        // "": nothing is recorded
	KeyFile   string        // "": hashes that anybody can make
	Always    bool          // records are on the disk before a call goes on
	MaxBytes  int64         // above which the file is rotated; 0: the default
	MaxAge    time.Duration // likewise; 0: never
	Keep      int           // rotated files that are kept; 0: all
	Continue  bool          // a call goes on that cannot be recorded
	Arguments bool          // arguments are recorded, values and all
}

func (p *Policy) readLog(d *decoder, n ast.Node) {
	a := &p.Log
	number := func(into *int64) func(n ast.Node) {
		return func(n ast.Node) {
			v, ok := d.integer(n)
			if *into = int64(v); ok && v < 1 {
				d.errorf(positionOf(n), "must be at least 1")
			}
		}
	}
	var keep int64
	d.object(n, "the log",
		field{key: "file", required: true, read: func(n ast.Node) { a.File = d.beside(n) }},
		field{key: "key_file", read: func(n ast.Node) { a.KeyFile = d.beside(n) }},
		field{key: "sync", read: func(n ast.Node) {
			a.Always = oneOf(d, n, choice[bool]{"every-second", false}, choice[bool]{"always", true})
		}},
		field{key: "max_bytes", read: number(&a.MaxBytes)},
		field{key: "max_age", read: func(n ast.Node) { a.MaxAge = d.duration(n) }},
		field{key: "keep", read: number(&keep)},
		field{key: "on_error", read: func(n ast.Node) {
			a.Continue = oneOf(d, n, choice[bool]{"refuse", false}, choice[bool]{"continue", true})
		}},
		field{key: "arguments", read: func(n ast.Node) {
			a.Arguments = oneOf(d, n, choice[bool]{"omitted", false}, choice[bool]{"recorded", true})
		}},
	)
	a.Keep = int(keep)
}

// beside reads the name of a file, which may be relative to the policy's own.
func (d *decoder) beside(n ast.Node) string {
	private := d.private
	d.private = false // the place of a secret is none
	file, ok := d.text(n)
	d.private = private
	if !ok {
		return file
	}
	return d.file.beside(file)
}

func (f *file) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(f.name), name)
}

func (p *Policy) readLimits(d *decoder, n ast.Node) {
	names := map[string]bool{}
	d.list(n, "limits such as {name: calls, rate: 10/s}", func(n ast.Node) {
		var l limit.Limit
		d.options(n, "the limit", &l, l.Problems)
		if names[l.Name] && l.Name != "" {
			d.errorf(positionOf(n), "two limits are called %s: calls are counted by the name", quote(l.Name))
		}
		names[l.Name] = true
		p.Limits = append(p.Limits, l)
	})
}

// A Session describes the sessions of a door without authentication.
type Session struct {
	Subject string // the caller
}

func (p *Policy) readSession(d *decoder, n ast.Node) {
	d.object(n, "the session", field{key: "subject", read: func(n ast.Node) { p.Session.Subject, _ = d.text(n) }})
}
