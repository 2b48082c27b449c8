// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package secrets

import "slices"

// Generic reports whether a pattern of the package, by its id, knows no issuer: it goes by the name beside a value.
func Generic(id string) bool {
	i := slices.Index(builtin().ids, id)
	return i >= 0 && builtin().patterns[i]().Generic
}
