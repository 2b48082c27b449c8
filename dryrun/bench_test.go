// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package dryrun_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolvet/toolvet/dryrun"
)

// filePolicy demands of the argument what the file system is asked for.
func filePolicy(tb testing.TB) (policy, file string) {
	tb.Helper()
	dir := tb.TempDir()
	file = filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf("servers: {s: {roots: [%q], tools: {read: {arguments: {path: {path: {exists: true}, text: {max_length: 500}}}}}}}\n", dir), file
}

// BenchmarkValidate answers a dry run: judged anew each time, and from what is kept; with the
// default checks, and with a policy that asks the file system.
func BenchmarkValidate(b *testing.B) {
	for _, world := range []string{"default", "files"} {
		policy, path := "", "a"
		if world == "files" {
			policy, path = filePolicy(b)
		}
		for _, kind := range []string{"new", "kept"} {
			b.Run(world+"/"+kind, func(b *testing.B) {
				cfg := dryrun.Config{TTL: time.Hour, RuntimeTTL: time.Hour}
				if kind == "new" {
					cfg.TTL = -1
				}
				d := newDoor(b, cfg, newGate(b, policy))
				arguments := request("read", fmt.Sprintf(`{"path":%q}`, path))
				b.ReportAllocs()
				for b.Loop() {
					if a := d.ask(b.Context(), "validate", arguments); !strings.Contains(string(a), `"valid":true`) {
						b.Fatal(string(a))
					}
				}
			})
		}
	}
}

// BenchmarkValidate100 answers 100 dry runs, none of which was kept: alone, and in a batch.
func BenchmarkValidate100(b *testing.B) {
	for _, world := range []string{"default", "files"} {
		policy, path := "", "a"
		if world == "files" {
			policy, path = filePolicy(b)
		}
		d := newDoor(b, dryrun.Config{TTL: -1}, newGate(b, policy))
		items := make([]string, 100)
		for i := range items {
			items[i] = request("read", fmt.Sprintf(`{"path":%q,"n":%d}`, path, i))
		}
		b.Run(world+"/singles", func(b *testing.B) {
			for b.Loop() {
				for _, item := range items {
					d.ask(b.Context(), "validate", item)
				}
			}
		})
		b.Run(world+"/batch", func(b *testing.B) {
			arguments := `{"calls":[` + strings.Join(items, ",") + `]}`
			for b.Loop() {
				d.ask(b.Context(), "validate_batch", arguments)
			}
		})
	}
}
