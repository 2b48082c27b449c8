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
	"github.com/toolvet/toolvet/result"
)

// BenchmarkReview measures the whole output layer on results without secrets or signals.
func BenchmarkReview(b *testing.B) {
	g, err := toolvet.New()
	if err != nil {
		b.Fatal(err)
	}
	var lines strings.Builder
	for i := 0; lines.Len() < 1<<20; i++ {
		fmt.Fprintf(&lines, "%d: the order of %s was sent to the warehouse in %s\n", i, "Ada Lovelace", "Graz")
	}
	for _, size := range []int{20, 10 << 10, 1 << 20} {
		text, err := json.Marshal(lines.String()[:size])
		if err != nil {
			b.Fatal(err)
		}
		raw := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, text)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := result.Read("tools/call", raw)
				if err != nil {
					b.Fatal(err)
				}
				if v := g.Review(b.Context(), &call.Call{Name: "x"}, r); !v.Go || len(v.Findings) > 0 {
					b.Fatal(v.Findings)
				}
			}
		})
	}
}
