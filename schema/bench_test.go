// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"testing"

	"github.com/toolvet/toolvet/schema"
)

// callSchema and validCall are a call with ten properties on two levels.
const (
	callSchema = `{
		"$schema": "http://json-schema.org/draft-07/schema#",
		"type": "object",
		"properties": {
			"path": {"type": "string", "minLength": 1, "description": "where to look"},
			"pattern": {"type": "string", "pattern": "^[a-z*?.]+$"},
			"mode": {"type": "string", "enum": ["fast", "full", "deep"]},
			"limit": {"type": "integer", "minimum": 1, "maximum": 1000},
			"score": {"type": "number", "exclusiveMinimum": 0},
			"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
			"recursive": {"type": "boolean"},
			"options": {
				"type": "object",
				"properties": {
					"depth": {"type": "integer", "minimum": 0},
					"follow": {"type": "boolean"},
					"owner": {"anyOf": [{"type": "string"}, {"type": "null"}]}
				},
				"required": ["depth"],
				"additionalProperties": false
			}
		},
		"required": ["path", "mode"],
		"additionalProperties": false
	}`
	validCall = `{"path": "/srv/data", "pattern": "*.txt", "mode": "full", "limit": 100, "score": 0.75,
		"tags": ["a", "b", "c"], "recursive": true, "options": {"depth": 3, "follow": false, "owner": null}}`
	invalidCall = `{"pth": "/srv/data", "pattern": "*.TXT", "mode": "Full", "limit": "100", "score": 0.75,
		"tags": "a", "recursive": true, "options": {"depht": 3, "follow": false, "owner": 5}}`
)

func BenchmarkCompile(b *testing.B) {
	raw := []byte(callSchema)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schema.Compile(raw, schema.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	s, err := schema.Compile([]byte(callSchema), schema.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for _, bc := range []struct {
		name, call string
		valid      bool
	}{
		{"valid", validCall, true},
		{"invalid", invalidCall, false},
	} {
		b.Run(bc.name, func(b *testing.B) {
			v := decode(b, []byte(bc.call))
			b.ReportAllocs()
			for b.Loop() {
				ev, err := s.Evaluate(v)
				if err != nil || (len(ev.Violations) == 0) != bc.valid {
					b.Fatal(ev, err)
				}
			}
		})
	}
}

func BenchmarkCacheGet(b *testing.B) {
	c := schema.NewCache(schema.Limits{}, 0)
	raw := []byte(callSchema)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Get(raw); err != nil {
			b.Fatal(err)
		}
	}
}
