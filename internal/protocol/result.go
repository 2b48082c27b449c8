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
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Result is the answer of the validate tool.
type Result struct {
	toolvet.Validation

	Cached bool  `json:"cached,omitempty"` // the verdict is one that was kept; but for Limits
	AgeMS  int64 `json:"ageMs,omitempty"`
	TTLMS  int64 `json:"ttlMs,omitempty"` // how long it can be kept from now on; 0: not at all

	// Token binds a live call to the verdict; nil: there is none. It stands in the _meta of the answer, for programs.
	Token *Token `json:"-"`
	// NativeToken is that of the server's own validation; "": there is none.
	NativeToken string `json:"-"`
}

// MethodToolvet is the Method of a verdict by toolvet's own checks.
const MethodToolvet = "toolvet"

// NewResult puts a verdict on a call of tool into the protocol's words.
func NewResult(tool string, v toolvet.Verdict) Result {
	r := Result{Validation: toolvet.Validation{
		Valid: v.Go, Ask: v.Ask, Tool: strictjson.Printable(tool, maxToolName), Method: MethodToolvet, Version: Version,
		Errors: []string{}, Warnings: []string{}, Suggestions: []string{}, Findings: []check.Finding{},
		Levels: append([]check.Level{}, v.Levels...), Skipped: append([]check.Skip{}, v.Skipped...),
		Limits: v.Allowances,
	}}
	for _, f := range v.Findings {
		r.add(f)
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

// Called puts the result into the words of a caller who knows a tool by another name than its server does: name is what the caller said, and
// expose returns its name for a tool of the server.
func (r *Result) Called(name string, expose func(own string) string) {
	r.Tool = strictjson.Printable(name, maxToolName)
	for i := range r.Findings {
		f := &r.Findings[i]                            // a copy of the verdict's
		if f.Check == "known-tool" && f.Source != "" { // the check suggests it
			f.Suggestion = "did you mean the tool " + expose(f.Source) + "?"
		}
	}
	r.Suggestions = suggestions(r.Findings)
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
	f.Code = cmp.Or(f.Code, f.Stage.Code())
	r.Findings = append(r.Findings, f)
}

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
		if f.Blocks() {
			mark, blocked = f.Severity.String(), true
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
func (r *Result) Answer(modern bool) json.RawMessage {
	if r.Token == nil {
		return answer(r, nil, modern)
	}
	return answer(r, r.Token, modern)
}

// answer is the CallToolResult of a validate tool. Tokens are those of its verdicts; nil: none.
func answer(result, tokens any, modern bool) json.RawMessage {
	body := marshal(result)
	own := toolResult{ResultType: resultType(modern), Content: text(string(body)), Structured: json.RawMessage(body)}
	if tokens != nil {
		own.Meta = map[string]any{binding.Key: tokens}
	}
	return marshal(own)
}

// A Token is a token of package binding in the _meta of an answer (docs/protocol.md, section 5.8).
type Token struct {
	Token string `json:"token"`
	TTLMS int64  `json:"ttlMs"` // its life from now on
}

// AsksToken reports whether the _meta of a dry run asks for a token.
func AsksToken(meta map[string]any) bool { return meta[binding.Key] == true }

// Refusal returns the CallToolResult of a refused call: a tool execution error (SEP-1303)
// with advice for the model, and with the result in _meta.
func (r *Result) Refusal(modern bool) json.RawMessage {
	advice := refusalAdvice
	if r.Ask {
		advice = consentAdvice
	}
	return marshal(toolResult{
		ResultType: resultType(modern), IsError: true,
		Content: text(fmt.Sprintf("The call to %q was refused before it ran:\n%s\n%s", r.Tool, r.Text(), advice)),
		Meta:    map[string]any{VerdictKey: r},
	})
}

// refusalAdvice keeps a model from sending the same call again, also where the fault is
// not the call's: a schema that does not compile, a server that does not answer.
const refusalAdvice = "Nothing was executed. Fix the errors above before you call it again; " +
	"if they are not yours to fix, do not repeat the call."

// consentAdvice ends the refusal of a call that lacks a person's consent alone, where nobody can be asked.
const consentAdvice = "Nothing was executed. A person must consent to this call, and nobody can be asked here: tell the user, and do not repeat the call."

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
