// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolvet/toolvet/check"
)

// Targets appends to targets the places in a call's arguments that a makes a demand of this
// kind and severity on, until there are limit.
func (a *Argument) Targets(kind *check.Demand, severity check.Severity, arguments map[string]any, targets []check.Target, limit int) []check.Target {
	for _, d := range a.Demands {
		if d.Kind != kind || d.Severity != severity {
			continue
		}
		find(arguments, a.Address, "", kind.Lists, func(pointer string, v any) (more bool) {
			if a.Inferred != "" && !fits(v, kind) {
				return true // it is none of what was guessed; the schema says whether it may be
			}
			if len(targets) < limit {
				targets = append(targets, check.Target{Pointer: pointer, Value: v, Options: d.Options, Inferred: a.Inferred})
			}
			return len(targets) < limit
		})
	}
	return targets
}

// Speaks reports whether a makes a demand of this kind on any place in a call's arguments.
func (a *Argument) Speaks(kind *check.Demand, arguments map[string]any) bool {
	found := false
	for _, d := range a.Demands {
		if d.Kind != kind || found {
			continue
		}
		find(arguments, a.Address, "", kind.Lists, func(_ string, v any) (more bool) {
			found = a.Inferred == "" || fits(v, kind)
			return !found
		})
	}
	return found
}

// fits reports whether a guess of this kind can hold for a value: guesses are about strings, or
// about lists where the demand is.
func fits(v any, kind *check.Demand) bool {
	switch v.(type) {
	case string:
		return true
	case []any:
		return kind.Lists
	}
	return false
}

// find calls add for every place that an address leads to, until it returns false; then
// find does, too. At the address's end the elements of an array are places of their own,
// unless the demand is about lists.
func find(v any, address, pointer string, lists bool, add func(pointer string, v any) (more bool)) (more bool) {
	if address == "" {
		array, ok := v.([]any)
		if !ok || lists {
			return add(pointer, v)
		}
		for i, e := range array {
			if !add(pointer+"/"+strconv.Itoa(i), e) {
				return false
			}
		}
		return true
	}
	step, rest, deeper := strings.Cut(address[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range matching(v, step) {
			if !find(v[key], rest, pointer+"/"+check.EscapePointer(key), lists, add) {
				return false
			}
		}
	case []any:
		for i, e := range v {
			n := strconv.Itoa(i)
			if (step == "*" || step == n) && !find(e, rest, pointer+"/"+n, lists, add) {
				return false
			}
		}
	}
	return true
}

// matching returns the properties that a step of an address stands for, in order. A
// property in another case counts, because some servers take it for the same.
func matching(object map[string]any, step string) []string {
	if step == "*" {
		return slices.Sorted(maps.Keys(object))
	}
	name := check.UnescapePointer(step)
	var keys []string
	for key := range object {
		if key == name || strings.EqualFold(key, name) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
