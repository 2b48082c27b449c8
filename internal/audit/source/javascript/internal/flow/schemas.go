// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"regexp"
	"slices"
	"strings"
)

// Schemas of zod. The SDK parses the arguments with a tool's schema before it calls the handler,
// so the schema is the first guard of most servers.

// A schema is one of zod: a check that an argument has passed before a handler sees it. It is
// read as a guard: a regular expression, a refinement or a closed set of values can exclude
// families.
//
//	z.string().regex(/^[a-z]+$/)         // matches are tried on the attacks
//	z.string().refine((p) => inside(p))  // called as any guard
//	z.enum(["a", "b"])                   // closed: nothing of the caller's gets through
//
// An object of a regular expression uses the field pattern of a schema of its own.
type schema struct {
	// string, closed (no text gets through), object, array, record, union, transform, any
	kind   string
	fields map[string]Value
	order  []string
	// of an array or a record; of a closed one its values
	elem Value
	// of a union
	options []Value
	refines []Value
	// functions of transform, in order
	change []Value
	// the value may be missing
	maybe bool
	// other properties pass
	open   bool
	checks []func(in *interp, v Value) Value

	pattern *regexp.Regexp
	global  bool
}

// newSchema makes the object of a schema.
func (hp *heap) newSchema(s *schema) Value {
	o := hp.newObject("zod")
	o.schema = s
	return objectOf(o)
}

// schemaOf is the schema of a value, or nil.
func schemaOf(v Value) *schema {
	for _, a := range v {
		if a.kind == isObject && a.obj.native == "zod" && a.obj.schema != nil {
			return a.obj.schema
		}
	}
	return nil
}

// schemaCall calls a function of zod. Names that make a text of any content are strings; those
// without room for an attack are closed: numbers, dates, identifiers. An address of version 4 or
// 6 may be internal, so it counts as a string; so does a URL.
func (in *interp) schemaCall(name string, args []Value, at position) (Value, bool) {
	fn, ok := strings.CutPrefix(name, "zod.")
	if !ok {
		return nil, false
	}
	if name == zodConstructor {
		class, _ := arg(args, 0).one()
		return native(zodClass + class), true
	}
	fn = strings.TrimPrefix(strings.TrimPrefix(fn, "z."), "coerce.")
	first := arg(args, 0)
	switch fn {
	// An e-mail address or a URL still has room for most attacks.
	case "string", "email", "url", "httpUrl", "base64", "jwt", "emoji", "hostname", "custom", "instanceof", "templateLiteral", "stringFormat":
		return in.heap.newSchema(&schema{kind: "string"}), true
	// No text of the caller's choice gets through these.
	case "number", "boolean", "bigint", "date", "int", "float32", "float64", "null", "undefined", "void", "never", "nan", "symbol", "stringbool",
		"enum", "nativeEnum", "literal", "uuid", "guid", "cuid", "cuid2", "ulid", "nanoid", "iso.date", "iso.datetime", "iso.time", "ipv4", "ipv6", "function":
		if fn == "ipv4" || fn == "ipv6" {
			return in.heap.newSchema(&schema{kind: "string"}), true
		}
		return in.heap.newSchema(&schema{kind: "closed", elem: in.literals(fn, first)}), true
	case "object", "strictObject", "looseObject", "interface":
		return in.heap.newSchema(in.objectSchema(first, fn == "looseObject")), true
	case "array", "set", "tuple":
		return in.heap.newSchema(&schema{kind: "array", elem: in.heap.elemSchema(fn, first)}), true
	case "record", "map", "partialRecord":
		return in.heap.newSchema(&schema{kind: "record", elem: arg(args, len(args)-1)}), true
	// A value may pass any of the options, so the result is all of their results.
	case "union":
		return in.heap.newSchema(&schema{kind: "union", options: in.heap.elements(first).known}), true
	case "discriminatedUnion":
		return in.heap.newSchema(&schema{kind: "union", options: in.heap.elements(arg(args, 1)).known}), true
	case "intersection":
		return in.heap.newSchema(merge(schemaOf(first), schemaOf(arg(args, 1)))), true
	case "optional", "nullable", "nullish":
		return in.heap.schemaVariant(first, func(s *schema) { s.maybe = true }), true
	// The second schema counts: the first one only prepares.
	case "preprocess", "pipeline", "pipe":
		return arg(args, 1), true
	// A recursive schema; following it would not end.
	case "lazy":
		return in.heap.newSchema(&schema{kind: "any"}), true
	case "any", "unknown", "json":
		return in.heap.newSchema(&schema{kind: "any"}), true
	}
	return unknown(), true
}

// elemSchema is the schema of any element; the elements of a tuple are taken together.
func (hp *heap) elemSchema(fn string, v Value) Value {
	if fn != "tuple" {
		return v
	}
	return hp.newSchema(&schema{kind: "union", options: hp.elements(v).known})
}

// literals are the values that a closed schema lets through, where the program names them. With
// them a switch over the argument knows its cases.
func (in *interp) literals(fn string, v Value) Value {
	switch fn {
	case "enum", "nativeEnum":
		if len(v) == 1 && v[0].kind == isObject && v[0].obj.array == nil {
			v = in.entries(v, false)
		}
		q := in.heap.elements(v)
		if len(q.rest) == 0 && len(q.known) > 0 && len(q.known) < maxAtoms {
			return q.all()
		}
	case "literal":
		if _, ok := v.one(); ok {
			return v
		}
	}
	return nil
}

// objectSchema is the schema of an object with these fields. A shape that is not known lets
// others pass.
func (in *interp) objectSchema(shape Value, open bool) *schema {
	s := &schema{kind: "object", fields: map[string]Value{}, open: open}
	for _, a := range shape {
		if a.kind != isObject || a.obj.array != nil {
			s.open = true
			continue
		}
		for _, k := range in.heap.names(a.obj) {
			if _, ok := s.fields[k]; !ok {
				s.order = append(s.order, k)
			}
			s.fields[k] = in.getObject(a, k, position{})
		}
		if a.obj.any != nil {
			s.open = true
		}
	}
	return s
}

// merge is one schema with the fields of both.
func merge(a, b *schema) *schema {
	if a == nil || b == nil {
		return &schema{kind: "any"}
	}
	s := *a
	s.fields = map[string]Value{}
	s.order = nil
	for _, x := range []*schema{a, b} {
		for _, k := range x.order {
			if _, ok := s.fields[k]; !ok {
				s.order = append(s.order, k)
			}
			s.fields[k] = x.fields[k]
		}
		s.open = s.open || x.open
	}
	return &s
}

// schemaVariant is a changed copy of a schema, as each method of zod returns one.
func (hp *heap) schemaVariant(v Value, change func(*schema)) Value {
	s := schemaOf(v)
	if s == nil {
		return v
	}
	n := *s
	n.refines = append([]Value(nil), s.refines...)
	n.change = append([]Value(nil), s.change...)
	n.checks = append([]func(*interp, Value) Value(nil), s.checks...)
	change(&n)
	return hp.newSchema(&n)
}

// schemaMethod is a method of a schema. Methods that change nothing of interest return the schema
// itself.
func (in *interp) schemaMethod(o *Object, key string, args []Value, at position) (Value, bool) {
	this := objectOf(o)
	first := arg(args, 0)
	switch key {
	case "optional", "nullable", "nullish", "default", "catch", "prefault", "partial", "deepPartial":
		return in.heap.schemaVariant(this, func(s *schema) { s.maybe = s.maybe || key != "default" && key != "prefault" }), true
	case "refine", "superRefine", "check":
		return in.heap.schemaVariant(this, func(s *schema) { s.refines = append(s.refines, first) }), true
	case "transform":
		return in.heap.schemaVariant(this, func(s *schema) { s.change = append(s.change, first) }), true
	case "regex":
		if r := regexOf(first); r != nil {
			return in.heap.schemaVariant(this, func(s *schema) {
				s.checks = append(s.checks, func(in *interp, v Value) Value { return in.state.matches(v, r) })
			}), true
		}
		return this, true
	case "startsWith", "endsWith", "includes":
		return in.heap.schemaVariant(this, func(s *schema) {
			s.checks = append(s.checks, func(in *interp, v Value) Value { return in.textMethod(textOf(v), key, args, at) })
		}), true
	case "uuid", "guid", "cuid", "cuid2", "ulid", "nanoid", "datetime", "date", "time", "int":
		return in.heap.newSchema(&schema{kind: "closed", maybe: o.schema.maybe}), true
	case "pipe":
		return first, true
	case "array":
		return in.heap.newSchema(&schema{kind: "array", elem: this}), true
	case "or":
		return in.heap.newSchema(&schema{kind: "union", options: []Value{this, first}}), true
	case "extend", "augment", "safeExtend":
		return in.heap.newSchema(merge(o.schema, in.objectSchema(first, false))), true
	case "merge", "and":
		return in.heap.newSchema(merge(o.schema, schemaOf(first))), true
	case "passthrough", "loose", "catchall":
		return in.heap.schemaVariant(this, func(s *schema) { s.open = true }), true
	case "pick", "omit":
		return in.heap.picked(o.schema, first, key == "pick"), true
	case "parse", "parseAsync", "decode":
		return in.parsed(this, first, at, 0), true
	case "safeParse", "safeParseAsync", "spa":
		return in.heap.safeParsed(in.parsed(this, first, at, 0)), true
	case "unwrap", "element", "keyof", "removeDefault", "innerType":
		return this, true
	case "toString", "then":
		return nil, false
	}
	return this, true // describe, min, max, strict, meta, brand, readonly, …
}

// picked is pick(keys) or omit(keys).
func (hp *heap) picked(s *schema, keys Value, pick bool) Value {
	n := *s
	n.fields, n.order = map[string]Value{}, nil
	for _, k := range s.order {
		named := false
		for _, a := range keys {
			named = named || a.kind == isObject && a.obj.props[k] != nil
		}
		if named == pick {
			n.fields[k] = s.fields[k]
			n.order = append(n.order, k)
		}
	}
	return hp.newSchema(&n)
}

// safeParsed is the result of safeParse. success is not tied to data: a handler may ignore it,
// and still gets checked data or undefined.
func (hp *heap) safeParsed(data Value) Value {
	o := hp.newObject("")
	hp.set(o, "success", anyTruth(true))
	hp.set(o, "data", data)
	hp.set(o, "error", unknownDep())
	return objectOf(o)
}

// parsed is the result of a schema for a value: only the fields named in it, with the facts that
// its checks prove. Checks that fail throw, so the facts hold on the way behind.
//
// Texts behind a schema of strings can no longer be objects. A refinement that always throws has
// not been understood, and proves nothing.
func (in *interp) parsed(sv, v Value, at position, depth int) Value {
	in.budget.tick()
	s := schemaOf(sv)
	// A recursive schema or an unknown one: the value passes as it is.
	if s == nil || depth > 8 {
		return remap(v, func(h hole) hole { h.parsed = true; return h })
	}
	var out Value
	switch s.kind {
	// The values are the program's own, but the caller has chosen among them.
	case "closed":
		out = unknownDep()
		if len(s.elem) > 0 {
			out = slices.Clone(s.elem)
			for i := range out {
				out[i].dep = true
			}
		}
	case "object":
		out = in.parsedObject(s, v, at, depth)
	case "array":
		list := in.heap.newArray()
		q := in.heap.elements(v)
		for _, e := range q.known {
			list.array.list = append(list.array.list, in.parsed(s.elem, e, at, depth+1))
		}
		if len(q.rest) > 0 {
			list.array.rest = in.parsed(s.elem, q.rest, at, depth+1)
		}
		out = objectOf(list)
	// Names come from the caller, so all values are of unknown name.
	case "record":
		o := in.heap.newObject("")
		o.any = &slot{content: content{v: in.parsed(s.elem, in.getAny(v), at, depth+1)}}
		out = objectOf(o)
	case "union":
		for _, x := range s.options {
			out = join(out, in.parsed(x, v, at, depth+1))
		}
	case "string":
		out = remap(v, func(h hole) hole { h.parsed = true; return h })
		for i := range out {
			if out[i].kind == isText {
				out[i].open = false
			}
			if out[i].kind == isUnknown {
				out[i].dep = true
			}
		}
	default:
		out = remap(v, func(h hole) hole { h.parsed = true; return h })
	}
	for _, check := range s.checks {
		// Only the truthy side goes on: the SDK refuses the call otherwise.
		yes, _ := choices(check(in, out))
		in.state.facts = in.state.facts.and(yes.facts)
	}
	for _, r := range s.refines {
		ctx := in.heap.newObject("context")
		dead, before := in.state.dead, in.state.facts
		yes, _ := choices(in.call(r, undefined(), []Value{out, objectOf(ctx)}, at))
		if in.state.dead && !dead {
			in.state.dead = false
			in.state.facts = before
			continue
		}
		in.state.facts = in.state.facts.and(yes.facts)
	}
	// Transformations see the checked value, and return the handler's.
	for _, c := range s.change {
		out = settledOf(in.call(c, undefined(), []Value{out, unknown()}, at))
	}
	if s.maybe {
		out = join(out, Value{{kind: isUndefined, dep: true}})
	}
	return out
}

// parsedObject is parsed for an object.
func (in *interp) parsedObject(s *schema, v Value, at position, depth int) Value {
	o := in.heap.newObject("")
	for _, k := range s.order {
		in.heap.set(o, k, in.parsed(s.fields[k], in.get(v, k, at), at, depth+1))
	}
	if s.open {
		o.any = &slot{}
		for _, a := range v {
			if a.kind == isText && a.open {
				o.any.v = join(o.any.v, wild(Value{a}))
			}
		}
	}
	return objectOf(o)
}

// shapeOf is schema.shape: an object of the fields' schemas.
func (hp *heap) shapeOf(s *schema) Value {
	o := hp.newObject("")
	for _, k := range s.order {
		hp.set(o, k, s.fields[k])
	}
	return objectOf(o)
}
