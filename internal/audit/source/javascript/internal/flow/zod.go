// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/dop251/goja/ast"
)

// A bundle contains the code of zod. Running it would cost more than everything else and tell
// less than is known of zod already, so the makers of its schemas are recognised instead: in
// version 4 a function that makes classes from a name and an initializer, in version 3 classes
// with a typeName in their definitions.

// Native names for zod's own machinery in a bundle: the maker of classes, and, with the name of a
// class behind it, that class.
const (
	zodConstructor = "zod.$constructor"
	zodClass       = "zod.$class."
)

// isZodConstructor recognises zod's $constructor by the names of properties, which no minifier
// changes.
func isZodConstructor(f *ast.FunctionLiteral, u *unit) bool {
	const least, most = 200, 4000
	from, to := int(f.Idx0())-1, int(f.Idx1())-1
	if len(f.ParameterList.List) != 3 || to-from < least || to-from > most || from < 0 || to > len(u.file.Text) {
		return false
	}
	text := u.file.Text[from:to]
	return strings.Contains(text, "_zod") && strings.Contains(text, "traits") && strings.Contains(text, "hasInstance")
}

// zodOfClass is an instance of a class that $constructor made, with the kind in its definition:
//
//	new ZodString({ type: "string", format: "url" })
//
// Classes of checks carry no schema.
func (in *interp) zodOfClass(name string, def Value, at position) Value {
	kind, ok := in.get(def, "type", at).one()
	if !ok || strings.Contains(name, "Check") {
		return objectOf(in.heap.newObject(zodClass + name))
	}
	if format, ok := in.get(def, "format", at).one(); ok && kind == "string" {
		kind = format
	}
	return in.zodOf(kind, def, at)
}

// zodOfTypeName is an instance of a class of version 3, whose definition names it:
//
//	new ZodOptional({ innerType: this, typeName: "ZodOptional" })
func (in *interp) zodOfTypeName(args []Value, at position) (Value, bool) {
	if len(args) != 1 || len(args[0]) != 1 || args[0][0].kind != isObject {
		return nil, false
	}
	name, ok := args[0][0].obj.own("typeName").one()
	if !ok || !strings.HasPrefix(name, "Zod") || len(name) < 5 {
		return nil, false
	}
	kind := strings.ToLower(name[3:4]) + name[4:]
	if kind == "branded" {
		kind = "readonly"
	}
	return in.zodOf(kind, args[0], at), true
}

// zodOf is the schema of a definition. Kinds that are unknown let every text through.
func (in *interp) zodOf(kind string, def Value, at position) Value {
	field := func(names ...string) Value {
		for _, n := range names {
			if v := in.get(def, n, at); len(v) > 0 && v[0].kind != isUndefined {
				return v
			}
		}
		return undefined()
	}
	switch kind {
	case "object":
		shape := field("shape")
		// Version 3 makes the shape when it is first asked for.
		if len(functions(shape)) > 0 {
			shape = in.call(shape, undefined(), nil, at)
		}
		rest := schemaOf(field("catchall"))
		return in.heap.newSchema(in.objectSchema(shape, rest != nil && rest.kind != "closed"))
	case "array", "set":
		return in.heap.newSchema(&schema{kind: "array", elem: field("element", "valueType", "type")})
	case "tuple":
		return in.heap.newSchema(&schema{kind: "array", elem: in.heap.elemSchema("tuple", field("items"))})
	case "record", "map":
		return in.heap.newSchema(&schema{kind: "record", elem: field("valueType")})
	case "union", "discriminatedUnion":
		return in.heap.newSchema(&schema{kind: "union", options: in.heap.elements(field("options")).known})
	case "intersection":
		return in.heap.newSchema(merge(schemaOf(field("left")), schemaOf(field("right"))))
	case "enum", "nativeEnum":
		return in.heap.newSchema(&schema{kind: "closed", elem: in.literals("enum", field("entries", "values"))})
	case "literal":
		return in.heap.newSchema(&schema{kind: "closed", elem: in.literals("enum", in.heap.listOf(field("values", "value")))})
	case "optional", "nullable":
		return in.heap.schemaVariant(field("innerType"), func(s *schema) { s.maybe = true })
	case "default", "prefault", "nonoptional", "catch", "readonly", "promise":
		return field("innerType", "type")
	case "pipe", "pipeline":
		return in.heap.zodPipe(field("in"), field("out"))
	case "effects":
		return in.zodEffects(field("schema"), field("effect"), at)
	case "transform":
		return in.heap.newSchema(&schema{kind: "transform", change: []Value{field("transform")}})
	case "any", "unknown", "lazy", "custom", "file", "function", "date":
		if kind == "date" {
			return in.heap.newSchema(&schema{kind: "closed"})
		}
		return in.heap.newSchema(&schema{kind: "any"})
	}
	// Other kinds have the names of zod's functions.
	if s, ok := in.schemaCall("zod."+kind, nil, at); ok && schemaOf(s) != nil {
		return s
	}
	return in.heap.newSchema(&schema{kind: "string"})
}

// listOf is a list with a value in it, or the value if it is a list.
func (hp *heap) listOf(v Value) Value {
	if len(v) == 1 && v[0].kind == isObject && v[0].obj.array != nil {
		return v
	}
	return objectOf(hp.newArray(v))
}

// zodPipe is one schema behind another. In front of a transformation the first one counts, with
// the change; otherwise the second one does.
func (hp *heap) zodPipe(first, second Value) Value {
	if s := schemaOf(second); s != nil && s.kind == "transform" {
		return hp.schemaVariant(first, func(f *schema) { f.change = append(f.change, s.change...) })
	}
	return second
}

// zodEffects is a refinement or a transformation of version 3.
func (in *interp) zodEffects(inner, effect Value, at position) Value {
	fn := in.get(effect, "refinement", at)
	if len(functions(fn)) > 0 {
		return in.heap.schemaVariant(inner, func(s *schema) { s.refines = append(s.refines, fn) })
	}
	fn = in.get(effect, "transform", at)
	if kind, _ := in.get(effect, "type", at).one(); kind == "transform" {
		return in.heap.schemaVariant(inner, func(s *schema) { s.change = append(s.change, fn) })
	}
	return inner
}
