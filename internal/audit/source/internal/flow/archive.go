// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// Entries are the names in an archive, which the caller names or is the caller's text itself. A guard of the
// archive's path says nothing about them.
func (in *Interp) Entries(pos Pos, archive Value, native string) Value {
	return in.Derive(Entry, 0, pos, "a name in the archive", archive).WithNative(native)
}
