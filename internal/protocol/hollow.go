// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Hollow reads the arguments of a call of the validate tool, with {} in the place of the described
// arguments: these may be anything, and are judged as those of the target. It returns them as values and
// as text.
func Hollow(raw json.RawMessage, limits call.Limits) (map[string]any, json.RawMessage, error) {
	return hollow(raw, "arguments", limits, func([]byte) (any, error) { return map[string]any{}, nil })
}

// HollowBatch is [Hollow] for the batch tool: each of the calls is {}, so that a bad one does not affect
// the others.
func HollowBatch(raw json.RawMessage, limits call.Limits) (map[string]any, json.RawMessage, error) {
	return hollow(raw, "calls", limits, func(calls []byte) (any, error) {
		elements, err := strictjson.OutlineElements(calls, limits)
		if err != nil { // no array
			return strictjson.Parse(calls, limits)
		}
		empty := make([]any, len(elements))
		for i := range empty {
			empty[i] = map[string]any{}
		}
		return empty, nil
	})
}

// hollow reads an object, and the member key of it with described.
func hollow(raw json.RawMessage, key string, limits call.Limits, described func(raw []byte) (any, error)) (map[string]any, json.RawMessage, error) {
	members, err := strictjson.Outline(raw, limits)
	var fault *strictjson.Error
	switch {
	case errors.As(err, &fault) && fault.Kind == strictjson.NotObject:
		return nil, nil, errors.New(`must be an object {"tool": …, "arguments": {…}}`)
	case err != nil:
		return nil, nil, fmt.Errorf(`"arguments" is refused: %w`, err)
	}
	arguments := make(map[string]any, len(members))
	for _, m := range members {
		read := described
		if m.Key != key {
			read = func(raw []byte) (any, error) { return strictjson.Parse(raw, limits) }
		}
		if arguments[m.Key], err = read(m.Raw); err != nil {
			return nil, nil, fmt.Errorf("%q is refused: %w", strictjson.Printable(m.Key, 64), err)
		}
	}
	text, err := json.Marshal(arguments)
	return arguments, text, err
}
