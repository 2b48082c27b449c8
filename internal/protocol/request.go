// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// A Request is a request to the validate tool.
type Request struct {
	Call   *call.Call    // the call to judge
	Levels []check.Level // the looks to take; nil: all
}

// DecodeRequest reads the arguments of a call of the validate tool, whose shape the
// InputSchema has found good. The tool of the call that it describes is looked up in catalog.
// The arguments of that call may be anything: its Unread says what is wrong with them. Missing ones
// are {}.
func DecodeRequest(arguments json.RawMessage, catalog *call.Catalog, limits call.Limits) (*Request, error) {
	members, err := strictjson.Outline(arguments, limits)
	if err != nil {
		return nil, fmt.Errorf("the arguments of validate: %w", err)
	}
	c, r := &call.Call{Raw: json.RawMessage("{}"), Arguments: map[string]any{}}, &Request{}
	for _, m := range members {
		switch m.Key {
		case "tool":
			name, err := strictjson.Parse(m.Raw, limits)
			if err != nil {
				return nil, fmt.Errorf(`"tool" is refused: %w`, err)
			}
			if c.Name, _ = name.(string); c.Name == "" {
				return nil, errors.New(`"tool" must be a string that is not empty`)
			}
		case "arguments":
			_ = c.Read(m.Raw, limits) // the verdict on c tells
		case "levels":
			if r.Levels, err = decodeLevels(m.Raw); err != nil {
				return nil, err
			}
		default:
			return nil, errors.New("the validate tool takes tool, arguments and levels, nothing else")
		}
	}
	if c.Name == "" {
		return nil, errors.New("the validate tool takes tool and arguments: tool is missing")
	}
	c.Resolve(catalog)
	r.Call = c
	return r, nil
}

func decodeLevels(raw json.RawMessage) ([]check.Level, error) {
	var levels []check.Level
	if err := json.Unmarshal(raw, &levels); err != nil || len(levels) == 0 || slices.Contains(levels, 0) { // 0 is null
		return nil, errors.New(`"levels" must be an array of some of "syntax", "semantic", "runtime" and "security"; leave it out for all`)
	}
	return levels, nil
}

// Native returns the request in the form for a server's own validate tool, without fields
// unknown to some validators. Canonical are the arguments that a live call would have; nil: those of the request.
func (r *Request) Native(canonical json.RawMessage) json.RawMessage {
	if canonical == nil {
		canonical = r.Call.Raw
	}
	return marshal(struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}{r.Call.Name, canonical})
}

// DecodeBatch reads the arguments of a call of the batch tool, whose shape the schema of the
// tool has found good: the arguments of the validate tool for each call, unread. They need not be JSON.
func DecodeBatch(arguments json.RawMessage, limits call.Limits) ([]json.RawMessage, error) {
	members, err := strictjson.Outline(arguments, limits)
	if err != nil {
		return nil, fmt.Errorf("the arguments of the batch tool: %w", err)
	}
	if len(members) != 1 || members[0].Key != "calls" {
		return nil, errors.New("the batch tool takes calls, nothing else")
	}
	elements, err := strictjson.OutlineElements(members[0].Raw, limits)
	if err != nil || len(elements) == 0 {
		return nil, errors.New(`"calls" must be an array of calls, and not be empty`)
	}
	calls := make([]json.RawMessage, len(elements))
	for i, e := range elements {
		calls[i] = e
	}
	return calls, nil
}
