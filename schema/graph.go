// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"net/url"
	"slices"
	"sort"
	"strings"

	"github.com/toolvet/toolvet/internal/jsonschema"
)

// A graph turns the library's compiled schemas into nodes, each once.
type graph struct {
	doc     map[string]any
	nodes   map[*jsonschema.Schema]*node
	sources []*jsonschema.Schema // in the order in which nodes were made
	pending []*jsonschema.Schema
	dynamic bool // there are $dynamicRef or $recursiveRef
	formats bool // there are formats that are asserted
	mixed   bool // and a format may turn an invalid value into a valid one
	tracks  bool // there are unevaluatedProperties or unevaluatedItems
}

func newGraph(doc map[string]any) *graph {
	return &graph{doc: doc, nodes: map[*jsonschema.Schema]*node{}}
}

// node returns the node of src. Those not seen yet are filled in by drain,
// one after the other, so that deep schemas need no deep stack.
func (g *graph) node(src *jsonschema.Schema) *node {
	if src == nil {
		return nil
	}
	n, ok := g.nodes[src]
	if !ok {
		n = &node{pointer: pointerOfLocation(src.Location)}
		g.nodes[src] = n
		g.sources = append(g.sources, src)
		g.pending = append(g.pending, src)
	}
	return n
}

func (g *graph) list(srcs []*jsonschema.Schema) []*node {
	var out []*node
	for _, src := range srcs {
		out = append(out, g.node(src))
	}
	return out
}

// drain fills in the nodes that were made since.
func (g *graph) drain() {
	for len(g.pending) > 0 {
		src := g.pending[len(g.pending)-1]
		g.pending = g.pending[:len(g.pending)-1]
		g.fill(g.nodes[src], src)
	}
}

func (g *graph) fill(n *node, src *jsonschema.Schema) {
	if src.Bool != nil {
		n.always, n.never = *src.Bool, !*src.Bool
		return
	}
	if src.Ref != nil && src.DraftVersion < 2019 {
		// Draft-07 §8.3: all other properties in a "$ref" object MUST be ignored.
		n.refs = []reference{{target: g.node(src.Ref)}}
		n.linkInPlace()
		return
	}
	g.fillAny(n, src)
	g.fillApplied(n, src)
	obj := g.source(src)
	n.object = g.object(src, obj)
	n.array = g.array(src, obj)
	n.text = g.text(src, obj)
	n.number = g.number(src)
	n.linkInPlace()
}

func (g *graph) fillAny(n *node, src *jsonschema.Schema) {
	if src.Types != nil {
		n.kinds = kindsOf(src.Types.ToStrings())
	}
	if src.Enum != nil {
		n.enum = newEnumeration(src.Enum.Values)
	}
	if src.Const != nil {
		n.constant = newEnumeration([]any{*src.Const})
	}
	if src.Format != nil {
		n.format = assertedFormats[src.Format.Name]
		g.formats = g.formats || n.format != nil
	}
	if src.Default != nil {
		n.fallback = *src.Default
	}
}

func (g *graph) fillApplied(n *node, src *jsonschema.Schema) {
	if src.Ref != nil {
		n.refs = append(n.refs, reference{target: g.node(src.Ref)})
	}
	if to := src.RecursiveRef; to != nil {
		n.refs = append(n.refs, reference{target: g.node(to), dynamic: to.RecursiveAnchor})
	}
	if d := src.DynamicRef; d != nil {
		anchored := d.Anchor != "" && d.Ref.DynamicAnchor == d.Anchor
		n.refs = append(n.refs, reference{target: g.node(d.Ref), dynamic: anchored, anchor: d.Anchor})
	}
	for _, r := range n.refs {
		g.dynamic = g.dynamic || r.dynamic
	}
	n.allOf, n.anyOf, n.oneOf = g.list(src.AllOf), g.list(src.AnyOf), g.list(src.OneOf)
	n.not = g.node(src.Not)
	n.condition, n.then, n.otherwise = g.node(src.If), g.node(src.Then), g.node(src.Else)
	g.mixed = g.mixed || n.not != nil || n.condition != nil || n.oneOf != nil
}

func (g *graph) object(src *jsonschema.Schema, obj map[string]any) *objectRules {
	o := &objectRules{
		min: count(src.MinProperties, obj["minProperties"], 0), max: count(src.MaxProperties, obj["maxProperties"], -1),
		required:   src.Required,
		additional: g.nodeOrBool(src.AdditionalProperties),
		propNames:  g.node(src.PropertyNames), unevaluated: g.node(src.UnevaluatedProperties),
	}
	if len(src.Properties) > 0 {
		o.names = slices.Sorted(maps.Keys(src.Properties))
		o.props = make(map[string]*node, len(o.names))
	}
	for _, name := range o.names {
		o.props[name] = g.node(src.Properties[name])
	}
	for re, sub := range src.PatternProperties {
		o.patterns = append(o.patterns, patternRule{re.(*pattern), g.node(sub)})
	}
	// Not by slices.SortFunc, whose code a program has once for each type: 12 kB.
	sort.Slice(o.patterns, func(i, j int) bool { return o.patterns[i].pattern.text < o.patterns[j].pattern.text })
	o.dependents = g.dependents(src)
	g.tracks = g.tracks || o.unevaluated != nil
	if o.min == 0 && o.max < 0 && o.required == nil && o.props == nil && o.patterns == nil && o.additional == nil &&
		o.propNames == nil && o.unevaluated == nil && o.dependents == nil {
		return nil
	}
	return o
}

func (g *graph) dependents(src *jsonschema.Schema) []dependent {
	var out []dependent
	for name, dep := range src.Dependencies {
		switch dep := dep.(type) {
		case []string:
			out = append(out, dependent{name: name, keyword: "dependencies", required: dep})
		case *jsonschema.Schema:
			out = append(out, dependent{name: name, keyword: "dependencies", node: g.node(dep)})
		}
	}
	for name, required := range src.DependentRequired {
		out = append(out, dependent{name: name, keyword: "dependentRequired", required: required})
	}
	for name, sub := range src.DependentSchemas {
		out = append(out, dependent{name: name, keyword: "dependentSchemas", node: g.node(sub)})
	}
	sort.Slice(out, func(i, j int) bool {
		return cmp.Or(strings.Compare(out[i].name, out[j].name), strings.Compare(out[i].keyword, out[j].keyword)) < 0
	})
	return out
}

func (g *graph) array(src *jsonschema.Schema, obj map[string]any) *arrayRules {
	a := &arrayRules{
		min: count(src.MinItems, obj["minItems"], 0), max: count(src.MaxItems, obj["maxItems"], -1),
		unique: src.UniqueItems,
		prefix: g.list(src.PrefixItems), rest: g.node(src.Items2020), restWord: "items",
		contains: g.node(src.Contains), unevaluated: g.node(src.UnevaluatedItems),
		minContains: count(src.MinContains, obj["minContains"], 1), maxContains: count(src.MaxContains, obj["maxContains"], -1),
		containsEvaluates: src.DraftVersion >= 2020,
	}
	switch items := src.Items.(type) { // before 2020-12
	case *jsonschema.Schema:
		a.rest = g.node(items)
	case []*jsonschema.Schema:
		a.prefix, a.rest, a.restWord = g.list(items), g.nodeOrBool(src.AdditionalItems), "additionalItems"
	}
	g.tracks = g.tracks || a.unevaluated != nil
	g.mixed = g.mixed || a.maxContains >= 0
	if a.min == 0 && a.max < 0 && !a.unique && a.prefix == nil && a.rest == nil && a.contains == nil && a.unevaluated == nil {
		return nil
	}
	return a
}

func (g *graph) text(src *jsonschema.Schema, obj map[string]any) *stringRules {
	t := &stringRules{min: count(src.MinLength, obj["minLength"], 0), max: count(src.MaxLength, obj["maxLength"], -1)}
	if src.Pattern != nil {
		t.pattern = src.Pattern.(*pattern)
	}
	if t.min == 0 && t.max < 0 && t.pattern == nil {
		return nil
	}
	return t
}

func (g *graph) number(src *jsonschema.Schema) *numberRules {
	r := numberRules{
		minimum: boundOf(src.Minimum), maximum: boundOf(src.Maximum),
		aboveMinimum: boundOf(src.ExclusiveMinimum), belowMaximum: boundOf(src.ExclusiveMaximum),
		multipleOf: boundOf(src.MultipleOf),
	}
	if r == (numberRules{}) {
		return nil
	}
	return &r
}

// boundOf writes a finite decimal. A schema holds no other numbers.
func boundOf(r *big.Rat) *bound {
	if r == nil {
		return nil
	}
	prec, _ := r.FloatPrec()
	return newBound(r.FloatString(prec))
}

// count returns a length or a number of items. The library wraps around where
// an int ends; text is what the schema says.
func count(n *int, text any, absent int) int {
	if n == nil {
		return absent
	}
	if num, ok := text.(json.Number); ok {
		if d, _ := parseDecimal(num); d.exp >= 9 {
			return math.MaxInt
		}
	}
	return *n
}

func (g *graph) nodeOrBool(v any) *node {
	switch v := v.(type) {
	case bool:
		return &node{always: v, never: !v}
	case *jsonschema.Schema:
		return g.node(v)
	default:
		return nil
	}
}

// source returns the JSON object of src; nil for the library's metaschemas.
func (g *graph) source(src *jsonschema.Schema) map[string]any {
	if !strings.HasPrefix(src.Location, documentURL+"#") {
		return nil
	}
	obj, _ := lookup(g.doc, pointerOfLocation(src.Location)).(map[string]any)
	return obj
}

// pointerOfLocation returns the JSON Pointer in a library's location.
func pointerOfLocation(location string) string {
	_, fragment, _ := strings.Cut(location, "#")
	if pointer, err := url.PathUnescape(fragment); err == nil {
		return pointer
	}
	return fragment
}
