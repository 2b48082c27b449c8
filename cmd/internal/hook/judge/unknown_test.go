// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolvet/toolvet/cmd/internal/hook/link"
)

// TestUnknownNamed holds that the fix of a question about an unknown server works as it stands.
func TestUnknownNamed(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir, j := t.TempDir(), newJudge(t)
	answer := func(policy string) (string, string) {
		forgotten(j)
		return decision(t, j, &link.Request{Host: "claude-code", Policy: policy, Preset: "standard", Dir: dir, Payload: payload(t, "mcp__github__look", map[string]any{}, dir)})
	}
	got, why := answer("")
	_, servers, ok := strings.Cut(why, "in the hook's policy: ")
	if got != "ask" || !ok {
		t.Fatalf("%q: %s", got, why)
	}
	policy := filepath.Join(dir, "toolvet.yaml")
	if err := os.WriteFile(policy, []byte("version: 1\n"+servers+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, why := answer(policy); got != "" {
		t.Errorf("%q: %s", got, why)
	}
}
