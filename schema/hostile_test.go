// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schema"
)

// join writes n texts after each other, separated by commas.
func join(n int, text func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = text(i)
	}
	return strings.Join(parts, ",")
}

// doubling is a chain of definitions that each refer to the next one twice.
func doubling(word string, n int, last string) string {
	return `{"$ref":"#/$defs/d0","$defs":{` + join(n, func(i int) string {
		return fmt.Sprintf(`"d%d":{%q:[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, word, i+1, i+1)
	}) + fmt.Sprintf(`,"d%d":%s}}`, n, last)
}

// TestHostileIsOutOfTime holds what no evaluation could finish: it must end with an error, which
// the caller takes for a refusal. The test is about ending at all.
func TestHostileIsOutOfTime(t *testing.T) {
	t.Parallel()
	as := strings.Repeat("a", 50)
	for _, tc := range []struct {
		name, schema string
		value        any
	}{
		{"allOf doubles", doubling("allOf", 60, `{}`), "x"},
		{"anyOf doubles", doubling("anyOf", 60, `{"type":"null"}`), "x"},
		{"oneOf doubles", doubling("oneOf", 60, `{"type":"null"}`), "x"},
		{"doubling under not", strings.Replace(doubling("anyOf", 60, `{"type":"null"}`), `"$ref":"#/$defs/d0"`, `"not":{"$ref":"#/$defs/d0"}`, 1), "x"},
		{"doubling with tracking", strings.Replace(doubling("allOf", 60, `{}`), "{", `{"unevaluatedProperties":false,`, 1), map[string]any{}},
		{"dynamic references", strings.NewReplacer("$ref", "$dynamicRef").Replace(doubling("allOf", 60, `{}`)), "x"},
		{"alternatives over a deep value", `{"anyOf":[{"properties":{"n":{"$ref":"#"}},"required":["x"]},{"properties":{"n":{"$ref":"#"}},"required":["y"]}]}`, nested(40)},
		{"backtracking pattern", `{"pattern":"^(?=a)(a+a+)+$"}`, as + "!"},
		{"backtracking property name", `{"patternProperties":{"^(?=a)(a+a+)+$":true}}`, map[string]any{as + "!": 1}},
		{"large linear pattern", `{"pattern":"(` + strings.Repeat("(.{0,999})*", 60) + `)b$"}`, strings.Repeat("a", 1<<20)},
		{"many large patterns", `{"allOf":[` + join(400, func(i int) string { return fmt.Sprintf(`{"pattern":"([a-z]{0,90}%d)*[^a]$"}`, i) }) + `]}`, strings.Repeat("a", 1<<20) + "b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tc.schema), schema.Limits{Time: 20 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			ev, err := s.Evaluate(tc.value)
			if ev != nil || !errors.Is(err, schema.ErrOutOfTime) {
				t.Errorf("got %v and error %v, want none and out of time", ev, err)
			}
		})
	}
}

func nested(depth int) any {
	var v any = map[string]any{}
	for range depth {
		v = map[string]any{"n": v}
	}
	return v
}

// TestHostileIsJudged holds what is only slow or wrong when done naively.
func TestHostileIsJudged(t *testing.T) {
	t.Parallel()
	many := func(item func(i int) any) any {
		arr := make([]any, 50_000)
		for i := range arr {
			arr[i] = item(i)
		}
		return arr
	}
	for _, tc := range []struct {
		name, schema string
		value        any
		violations   int
	}{
		{"unique strings", `{"uniqueItems":true}`, many(func(i int) any { return fmt.Sprint(i) }), 0},
		{"unique arrays", `{"uniqueItems":true}`, many(func(i int) any { return trees(i) }), 0},
		{"many equal items", `{"uniqueItems":true}`, many(func(int) any { return "x" }), 101},
		{"large enum", `{"enum":[` + join(50_000, func(i int) string { return fmt.Sprintf(`"v%d"`, i) }) + `]}`, "v", 1},
		{"huge number within bounds", `{"minimum":0}`, json.Number("1e999999999"), 0},
		{"huge number out of bounds", `{"maximum":1e300}`, json.Number("1e999999999"), 1},
		{"huge number of a type", `{"type":"integer"}`, json.Number("1e999999999"), 0},
		{"tiny number of a type", `{"type":"integer"}`, json.Number("1e-999999999"), 1},
		{"huge multiple", `{"multipleOf":3}`, json.Number("3e999999999"), 0},
		{"huge number that is no multiple", `{"multipleOf":3}`, json.Number("1e999999999"), 1},
		{"huge constant", `{"enum":[1e300,"1e999999999"]}`, json.Number("1e999999999"), 1},
		{"equal huge numbers", `{"uniqueItems":true}`, []any{json.Number("1e999999999"), json.Number("10e999999998")}, 1},
		{"huge length", `{"maxLength":999999999999999999999999}`, "x", 0},
		{"pattern of a million", `{"pattern":"^(a{1000}){1000}$"}`, "a", 1},
		{"many missing properties", `{"required":[` + join(5000, func(i int) string { return fmt.Sprintf(`"p%d"`, i) }) + `]}`, map[string]any{}, 101},
		{"many failing branches", `{"items":{"anyOf":[` + join(300, func(i int) string { return fmt.Sprintf(`{"required":["a%d","b%d"]}`, i, i) }) + `]}}`, []any{map[string]any{}, map[string]any{}}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tc.schema), schema.Limits{Time: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			ev, err := s.Evaluate(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(ev.Violations); got != tc.violations {
				t.Errorf("got %d violations, want %d: %.3v", got, tc.violations, ev.Violations)
			}
		})
	}
}

// trees returns different arrays that collide under a flattening hash.
func trees(i int) any {
	var v any = []any{[]any{}}
	for range 16 {
		if i&1 == 0 {
			v = []any{v, []any{}}
		} else {
			v = []any{[]any{}, v}
		}
		i >>= 1
	}
	return v
}

// TestHostileIsRefused holds values and schemas that cannot be judged for
// another reason than time.
func TestHostileIsRefused(t *testing.T) {
	t.Parallel()
	deep := func() any {
		var v any = "x"
		for range 50_000 {
			v = []any{v}
		}
		return v
	}
	for _, tc := range []struct {
		name, schema string
		value        any
		reason       string
	}{
		{"reference to itself", `{"$ref":"#"}`, "x", "leads back to itself"},
		{"circle of references", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, "x", "leads back to itself"},
		{"circle of dynamic references", `{"$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"}]}`, "x", "leads back to itself"},
		{"circle of recursive references", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"anyOf":[{"$recursiveRef":"#"}]}`, "x", "leads back to itself"},
		{"deep value", `{"items":{"$ref":"#"}}`, deep(), "nested too deep"},
		{"deep value that is compared", `{"enum":[1,[]]}`, deep(), "nested too deep"},
		{"endless exponent", `{"type":"integer"}`, json.Number("1e99999999999999999999"), "cannot be read"},
		{"no number", `{"minimum":1}`, json.Number("one"), "cannot be read"},
		{"endless digits", `{"multipleOf":0.3}`, json.Number(strings.Repeat("1", 5000)), "more than 4096 digits"},
		{"no number at all", `{"type":"number"}`, json.Number("-"), "cannot be read"},
		{"infinite float", `{"type":"number"}`, math.Inf(1), "cannot be written as JSON"},
		{"channel inside", `{"enum":[[1]]}`, []any{make(chan int)}, "cannot be written as JSON"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile([]byte(tc.schema), schema.Limits{Time: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			ev, err := s.Evaluate(tc.value)
			fault, ok := errors.AsType[*schema.EvaluateError](err)
			if ev != nil || !ok || !strings.Contains(fault.Reason, tc.reason) {
				t.Fatalf("got %v and error %v, want none and %q", ev, err, tc.reason)
			}
			if fault.Stack != nil {
				t.Errorf("it panicked: %s", fault.Stack)
			}
		})
	}
}

func TestEvaluateConcurrently(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile([]byte(callSchema), schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := decode(t, []byte(validCall)), decode(t, []byte(invalidCall))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if ev, err := s.Evaluate(good); err != nil || len(ev.Violations) > 0 {
					t.Errorf("good call: got %v, %v", ev, err)
				}
				if ev, err := s.Evaluate(bad); err != nil || len(ev.Violations) == 0 {
					t.Errorf("bad call: got %v, %v", ev, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	raw := `{"properties":{"l":{"items":{"properties":{"a":{"type":"string","format":"date"}}}}}}`
	s, err := schema.Compile([]byte(raw), schema.Limits{Violations: 3, Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	list := func(item string) any {
		return decode(t, []byte(`{"l":[`+join(200, func(int) string { return item })+`]}`))
	}
	for _, tc := range []struct {
		name, item string
		pick       func(*schema.Evaluation) []schema.Violation
	}{
		{"violations", `{"a":1}`, func(ev *schema.Evaluation) []schema.Violation { return ev.Violations }},
		{"formats", `{"a":"x"}`, func(ev *schema.Evaluation) []schema.Violation { return ev.Formats }},
		{"unknown", `{"b":1}`, func(ev *schema.Evaluation) []schema.Violation { return ev.Unknown }},
	} {
		ev, err := s.Evaluate(list(tc.item))
		if err != nil {
			t.Fatal(err)
		}
		got := tc.pick(ev)
		if len(got) != 4 || !strings.HasPrefix(got[0].Pointer, "/l/0/") || !strings.HasPrefix(got[2].Pointer, "/l/2/") {
			t.Fatalf("%s: got %+v, want those of the first three items, and one more", tc.name, got)
		}
		if want := (schema.Violation{Message: "and 197 more"}); got[3].Message != want.Message || got[3].Pointer != "" {
			t.Errorf("%s: got %+v, want %+v", tc.name, got[3], want)
		}
	}
}
