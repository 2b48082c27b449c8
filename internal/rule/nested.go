// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// nestedFunction finds members at any depth. CEL has no recursion, so a rule can't find them itself.
const nestedFunction = "nested"

// nested returns the values of all members of a name, in lists and maps at any depth of v. A value that can't be
// read is an error, because a member may be in it.
func nested(v, name ref.Val) ref.Val {
	found := []ref.Val{}
	if err := members(v, name, &found); err != nil {
		return err
	}
	return types.NewRefValList(types.DefaultTypeAdapter, found)
}

// members appends to found, and returns nil, an error or an unknown.
func members(v, name ref.Val, found *[]ref.Val) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	switch v := v.(type) {
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			member := v.Get(key)
			if err := members(member, name, found); err != nil {
				return err
			}
			if key.Equal(name) == types.True {
				*found = append(*found, member)
			}
		}
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			if err := members(it.Next(), name, found); err != nil {
				return err
			}
		}
	}
	return nil
}
