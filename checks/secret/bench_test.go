// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/toolvet/toolvet/call/result"
	"github.com/toolvet/toolvet/internal/test/texts"
)

// BenchmarkSearch measures the check on results of 100 kB.
func BenchmarkSearch(b *testing.B) {
	const size = 100_000
	all := map[string]string{
		"digits":         hex.EncodeToString([]byte(texts.Of("base64", size/2))),
		"base64 of text": base64.StdEncoding.EncodeToString([]byte(texts.Of("prose", size*3/4))),
	}
	for _, kind := range texts.Kinds {
		all[kind] = texts.Of(kind, size)
	}
	scanner, err := common()
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range all {
		quoted, err := json.Marshal(text)
		if err != nil {
			b.Fatal(err)
		}
		raw := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, quoted)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := result.Read("tools/call", raw)
				if err != nil {
					b.Fatal(err)
				}
				s := search{ctx: b.Context(), result: r, scanner: scanner, options: new(Options)}
				s.all()
				s.settle()
			}
		})
	}
}
