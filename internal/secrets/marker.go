// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

const markerBegin = "[redacted:"

var (
	ruleID = lazyregexp.New(`\A[a-z0-9._-]{1,100}\z`)
	marker = lazyregexp.New(`\[redacted:[a-z0-9._-]{1,100}\]`)
)

// Marker returns the text that replaces a secret found by a pattern.
func Marker(pattern string) string { return markerBegin + pattern + "]" }

// ContainsMarker reports whether s holds a marker, in the exact form that [Marker] writes. A
// marker in an argument shows that a model tries to use a secret that it has never seen.
func ContainsMarker(s string) bool {
	return strings.Contains(s, markerBegin) && marker.MatchString(s)
}
