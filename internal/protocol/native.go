// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/binding"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Methods of verdicts beside MethodToolvet.
const (
	// MethodBoth: the server's own validation agreed to toolvet's verdict or added to it.
	MethodBoth = "toolvet+native"
	// MethodNative: the server's own validation, beside the tool's schema; toolvet has no
	// policy for the server.
	MethodNative = "native"
	// MethodSchemaOnly: the arguments were held against the tool's schema, and nothing else.
	MethodSchemaOnly = "schema-only"
)

// nativeCheck stands for the server's own validation among the findings.
const nativeCheck = "native"

// AddNative adds the answer of the server's own validate tool, a CallToolResult, or the
// error in its place. The call stays valid only if both sides agree. A native
// "valid": false counts in any wrapping. Any other unusable answer becomes a warning and
// a skip: the server may still refuse the call when it is made.
func (r *Result) AddNative(answer json.RawMessage, err error) {
	var native nativeResult
	if err == nil {
		native, err = decodeNative(answer)
	}
	if err != nil {
		why := fmt.Sprintf("the server's own validation could not be used: %v", err)
		r.addNative(check.Warning, why)
		r.Skipped = append(r.Skipped, check.Skip{Check: nativeCheck, Level: check.SemanticLevel, Why: why})
		return
	}
	if r.Method == MethodSchemaOnly {
		r.Method = MethodNative
	} else {
		r.Method = MethodBoth
	}
	if !native.valid && len(native.errors) == 0 {
		native.errors = []string{"the server's own validation refuses the call and gives no reason"}
	}
	for _, message := range native.errors {
		r.addNative(check.Error, message)
	}
	for _, message := range native.warnings {
		r.addNative(check.Warning, message)
	}
	r.NativeToken = native.token
	for _, s := range native.suggestions {
		if !slices.Contains(r.Suggestions, s) {
			r.Suggestions = append(r.Suggestions, s)
		}
	}
}

// SkipNative notes that the server's own validation did not run, because it belongs to none of
// the requested levels.
func (r *Result) SkipNative() {
	const why = "not asked for: the request names the levels to look at"
	r.addNative(check.Warning, "the server's own validation was not asked, as the request names the levels to look at")
	r.Skipped = append(r.Skipped, check.Skip{Check: nativeCheck, Level: check.SemanticLevel, Why: why})
}

func (r *Result) addNative(severity check.Severity, message string) {
	if severity == check.Error {
		r.Valid = false
		r.Errors = append(r.Errors, message)
	} else {
		r.Warnings = append(r.Warnings, message)
	}
	r.Findings = append(r.Findings, check.Finding{
		Code: check.Semantic.Code(), Check: nativeCheck, Level: check.SemanticLevel, Severity: severity, Message: message,
	})
}

// A nativeResult holds the protocol's core fields from the server's own validation.
type nativeResult struct {
	valid                         bool
	errors, warnings, suggestions []string
	token                         string // "" if there is none
}

// decodeNative reads the CallToolResult of a server's own validate tool. It matches
// keys exactly and refuses ambiguous JSON.
func decodeNative(answer json.RawMessage) (nativeResult, error) {
	v, err := strictjson.Parse(answer, strictjson.Limits{})
	result, ok := v.(map[string]any)
	if err != nil || !ok {
		return nativeResult{}, errors.New("its result is malformed")
	}
	body := nativeBody(result)
	list, _ := body["errors"].([]any)
	native := nativeResult{valid: body["valid"] == true && len(list) == 0}
	if refuses := body["valid"] == false || body["valid"] == true && len(list) > 0; !refuses { // a refusal counts, however malformed the rest is
		if err := usable(result, body); err != nil {
			return nativeResult{}, err
		}
	}
	native.errors, _ = messages(body["errors"])
	native.warnings, _ = messages(body["warnings"])
	native.suggestions, _ = messages(body["suggestions"])
	if meta, _ := result["_meta"].(map[string]any); meta != nil {
		token, _ := meta[binding.Key].(map[string]any)
		native.token, _ = token["token"].(string)
	}
	return native, nil
}

// nativeBody returns the structured content of a result, or for servers from before
// 2025-06-18 the object in its text.
func nativeBody(result map[string]any) map[string]any {
	if structured := result["structuredContent"]; structured != nil {
		body, _ := structured.(map[string]any)
		return body
	}
	content, _ := result["content"].([]any)
	if len(content) == 0 {
		return nil
	}
	first, _ := content[0].(map[string]any)
	text, _ := first["text"].(string)
	v, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	body, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	return body
}

// usable returns an error if a result neither refuses the call nor agrees to it.
func usable(result, body map[string]any) error {
	if isError, given := result["isError"]; given && isError != false {
		return errors.New("it answers with an error")
	}
	if kind, given := result["resultType"]; given && kind != "complete" {
		return errors.New("its result is not complete")
	}
	ok := body["valid"] == true
	for _, key := range []string{"errors", "warnings", "suggestions"} {
		_, list := messages(body[key])
		ok = ok && list && body[key] != nil
	}
	if !ok {
		return errors.New(`its result is not {"valid", "errors", "warnings", "suggestions"}`)
	}
	return nil
}

// Bounds of the texts passed on from a server's own validation: texts in a list, and runes
// in a text.
const (
	maxNativeTexts = 100
	maxNativeText  = 2000
)

// messages reads one of the lists of texts, each on one line. A refusal may lack lists: they are empty.
// If v is not a list of texts, it returns the texts it found, and false.
func messages(v any) ([]string, bool) {
	list, ok := v.([]any)
	ok = ok || v == nil
	var out []string
	for i, e := range list {
		if i == maxNativeTexts {
			return append(out, fmt.Sprintf("and %d more", len(list)-i)), ok
		}
		text, isText := e.(string)
		ok = ok && isText
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			out = append(out, strictjson.Printable(text, maxNativeText))
		}
	}
	return out, ok
}
