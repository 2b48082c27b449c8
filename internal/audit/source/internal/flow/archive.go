// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

// Opened is a file that a value names, or what was read from it: nothing in it is the caller's but
// the names that it holds if it is an archive.
func (in *Interp) Opened(path Value) Value { return Value{opened: in.deep(path)} }

// Again is what stands for the same file as v: what unpacks it, or reads it in turn.
func Again(v Value) Value { return Value{nodes: v.nodes, opened: v.opened} }

// Entries are what an archive holds by name. The archive is a file that was opened, or the caller's
// text itself. What a guard has found out about the path of the archive says nothing of them.
func (in *Interp) Entries(pos Pos, archive Value, native string) Value {
	from := Value{nodes: union(in.deep(archive), archive.opened, maxNodes)}
	return in.Derive(Entry, 0, pos, "a name in the archive", from).WithNative(native)
}
