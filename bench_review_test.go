// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolvet/toolvet"
	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/call/result"
)

// A reviewText is a kind of text that a tool returns, without secrets or signals.
type reviewText struct {
	name string
	line func(i int) string
}

var reviewTexts = []reviewText{
	{"prose", func(i int) string {
		return fmt.Sprintf("%d: the order of %s was sent to the warehouse in %s\n", i, "Ada Lovelace", "Graz")
	}},
	{"json", func(i int) string {
		return fmt.Sprintf(`{"id": "786512e2-9e0d-44bd-8f29-%012d", "state": "open", "author": {"login": "user%d"}, "labels": ["bug", "auth"]}`+"\n", i, i)
	}},
	{"german", func(i int) string {
		return fmt.Sprintf("%d: Über die Brücke führt der Weg zur Mühle, und für Gäste gibt es dort Käse.\n", i)
	}},
}

// result is a result with a text of a size, and the same again as structured content.
func (r reviewText) result(t testing.TB, size int) []byte {
	t.Helper()
	var lines strings.Builder
	var list []string
	for i := 0; lines.Len() < size; i++ {
		line := r.line(i)
		list = append(list, line)
		lines.WriteString(line)
	}
	raw, err := json.Marshal(map[string]any{
		"content":           []any{map[string]any{"type": "text", "text": lines.String()}},
		"structuredContent": map[string]any{"lines": list},
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// linesTool declares what result returns.
var linesTool = &call.Tool{Name: "lines", OutputSchema: json.RawMessage(`{"type":"object","properties":{"lines":{"type":"array","items":{"type":"string","minLength":1}}},"required":["lines"]}`)}

// BenchmarkReview measures the whole output layer, all checks of it on, over results without
// secrets or signals, of which each half is a text and structured content with a schema.
func BenchmarkReview(b *testing.B) {
	g, err := toolvet.New()
	if err != nil {
		b.Fatal(err)
	}
	for _, text := range reviewTexts {
		for _, size := range []int{10, 5 << 10, 512 << 10} {
			raw := text.result(b, size)
			b.Run(fmt.Sprintf("%s/%dKB", text.name, 2*size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := result.Read("tools/call", raw)
					if err != nil {
						b.Fatal(err)
					}
					if v := g.Review(b.Context(), &call.Call{Name: "lines", Tool: linesTool}, r); !v.Go || len(v.Findings) > 0 {
						b.Fatal(v.Findings)
					}
				}
			})
		}
	}
}
