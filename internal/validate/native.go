// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"

	"github.com/toolvet/toolvet/check"
)

// asksNative reports whether a request for levels includes the server's own validation, which belongs
// to the level semantic.
func asksNative(levels []check.Level) bool {
	return len(levels) == 0 || slices.Contains(levels, check.SemanticLevel)
}
