// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolvet/toolvet/internal/wire/jsonrpc"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Readers in C end a string at U+0000, so "tools/call\u0000" is "tools/call" to them. Package strictjson
// refuses such keys. This file refuses the character in the values that name something: names, URIs,
// cursors, tokens, _meta. The check nul judges it in the values of arguments.

// valuesOf are the members of params whose strings are values rather than names. The check nul judges
// them where the gate judges the request.
var valuesOf = []string{"arguments", "argument", "context", "inputResponses"}

// checkNames refuses U+0000 in a member of params, and a progress token that readers spell in different
// ways.
func checkNames(key string, v any) error {
	if slices.Contains(valuesOf, key) {
		return nil
	}
	what := "params." + strictjson.Printable(key, 64)
	if place, holds := findNUL(v); holds {
		e := jsonrpc.NULError(jsonrpc.InvalidParams, jsonrpc.QuoteKey(what+place))
		e.Place = jsonrpc.QuoteKey(what + place)
		return e
	}
	meta, _ := v.(map[string]any)
	if token, has := meta["progressToken"]; has && key == "_meta" && !validToken(token) {
		return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: fmt.Sprintf(`"params._meta.progressToken" must be a string or an integer within ±%d`, jsonrpc.MaxInteger)}
	}
	return nil
}

func validToken(v any) bool {
	switch v := v.(type) {
	case string:
		return true
	case json.Number:
		return jsonrpc.IsInteger(string(v))
	}
	return v == nil // some clients send null for none
}

// CheckParams reads the params of a message that is not judged, strictly at every depth, and refuses
// U+0000 in the names that they hold. Params may be nil.
func CheckParams(params json.RawMessage, limits Limits) error {
	if params == nil {
		return nil
	}
	v, err := strictjson.Parse(params, limits)
	if err != nil {
		return jsonrpc.NewError(jsonrpc.InvalidParams, `"params"`, err)
	}
	object, _ := v.(map[string]any) // the receiver refuses params of another type
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if err := checkNames(key, object[key]); err != nil {
			return err
		}
	}
	return nil
}

// findNUL returns the place of a string with U+0000 below v, as a path of keys.
func findNUL(v any) (place string, holds bool) {
	switch v := v.(type) {
	case string:
		return "", jsonrpc.HoldsNUL(v)
	case []any:
		for _, e := range v {
			if place, holds := findNUL(e); holds {
				return place, true
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if place, holds := findNUL(v[key]); holds {
				return "." + strictjson.Printable(key, 64) + place, true
			}
		}
	}
	return "", false
}
