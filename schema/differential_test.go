// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/internal/jsonschema"
	"github.com/toolvet/toolvet/internal/jsonschema/kind"
)

// plain is the library on its own: the same patterns and formats, but its own
// evaluation. Formats that are not asserted accept everything.
func plain(t testing.TB, raw []byte, formats bool) *jsonschema.Schema {
	t.Helper()
	c := newCompiler(newEngine(DefaultLimits()))
	for _, name := range []string{
		"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email", "date",
		"time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver",
	} {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			f := assertedFormats[name]
			if s, ok := v.(string); ok && formats && f != nil && !f.valid(s) {
				return errors.New("wrong format")
			}
			return nil
		}})
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource(documentURL, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(documentURL)
	if err != nil {
		t.Fatalf("the library does not compile %s: %v", raw, err)
	}
	return s
}

// agrees fails the test when the library judges a value differently. It
// returns the evaluations of the values that both have judged: where the
// library is known to be wrong, or not to end, it is not asked.
func agrees(t testing.TB, rawSchema []byte, rawValues ...[]byte) []*Evaluation {
	t.Helper()
	s, err := Compile(rawSchema, Limits{})
	if err != nil {
		return nil
	}
	var out []*Evaluation
	library, asserting := plain(t, rawSchema, false), plain(t, rawSchema, true)
	for _, rawValue := range rawValues {
		v, err := decodeValue(rawValue)
		if err != nil || hardForLibrary(rawSchema, v) {
			continue
		}
		ev, err := s.Evaluate(v)
		if err != nil {
			continue
		}
		wantPlain, cycle := verdict(library, v)
		wantFormats, cycleToo := verdict(asserting, v)
		if cycle || cycleToo {
			continue
		}
		if got := len(ev.Violations) == 0; got != wantPlain {
			t.Errorf("schema %s\nvalue %s\ngot valid %v, want %v: %+v", rawSchema, rawValue, got, wantPlain, ev.Violations)
		}
		if got := len(ev.Violations)+len(ev.Formats) == 0; got != (wantPlain && wantFormats) {
			t.Errorf("schema %s\nvalue %s\ngot valid with formats %v, want %v: %+v", rawSchema, rawValue, got, wantPlain && wantFormats, ev)
		}
		checkEntries(t, ev)
		out = append(out, ev)
	}
	return out
}

// checkEntries checks what holds for every evaluation.
func checkEntries(t testing.TB, ev *Evaluation) {
	t.Helper()
	for _, list := range [][]Violation{ev.Violations, ev.Formats, ev.Unknown} {
		for i, v := range list {
			if v.Message == "" {
				t.Errorf("%+v has no message", v)
			}
			if v.Value != nil && !json.Valid(v.Value) {
				t.Errorf("the value of %+v is not JSON", v)
			}
			if i > 0 && v.Keyword != "" && comparePointers(list[i-1].Pointer, v.Pointer) > 0 {
				t.Errorf("%q is listed after %q", v.Pointer, list[i-1].Pointer)
			}
		}
	}
}

func verdict(s *jsonschema.Schema, v any) (valid, cycle bool) {
	err := s.Validate(v)
	if err == nil {
		return true, false
	}
	return false, hasCycle(err.(*jsonschema.ValidationError))
}

func hasCycle(e *jsonschema.ValidationError) bool {
	if _, ok := e.ErrorKind.(*kind.RefCycle); ok {
		return true
	}
	for _, cause := range e.Causes {
		if hasCycle(cause) {
			return true
		}
	}
	return false
}

// hardForLibrary reports what the library does not judge: exponents that it expands, lengths that
// it wraps around, the format "regex", which it always asserts, and "const" beside "$ref" in the
// old drafts, which must be ignored and is not.
func hardForLibrary(rawSchema []byte, v any) bool {
	if bytes.Contains(rawSchema, []byte(`"regex"`)) || bytes.Contains(rawSchema, []byte("const")) && bytes.Contains(rawSchema, []byte("draft-0")) {
		return true
	}
	for _, digits := range bytes.FieldsFunc(rawSchema, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(digits) > 17 {
			return true
		}
	}
	return bytes.ContainsAny(rawSchema, "eE") && hasExponent(string(rawSchema)) || hasExponent(fmt.Sprint(v))
}

func hasExponent(text string) bool {
	text = strings.ToLower(text)
	for i := 1; i+1 < len(text); i++ {
		if text[i] == 'e' && text[i-1] >= '0' && text[i-1] <= '9' && strings.ContainsRune("+-0123456789", rune(text[i+1])) {
			return true
		}
	}
	return false
}

func decodeValue(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

func FuzzAgreesWithLibrary(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	if len(seeds) == 0 {
		f.Fatal("no seeds")
	}
	f.Fuzz(func(t *testing.T, rawSchema, rawValue []byte) { agrees(t, rawSchema, rawValue) })
}

var seeds = [][2]string{
	{`{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false}`, `{"a":0,"b":1}`},
	{`{"anyOf":[{"type":"string","format":"email"},{"type":"null"},{"not":{"type":"number"}}]}`, `"x"`},
	{`{"oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"const":1},"b":{"enum":[1,"1",null]}}}`, `{"a":1,"b":1.0}`},
	{`{"if":{"properties":{"k":{"const":"x"}}},"then":{"required":["y"]},"else":{"maxProperties":1}}`, `{"k":"x"}`},
	{`{"$defs":{"t":{"properties":{"next":{"$ref":"#/$defs/t"},"v":{"multipleOf":0.1}}}},"$ref":"#/$defs/t"}`, `{"next":{"next":{"v":0.35}}}`},
	{`{"allOf":[{"properties":{"a":true}}],"patternProperties":{"^x":{"type":"string"}},"unevaluatedProperties":false}`, `{"a":1,"x1":"","b":2}`},
	{`{"prefixItems":[{"type":"string"}],"contains":{"const":2},"maxContains":1,"unevaluatedItems":{"type":"boolean"}}`, `["a",2,true,3]`},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false,"uniqueItems":true}`, `["a","a"]`},
	{`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"c":{"$recursiveRef":"#"}},"unevaluatedProperties":false}`, `{"c":{"d":1}}`},
	{`{"$dynamicAnchor":"n","properties":{"c":{"items":{"$dynamicRef":"#n"}}},"dependentRequired":{"c":["d"]}}`, `{"c":[{"c":[]}]}`},
	{`{"type":"string","minLength":2,"maxLength":3,"pattern":"^(?=a)\\S+$","format":"date-time"}`, `"\u00e4\ud83d\ude00"`},
	{`{"propertyNames":{"pattern":"^[a-z]+$","maxLength":3},"minProperties":2,"dependentSchemas":{"a":{"required":["b"]}}}`, `{"a":1,"Bcde":2}`},
	{`{"$schema":"http://json-schema.org/draft-04/schema#","maximum":3,"exclusiveMaximum":true}`, `3`},
}

func TestAgreesWithLibraryOnRandomSchemas(t *testing.T) {
	t.Parallel()
	var valid, invalid, badFormat int
	for seed := range uint64(1000) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		rawSchema := marshal(g.root())
		var rawValues [][]byte
		for range 10 {
			rawValues = append(rawValues, marshal(g.value(3)))
		}
		for _, ev := range agrees(t, rawSchema, rawValues...) {
			switch {
			case len(ev.Violations) > 0:
				invalid++
			case len(ev.Formats) > 0:
				badFormat++
			default:
				valid++
			}
		}
	}
	t.Logf("%d valid, %d invalid, %d with a wrong format", valid, invalid, badFormat)
	if valid < 1000 || invalid < 1000 || badFormat < 10 {
		t.Error("the random schemas judge too little")
	}
}

// A generator makes schemas and values from so few names and values that they
// often have to do with each other.
type generator struct{ *rand.Rand }

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

func (g generator) root() map[string]any {
	s := g.object(3)
	defs := map[string]any{}
	for _, name := range []string{"p", "q"} {
		defs[name] = g.schema(2)
	}
	s["$defs"] = defs
	if d := pick(g, "", "", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"); d != "" {
		s["$schema"] = d
	}
	return s
}

func (g generator) schema(depth int) any {
	if depth == 0 || g.IntN(8) == 0 {
		return g.IntN(4) > 0
	}
	return g.object(depth)
}

func (g generator) object(depth int) map[string]any {
	s := map[string]any{}
	for range 1 + g.IntN(4) {
		word := pick(g, keywords...)
		s[word] = g.keyword(word, depth-1)
	}
	return s
}

var keywords = []string{
	"type", "type", "const", "enum", "properties", "properties", "required", "additionalProperties", "patternProperties",
	"propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "items",
	"prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "minimum", "maximum",
	"exclusiveMinimum", "multipleOf", "minLength", "maxLength", "pattern", "format", "allOf", "anyOf", "oneOf", "not", "if",
	"then", "else", "$ref", "unevaluatedProperties", "unevaluatedItems",
}

func (g generator) keyword(word string, depth int) any {
	switch word {
	case "type":
		if g.IntN(3) == 0 {
			return []any{"null", pick(g, "object", "string", "integer")}
		}
		return pick(g, "object", "object", "array", "string", "integer", "number", "boolean", "null")
	case "const":
		return g.value(1)
	case "enum":
		return []any{pick[any](g, 0, nil, "b", []any{1}, map[string]any{"a": 1}), "a", 12345}
	case "properties", "patternProperties", "dependentSchemas":
		return map[string]any{g.name(): g.schema(depth), "c": g.schema(depth)}
	case "dependencies":
		return map[string]any{"a": g.schema(depth), "b": []string{"c"}}
	case "dependentRequired":
		return map[string]any{g.name(): []string{"b"}}
	case "required":
		return pick(g, []string{"a"}, []string{"b"}, []string{"a", "c"})
	case "minProperties", "maxProperties", "minItems", "maxItems", "minContains", "maxContains", "minLength", "maxLength":
		return g.IntN(3)
	case "minimum", "maximum", "exclusiveMinimum":
		return pick(g, 0, 1, 1.5, 2)
	case "multipleOf":
		return pick(g, 1, 2, 0.5)
	case "uniqueItems":
		return true
	case "pattern":
		return pick(g, "^a", "b$", "^(?!a)")
	case "format":
		return pick(g, "ipv4", "date", "int32")
	case "prefixItems", "allOf", "anyOf", "oneOf":
		return []any{g.schema(depth), g.schema(depth)}
	case "$ref":
		return pick(g, "#/$defs/p", "#/$defs/q", "#")
	default:
		return g.schema(depth)
	}
}

func (g generator) name() string { return pick(g, "a", "b", "c", "ab") }

func (g generator) value(depth int) any {
	switch n := g.IntN(10); {
	case n < 4 && depth > 0:
		obj := map[string]any{}
		for range g.IntN(4) {
			obj[g.name()] = g.value(depth - 1)
		}
		return obj
	case n < 6 && depth > 0:
		var arr []any
		for range g.IntN(4) {
			arr = append(arr, g.value(depth-1))
		}
		return append([]any{}, arr...)
	default:
		return pick[any](g, "a", "b", "ab", "1.2.3.4", "2026-01-31", "", 0, 1, 2, 1.5, true, false, nil)
	}
}
