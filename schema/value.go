// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// plainValue returns v as a JSON decoder produces it. Values within it that are so already stay
// as they are.
func plainValue(v any, depth int) (any, error) {
	if depth > maxNesting {
		return nil, &EvaluateError{Reason: "the value is nested too deep"}
	}
	switch v := v.(type) {
	case nil, bool, string, json.Number:
		return v, nil
	case map[string]any:
		members := make(map[string]any, len(v))
		for name, member := range v {
			var err error
			if members[name], err = plainValue(member, depth+1); err != nil {
				return nil, err
			}
		}
		return members, nil
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			var err error
			if items[i], err = plainValue(item, depth+1); err != nil {
				return nil, err
			}
		}
		return items, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, &EvaluateError{Reason: "the value cannot be written as JSON: " + printable(err.Error(), maxPrintedFault)}
	}
	plain, err := strictjson.Parse(text, strictjson.Limits{Bytes: len(text)})
	if err != nil {
		return nil, &EvaluateError{Reason: "the value as JSON is refused: " + err.Error()}
	}
	return plain, nil
}
