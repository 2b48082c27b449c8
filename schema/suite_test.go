// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/schema"
)

// suiteGroup is a schema of the JSON Schema Test Suite with its tests.
type suiteGroup struct {
	Draft       string          `json:"draft"`
	File        string          `json:"file"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

var suiteDialects = map[string]string{
	"draft4":       "http://json-schema.org/draft-04/schema#",
	"draft6":       "http://json-schema.org/draft-06/schema#",
	"draft7":       "http://json-schema.org/draft-07/schema#",
	"draft2019-09": "https://json-schema.org/draft/2019-09/schema",
	"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}

// suiteExceptions are the files that need not agree, and why.
var suiteExceptions = map[string]string{
	"optional/content.json":                      "content is not asserted",
	"optional/zeroTerminatedFloats.json":         "1.0 is an integer in every draft",
	"optional/format/ecmascript-regex.json":      "regex accepts what either engine accepts",
	"optional/format/duration.json":              "not asserted",
	"optional/format/idn-email.json":             "not asserted",
	"optional/format/idn-hostname.json":          "not asserted",
	"optional/format/iri.json":                   "not asserted",
	"optional/format/iri-reference.json":         "not asserted",
	"optional/format/relative-json-pointer.json": "not asserted",
	"optional/format/uri-reference.json":         "not asserted",
	"optional/format/uri-template.json":          "not asserted",
}

func TestJSONSchemaTestSuite(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, g := range readSuite(t) {
		s, err := schema.Compile(g.document(t), schema.Limits{Time: time.Minute})
		if err != nil {
			// The suite serves some schemas over HTTP; nothing is fetched here.
			if !errors.Is(err, schema.ErrUnsupportedDialect) && !strings.Contains(err.Error(), "leads out of the schema") {
				t.Errorf("%s %s, %s: %v", g.Draft, g.File, g.Description, err)
			}
			count["not compiled, as they refer to other documents"] += len(g.Tests)
			continue
		}
		for _, tc := range g.Tests {
			ev, err := s.Evaluate(decode(t, tc.Data))
			if err != nil {
				t.Errorf("%s %s, %s, %s: %v", g.Draft, g.File, g.Description, tc.Description, err)
				continue
			}
			got := len(ev.Violations) == 0
			if strings.HasPrefix(g.File, "optional/format/") {
				got = got && len(ev.Formats) == 0
			}
			if reason := g.exception(tc.Data); got != tc.Valid && reason != "" {
				count["excepted: "+reason]++
			} else if got != tc.Valid {
				t.Errorf("%s %s, %s, %s: got valid %v\nschema %s\nvalue %s", g.Draft, g.File, g.Description, tc.Description, got, g.Schema, tc.Data)
			} else {
				count["agree"]++
			}
		}
	}
	t.Log(count)
	if count["agree"] < 7600 {
		t.Errorf("only %d tests of the suite agree", count["agree"])
	}
}

// document returns the schema with its dialect; a boolean schema in an object.
func (g *suiteGroup) document(t *testing.T) []byte {
	t.Helper()
	if g.Schema[0] != '{' {
		return fmt.Appendf(nil, `{"$schema": %q, "allOf": [%s]}`, suiteDialects[g.Draft], g.Schema)
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(g.Schema, &doc); err != nil {
		t.Fatal(err)
	}
	if doc["$schema"] != nil {
		return g.Schema
	}
	return []byte(strings.Replace(string(g.Schema), "{", fmt.Sprintf(`{"$schema": %q%s`, suiteDialects[g.Draft], comma(doc)), 1))
}

func comma(doc map[string]json.RawMessage) string {
	if len(doc) == 0 {
		return ""
	}
	return ", "
}

func (g *suiteGroup) exception(data []byte) string {
	if g.File == "optional/format/hostname.json" && strings.Contains(strings.ToLower(string(data)), "xn--") {
		return "RFC 1123 knows nothing of A-labels"
	}
	return suiteExceptions[g.File]
}

func readSuite(t *testing.T) []suiteGroup {
	t.Helper()
	f, err := os.Open("testdata/suite.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var g suiteGroup
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		groups = append(groups, g)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return groups
}
