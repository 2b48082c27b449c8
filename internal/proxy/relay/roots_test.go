// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package relay

import "testing"

func TestDirectoryOf(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"file:///srv/data":            "/srv/data",
		"file:///srv/data/../x/":      "/srv/x",
		"file://localhost/srv/%C3%A4": "/srv/ä",
		"file://host/share":           "",
		"file:relative":               "",
		"https://example.org/":        "",
		"%":                           "",
		"":                            "",
	} {
		if got := directoryOf(uri); got != want {
			t.Errorf("directoryOf(%q) = %q, want %q", uri, got, want)
		}
	}
}
