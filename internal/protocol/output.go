// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"fmt"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Withheld returns the CallToolResult in place of a withheld result: a tool execution error,
// with the reasons in _meta.
func (r *Result) Withheld(modern bool) json.RawMessage {
	return marshal(toolResult{
		ResultType: resultType(modern), IsError: true,
		Content: text(fmt.Sprintf("The result of %q is withheld:\n%s\n%s", r.Tool, r.Text(), withheldAdvice)),
		Meta:    map[string]any{VerdictKey: r},
	})
}

// withheldAdvice keeps a model from repeating a call that has had its effect.
const withheldAdvice = "The tool has run, so whatever it does is done: do not repeat the call to see the result."

// An Annotation carries the findings in a result to its reader. The zero Annotation adds
// nothing.
type Annotation struct {
	Meta json.RawMessage   // what _meta holds as VerdictKey; nil for nothing
	Text []json.RawMessage // content blocks for the end of "content"
}

// Annotate states the findings in a result in the protocol's words.
func Annotate(tool string, v *toolvet.Reviewed) Annotation {
	var a Annotation
	if len(v.Findings) == 0 {
		return a
	}
	r := NewResult(tool, v.Verdict)
	a.Meta = marshal(r)
	for _, note := range v.Notes {
		a.Text = append(a.Text, marshal(textContent{"text", note}))
	}
	return a
}

// Failure returns the CallToolResult of an admitted call without a result: a tool execution
// error, so a model learns of it. Why continues the sentence "The call has no result:". Made is
// true if the tool may have run. The _meta has a [jsonrpc.UnansweredKey].
func Failure(tool, why string, made, modern bool) json.RawMessage {
	advice := notMadeAdvice
	if made {
		advice = madeAdvice
	}
	return marshal(toolResult{
		ResultType: resultType(modern), IsError: true,
		Content: text(fmt.Sprintf("The call to %q has no result: %s.\n%s", strictjson.Printable(tool, maxToolName), why, advice)),
		Meta:    map[string]any{jsonrpc.UnansweredKey: struct{}{}},
	})
}

// Advice for a model whose call has no result.
const (
	madeAdvice    = "What the tool did until then is unknown: find out before you call it again."
	notMadeAdvice = "The call did not reach the tool, so nothing was executed."
)
