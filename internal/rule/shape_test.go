// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
)

// describe writes the type of args: of an object its fields, and … if others can be named.
func (s *shape) describe() string {
	if s.fields == nil {
		return cel.FormatCELType(s.typ)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s.fields)) {
		list = append(list, name+" "+s.fields[name].describe())
	}
	if s.rest != nil {
		list = append(list, "… "+s.rest.describe())
	}
	return "{" + strings.Join(list, ", ") + "}"
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{}`:                              "{}",
		`{"type": "object"}`:              "{}",
		`true`:                            "dyn",
		`{"$ref": "#/$defs/args"}`:        "dyn",
		`{"additionalProperties": true}`:  "{… dyn}",
		`{"additionalProperties": false}`: "{}",
		`{"additionalProperties": {}}`:    "{… dyn}",
		`{"additionalProperties": {"type": "string"}}`:          "{… string}",
		`{"patternProperties": {"^x": {}}}`:                     "{… dyn}",
		`{"properties": {"a": true}, "allOf": [{}]}`:            "{a dyn, … dyn}",
		`{"properties": {"a": true}, "if": {}, "then": {}}`:     "{a dyn, … dyn}",
		`{"properties": {"a": true}, "anyOf": [{}]}`:            "{a dyn, … dyn}",
		`{"properties": {"a": true}, "dependentSchemas": {}}`:   "{a dyn, … dyn}",
		`{"properties": {"a": {"type": "string"}}, "$ref": ""}`: "dyn",
	} {
		expectShape(t, schema, want)
	}
	for property, want := range map[string]string{
		`{"type": "string"}`:                                 "string",
		`{"type": "string", "$ref": "#/x"}`:                  "dyn",
		`{"type": ["string"]}`:                               "string",
		`{"type": ["string", "null"]}`:                       "wrapper(string)",
		`{"type": ["string", "integer"]}`:                    "dyn",
		`{"type": ["integer", "number"]}`:                    "dyn",
		`{"type": "null"}`:                                   "dyn",
		`{"type": 5}`:                                        "dyn",
		`{"enum": ["a", "b"]}`:                               "string",
		`{"enum": ["a", 5]}`:                                 "dyn",
		`{"enum": []}`:                                       "dyn",
		`{"const": "a"}`:                                     "string",
		`{"const": 5}`:                                       "dyn",
		`{"enum": ["a"], "const": null}`:                     "dyn",
		`{"anyOf": [{"type": "integer"}, {"type": "null"}]}`: "wrapper(int)",
		`{"oneOf": [{"type": "integer", "minimum": 5}, {"type": "integer"}]}`:            "int",
		`{"anyOf": [{"type": "integer"}, {"type": "string"}]}`:                           "dyn",
		`{"anyOf": [{"type": "integer"}, {}]}`:                                           "dyn",
		`{"anyOf": [{"type": "integer"}, {"$ref": "#/x"}]}`:                              "dyn",
		`{"anyOf": [{"type": "integer"}, {"type": "integer", "$ref": "#/x"}]}`:           "dyn",
		`{"anyOf": [{"type": "object", "properties": {"x": {}}}, {"type": "null"}]}`:     "dyn",
		`{"anyOf": [{"type": "array"}, {"type": "null"}]}`:                               "dyn",
		`{"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "array"}]}`: "list(dyn)",
		`{"anyOf": [{"type": "null"}]}`:                                                  "dyn",
		`{"type": "array"}`:                                                              "list(dyn)",
		`{"type": ["array", "null"]}`:                                                    "dyn",
		`{"type": "array", "items": {"type": "array", "items": {"type": "number"}}}`:     "list(list(double))",
		`{"type": "array", "items": [{"type": "number"}]}`:                               "list(dyn)",
		`{"type": "array", "items": {"type": "number"}, "prefixItems": []}`:              "list(dyn)",
		`{"type": "object"}`: "dyn",
		`{"type": ["object", "null"], "properties": {"x": {}}}`:        "dyn",
		`{"type": "object", "properties": {"x": {"type": "boolean"}}}`: "{x bool}",
		`{"type": "object", "properties": []}`:                         "dyn",
		`{"properties": {"x": {"type": "boolean"}}}`:                   "dyn", // may be anything but an object
		deepObject(maxShape - 1):                                       strings.Repeat("{x ", maxShape-1) + "string" + strings.Repeat("}", maxShape-1),
		deepObject(maxShape + 1):                                       strings.Repeat("{x ", maxShape) + "dyn" + strings.Repeat("}", maxShape),
	} {
		expectShape(t, `{"properties": {"p": `+property+`}}`, "{p "+want+"}")
	}
}

func deepObject(levels int) string {
	return strings.Repeat(`{"type": "object", "properties": {"x": `, levels) + `{"type": "string"}` + strings.Repeat("}}", levels)
}

func expectShape(t *testing.T, schema, want string) {
	t.Helper()
	s := shaper{}
	root, err := s.arguments([]byte(schema))
	if err != nil {
		t.Errorf("%.200s: %v", schema, err)
		return
	}
	if got := root.describe(); got != want {
		t.Errorf("%.200s is %s, want %s", schema, got, want)
	}
}

// TestTypeNames holds that objects at different places never share the name of their type.
func TestTypeNames(t *testing.T) {
	t.Parallel()
	object := func(field string) string {
		return `{"type": "object", "properties": {"` + field + `": {"type": "string"}}}`
	}
	s := shaper{}
	if _, err := s.arguments([]byte(`{"properties": {
		"a/b": ` + object("w") + `, "a": {"type": "object", "properties": {"b": ` + object("x") + `, "*": ` + object("y") + `},
			"additionalProperties": ` + object("z") + `}}}`)); err != nil {
		t.Fatal(err)
	}
	if len(s.objects) != 6 {
		t.Errorf("%d types, want 6: %v", len(s.objects), slices.Sorted(maps.Keys(s.objects)))
	}
}
