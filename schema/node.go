// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"strconv"
)

// A node is one subschema, in the form in which it is evaluated. Nodes are
// immutable once compiled, and may form cycles.
type node struct {
	pointer string // its place in the schema
	always  bool   // true or {}
	never   bool   // false

	kinds    kinds // from "type"; 0 allows every type
	constant *enumeration
	enum     *enumeration
	format   *format

	refs     []reference
	resource *resource // only in graphs with dynamic references

	allOf, anyOf, oneOf []*node
	not                 *node
	condition           *node // "if"
	then, otherwise     *node

	object *objectRules
	array  *arrayRules
	text   *stringRules
	number *numberRules

	fallback any     // from "default"; nil for none
	inPlace  []*node // subschemas for the same value: references, allOf, if …
	declares bool    // it, or something it leads to, names properties
}

// values returns the values that n allows, nil when it does not list them.
func (n *node) values() *enumeration {
	if n.constant != nil {
		return n.constant
	}
	return n.enum
}

// A resource is the part of a document below one "$id".
type resource struct {
	root      *node
	anchors   map[string]*node // from "$dynamicAnchor"
	recursive bool             // "$recursiveAnchor": true
}

// A reference leads to another node. A dynamic one is resolved anew each time:
// the outermost resource on the way that has the anchor, else the target.
type reference struct {
	target  *node
	dynamic bool
	anchor  string // of a dynamic reference; empty for "$recursiveRef"
}

type objectRules struct {
	min, max int // max < 0: unbounded
	required []string

	props      map[string]*node
	names      []string // of props, sorted
	patterns   []patternRule
	additional *node
	propNames  *node
	dependents []dependent

	unevaluated *node
}

type patternRule struct {
	pattern *pattern
	node    *node
}

// A dependent is what the presence of one property asks for.
type dependent struct {
	name     string
	keyword  string // "dependencies", "dependentRequired" or "dependentSchemas"
	required []string
	node     *node
}

type arrayRules struct {
	min, max int // max < 0: unbounded
	unique   bool

	prefix []*node
	rest   *node // of the items after prefix
	// restWord is the keyword that rest comes from.
	restWord string

	contains                 *node
	minContains, maxContains int  // maxContains < 0: unbounded
	containsEvaluates        bool // since 2020-12

	unevaluated *node
}

type stringRules struct {
	min, max int // max < 0: unbounded
	pattern  *pattern
}

type numberRules struct {
	minimum, maximum           *bound
	aboveMinimum, belowMaximum *bound // exclusive
	multipleOf                 *bound
}

// A bound is a number from the schema.
type bound struct {
	text  string // as messages show it
	value decimal
	small int64
	fits  bool // small is the value
}

func newBound(text string) *bound {
	b := &bound{text: text}
	if f, err := strconv.ParseFloat(text, 64); len(text) > maxPrintedDigits && err == nil {
		b.text = strconv.FormatFloat(f, 'g', -1, 64)
	}
	b.value, _ = parseDecimal(json.Number(text))
	if n, ok := smallInt(json.Number(text)); ok {
		b.small, b.fits = n, true
	}
	return b
}

// An enumeration is a set of JSON values.
type enumeration struct {
	values  []any // in the order of the schema
	kinds   kinds
	strings map[string]bool
	others  map[string]bool // keys of the values that are not strings
}

func newEnumeration(values []any) *enumeration {
	en := &enumeration{values: values, strings: map[string]bool{}}
	var e evaluator // without a clock: the size is bounded
	for _, v := range values {
		en.kinds |= kindOf(v)
		if s, ok := v.(string); ok {
			en.strings[s] = true
			continue
		}
		if en.others == nil {
			en.others = map[string]bool{}
		}
		en.others[e.key(v)] = true
	}
	return en
}

func (en *enumeration) has(e *evaluator, v any) bool {
	if s, ok := v.(string); ok {
		return en.strings[s]
	}
	return en.kinds&kindOf(v) != 0 && en.others[e.key(v)]
}
