// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package command

import "testing"

func BenchmarkJudge(b *testing.B) {
	o := &Options{Programs: []string{"git", "grep", "find"}}
	for name, value := range map[string]any{
		"plain":  "git log --oneline -n 20 -- checks/command/check.go",
		"quoted": `grep -rn "func [A-Z]" 'checks/**'`,
		"parsed": `grep -rn "a\"b" src`,
		"array":  []any{"git", "commit", "-m", "fix: `x` & y | z; $(w)"},
		"active": "git log; rm -rf /",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if faults := o.judge(value); len(faults) > 0 != (name == "active") {
					b.Fatal(faults)
				}
			}
		})
	}
}
