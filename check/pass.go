// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

// A Finding is one thing that a check found. Its texts reach models and logs:
// they name the place and what is allowed there, and never repeat a value.
//
// Its JSON is that of the validation protocol (docs/protocol.md).
type Finding struct {
	// Code is the finding's code on the wire, if it differs from its stage's.
	Code     string   `json:"code"`
	Check    string   `json:"check"` // name of the check
	Stage    Stage    `json:"-"`
	Level    Level    `json:"level"`
	Severity Severity `json:"severity"`
	Pointer  string   `json:"pointer"` // JSON Pointer (RFC 6901) into the arguments; "" is their root
	Message  string   `json:"message"` // the fault and the allowed values, without the place

	// Suggestion is a remedy, or "". Value belongs at Pointer if the tool's definition leaves no
	// choice; nil otherwise.
	Suggestion string          `json:"suggestion,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"`

	// Observed marks a finding that would refuse the call, but the policy only observes.
	Observed bool `json:"observed,omitempty"`

	// Foreseen marks a finding about what the call needs and is missing now. It refuses dry runs and the calls of a
	// schedule, unless their session allows warnings, but no live call.
	Foreseen bool `json:"-"`

	// Sends marks a finding about what the call sends to another host.
	Sends bool `json:"-"`

	// Source names the access rule, limit, effect, pattern or similar tool behind the finding; "" if the
	// check alone is behind it.
	Source string `json:"-"`
}

// Blocks reports whether f refuses the call, unless a person consents to it: see Asks.
func (f *Finding) Blocks() bool { return f.Severity != Warning && !f.Observed }

// Asks reports whether f refuses the call only until a person consents to it.
func (f *Finding) Asks() bool { return f.Severity == Ask && !f.Observed }

// String is the finding on one line, with its place.
func (f Finding) String() string {
	if f.Pointer == "" {
		return f.Message
	}
	return f.place() + ": " + f.Message
}

// place is the pointer in a form that is safe to print: the sender chooses the names of
// properties, and they may hold anything.
func (f Finding) place() string { return strictjson.Printable(f.Pointer, maxPlace) }

// maxPlace bounds a place in a text, in characters.
const maxPlace = 400

// A Skip reports why a check could not look. It never counts as fine.
type Skip struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	Why   string `json:"why"`
}

// A Pass is everything that a check sees of one call. It must not be used after Run has returned.
type Pass struct {
	Call *call.Call // read-only

	// Evaluate judges the arguments by the tool's input schema, once a call,
	// however many checks ask. Its error is a *schema.CompileError, or says that
	// the arguments could not be judged within the limits.
	Evaluate func() (*schema.Evaluation, error)

	// Targets are the places that a policy makes the check's demand on; empty for a check
	// without a demand. A check with a demand looks at nothing else.
	Targets []Target
	// World is the server's environment.
	World World

	// Result is the server's answer; nil before the output stage. There Targets hold one target a
	// demand, without a place; and Evaluate judges the structured content by the tool's output
	// schema.
	Result *result.Result

	run *Run
}

// Report adds a finding. Its texts become one line: a control character, or another that does not
// print, is replaced. It fills in the check and its stage, and where the finding has
// none of its own, level and severity; an unknown severity is none. A check never reports more than
// its own severity.
func (p *Pass) Report(f Finding) {
	f.Check, f.Stage = p.run.check.Name, p.run.check.Stage
	f.Message, f.Suggestion = oneLine(f.Message), oneLine(f.Suggestion)
	if f.Level == 0 {
		f.Level = p.run.check.Level
	}
	if f.Severity != Ask && f.Severity != Warning {
		f.Severity = p.run.check.Severity
	}
	f.Severity = max(f.Severity, p.run.check.Severity)
	p.run.Findings = append(p.run.Findings, f)
}

// Reportf adds a finding at a place. The message reaches models and logs: it must not repeat a value.
func (p *Pass) Reportf(pointer, format string, args ...any) {
	p.Report(Finding{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

// Skipf reports why the check could not look.
func (p *Pass) Skipf(format string, args ...any) {
	p.run.Skip = &Skip{Check: p.run.check.Name, Level: p.run.check.Level, Why: oneLine(fmt.Sprintf(format, args...))}
}

// Depends records that the findings depend on the file at a path, or on its absence. Call it
// before each look. A cached verdict is dropped when the file changes. A check of level Runtime
// that looks at something else need not say so: its findings are believed for seconds only. It
// may be called concurrently.
func (p *Pass) Depends(path string) {
	if f := p.run.Footing; f != nil {
		f.Depends(path)
	}
}

// Fleeting marks the findings as valid for this moment only, such as findings that depend on the
// time. It may be called concurrently.
func (p *Pass) Fleeting() {
	if f := p.run.Footing; f != nil {
		f.Loosen()
	}
}

// Canonical tells the canonical value of a string in the arguments: what a tool is to get in its place.
func (p *Pass) Canonical(pointer, value string) {
	p.run.Canonicals = append(p.run.Canonicals, Canonical{pointer, value})
}

// Change changes places of the result before the client gets it.
func (p *Pass) Change(edits ...result.Edit) { p.run.Changes = append(p.run.Changes, edits...) }

// Hide keeps findings from naming the properties at these places, even if Change leaves them in
// the result.
func (p *Pass) Hide(places ...result.Edit) { p.run.Hidden = append(p.run.Hidden, places...) }

// Note adds a sentence for the model beside the result.
func (p *Pass) Note(text string) { p.run.Notes = append(p.run.Notes, oneLine(text)) }

// oneLine replaces what could harm a terminal, forge a line of a log, or mislead a model: white space
// by a space, other characters that do not print by U+FFFD.
func oneLine(text string) string {
	if !strings.ContainsFunc(text, unprintable) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !unprintable(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return utf8.RuneError
	}, text)
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
