// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Result is the answer of the validate tool. The first four fields are the protocol's
// core, and sufficient for a client.
type Result struct {
	Valid       bool     `json:"valid"`
	Errors      []string `json:"errors"`
	Warnings    []string `json:"warnings"`
	Suggestions []string `json:"suggestions"`

	Tool     string        `json:"tool,omitempty"`
	Method   string        `json:"method"` // who judged: MethodToolvet, or another Method
	Version  string        `json:"version"`
	Findings []Finding     `json:"findings"`
	Levels   []check.Level `json:"levels"`
	Skipped  []check.Skip  `json:"skipped"`
	Limits   []Limit       `json:"limits,omitempty"`

	Cached bool  `json:"cached,omitempty"` // the verdict is one that was kept; but for Limits
	AgeMS  int64 `json:"ageMs,omitempty"`
	TTLMS  int64 `json:"ttlMs,omitempty"` // how long it can be kept from now on; 0: not at all
}

// A Limit states how much of a limit the caller has left.
type Limit struct {
	Name         string `json:"name"`
	Meter        string `json:"meter"` // rate, concurrency or quota
	Max          int    `json:"max"`
	Remaining    int    `json:"remaining"`
	RetryAfterMS int64  `json:"retryAfterMs,omitempty"` // until a call is possible again
}

// A Finding is one entry of errors or warnings, for programs.
type Finding struct {
	Code       string          `json:"code"` // SCHEMA, SEMANTIC, POLICY, RATE_LIMIT, OUTPUT
	Check      string          `json:"check"`
	Level      check.Level     `json:"level"`
	Severity   check.Severity  `json:"severity"`
	Pointer    string          `json:"pointer"` // JSON Pointer into the arguments
	Message    string          `json:"message"`
	Suggestion string          `json:"suggestion,omitempty"`
	Value      json.RawMessage `json:"value,omitempty"` // what to put at pointer
	Observed   bool            `json:"observed,omitempty"`
}

// MethodToolvet is the Method of a verdict by toolvet's own checks.
const MethodToolvet = "toolvet"

// NewResult puts a verdict on a call of tool into the protocol's words.
func NewResult(tool string, v toolvet.Verdict) Result {
	r := Result{
		Valid: v.Go, Tool: strictjson.Printable(tool, maxToolName), Method: MethodToolvet, Version: Version,
		Errors: []string{}, Warnings: []string{}, Suggestions: []string{}, Findings: []Finding{},
		Levels: append([]check.Level{}, v.Levels...), Skipped: append([]check.Skip{}, v.Skipped...),
	}
	for _, f := range v.Findings {
		r.add(f)
	}
	for _, a := range v.Allowances {
		r.Limits = append(r.Limits, Limit{a.Limit, a.Meter, a.Max, a.Remaining, a.RetryAfter.Milliseconds()})
	}
	r.Suggestions = suggestions(r.Findings)
	switch {
	case len(r.Errors) > 0:
		r.Valid = false
	case !r.Valid:
		r.Errors = append(r.Errors, "the call was not judged")
	}
	return r
}

// maxToolName is the greatest length of a tool's name (MCP, server/tools, Tool Names).
// Answers do not repeat the rest of a longer name.
const maxToolName = 128

func (r *Result) add(f check.Finding) {
	if f.Blocks() {
		r.Errors = append(r.Errors, f.String())
	} else {
		r.Warnings = append(r.Warnings, f.String())
	}
	if !json.Valid(f.Value) {
		f.Value = nil // a check of somebody else's may give anything
	}
	r.Findings = append(r.Findings, Finding{
		Code: cmp.Or(f.Code, f.Stage.Code()), Check: f.Check, Level: f.Level, Severity: f.Severity, Pointer: f.Pointer,
		Message: f.Message, Suggestion: f.Suggestion, Value: f.Value, Observed: f.Observed,
	})
}

// blocks reports whether f is one of the errors, and not of the warnings.
func (f *Finding) blocks() bool { return f.Severity == check.Error && !f.Observed }

// maxPlace bounds a place in a text, in characters.
const maxPlace = 400

func at(pointer, text string) string {
	if pointer == "" {
		return text
	}
	return strictjson.Printable(pointer, maxPlace) + ": " + text
}

// Text is the result for a model or a person: each finding on a line, and under it
// how to mend it. A suggestion that mends several is told once, under the first.
func (r *Result) Text() string {
	var b strings.Builder
	places := mendedPlaces(r.Findings)
	blocked := false
	for i := range r.Findings {
		f := &r.Findings[i]
		mark := "warning"
		if f.blocks() {
			mark, blocked = "error", true
		}
		fmt.Fprintf(&b, "- %s: %s\n", mark, at(f.Pointer, f.Message))
		if mended, ok := places[f.Suggestion]; ok {
			fmt.Fprintf(&b, "  fix: %s%s\n", f.Suggestion, alsoAt(mended, f.Pointer))
			delete(places, f.Suggestion)
		}
	}
	if !blocked {
		for _, e := range r.Errors {
			fmt.Fprintf(&b, "- error: %s\n", e)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// toolResult is a CallToolResult with the fields that toolvet gives it. ResultType
// exists since 2026-07-28 and is left out for older clients.
type toolResult struct {
	ResultType string         `json:"resultType,omitempty"`
	Content    []textContent  `json:"content"`
	Structured any            `json:"structuredContent,omitempty"`
	IsError    bool           `json:"isError,omitempty"`
	Meta       map[string]any `json:"_meta,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func text(s string) []textContent { return []textContent{{"text", s}} }

func resultType(modern bool) string {
	if modern {
		return "complete"
	}
	return ""
}

// Answer is the CallToolResult of the validate tool: the result as structured
// content, and the same JSON as text. It is a success even for an invalid call.
// Modern is true for clients that speak 2026-07-28 or later.
func (r *Result) Answer(modern bool) json.RawMessage { return answer(r, modern) }

func answer(result any, modern bool) json.RawMessage {
	body := marshal(result)
	return marshal(toolResult{
		ResultType: resultType(modern), Content: text(string(body)), Structured: json.RawMessage(body),
	})
}

// Refusal returns the CallToolResult of a refused call: a tool execution error (SEP-1303)
// with advice for the model, and with the result in _meta.
func (r *Result) Refusal(modern bool) json.RawMessage {
	return marshal(toolResult{
		ResultType: resultType(modern), IsError: true,
		Content: text(fmt.Sprintf("The call to %q was refused before it ran:\n%s\n%s", r.Tool, r.Text(), refusalAdvice)),
		Meta:    map[string]any{VerdictKey: r},
	})
}

// refusalAdvice keeps a model from sending the same call again, also where the fault is
// not the call's: a schema that does not compile, a server that does not answer.
const refusalAdvice = "Nothing was executed. Fix the errors above before you call it again; " +
	"if they are not yours to fix, do not repeat the call."

// marshal encodes what this package built: it cannot fail. Text is for models and
// people, so <, > and & stay as they are.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("protocol: encoding %T: %v", v, err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// compact removes the white space of an embedded schema.
func compact(schema []byte) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, schema); err != nil {
		panic(fmt.Sprintf("protocol: embedded schema: %v", err))
	}
	return b.Bytes()
}
