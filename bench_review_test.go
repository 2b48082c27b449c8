// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package toolvet_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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
	{"log", func(i int) string {
		return fmt.Sprintf("2026-11-20T08:%02d:%02d.%03dZ INFO worker-%d GET /api/v1/users/%d/orders?page=%d HTTP/1.1 200 %dms bytes=%d\n", i/60%60, i%60, i*7%1000, i%16, i*31, i%40, i*13%900, i*977)
	}},
	{"code", func(i int) string {
		return fmt.Sprintf("\tif err := s.apply(token%d, config.Value); err != nil {\n\t\treturn fmt.Errorf(\"key %%d: %%w\", %d, err)\n\t}\n", i, i)
	}},
	{"markdown", func(i int) string {
		return fmt.Sprintf("## Section %d\n\n* **Orders** are listed by [the API](https://example.com/orders/%d), see `page` and _limit_.\n", i, i)
	}},
	{"base64", func(i int) string {
		raw := make([]byte, 570)
		_, _ = rand.NewChaCha8([32]byte{byte(i), byte(i >> 8), byte(i >> 16)}).Read(raw) // never fails
		return base64.StdEncoding.EncodeToString(raw)
	}},
	{"percent", func(i int) string {
		return fmt.Sprintf("https://example.com/search?q=order%%20of%%20Ada%%20Lovelace%%20in%%20Graz&page=%d\n", i)
	}},
	{"curl", func(i int) string { // in one line, with a word that begins two expressions
		return fmt.Sprintf("curl -s https://example.com/%d and what it answers of the orders in the warehouse ", i)
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
