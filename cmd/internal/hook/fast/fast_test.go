// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package fast

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolvet/toolvet/cmd/internal/hook"
)

// TestHosts holds that each host has its first try.
func TestHosts(t *testing.T) {
	t.Parallel()
	var names []string
	for _, h := range hook.Hosts() {
		names = append(names, h.Name)
	}
	if d := cmp.Diff(names, hosts); d != "" {
		t.Error(d)
	}
}

// FuzzFields holds that a message is read as it was written, and that no other text is one.
func FuzzFields(f *testing.F) {
	f.Add(Message("a", "", "b c"))
	f.Add(Message())
	f.Add([]byte("all fine, and long enough for a number"))
	f.Fuzz(func(t *testing.T, message []byte) {
		fields, err := Fields(message)
		if err == nil && !slices.Equal(Message(fields...), message) {
			t.Errorf("%q is read as %q", message, fields)
		}
		if len(message) > 0 && err == nil {
			if _, err := Fields(message[:len(message)-1]); err == nil {
				t.Errorf("%q is read, though it is cut off", message[:len(message)-1])
			}
		}
	})
}
