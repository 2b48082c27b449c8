// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"testing"

	"github.com/toolvet/toolvet/internal/policy"
	"github.com/toolvet/toolvet/internal/preset"
)

// TestKindWords holds that each kind of what presets refuse agents and ask about has words.
func TestKindWords(t *testing.T) {
	t.Parallel()
	for _, name := range preset.Names() {
		refuses, asks := preset.AgentKinds(name, policy.Unasked{})
		if len(refuses) == 0 || len(asks) == 0 {
			t.Errorf("%s: refuses %q and asks about %q", name, refuses, asks)
		}
		for _, kind := range slices.Concat(refuses, asks, policy.Consentable()) {
			if kindWords[kind] == "" {
				t.Errorf("%s: the kind %s has no words", name, kind)
			}
		}
		if _, asks = preset.AgentKinds(name, policy.Unasked{Kinds: []string{"wipe"}}); slices.Contains(asks, "wipe") {
			t.Errorf("%s asks about what the policy lets pass unasked", name)
		}
	}
}
