// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"strings"
	"testing"
)

func BenchmarkJudge(b *testing.B) {
	query := `SELECT o.id, c.name, sum(i.price * i.quantity) AS total FROM orders o JOIN customers c ON c.id = o.customer_id ` +
		`JOIN items i ON i.order_id = o.id WHERE o.created_at > $1 AND c.country = 'CH' GROUP BY o.id, c.name ORDER BY total DESC LIMIT 20`
	for _, bb := range []struct {
		name string
		o    Options
		text string
	}{
		{"postgres", Options{Dialect: "postgres"}, query},
		{"generic", Options{}, query},
		{"generic-1MB", Options{MaxLength: 2 << 20}, "SELECT 1 WHERE x IN (" + strings.Repeat("12345, ", 150_000) + "1)"},
		{"literal-name", Options{Parameter: Literal}, "O'Brien"},
		{"literal-text", Options{Parameter: Literal}, "Don't include unnecessary `ClientInfo` fields in stream and consumer assignments (#1234)"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if faults := bb.o.Judge(bb.text); len(faults) > 0 {
					b.Fatal(faults)
				}
			}
		})
	}
}
