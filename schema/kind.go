// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// kinds is a set of JSON types.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindInteger
	kindNumber
	kindString
	kindArray
	kindObject
)

// kindNames lists the types in the order in which messages name them.
var kindNames = []struct {
	kind kinds
	name string
}{
	{kindString, "string"},
	{kindInteger, "integer"},
	{kindNumber, "number"},
	{kindBoolean, "boolean"},
	{kindObject, "object"},
	{kindArray, "array"},
	{kindNull, "null"},
}

func kindsOf(names []string) kinds {
	var set kinds
	for _, k := range kindNames {
		if slices.Contains(names, k.name) {
			set |= k.kind
		}
	}
	return set
}

// kindOf returns the type of a decoded value, kindNumber for every number,
// and 0 for a Go type that no JSON decoder produces.
func kindOf(v any) kinds {
	switch v.(type) {
	case nil:
		return kindNull
	case bool:
		return kindBoolean
	case json.Number:
		return kindNumber
	case string:
		return kindString
	case []any:
		return kindArray
	case map[string]any:
		return kindObject
	default:
		return 0
	}
}

// has reports whether v has a type of the set; whole numbers are not told from
// others.
func (set kinds) has(v any) bool {
	kind := kindOf(v)
	return set&kind != 0 || kind == kindNumber && set&kindInteger != 0
}

// key returns a text that v has in common with the values equal to it, and
// with no others: numbers by value, objects whatever the order.
func (e *evaluator) key(v any) string { return string(e.appendKey(nil, v)) }

func (e *evaluator) appendKey(b []byte, v any) []byte {
	e.spend(1)
	e.deeper()
	defer func() { e.nesting-- }()
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		d := e.decimal(v)
		return append(d.appendKey(append(b, '#')), ';')
	case string:
		return e.appendString(b, v)
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = e.appendKey(b, item)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b = e.appendKey(e.appendString(b, name), v[name])
		}
		return append(b, '}')
	default:
		e.foreign(v)
		return b
	}
}

func (e *evaluator) appendString(b []byte, s string) []byte {
	e.spend(len(s) / bytesPerStep)
	b = strconv.AppendInt(append(b, '"'), int64(len(s)), 10)
	return append(append(b, ':'), s...)
}
