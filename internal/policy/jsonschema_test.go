// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
	"github.com/toolvet/toolvet/schema"
)

type schemaOptions struct {
	Flag    bool              `policy:"flag" doc:"a switch"`
	Maybe   *bool             `policy:"maybe" doc:"true or false"`
	Count   int               `policy:"count" doc:"a number"`
	Ratio   float64           `policy:"ratio" doc:"a share"`
	Name    string            `policy:"name" doc:"a name"`
	Names   []string          `policy:"names" doc:"names"`
	Headers map[string]string `policy:"headers" doc:"headers"`
	Wait    time.Duration     `policy:"wait" doc:"how long"`
	Size    schemaSize        `policy:"size" doc:"how much"`
	Inner   struct {
		Deep string `policy:"deep" doc:"inside"`
	} `policy:"inner" doc:"more"`
	hidden int
}

type schemaSize int64

func (s *schemaSize) UnmarshalText(text []byte) error {
	_, err := fmt.Sscan(string(text), (*int64)(s))
	return err
}

// TestJSONSchema holds that the schema and Parse accept the same policies, except for errors that
// only Parse can see.
func TestJSONSchema(t *testing.T) {
	t.Parallel()
	rule := &check.Demand{Name: "thing", Options: func() any { return &schemaOptions{hidden: 1} }}
	checks := []*check.Check{{Name: "format", Doc: "# format\n\nLooks at formats.\n"}, {Name: "thing", Doc: "# thing\n\nLooks.\n"}}
	s, err := schema.Compile(JSONSchema(checks, []*check.Demand{rule}), schema.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	options := func(text string) string {
		return "version: 1\nservers:\n  s:\n    tools:\n      \"read_*\":\n        arguments:\n          a: {thing: " + text + "}\n"
	}
	for name, tt := range map[string]struct {
		text string
		want bool
	}{
		"the least":   {"version: 1\n", true},
		"checks":      {"version: 1\npreset: strict\nchecks:\n  format: off\n  thing: {severity: warning, mode: observe, fail_open: true}\n", true},
		"servers":     {"version: 1\nservers:\n  s: {command: [a, b], location: remote, platform: posix, base: /a, roots: /a, resolver: 127.0.0.1:5353}\n  t: {command: a, roots: [/a, /b], tools: {x: {requires: [{thing: {}}]}}}\n", true},
		"all options": {options("{flag: true, maybe: false, count: 1, ratio: 1.5, name: x, names: [a, b], headers: {a: b}, wait: 2s, size: 12, inner: {deep: x}}"), true},
		"defaults":    {options(""), true},
		"one name":    {options("{names: a}"), true},
		"a size":      {options(`{size: "12"}`), true},

		"authorization":    {"version: 1\nauthorization:\n  resource: https://a.example.org\n  issuers: [{issuer: https://login.example.org, types: at+jwt}]\n  tokens: [{sha256: " + emptyDigest + ", subject: a, claims: {a: [1, {}]}}]\n  scopes: a\n  clock_skew: 0s\n", true},
		"credentials":      {"version: 1\nservers: {s: {url: https://a.example.org, credentials: {header: {A: b}, header_file: {B: c}}}}\n", true},
		"client":           {"version: 1\nservers: {s: {url: https://a.example.org, credentials: {client_credentials: {token_url: https://b.example.org, client_id: a, client_secret: b, parameters: {a: b}}}}}\n", true},
		"no client id":     {"version: 1\nservers: {s: {url: https://a.example.org, credentials: {client_credentials: {token_url: https://b.example.org, client_secret: b}}}}\n", false},
		"a misspelt claim": {"version: 1\nauthorization: {tokens: [{sha256: " + emptyDigest + ", subject: a, claim: {}}]}\n", false},

		"no version":         {"preset: strict\n", false},
		"another version":    {"version: 2\n", false},
		"a misspelt key":     {"version: 1\nserver: {}\n", false},
		"a misspelt preset":  {"version: 1\npreset: strickt\n", false},
		"an unknown check":   {"version: 1\nchecks: {fromat: off}\n", false},
		"a check that is on": {"version: 1\nchecks: {format: on}\n", false},
		"a misspelt server":  {"version: 1\nservers: {s: {comand: a}}\n", false},
		"a misspelt tool":    {"version: 1\nservers: {s: {tools: {x: {argument: {}}}}}\n", false},
		"an unknown demand":  {"version: 1\nservers: {s: {tools: {x: {arguments: {a: {thin: {}}}}}}}\n", false},
		"a misspelt option":  {options("{flags: true}"), false},
		"inside":             {options("{inner: {dep: x}}"), false},
		"a wrong boolean":    {options("{maybe: 1}"), false},
		"a wrong number":     {options("{count: x}"), false},
		"a wrong list":       {options("{names: {a: b}}"), false},
		"not exported":       {options("{hidden: 1}"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var value any
			if err := yaml.Unmarshal([]byte(tt.text), &value); err != nil {
				t.Fatal(err)
			}
			judged, err := s.Evaluate(jsonValue(t, value))
			if err != nil {
				t.Fatal(err)
			}
			if got := len(judged.Violations) == 0; got != tt.want {
				t.Errorf("the schema takes it: %v, want %v: %v", got, tt.want, judged.Violations)
			}
			p, err := Parse("p", []byte(tt.text), rule)
			if err == nil {
				err = p.Validate(checks)
			}
			if got := err == nil; got != tt.want {
				t.Errorf("Parse takes it: %v, want %v: %v", got, tt.want, err)
			}
		})
	}
}

// jsonValue turns a YAML value into a JSON value.
func jsonValue(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value, err := strictjson.Parse(text, strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return value
}
