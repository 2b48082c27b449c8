// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// Opened is a file that a value names, or its content. Nothing in it is the caller's, except the names in it
// if it is an archive.
func (in *Interp) Opened(path Value) Value { return Value{opened: in.deep(path)} }

// Again is another value for the same file as v: a reader of it, or an object to unpack it.
func Again(v Value) Value { return Value{nodes: v.nodes, opened: v.opened} }

// Entries are the names in an archive. The archive is a file that was opened, or the caller's text itself. A
// guard of the archive's path says nothing about them.
func (in *Interp) Entries(pos Pos, archive Value, native string) Value {
	from := Value{nodes: union(in.deep(archive), archive.opened, maxNodes)}
	return in.Derive(Entry, 0, pos, "a name in the archive", from).WithNative(native)
}
