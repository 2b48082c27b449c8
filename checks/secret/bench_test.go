// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/call/result"
)

// BenchmarkSearch measures the check on results of some 100 KB without secrets.
func BenchmarkSearch(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 75_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	prose := strings.Repeat("The order of Ada Lovelace was sent to the warehouse in Graz, see section 12.\n", 1300)
	var paths, records strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&paths, "/srv/data/projects/reports_%d/quarterly/summary-final.csv\n", i)
		fmt.Fprintf(&records, `{"id": "786512e2-9e0d-44bd-8f29-%012d", "url": "https://api.example.org/repos/a/b/issues/%d?a=%%20"}`+"\n", i, i)
	}
	scanner, err := common()
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"prose": prose, "paths": paths.String(), "records": records.String(), "image": base64.StdEncoding.EncodeToString(noise),
		"digits": hex.EncodeToString(noise[:50_000]), "base64 of text": base64.StdEncoding.EncodeToString([]byte(prose[:75_000])),
	} {
		quoted, err := json.Marshal(text)
		if err != nil {
			b.Fatal(err)
		}
		raw := fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, quoted)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := result.Read("tools/call", raw)
				if err != nil {
					b.Fatal(err)
				}
				s := search{ctx: b.Context(), result: r, scanner: scanner, options: new(Options)}
				s.all()
				if s.settle(); len(s.found) > 0 {
					b.Fatal(s.found)
				}
			}
		})
	}
}
