// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// maxShape bounds how deep the types of arguments are worked out; deeper is dyn.
const maxShape = 32

// maxSchema bounds the text of an input schema, in bytes, as package schema does.
const maxSchema = 1 << 20

// A shape is what a schema says of the type of a value, as far as CEL can know it.
type shape struct {
	typ      *cel.Type
	nullable bool
	elem     *shape // of a list's elements
	// fields are those of an object, and rest is what any other field is. A nil rest: there
	// is none.
	fields map[string]*shape
	rest   *shape
}

var anything = &shape{typ: cel.DynType}

// argumentsType is the name of the type of args. Like those of the objects in it, which
// have their place appended, it cannot be written in CEL.
const argumentsType = "args#"

// A shaper makes the shapes of one tool's arguments.
type shaper struct {
	objects map[string]*shape // by the name of the type
}

// arguments reads a tool's input schema. Types unknown to CEL are dyn; only a text that is not
// JSON is an error.
func (s *shaper) arguments(inputSchema []byte) (*shape, error) {
	s.objects = map[string]*shape{}
	if len(inputSchema) == 0 { // the definition has none
		return anything, nil
	}
	v, err := strictjson.Parse(inputSchema, strictjson.Limits{Bytes: maxSchema})
	if err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok || refers(root) {
		return anything, nil
	}
	return s.object(root, argumentsType, 0), nil // arguments are an object, whether or not "type" says so
}

func (s *shaper) value(v any, name string, depth int) *shape {
	schema, ok := v.(map[string]any)
	if !ok || depth > maxShape || refers(schema) {
		return anything
	}
	kind, nullable := typeOf(schema)
	switch kind {
	case "array":
		if nullable {
			return anything
		}
		return s.list(schema, name, depth)
	case "object":
		if _, declared := schema["properties"].(map[string]any); !declared || nullable {
			return anything
		}
		return s.object(schema, name, depth)
	}
	scalar, ok := scalars[kind]
	if !ok {
		return anything
	}
	if nullable {
		return &shape{typ: cel.NullableType(scalar), nullable: true}
	}
	return &shape{typ: scalar}
}

var scalars = map[string]*cel.Type{
	"string": cel.StringType, "integer": cel.IntType, "number": cel.DoubleType, "boolean": cel.BoolType,
}

// refers reports whether what a schema says stands elsewhere. Up to draft 7 nothing beside
// a $ref counts.
func refers(schema map[string]any) bool {
	return slices.ContainsFunc([]string{"$ref", "$dynamicRef", "$recursiveRef"}, func(key string) bool {
		_, ok := schema[key]
		return ok
	})
}

// typeOf returns the one type that a schema's values have besides null, "" if there is none.
func typeOf(schema map[string]any) (kind string, nullable bool) {
	switch t := schema["type"].(type) {
	case string:
		return t, false
	case []any:
		return oneType(t)
	case nil:
		return untyped(schema)
	}
	return "", false
}

// untyped finds the type of a schema without one: by its enum, or by the alternatives that
// generators write for optional values.
func untyped(schema map[string]any) (kind string, nullable bool) {
	values, _ := schema["enum"].([]any)
	if c, ok := schema["const"]; ok {
		values = []any{c}
	}
	if len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return !ok }) {
		return "string", false
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if alternatives, ok := schema[key].([]any); ok {
			return alternative(alternatives)
		}
	}
	return "", false
}

// alternative finds the type of {"anyOf": [{"type": "string"}, {"type": "null"}]}.
func alternative(alternatives []any) (kind string, nullable bool) {
	var names []any
	for _, a := range alternatives {
		schema, _ := a.(map[string]any)
		if schema == nil || refers(schema) {
			return "", false
		}
		names = append(names, schema["type"])
	}
	return oneType(names)
}

// oneType returns the only type in a list, apart from null.
func oneType(list []any) (kind string, nullable bool) {
	for _, v := range list {
		switch name, _ := v.(string); {
		case name == "null":
			nullable = true
		case name == "", kind != "" && kind != name:
			return "", false
		default:
			kind = name
		}
	}
	return kind, nullable
}

func (s *shaper) list(schema map[string]any, name string, depth int) *shape {
	elem := anything
	if _, tuple := schema["prefixItems"]; !tuple {
		elem = s.value(schema["items"], name+"/*", depth+1)
	}
	return &shape{typ: cel.ListType(elem.typ), elem: elem}
}

// combinators are keywords that may add properties beside "properties".
var combinators = []string{"allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies", "patternProperties"}

func (s *shaper) object(schema map[string]any, name string, depth int) *shape {
	o := &shape{typ: cel.ObjectType(name), fields: map[string]*shape{}}
	s.objects[name] = o
	properties, _ := schema["properties"].(map[string]any)
	for key, v := range properties {
		o.fields[key] = s.value(v, name+"/"+escape(key), depth+1)
	}
	switch more := schema["additionalProperties"].(type) {
	case bool:
		if more {
			o.rest = anything
		}
	case map[string]any:
		o.rest = s.value(more, name+"/*", depth+1)
	}
	for _, key := range combinators {
		if _, ok := schema[key]; ok {
			o.rest = anything
		}
	}
	return o
}

// escape keeps the names of types apart; a step "*" is that of elements.
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "*", "~2").Replace(key)
}

// field returns the shape of a field of an object, nil if it has none of this name.
func (o *shape) field(name string) *shape {
	if f, ok := o.fields[name]; ok {
		return f
	}
	return o.rest
}
