// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package jsonschema

import (
	"testing"

	"github.com/toolvet/toolvet/internal/packed/packedtest"
)

func TestPacked(t *testing.T) {
	packedtest.Same(t, "metaschemas.json", metaText())
}

// TestMetaschemas holds that each metaschema can be read, and that other names have none.
func TestMetaschemas(t *testing.T) {
	all, err := metaschemas()
	if err != nil || len(all) < 10 {
		t.Fatalf("%d metaschemas: %v", len(all), err)
	}
	for name := range all {
		if doc, err := loadMeta("https://json-schema.org/" + name); doc == nil || err != nil {
			t.Errorf("%s: %v, %v", name, doc, err)
		}
	}
	for _, name := range []string{"https://json-schema.org/draft/none", "https://example.org/draft-07/schema", "schema", ""} {
		if isMeta(name) {
			t.Errorf("%q counts as a metaschema", name)
		}
	}
	if !isMeta("http://json-schema.org/schema") {
		t.Error("the latest draft has no metaschema")
	}
}
