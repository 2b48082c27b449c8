// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Host is the public host in made-up values.
const Host = "www.public-site.com"

// Bounds of a made-up value. Schemas may be circular.
const (
	maxLevels = 24      // of schemas within schemas
	maxSize   = 1 << 20 // about the bytes of its JSON
	maxItems  = 100     // of an array whose schema wants many
	maxText   = 10_000  // characters
	fullDepth = 6       // below, objects have only what their schema requires
)

var formats = map[string]string{
	"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00Z", "email": "audit@" + Host, "uuid": "4f6b9c1e-7a3d-4c2b-9d8e-1f2a3b4c5d6e",
	"ipv4": "93.184.215.14", "hostname": Host, "uri": "http://" + Host + "/", "url": "http://" + Host + "/",
}

// Format returns a text of a format; "": the format is not known.
func Format(name string) string { return formats[name] }

// Text returns a text for the format, pattern and length of a schema.
func Text(schema map[string]any) string {
	format, _ := schema["format"].(string)
	if v := formats[format]; v != "" {
		return v
	}
	s := "audit"
	if pattern, _ := schema["pattern"].(string); pattern != "" {
		if found, err := regexp.MatchString(pattern, s); err == nil && !found {
			if made, ok := matching(pattern); ok {
				return made
			}
		}
	}
	if least, _ := schema["minLength"].(float64); int(least) > len(s) && least < maxText {
		s += strings.Repeat("x", int(least)-len(s))
	}
	if most, ok := schema["maxLength"].(float64); ok && int(most) < len(s) {
		s = s[:max(0, int(most))]
	}
	return s
}

// Number returns a number for the bounds of a schema.
func Number(schema map[string]any) any {
	least, has := schema["minimum"].(float64)
	if exclusive, ok := schema["exclusiveMinimum"].(float64); ok {
		least, has = exclusive+1, true
	}
	if has && least > 1 {
		return least
	}
	if most, ok := schema["maximum"].(float64); ok && most < 1 {
		return most
	}
	return 1
}

// A sampler makes values for the schemas of a document.
type sampler struct {
	document *document
	left     int             // bytes that may still be made
	open     map[string]bool // references that are being followed
}

// sample makes a value for a schema: its example, its default, or one that its keywords allow. The same schema always
// gets the same value. If there is none, as for a circle of required properties, it is an empty object.
func (d *document) sample(schema any) any {
	s := sampler{document: d, left: maxSize, open: map[string]bool{}}
	if v, ok := s.value(schema, 0); ok {
		return v
	}
	return map[string]any{}
}

// value makes a value. It returns false if there is none within the bounds.
func (s *sampler) value(v any, depth int) (any, bool) {
	form, ok := v.(map[string]any)
	if !s.pay(1) || depth > maxLevels {
		return nil, false
	}
	if !ok { // true, or missing
		return map[string]any{}, true
	}
	if name, ok := form["$ref"].(string); ok {
		if s.open[name] {
			return nil, false
		}
		s.open[name] = true
		defer delete(s.open, name)
		target, ok := s.document.at(name)
		if !ok {
			return nil, false
		}
		return s.value(target, depth+1)
	}
	for _, key := range []string{"example", "const", "default"} {
		if v, ok := form[key]; ok && v != nil {
			return v, s.weigh(v)
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list, _ := form[key].([]any); len(list) > 0 {
			return list[0], s.weigh(list[0])
		}
	}
	if all, _ := form["allOf"].([]any); len(all) > 0 {
		return s.all(form, all, depth)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		list, _ := form[key].([]any)
		for _, alternative := range list {
			if v, ok := s.value(alternative, depth+1); ok && v != nil {
				return s.with(form, v, depth)
			}
		}
	}
	return s.typed(form, depth)
}

// pay takes bytes from those left, and reports whether there were enough. An element has a few more than its text.
func (s *sampler) pay(bytes int) bool {
	s.left -= 16 + bytes
	return s.left >= 0
}

// weigh pays for a value of the document.
func (s *sampler) weigh(v any) bool {
	text, _ := v.(string)
	if !s.pay(len(text)) {
		return false
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !s.weigh(item) {
				return false
			}
		}
	case map[string]any:
		for name, member := range v {
			if !s.pay(len(name)) || !s.weigh(member) {
				return false
			}
		}
	}
	return true
}

// all makes a value for each of several schemas; of objects, one with the members of all.
func (s *sampler) all(form map[string]any, list []any, depth int) (any, bool) {
	var made any = map[string]any{}
	for _, part := range list {
		v, ok := s.value(part, depth+1)
		if !ok {
			return nil, false
		}
		made = merged(made, v)
	}
	return s.with(form, made, depth)
}

// with adds the members of a schema's own properties to an object that was made for its parts.
func (s *sampler) with(form map[string]any, made any, depth int) (any, bool) {
	if _, ok := form["properties"]; !ok {
		return made, true
	}
	own, ok := s.object(form, depth)
	return merged(made, own), ok
}

// merged joins two objects. Of other values, the second one counts, unless it is an empty object.
func merged(a, b any) any {
	members, ok := b.(map[string]any)
	if !ok {
		return b
	}
	before, ok := a.(map[string]any)
	if !ok && len(members) == 0 {
		return a
	}
	joined := maps.Clone(before)
	if joined == nil {
		joined = map[string]any{}
	}
	maps.Copy(joined, members)
	return joined
}

func (s *sampler) typed(form map[string]any, depth int) (any, bool) {
	switch typeOf(form) {
	case "string":
		text := Text(form)
		return text, s.pay(len(text))
	case "integer":
		n := Number(form)
		if f, ok := n.(float64); ok {
			n = math.Ceil(f)
		}
		return n, true
	case "number":
		return Number(form), true
	case "boolean":
		return true, true
	case "null":
		return nil, true
	case "array":
		return s.array(form, depth)
	}
	return s.object(form, depth)
}

// typeOf returns the first type of a schema that is not null. Without any, its keywords tell.
func typeOf(form map[string]any) string {
	if name, ok := form["type"].(string); ok {
		return name
	}
	list, _ := form["type"].([]any)
	for _, v := range list {
		if name, ok := v.(string); ok && (name != "null" || len(list) == 1) {
			return name
		}
	}
	for _, hint := range [][2]string{{"properties", "object"}, {"items", "array"}, {"format", "string"}, {"pattern", "string"}, {"minLength", "string"}, {"minimum", "number"}} {
		if _, ok := form[hint[0]]; ok {
			return hint[1]
		}
	}
	return "object"
}

// array makes an array of one item, or as many as it needs. Without a value for the items it is empty.
func (s *sampler) array(form map[string]any, depth int) (any, bool) {
	least, _ := form["minItems"].(float64)
	most, bounded := form["maxItems"].(float64)
	list := []any{}
	for range int(min(max(least, 1), maxItems)) {
		if bounded && float64(len(list)) >= most {
			break
		}
		item, ok := s.value(form["items"], depth+1)
		if !ok {
			break
		}
		list = append(list, item)
	}
	return list, float64(len(list)) >= min(least, maxItems)
}

// object makes an object with all properties. Those that are not required are left out deep within others, and if there is no
// value for them.
func (s *sampler) object(form map[string]any, depth int) (any, bool) {
	properties, _ := form["properties"].(map[string]any)
	required := map[string]bool{}
	names, _ := form["required"].([]any)
	for _, v := range names {
		if name, ok := v.(string); ok {
			required[name] = true
		}
	}
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if depth > fullDepth && !required[name] || !s.pay(len(name)) {
			continue
		}
		v, ok := s.value(properties[name], depth+1)
		switch {
		case ok:
			object[name] = v
		case required[name]:
			return nil, false
		}
	}
	if more, ok := form["additionalProperties"].(map[string]any); ok && len(object) == 0 && depth <= fullDepth {
		if v, ok := s.value(more, depth+1); ok {
			object["audit"] = v
		}
	}
	return object, true
}
