// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"sync/atomic"
	"testing"
)

// once is a tool that does its work only until it succeeds. Then it claims success without any.
func once(run func(string, map[string]any) (string, error)) func(string, map[string]any) (string, error) {
	var done atomic.Bool
	return func(root string, arguments map[string]any) (string, error) {
		if done.Load() {
			return "", nil
		}
		text, err := run(root, arguments)
		done.Store(err == nil)
		return text, err
	}
}

// TestStillFetches holds that a guard needs all pages with a redirect to be asked for.
func TestStillFetches(t *testing.T) {
	t.Parallel()
	a := &auditor{experiment: &experiment{canary: newCanary()}}
	probes := a.redirectProbes(base{scheme: "http", host: publicHost})
	if a.stillFetches(probes) {
		t.Error("no page was asked for, and the tool counts as one that still fetches")
	}
	for i, probe := range probes {
		if a.stillFetches(probes) {
			t.Errorf("%d of %d pages are enough", i, len(probes))
		}
		a.canary.note(probe.asked, hit{host: publicHost})
	}
	if !a.stillFetches(append(probes, urlProbe{kind: "file-scheme"})) {
		t.Error("all pages were asked for, and the tool counts as one that does not fetch")
	}
}
