// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package outputschema holds the structured content of a tool's result to the tool's output
// schema.
package outputschema

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/bounded"
	"github.com/toolvet/toolvet/schema"
)

//go:embed README.md
var doc string

// Check withholds structured content that is not as the tool declares.
var Check = &check.Check{
	Name:    "output-schema",
	Doc:     doc,
	Stage:   check.Output,
	Level:   check.SyntaxLevel,
	Bounded: bounded.Promised(),
	Run:     run,
}

func run(_ context.Context, pass *check.Pass) error {
	tool := pass.Call.Tool
	path, ok := pass.Result.Tool()
	if tool == nil || tool.OutputSchema == nil || !ok || pass.Result.Member(path...) == nil {
		return nil
	}
	member := func(names ...string) json.RawMessage { return pass.Result.Member(slices.Concat(path, names)...) }
	if string(member("isError")) == "true" {
		return nil
	}
	where := strings.Join(append([]string{""}, append(path, "structuredContent")...), "/")
	if member("structuredContent") == nil {
		if !complete(member) {
			return nil
		}
		pass.Report(check.Finding{Pointer: where, Message: "the tool declares an output schema, and its result has no structured content",
			Suggestion: "this is the server's fault; ask its author"})
		return nil
	}
	e, err := pass.Evaluate()
	var broken *schema.CompileError
	var unjudged *schema.EvaluateError
	switch {
	case errors.As(err, &broken):
		pass.Report(check.Finding{Pointer: where, Message: "cannot be judged, because the tool's output schema does not compile"})
		return nil
	case errors.As(err, &unjudged):
		pass.Report(check.Finding{Pointer: where, Message: "cannot be judged by the tool's output schema: " + unjudged.Reason})
		return nil
	case err != nil:
		pass.Report(check.Finding{Pointer: where, Message: "cannot be judged by the tool's output schema: " + err.Error()})
		return nil
	case e == nil:
		return errors.New("there is no evaluation")
	}
	for _, v := range e.Violations {
		pass.Report(check.Finding{Pointer: where + v.Pointer, Message: v.Message})
	}
	return nil
}

// complete reports whether a result is the whole answer of a tool that did its work: only such a
// result must have structured content (MCP, server/tools, Output Schema); a request for input
// (SEP-2322) and a task in place of the answer (2025-11-25, basic/utilities/tasks) need none.
// Structured content must match the schema in any result: older clients do not read resultType.
func complete(member func(...string) json.RawMessage) bool {
	kind := "complete"
	_ = json.Unmarshal(member("resultType"), &kind) // only texts count
	return kind == "complete" && member("task", "taskId") == nil
}
