// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package mediate

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/toolvet/toolvet/call"
	"github.com/toolvet/toolvet/internal/strictjson"
)

// The functions of this file change one place of a JSON text and keep every other
// byte of it. A text that is not what they expect is an error, never a guess.

// splice replaces a member's value.
func splice(object []byte, m strictjson.Member, value []byte) []byte {
	return slices.Concat(object[:m.Offset], value, object[m.Offset+len(m.Raw):])
}

// edit replaces the member of object at path by what change makes of it. Change is
// given nil if the member is absent or null, and may return nil to leave it so.
func edit(object []byte, limits call.Limits, path []string, change func(value []byte) ([]byte, error)) ([]byte, error) {
	if len(path) == 0 {
		return change(object)
	}
	if object == nil {
		object = []byte("{}")
	}
	members, err := strictjson.Members(object, limits)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.Key != path[0] {
			continue
		}
		inner := m.Raw
		if string(inner) == "null" {
			inner = nil
		}
		value, err := edit(inner, limits, path[1:], change)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path[0], err)
		}
		if value == nil {
			return object, nil
		}
		return splice(object, m, value), nil
	}
	value, err := edit(nil, limits, path[1:], change)
	if err != nil || value == nil {
		return object, err
	}
	return appendTo(object, len(members) == 0, fmt.Appendf(nil, "%q:%s", path[0], value)), nil
}

// appendTo puts an entry at the end of an object or array.
func appendTo(container []byte, empty bool, entry []byte) []byte {
	body, end := container[:len(container)-1], container[len(container)-1:]
	if empty {
		return slices.Concat(body, entry, end)
	}
	return slices.Concat(bytes.TrimRight(body, " \t\r\n"), []byte(","), entry, end)
}

// get returns the member of object at path, or nil.
func get(object []byte, limits call.Limits, path ...string) []byte {
	for _, key := range path {
		members, err := strictjson.Members(object, limits)
		if err != nil {
			return nil
		}
		i := slices.IndexFunc(members, func(m strictjson.Member) bool { return m.Key == key })
		if i < 0 {
			return nil
		}
		object = members[i].Raw
	}
	return object
}
