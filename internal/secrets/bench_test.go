// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"fmt"
	"testing"

	"github.com/toolvet/toolvet/internal/test/texts"
)

func BenchmarkScan(b *testing.B) {
	s := standard(b)
	for _, kind := range texts.Kinds {
		for _, size := range []int{20_000, 1_000_000} {
			text := texts.Of(kind, size)
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					s.Scan(text)
				}
			})
		}
	}
}

// BenchmarkWords measures the first pass alone.
func BenchmarkWords(b *testing.B) {
	s := standard(b)
	for _, kind := range texts.Kinds {
		text := texts.Of(kind, 100_000)
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.words.find(b.Context(), text, func(int, int) {})
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
