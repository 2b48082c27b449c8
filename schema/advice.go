// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxEmbedded bounds the JSON text in a string that is looked into.
const maxEmbedded = 64 << 10

// subject names a place in a sentence: the property, or the item of one.
func subject(at *place) string {
	items := ""
	for ; at != nil && at.index >= 0; at = at.parent {
		items = fmt.Sprintf("[%d]", at.index) + items
	}
	switch {
	case at != nil:
		return quote(at.name) + items
	case items != "":
		return "item " + items
	default:
		return "the arguments"
	}
}

// advice says how to mend a value of the wrong type.
func (x *explainer) advice(f *failure, n *node) string {
	name, want := subject(f.at), n.kinds
	switch v := f.value.(type) {
	case nil:
		return x.adviceOnNull(f, n)
	case string:
		return adviceOnString(name, v, want)
	case json.Number:
		switch {
		case want&kindInteger != 0:
			return "send " + name + " as a whole number"
		case want&kindString != 0:
			return "send " + name + " as a string, in quotes"
		}
	case bool:
		if want&kindString != 0 {
			return "send " + name + " as a string, in quotes"
		}
	case []any:
		if len(v) == 1 && want.has(v[0]) {
			return "send the item itself as " + name + ", not an array"
		}
		return ""
	}
	if fitsItem(n, f.value) {
		return "wrap " + name + " in an array"
	}
	return ""
}

func (x *explainer) adviceOnNull(f *failure, n *node) string {
	name := subject(f.at)
	if f.at == nil && n.kinds&kindObject != 0 {
		return "send an object, {} when there is nothing to say"
	}
	if f.at != nil && f.at.index < 0 && !x.view(f.at.parent).required[f.at.name] {
		return "leave " + name + " out instead of sending null"
	}
	return "send " + name + " as " + describe(n) + "; null is not allowed"
}

func adviceOnString(name, s string, want kinds) string {
	trimmed := strings.TrimSpace(s)
	switch {
	case want&(kindInteger|kindNumber) != 0 && isNumber(trimmed):
		return "send " + name + " as a number, without quotes"
	case want&kindBoolean != 0 && (strings.EqualFold(trimmed, "true") || strings.EqualFold(trimmed, "false")):
		return "send " + name + " as true or false, without quotes"
	case want&kindNull != 0 && (trimmed == "null" || trimmed == ""):
		return "send " + name + " as null, without quotes"
	case want&(kindObject|kindArray) == 0:
		return ""
	}
	switch embedded := embeddedJSON(trimmed); {
	case want&embedded&kindObject != 0:
		return "send " + name + " as the object itself, not as JSON text in a string"
	case want&embedded&kindArray != 0:
		return "send " + name + " as the array itself, not as JSON text in a string"
	case want&kindArray != 0:
		return "wrap " + name + " in an array"
	default:
		return ""
	}
}

func isNumber(s string) bool {
	_, ok := parseDecimal(json.Number(s))
	return ok && json.Valid([]byte(s))
}

// embeddedJSON returns the type of the JSON object or array that s is the text
// of, 0 for anything else.
func embeddedJSON(s string) kinds {
	if len(s) < 2 || len(s) > maxEmbedded || s[0] != '{' && s[0] != '[' || !json.Valid([]byte(s)) {
		return 0
	}
	if s[0] == '{' {
		return kindObject
	}
	return kindArray
}

// fitsItem reports whether v has the type of the items of n, an array.
func fitsItem(n *node, v any) bool {
	if n.kinds&kindArray == 0 {
		return false
	}
	if n.array == nil || n.array.rest == nil || n.array.rest.kinds == 0 {
		return true
	}
	return n.array.rest.kinds.has(v)
}
