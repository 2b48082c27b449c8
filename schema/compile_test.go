// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/schema"
)

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, raw, pointer, reason string
	}{
		{"absent", "", "", "the tool has no inputSchema"},
		{"blank", " \n", "", "the tool has no inputSchema"},
		{"null", "null", "", "it must be a JSON object"},
		{"array", "[{}]", "", "it must be a JSON object"},
		{"string", `"object"`, "", "it must be a JSON object"},
		{"not JSON", `{"type":`, "", "it is not JSON"},
		{"comma at the end", `{"type":"object",}`, "", "it is not JSON"},
		{"comment", `{/**/}`, "", "it is not JSON"},
		{"two values", `{} {}`, "", "there is more text after the schema"},
		{"stray bracket", `{}]`, "", "there is more text after the schema"},
		{"not UTF-8", "{\"title\":\"\xff\"}", "", "it is not valid UTF-8"},
		{"byte order mark", "\ufeff{}", "", "it is not JSON"},
		{"double key", `{"type":"object","type":"string"}`, "/type", "the key appears twice"},
		{"double key by escape", `{"properties":{"a":{"x":1,"\u0078":2}}}`, "/properties/a/x", "the key appears twice"},
		{"huge exponent", `{"properties":{"n":{"maximum":1e999999999}}}`, "/properties/n/maximum", "too large or too long"},
		{"tiny exponent", `{"multipleOf":1e-999999999}`, "/multipleOf", "too large or too long"},
		{"huge exponent of zero", `{"minimum":0e999999999}`, "/minimum", "too large or too long"},
		{"endless digits", `{"minimum":` + strings.Repeat("1", 1001) + `}`, "/minimum", "too large or too long"},

		{"unknown dialect", `{"$schema":"https://example.com/schema"}`, "/$schema", "is not supported; supported are 2020-12"},
		{"draft-03", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, "/$schema", "is not supported"},
		{"no dialect", `{"$schema":""}`, "/$schema", "is not supported"},
		{"dialect by number", `{"$schema":7}`, "/$schema", "it must be a string"},
		{"unknown dialect below", `{"$defs":{"a":{"$id":"a","$schema":"x:y"}}}`, "/$defs/a/$schema", "is not supported"},

		{"reference to HTTP", `{"properties":{"a":{"$ref":"https://example.com/a.json"}}}`, "/properties/a/$ref", "nothing is fetched"},
		{"reference to a file", `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "/properties/a/$ref", "nothing is fetched"},
		{"reference to another document", `{"allOf":[{"$ref":"other.json#/a"}]}`, "/allOf/0/$ref", "nothing is fetched"},
		{"reference relative to an id", `{"$id":"https://example.com/x/","items":{"$ref":"y"}}`, "/items/$ref", "nothing is fetched"},
		{"dynamic reference to HTTP", `{"$dynamicRef":"http://127.0.0.1:1/x"}`, "/$dynamicRef", "nothing is fetched"},
		{"reference to nowhere", `{"properties":{"a":{"$ref":"#/$defs/x"}}}`, "/properties/a/$ref", "leads nowhere"},
		{"reference to no anchor", `{"items":{"$ref":"#x"}}`, "/items/$ref", "leads nowhere"},
		{"reference to no pointer", `{"items":{"$ref":"#/$defs/~2"}}`, "/items/$ref", "leads nowhere"},
		{"reference that is no URI", `{"items":{"$ref":"http://[::1"}}`, "/items/$ref", "is not valid uri-reference"},
		{"id that is no URI", `{"$id":"http://[::1"}`, "", "error in parsing id"},
		{"double anchor", `{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, "", "duplicate anchor"},
		{"dynamic anchor that cannot be compiled", `{"$dynamicAnchor":"n","$dynamicRef":"#n","$defs":{"a":{"$dynamicAnchor":"n2","$ref":"#/nowhere"}}}`, "/$defs/a/$ref", "leads nowhere"},
		{"dialect of another resource", `{"$defs":{"a":{"items":{"$schema":"x:y"}}}}`, "/$defs/a/items/$schema", "is not supported"},
		{"fault in a list", `{"allOf":[{"pattern":"("}]}`, "/allOf/0/pattern", "it is not an ECMA-262"},
		{"reference to what is no schema", `{"$ref":"#/x","x":{"type":"any"}}`, "/x/type", "expected one of"},

		{"unknown type", `{"properties":{"a":{"type":"any"}}}`, "/properties/a/type", `expected one of "array", "boolean"`},
		{"required of draft-03", `{"properties":{"a":{"required":true}}}`, "/properties/a/required", "expected type array"},
		{"property that is no schema", `{"properties":{"type":"object"}}`, "/properties/type", "expected type boolean or object"},
		{"negative length", `{"minLength":-1}`, "/minLength", "not valid"},
		{"multiple of zero", `{"multipleOf":0}`, "/multipleOf", "not valid"},

		{"bad pattern", `{"properties":{"a":{"pattern":"("}}}`, "/properties/a/pattern", "it is not an ECMA-262 regular expression"},
		{"bad pattern of names", `{"patternProperties":{"a/(":{}}}`, "/patternProperties/a~1(", "it is not an ECMA-262 regular expression"},
		{"pattern of Python", `{"pattern":"^a\\Z"}`, "/pattern", `it is not an ECMA-262 regular expression: \Z is not an escape`},
		{"pattern that expands", `{"pattern":"` + strings.Repeat("x{1000}", 300) + `"}`, "/pattern", "it repeats too much"},
		{"long pattern", `{"pattern":"` + strings.Repeat("x", 9000) + `"}`, "/pattern", "it is longer than"},

		{"deep", strings.Repeat(`{"not":`, 200) + "{}" + strings.Repeat("}", 200), strings.Repeat("/not", 128), "nested deeper than 128 levels"},
		{"many parts", `{"enum":[` + strings.Repeat("[],", 5000) + `0]}`, "/enum/4998", "more than 5000 parts"},
		{"long", `{"title":"` + strings.Repeat("x", 1<<20) + `"}`, "", "longer than 1048576 bytes"},
		{"stray references", strayReferences(500), "", "no subschema belongs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tc.raw), schema.Limits{})
			fault, ok := errors.AsType[*schema.CompileError](err)
			if s != nil || !ok {
				t.Fatalf("got %v and error %v, want a CompileError", s, err)
			}
			if tc.pointer != "" && fault.Pointer != tc.pointer || !strings.Contains(fault.Reason, tc.reason) {
				t.Errorf("got %q at %q, want %q at %q", fault.Reason, fault.Pointer, tc.reason, tc.pointer)
			}
			if len(fault.Error()) > 1000 || strings.Contains(fault.Error(), "\n") {
				t.Errorf("got %d bytes of text, want one short line", len(fault.Error()))
			}
			if got, want := errors.Is(err, schema.ErrUnsupportedDialect), strings.HasSuffix(tc.pointer, "$schema"); got != want {
				t.Errorf("got unsupported dialect %v, want %v", got, want)
			}
		})
	}
}

func strayReferences(n int) string {
	props, far := map[string]any{}, map[string]any{}
	for i := range n {
		name := fmt.Sprint("p", i)
		props[name] = map[string]any{"$ref": "#/components/" + name}
		far[name] = map[string]any{"type": "string"}
	}
	raw, _ := json.Marshal(map[string]any{"properties": props, "components": far})
	return string(raw)
}

func TestCompileAccepts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, raw, valid, invalid string }{
		{"empty", `{}`, `{"a":1}`, ""},
		{"2020-12 by default", `{"prefixItems":[{"type":"string"}]}`, `["a"]`, `[1]`},
		{"2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"type":"string"}]}`, `["a"]`, `[1]`},
		{"2020-12 over http", `{"$schema":"http://json-schema.org/draft/2020-12/schema#","prefixItems":[{"type":"string"}]}`, `["a"]`, `[1]`},
		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"string"}]}`, `["a"]`, `[1]`},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, `["a"]`, `[1]`},
		{"draft-07 over https", `{"$schema":"https://json-schema.org/draft-07/schema","items":[{"type":"string"}]}`, `["a"]`, `[1]`},
		{"draft-06", `{"$schema":"http://json-schema.org/draft-06/schema#","exclusiveMinimum":1}`, `2`, `1`},
		{"draft-04", `{"$schema":"http://json-schema.org/draft-04/schema","minimum":1,"exclusiveMinimum":true}`, `2`, `1`},
		{"the latest", `{"$schema":"http://json-schema.org/schema#","prefixItems":[{"type":"string"}]}`, `["a"]`, `[1]`},
		{"anchor", `{"$ref":"#a","$defs":{"x":{"$anchor":"a","type":"string"}}}`, `"a"`, `1`},
		{"own id", `{"$id":"https://example.com/x","$ref":"https://example.com/x#/$defs/s","$defs":{"s":{"type":"string"}}}`, `"a"`, `1`},
		{"definitions elsewhere", `{"$ref":"#/components/schemas/s","components":{"schemas":{"s":{"type":"string"}}}}`, `"a"`, `1`},
		{"metaschema", `{"$ref":"http://json-schema.org/draft-07/schema#"}`, `{"type":"string"}`, `{"type":"any"}`},
		{"recursion", `{"properties":{"next":{"$ref":"#"}},"required":["v"]}`, `{"v":1,"next":{"v":2}}`, `{"v":1,"next":{}}`},
		{"only a dynamic anchor leads there", `{"$ref":"list","$defs":{"s":{"$dynamicAnchor":"T","type":"string"},"list":{"$id":"list","items":{"$dynamicRef":"#T"},"$defs":{"T":{"$dynamicAnchor":"T"}}}}}`, `["a"]`, `[1]`},
		{"siblings of a reference in draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/s","const":1}},"definitions":{"s":{"type":"string"}}}`, `{"a":"x"}`, `{"a":1}`},
		{"double enum value", `{"$schema":"http://json-schema.org/draft-07/schema#","enum":["a","b","a"]}`, `"a"`, `"c"`},
		{"maxLength beyond int64", `{"maxLength":18446744073709551617}`, `"abc"`, ""},
		{"minLength beyond int64", `{"minLength":18446744073709551616}`, `1`, `"abc"`},
		{"unused reference to HTTP", `{"$defs":{"x":{"$ref":"https://example.com/"}}}`, `1`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := evaluateViolations(t, tc.raw, tc.valid); got != nil {
				t.Errorf("%s: got %v, want none", tc.valid, got)
			}
			if tc.invalid != "" && evaluateViolations(t, tc.raw, tc.invalid) == nil {
				t.Errorf("%s: got no violation", tc.invalid)
			}
		})
	}
}

func evaluateViolations(t *testing.T, rawSchema, rawValue string) []schema.Violation {
	t.Helper()
	s, err := schema.Compile([]byte(rawSchema), schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ev, err := s.Evaluate(decode(t, []byte(rawValue)))
	if err != nil {
		t.Fatal(err)
	}
	return ev.Violations
}

var compileSeeds = []string{
	`{}`, `{"type":"object"}`, `{"a":1,"a":2}`, `[1]`, `{"pattern":"("}`, `{"$ref":"#/x"}`, "", `{"minimum":1e5}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","enum":[1,1.0]}`, `{"$dynamicRef":"#a","$dynamicAnchor":"a"}`,
}

// FuzzCompile checks that every accepted schema is one JSON object, and that a refusal gives a
// reason.
func FuzzCompile(f *testing.F) {
	if len(compileSeeds) == 0 {
		f.Fatal("no seeds")
	}
	for _, seed := range compileSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := schema.Compile(raw, schema.Limits{})
		if err != nil {
			if fault, ok := errors.AsType[*schema.CompileError](err); !ok || fault.Reason == "" {
				t.Errorf("got %v, want a CompileError with a reason", err)
			}
			return
		}
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil || doc == nil || s == nil {
			t.Errorf("accepted %q, which is no JSON object: %v", raw, err)
		}
	})
}
