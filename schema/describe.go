// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// describeDepth is how far a description looks into a schema.
	describeDepth = 3
	// describeParts bounds the alternatives and names that a description lists.
	describeParts = 6
	anyValue      = "any value"
)

// describe says in a few words what n accepts, such as: integer from 1 to 10.
func describe(n *node) string { return cut(describeTo(n, describeDepth), 400) }

func describeTo(n *node, depth int) string {
	switch {
	case n == nil || n.always || depth == 0:
		return anyValue
	case n.never:
		return "nothing"
	case n.values() != nil:
		return n.values().text(describeParts)
	}
	if n.kinds == 0 || len(n.anyOf)+len(n.oneOf) > 0 && n.object == nil && n.array == nil {
		if text := describeApplied(n, depth); text != anyValue {
			return text
		}
	}
	return describeKinds(n, depth)
}

// describeApplied describes n by what it applies to the same value.
func describeApplied(n *node, depth int) string {
	var parts []string
	for _, sub := range slices.Concat(n.anyOf, n.oneOf) {
		if text := describeTo(sub, depth-1); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if len(parts) > 0 && !slices.Contains(parts, anyValue) {
		return listed(parts, describeParts, "or")
	}
	for _, r := range n.refs {
		if text := describeTo(r.target, depth-1); text != anyValue {
			return text
		}
	}
	for _, sub := range n.allOf {
		if text := describeTo(sub, depth-1); text != anyValue {
			return text
		}
	}
	return anyValue
}

// describeKinds describes n by its types and their rules; without "type", by
// the types that it has rules for.
func describeKinds(n *node, depth int) string {
	var parts []string
	for _, k := range kindNames {
		if n.kinds&k.kind == 0 && (n.kinds != 0 || !n.hasRules(k.kind)) {
			continue
		}
		parts = append(parts, describeKind(n, k.kind, k.name, depth))
	}
	if len(parts) == 0 {
		return anyValue
	}
	return listed(parts, len(kindNames), "or")
}

func (n *node) hasRules(kind kinds) bool {
	switch kind {
	case kindString:
		return n.text != nil || n.format != nil
	case kindNumber:
		return n.number != nil
	case kindObject:
		return n.object != nil
	case kindArray:
		return n.array != nil
	default:
		return false
	}
}

func describeKind(n *node, kind kinds, name string, depth int) string {
	switch kind {
	case kindString:
		return name + describeText(n)
	case kindInteger, kindNumber:
		return name + describeNumber(n.number)
	case kindArray:
		return name + describeArray(n.array, depth)
	case kindObject:
		return name + describeObject(n.object)
	default:
		return name
	}
}

func describeText(n *node) string {
	var text string
	if n.format != nil {
		text += " in " + n.format.name + " format"
	}
	if t := n.text; t != nil {
		if words := sizeWords(t.min, t.max, "character"); words != "" {
			text += " of " + words
		}
		if t.pattern != nil {
			text += " that matches " + printable(t.pattern.text, maxPrintedPattern)
		}
	}
	return text
}

func describeNumber(r *numberRules) string {
	if r == nil {
		return ""
	}
	text := r.rangeWords("")
	if r.multipleOf != nil {
		text += " that is a multiple of " + r.multipleOf.text
	}
	return text
}

// safeInteger is the bound that some generators put on every integer. It is
// only worth mentioning to who exceeds it.
const safeInteger = "9007199254740991"

// rangeWords reads after "number". failed is the keyword that did not hold.
func (r *numberRules) rangeWords(failed string) string {
	var parts []string
	for _, p := range [...]struct {
		bound          *bound
		keyword, words string
	}{
		{r.minimum, "minimum", "of at least "},
		{r.aboveMinimum, "exclusiveMinimum", "above "},
		{r.maximum, "maximum", "of at most "},
		{r.belowMaximum, "exclusiveMaximum", "below "},
	} {
		if p.bound != nil && (p.keyword == failed || strings.TrimPrefix(p.bound.text, "-") != safeInteger) {
			parts = append(parts, p.words+p.bound.text)
		}
	}
	if len(parts) == 2 && strings.HasPrefix(parts[0], "of ") && strings.HasPrefix(parts[1], "of ") {
		return " from " + r.minimum.text + " to " + r.maximum.text
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, " and ")
}

func describeArray(a *arrayRules, depth int) string {
	if a == nil {
		return ""
	}
	var text string
	if words := sizeWords(a.min, a.max, "item"); words != "" {
		text = " with " + words
	}
	if a.rest != nil && !a.rest.never && len(a.prefix) == 0 {
		if item := describeTo(a.rest, depth-1); item != anyValue {
			text += " of " + item
		}
	}
	return text
}

func describeObject(o *objectRules) string {
	if o == nil {
		return ""
	}
	names := slices.Clone(o.required)
	for _, name := range o.names {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " with " + listed(quoted(names), describeParts, "and")
}

// sizeWords says how many nouns there may be; most < 0 is no upper bound.
func sizeWords(least, most int, noun string) string {
	switch {
	case most >= 0 && least == most:
		return "exactly " + counted(least, noun)
	case most >= 0 && least > 0:
		return fmt.Sprintf("%d to %s", least, counted(most, noun))
	case most >= 0:
		return "at most " + counted(most, noun)
	case least > 0:
		return "at least " + counted(least, noun)
	default:
		return ""
	}
}

// text lists the values, at most limit of them.
func (en *enumeration) text(limit int) string {
	switch len(en.values) {
	case 0:
		return "nothing"
	case 1:
		return shown(en.values[0])
	}
	var texts []string
	for _, v := range en.values[:min(limit, len(en.values))] {
		texts = append(texts, shown(v))
	}
	text := "one of " + strings.Join(texts, ", ")
	if more := len(en.values) - len(texts); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
