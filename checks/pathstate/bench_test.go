// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package pathstate

import (
	"testing"

	"github.com/toolvet/toolvet/check"
	"github.com/toolvet/toolvet/checks/path"
)

func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	for name, o := range map[string]*path.Options{
		"confined": {Within: []string{dir}, Base: dir},
		"demands":  {Within: []string{dir}, Base: dir, ParentExists: true, Writable: true, MinFree: 1},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			run := newRun(Check, check.World{}, o, "new.txt")
			for b.Loop() {
				if err := run.Do(b.Context()); err != nil || len(run.Findings) > 0 {
					b.Fatal(err, run.Findings)
				}
			}
		})
	}
}
