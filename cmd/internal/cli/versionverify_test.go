// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVersionVerify compares the program with lists that have it, have another, or are no lists.
func TestVersionVerify(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("toolvet")
	if err != nil {
		t.Fatal(err)
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	own, other := fmt.Sprintf("%x", sha256.Sum256(data)), strings.Repeat("ab", 32)
	statement := func(digest, more string) string {
		return fmt.Sprintf(`{"_type": "https://in-toto.io/Statement/v1", "subject": [{"name": "x/toolvet", "digest": {"sha256": %q}}]%s}`, digest, more)
	}
	for name, tt := range map[string]struct {
		list string
		code int
		want string
	}{
		"listed":           {other + "  a\n" + own + "  x/toolvet\n", 0, "listed   x/toolvet\nverified: "},
		"binary mode":      {own + " *x/toolvet\r\n", 0, "verified: "},
		"not listed":       {other + "  toolvet\n", 1, "has no line with this program's SHA-256"},
		"no list":          {"hello\n", 2, "line 1: expected a SHA-256"},
		"short":            {own[1:] + "  x\n", 2, "line 1: expected a SHA-256"},
		"empty":            {"\n", 2, "is empty"},
		"long":             {strings.Repeat(other+"  a\n", 70_000), 2, "longer than"},
		"provenance":       {statement(own, ""), 0, "listed   x/toolvet\nverified: "},
		"its commit":       {statement(own, `, "predicate": {"buildDefinition": {"resolvedDependencies": [{"digest": {"gitCommit": "1"}}]}}`), 0, "verified: "},
		"other provenance": {statement(other, ""), 1, "has no line"},
		"of no file":       {`{"_type": "https://in-toto.io/Statement/v1"}`, 2, "names no file"},
		"other type":       {`{"_type": "x"}`, 2, "expected the _type"},
		"no JSON":          {"{", 2, "is no provenance"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := filepath.Join(t.TempDir(), "SHA256SUMS")
			write(t, list, tt.list, 0o600)
			out, err := exec.CommandContext(t.Context(), program, "version", "--verify", list).CombinedOutput()
			code := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if code != tt.code || !strings.Contains(string(out), tt.want) || !strings.Contains(string(out), "sha256   "+own+"\n") {
				t.Errorf("exit code %d, want %d with %q: %s", code, tt.code, tt.want, out)
			}
		})
	}
}
