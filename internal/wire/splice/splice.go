// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package splice changes a place in a JSON text and keeps every other byte. Decoding and encoding the
// text would lose digits, unknown fields and order.
package splice

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// Get returns the text at a path of keys below an object, or nil if there is none or the object is
// malformed.
func Get(object []byte, limits strictjson.Limits, path ...string) []byte {
	for _, key := range path {
		m, ok := strictjson.Find(object, limits, key)
		if !ok {
			return nil
		}
		object = m.Raw
	}
	return object
}

// Edit returns a copy of an object with the value at path replaced by what change makes of
// it; nil leaves it. Change is given nil where there is no value, or null. Edit makes the
// objects that are missing on the way. See [Document.Edit].
func Edit(object []byte, limits strictjson.Limits, path []string, change func(value []byte) ([]byte, error)) ([]byte, error) {
	text := object
	if text == nil && len(path) > 0 {
		text = []byte("{}")
	}
	d := New(text, limits)
	if err := d.Edit(change, path...); err != nil {
		return nil, err
	}
	if !d.changed {
		return object, nil // nil stays nil
	}
	return d.Text(), nil
}

// Set is Edit with a fixed value.
func Set(object []byte, limits strictjson.Limits, value []byte, path ...string) ([]byte, error) {
	return Edit(object, limits, path, func([]byte) ([]byte, error) { return value, nil })
}

// Remove returns a copy of an object without the member key of the object at path. Where there is none, it returns the object
// itself.
func Remove(object []byte, limits strictjson.Limits, key string, path ...string) ([]byte, error) {
	return Edit(object, limits, path, func(within []byte) ([]byte, error) {
		if within == nil {
			return nil, nil
		}
		members, err := strictjson.Members(within, limits)
		if err != nil {
			return nil, err
		}
		without := []byte("{}")
		left, found := 0, false
		for _, m := range members {
			if m.Key == key {
				found = true
				continue
			}
			name, err := json.Marshal(m.Key)
			if err != nil {
				return nil, err
			}
			without = Append(without, left == 0, append(append(name, ':'), m.Raw...))
			left++
		}
		if !found {
			return nil, nil
		}
		return without, nil
	})
}

// Each returns a copy of an array with each element replaced by the result of change; nil leaves the
// element. Without changes it returns the array itself.
func Each(array []byte, limits strictjson.Limits, change func(element []byte) ([]byte, error)) ([]byte, error) {
	elements, err := strictjson.Elements(array, limits)
	if err != nil {
		return nil, err
	}
	changed := false
	for i, e := range elements {
		made, err := change(e)
		if err != nil {
			return nil, err
		}
		if made != nil && !bytes.Equal(made, e) {
			elements[i], changed = made, true
		}
	}
	if !changed {
		return array, nil
	}
	return slices.Concat([]byte("["), bytes.Join(elements, []byte(",")), []byte("]")), nil
}

// space is the white space of JSON.
const space = " \t\r\n"

// Empty reports whether a well-formed object or array has no entries.
func Empty(container []byte) bool {
	container = bytes.Trim(container, space)
	return len(bytes.Trim(container[1:len(container)-1], space)) == 0
}

// Append adds an entry at the end of an object or array. The caller says whether it is empty.
func Append(container []byte, empty bool, entry []byte) []byte {
	end := len(bytes.TrimRight(container, space)) - 1
	body, rest := container[:end], container[end:]
	if empty {
		return slices.Concat(body, entry, rest)
	}
	return slices.Concat(bytes.TrimRight(body, space), []byte(","), entry, rest)
}
