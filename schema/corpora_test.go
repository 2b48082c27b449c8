// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/internal/test/corpora"
	"github.com/toolvet/toolvet/schema"
)

// decode reads a value as a strict decoder does.
func decode(t testing.TB, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("decoding %s: %v", raw, err)
	}
	return v
}

type corpusSchema struct {
	ID     string          `json:"id"`
	Schema json.RawMessage `json:"schema"`
}

type corpusCase struct {
	Schema           string          `json:"schema"`
	Arguments        json.RawMessage `json:"arguments"`
	Valid            bool            `json:"valid"`
	ValidWithFormats *bool           `json:"valid_with_formats"`
}

// faultySchemas are the schemas of real tools that are refused, with the place
// of the fault. docs/figures/schema-agreement.md explains each.
var faultySchemas = map[string]string{
	"0a00345cff63a625": "/properties/value/type",
	"14e836a72db66b3d": "/title",
	"235309771851948a": "/properties/$schema",
	"2fee0d3a4b840c3a": "/properties/type/type",
	"7dd3230da8b1e796": "/properties/$schema",
	"96d4a36bc6bc3521": "/properties/$schema",
	"e75279d50c4f3c03": "/description",
}

func TestCorpora(t *testing.T) {
	t.Parallel()
	c := corpus{schemas: map[string]corpusSchema{}, compiled: map[string]*schema.Schema{}, count: map[string]int{}}
	corpora.Lines(t, "schemas", func(line []byte) { c.schema(t, line) })
	corpora.Lines(t, "schema_cases", func(line []byte) { c.judge(t, line) })
	t.Log(c.count)
}

type corpus struct {
	schemas  map[string]corpusSchema
	compiled map[string]*schema.Schema
	count    map[string]int
}

func (c *corpus) schema(t *testing.T, line []byte) {
	t.Helper()
	var row corpusSchema
	if err := json.Unmarshal(line, &row); err != nil {
		t.Fatal(err)
	}
	c.count["schemas"]++
	c.schemas[row.ID] = row
	s, err := schema.Compile(row.Schema, schema.Limits{Time: time.Minute})
	want, faulty := faultySchemas[row.ID]
	if fault, ok := errors.AsType[*schema.CompileError](err); ok != faulty || ok && fault.Pointer != want {
		t.Errorf("schema %s: got %v, want a fault at %q: %v", row.ID, err, want, faulty)
	}
	if err != nil {
		c.count["schemas that do not compile"]++
		return
	}
	c.compiled[row.ID] = s
}

func (c *corpus) judge(t *testing.T, line []byte) {
	t.Helper()
	var row corpusCase
	if err := json.Unmarshal(line, &row); err != nil {
		t.Fatal(err)
	}
	c.count["cases"]++
	s := c.compiled[row.Schema]
	if s == nil {
		c.count[fmt.Sprintf("cases of schemas that do not compile, labelled valid %v", row.Valid)]++
		return
	}
	args := decode(t, row.Arguments)
	ev, err := s.Evaluate(args)
	if err != nil {
		t.Errorf("%s: %v", line, err)
		return
	}
	if got := len(ev.Violations) == 0; got != row.Valid {
		t.Errorf("%s\ngot valid %v: %+v", line, got, ev.Violations)
	}
	c.count[fmt.Sprintf("cases labelled valid %v that agree", row.Valid)]++
	rawSchema := c.schemas[row.Schema].Schema
	if row.ValidWithFormats != nil && !bytes.Contains(rawSchema, []byte(`"int32"`)) {
		if got := len(ev.Violations)+len(ev.Formats) == 0; got != *row.ValidWithFormats {
			t.Errorf("%s\ngot valid with formats %v: %+v", line, got, ev)
		}
		c.count["cases that asserted formats decide, and that agree"]++
	} else if len(ev.Formats) > 0 && len(ev.Violations) == 0 {
		t.Errorf("%s\ngot formats %+v", line, ev.Formats)
	}
	checkNoValues(t, string(rawSchema), args, ev)
}

// checkNoValues fails the test if a text mentions a judged value that is neither from the schema
// nor a name.
func checkNoValues(t *testing.T, rawSchema string, args any, ev *schema.Evaluation) {
	t.Helper()
	known := rawSchema + fmt.Sprint(propertyNames(args)) + "true or false; https://example.com" // our own words
	for _, list := range [][]schema.Violation{ev.Violations, ev.Formats, ev.Unknown} {
		for _, v := range list {
			text := v.Message + "\n" + v.Suggestion + "\n" + string(v.Value)
			for _, value := range values(args) {
				if len(value) > 3 && strings.Contains(text, value) && !strings.Contains(known, value) {
					t.Errorf("%+v repeats the value %q", v, value)
				}
			}
		}
	}
}

// values returns the strings and numbers in v.
func values(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case json.Number:
		return []string{v.String()}
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, values(item)...)
		}
		return out
	case map[string]any:
		return values(slices.Collect(maps.Values(v)))
	default:
		return nil
	}
}

func propertyNames(v any) []string {
	var out []string
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			out = append(out, propertyNames(item)...)
		}
	case map[string]any:
		for name, item := range v {
			out = append(append(out, name), propertyNames(item)...)
		}
	}
	return out
}
