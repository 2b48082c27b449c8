// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package call

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Bounds of values that their client describes itself, by their names. Guesses look no further, and what
// they leave out would reach the server unjudged.
const (
	maxShapeNames = 500 // in all
	maxShapeDepth = 6   // of objects below the outermost
)

// ErrShape is the error for values whose meaning cannot be guessed from their names.
var ErrShape = fmt.Errorf("holds more than %d names, objects more than %d deep, lists in lists, or text and objects in one place, so that its values cannot be judged by their names: send less at once",
	maxShapeNames, maxShapeDepth)

// A shape is what the values in one place have in common.
type shape struct {
	text       bool
	properties map[string]*shape
	elements   *shape // of lists
}

// shaped makes up a definition of values by their names and types.
func shaped(name string, values map[string]any) (*Tool, error) {
	var root shape
	left := maxShapeNames
	if !root.add(values, 0, &left) {
		return nil, ErrShape
	}
	schema, err := json.Marshal(root.schema())
	if err != nil { // impossible: texts and lists of our own
		return nil, errors.Join(ErrShape, err)
	}
	return madeUp(name, string(schema)), nil
}

// add adds a value at a depth, with so many names left. It reports whether guesses would look at all of it.
func (s *shape) add(v any, depth int, left *int) bool {
	switch v := v.(type) {
	case string:
		s.text = true
	case map[string]any:
		if depth > maxShapeDepth && len(v) > 0 {
			return false
		}
		for name, member := range v {
			below := s.properties[name]
			if below == nil {
				if *left--; *left < 0 {
					return false
				}
				if s.properties == nil {
					s.properties = map[string]*shape{}
				}
				below = new(shape)
				s.properties[name] = below
			}
			if !below.add(member, depth+1, left) {
				return false
			}
		}
	case []any:
		if s.elements == nil {
			s.elements = new(shape)
		}
		for _, e := range v {
			if !s.elements.add(e, depth, left) {
				return false
			}
		}
	}
	return s.clear()
}

// clear reports whether a guess looks at everything in the place: it takes a place of text for no object, and
// looks into lists, but not into lists in lists.
func (s *shape) clear() bool {
	e := s.elements
	if e == nil {
		return !s.text || s.properties == nil
	}
	text, objects := s.text || e.text, s.properties != nil || e.properties != nil
	return !(text && objects) && (e.elements == nil || e.elements.idle())
}

// idle reports whether there is nothing to judge by a name: neither text nor objects.
func (s *shape) idle() bool {
	return !s.text && s.properties == nil && (s.elements == nil || s.elements.idle())
}

func (s *shape) schema() map[string]any {
	m := map[string]any{}
	switch {
	case s.text:
		m["type"] = []string{"string", "array"}
	case s.properties != nil:
		m["type"] = "object"
	}
	if s.properties != nil {
		properties := make(map[string]any, len(s.properties))
		for name, p := range s.properties {
			properties[name] = p.schema()
		}
		m["properties"] = properties
	}
	if s.elements != nil {
		m["items"] = s.elements.schema()
	}
	return m
}
