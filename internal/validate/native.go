// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"

	"github.com/toolvet/toolvet/check"
)

// asksNative reports whether a request for levels asks for the server's own validation, too,
// which counts as a look at what the arguments mean.
func asksNative(levels []check.Level) bool {
	return len(levels) == 0 || slices.Contains(levels, check.SemanticLevel)
}
