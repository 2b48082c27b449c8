// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// NativeFault returns the reason why a server's tool cannot be its validate tool, or nil. The
// server chooses the name in its capability, so the definition must be that of a validate tool
// (docs/protocol.md, section 4.1): it takes exactly "tool" and "arguments", perhaps "levels" or those of [JobMembers],
// and its outputSchema or its annotations show that it only judges. A tool called "validate" may leave additionalProperties and
// these out, as the validation protocol's own definition does: its name says what it does. T is nil for a tool that the server does
// not list.
func NativeFault(t *call.Tool) error {
	switch {
	case t == nil:
		return errors.New("the server does not list it")
	case t.Fault != nil:
		return t.Fault
	}
	named := t.Name == ToolName
	if err := validateInput(t.InputSchema, named); err != nil {
		return err
	}
	judges, err := onlyJudges(t)
	if err == nil && !judges && !named {
		err = errors.New(`neither an outputSchema with "valid" nor the annotation readOnlyHint shows that it only judges`)
	}
	return err
}

// inputKeywords are the keywords that the inputSchema of a validate tool needs, and those that
// change nothing. Any other could let in further members.
var inputKeywords = []string{"type", "properties", "required", "additionalProperties", "title", "description", "$schema", "$comment", "$id", "examples"}

// validateInput holds an inputSchema against the one that the protocol prescribes. An open one may leave additionalProperties out.
func validateInput(raw json.RawMessage, open bool) error {
	schema := object(raw)
	for key := range schema {
		if !slices.Contains(inputKeywords, key) {
			return fmt.Errorf("its inputSchema has the keyword %q", strictjson.Printable(key, 64))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for key := range properties {
		if key != "tool" && key != "arguments" && key != "levels" && !slices.Contains(JobMembers, key) {
			return fmt.Errorf("its inputSchema has the property %q", strictjson.Printable(key, 64))
		}
	}
	required, _ := schema["required"].([]any)
	more, closed := schema["additionalProperties"]
	switch {
	case schema["type"] != "object" || more != false && (closed || !open):
	case len(required) != 2 || !slices.Contains(required, "tool") || !slices.Contains(required, "arguments"):
	case typeOf(properties["tool"]) != "string" || typeOf(properties["arguments"]) != "object":
	default:
		return nil
	}
	return errors.New(`its inputSchema does not take exactly "tool", a string, and "arguments", an object`)
}

// JobMembers are the members that the validate tool of a scheduler takes beside others. They say when the call is to be made.
var JobMembers = []string{"schedule", "timezone", "allow_warnings"}

// DescribesJob reports whether the arguments of a call of a validate tool t describe a job that t's server would make: a call
// with a schedule, or of a tool SERVER:TOOL that is none of own, the server's tools. A t that may do more than judge makes no jobs:
// the dry run would be live.
func DescribesJob(arguments map[string]any, t *call.Tool, own *call.Catalog) bool {
	if NativeFault(t) != nil {
		return false
	}
	properties, _ := object(t.InputSchema)["properties"].(map[string]any)
	if properties[JobMembers[0]] == nil {
		return false
	}
	for _, key := range JobMembers {
		if _, has := arguments[key]; has {
			return true
		}
	}
	tool, _ := arguments["tool"].(string)
	return strings.Contains(tool, ":") && own.Tool(tool) == nil
}

// onlyJudges reports whether a tool's own words say that it judges calls and runs nothing. The
// error names a word to the contrary.
func onlyJudges(t *call.Tool) (bool, error) {
	output, hints := object(t.OutputSchema), object(member(t.Raw, "annotations"))
	properties, _ := output["properties"].(map[string]any)
	valid := typeOf(properties["valid"]) == "boolean"
	readOnly, said := hints["readOnlyHint"]
	switch {
	case t.OutputSchema != nil && !valid:
		return false, errors.New(`its outputSchema has no "valid"`)
	case said && readOnly != true || hints["destructiveHint"] == true:
		return false, errors.New("its annotations say that it changes something")
	}
	return valid || said, nil
}

func object(raw json.RawMessage) map[string]any {
	v, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil
	}
	o, _ := v.(map[string]any)
	return o
}

func typeOf(schema any) any {
	o, _ := schema.(map[string]any)
	return o["type"]
}
