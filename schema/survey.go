// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// dialects are the values of "$schema" that are supported, without the scheme
// and without an empty fragment.
var dialects = []string{
	"json-schema.org/draft/2020-12/schema",
	"json-schema.org/draft/2019-09/schema",
	"json-schema.org/draft-07/schema",
	"json-schema.org/draft-06/schema",
	"json-schema.org/draft-04/schema",
	"json-schema.org/schema",
}

// Where the drafts put subschemas. A place that only one draft knows does no
// harm in another.
var (
	subschemaWords = []string{
		"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
	}
	subschemaLists = []string{"allOf", "anyOf", "items", "oneOf", "prefixItems"}
	subschemaMaps  = []string{
		"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
	}
)

// maxStrayRefs bounds the references to places where the dialect puts no
// subschema, such as #/components/schemas/x: each costs the library a copy of
// all that it knows of the document.
const maxStrayRefs = 200

// A surveyor walks over a schema before the library sees it, and finds the
// faults whose place the library does not tell.
type surveyor struct {
	engine  *engine
	unique  bool      // doubled enum values are to be dropped
	refs    []mention // references
	places  map[string]bool
	anchors []string // pointers of what only a dynamic reference may lead to
}

// A mention is a text and the pointer to where it stands.
type mention struct{ pointer, text string }

func (s *surveyor) document(doc map[string]any) error {
	if d, ok := doc["$schema"]; ok {
		if _, ok := d.(string); !ok {
			return &CompileError{Pointer: "/$schema", Reason: "it must be a string", err: ErrUnsupportedDialect}
		}
	}
	// In these drafts enum values SHOULD be unique (draft-07 validation §6.1.2),
	// and the metaschemas wrongly say that they must.
	d, _ := doc["$schema"].(string)
	s.unique = strings.Contains(d, "draft-06") || strings.Contains(d, "draft-07")
	s.places = map[string]bool{}
	if err := s.schema("", doc); err != nil {
		return err
	}
	return s.strayRefs()
}

func (s *surveyor) strayRefs() error {
	count := 0
	for _, ref := range s.refs {
		_, fragment, _ := strings.Cut(ref.text, "#")
		if !strings.HasPrefix(fragment, "/") || s.places[unescaped(fragment)] {
			continue
		}
		if count++; count > maxStrayRefs {
			return &CompileError{Pointer: ref.pointer, Reason: "too many references lead to places where no subschema belongs; use $defs"}
		}
	}
	return nil
}

func (s *surveyor) schema(pointer string, v any) error {
	s.places[pointer] = true
	obj, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	if err := s.words(pointer, obj); err != nil {
		return err
	}
	for _, word := range subschemaWords {
		if sub, ok := obj[word]; ok {
			if err := s.schema(pointer+"/"+word, sub); err != nil {
				return err
			}
		}
	}
	for _, word := range subschemaLists {
		items, _ := obj[word].([]any)
		for i, item := range items {
			if err := s.schema(pointer+"/"+word+"/"+strconv.Itoa(i), item); err != nil {
				return err
			}
		}
	}
	for _, word := range subschemaMaps {
		subs, _ := obj[word].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(subs)) {
			if err := s.schema(pointer+pointerOf([]string{word, name}), subs[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// words looks at the keywords of one subschema.
func (s *surveyor) words(pointer string, obj map[string]any) error {
	if d, ok := obj["$schema"].(string); ok && !supported(d) {
		return &CompileError{
			Pointer: pointer + "/$schema",
			Reason: fmt.Sprintf("the dialect %s is not supported; supported are 2020-12, 2019-09, draft-07, draft-06 and draft-04",
				quote(d)),
			err: ErrUnsupportedDialect,
		}
	}
	for _, word := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if ref, ok := obj[word].(string); ok {
			s.refs = append(s.refs, mention{pointer + "/" + word, ref})
		}
	}
	if obj["$id"] != nil || obj["$dynamicAnchor"] != nil || obj["$recursiveAnchor"] != nil {
		s.anchors = append(s.anchors, pointer)
	}
	if values, ok := obj["enum"].([]any); ok && s.unique {
		obj["enum"] = withoutDoubles(values)
	}
	return s.patterns(pointer, obj)
}

func withoutDoubles(values []any) []any {
	var e evaluator // without a clock: the size is bounded
	have := map[string]bool{}
	return slices.DeleteFunc(values, func(v any) bool {
		key := e.key(v)
		double := have[key]
		have[key] = true
		return double
	})
}

func (s *surveyor) patterns(pointer string, obj map[string]any) error {
	if text, ok := obj["pattern"].(string); ok {
		if _, err := s.engine.compile(text); err != nil {
			return &CompileError{Pointer: pointer + "/pattern", Reason: "the pattern cannot be used: " + err.Error()}
		}
	}
	subs, _ := obj["patternProperties"].(map[string]any)
	for _, text := range slices.Sorted(maps.Keys(subs)) {
		if _, err := s.engine.compile(text); err != nil {
			return &CompileError{
				Pointer: pointer + pointerOf([]string{"patternProperties", text}),
				Reason:  "the pattern cannot be used: " + err.Error(),
			}
		}
	}
	return nil
}

func supported(dialect string) bool {
	dialect = strings.TrimSuffix(dialect, "#")
	rest, ok := strings.CutPrefix(dialect, "https://")
	if !ok {
		rest, ok = strings.CutPrefix(dialect, "http://")
	}
	return ok && slices.Contains(dialects, rest)
}
