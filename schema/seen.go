// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

// A seen notes which properties or items of one value were evaluated, for
// unevaluatedProperties and unevaluatedItems (2020-12 core §11). A nil one
// notes nothing, and is what schemas without these keywords use.
type seen struct {
	names    map[string]bool
	allNames bool
	items    map[int]bool
	upTo     int // all items before this one
}

// track returns where the evaluation of n is to be noted.
func (e *evaluator) track(n *node, out *seen) *seen {
	if !e.schema.tracks {
		return nil
	}
	if out != nil || n.object != nil && n.object.unevaluated != nil || n.array != nil && n.array.unevaluated != nil {
		return &seen{}
	}
	return nil
}

func (s *seen) fresh() *seen {
	if s == nil {
		return nil
	}
	return &seen{}
}

func (s *seen) addName(name string) {
	if s == nil {
		return
	}
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[name] = true
}

func (s *seen) hasName(name string) bool { return s.allNames || s.names[name] }

// addItems notes the items before upTo.
func (s *seen) addItems(upTo int) {
	if s != nil {
		s.upTo = max(s.upTo, upTo)
	}
}

func (s *seen) addItem(i int) {
	if s == nil {
		return
	}
	if s.items == nil {
		s.items = map[int]bool{}
	}
	s.items[i] = true
}

func (s *seen) hasItem(i int) bool { return i < s.upTo || s.items[i] }

func (s *seen) merge(o *seen) {
	if s == nil || o == nil {
		return
	}
	for name := range o.names {
		s.addName(name)
	}
	s.allNames = s.allNames || o.allNames
	for i := range o.items {
		s.addItem(i)
	}
	s.addItems(o.upTo)
}

func (s *seen) mergeAll(others []*seen) {
	for _, o := range others {
		s.merge(o)
	}
}
