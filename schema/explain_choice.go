// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"slices"
	"strings"
)

// maxAlternatives bounds what is compared with each other in an explanation.
const maxAlternatives = 1000

// A branch is one alternative of anyOf or oneOf, and why it does not apply.
type branch struct {
	node     *node
	failures []failure
}

// choose explains a value that fits none of several alternatives: by their common expectation if
// the value is of the wrong kind for each, else by the closest one.
func (x *explainer) choose(f *failure) []Violation {
	all := x.branches(f)
	if slices.ContainsFunc(all, func(b branch) bool { return len(b.failures) == 0 }) {
		return []Violation{x.expectAny(f, all)} // too many to keep
	}
	fitting := slices.DeleteFunc(slices.Clone(all), func(b branch) bool { return wrongKind(b, f.at) })
	if len(fitting) == 0 {
		return []Violation{x.expectAny(f, all)}
	}
	several := len(fitting) > 1
	if several {
		var tag Violation
		if fitting, tag = x.discriminate(f, fitting); tag.Message != "" {
			return append(x.common(fitting, tag.Pointer), tag)
		}
		if v, ok := x.needOneOf(f, fitting); ok {
			return []Violation{v}
		}
	}
	best := slices.MinFunc(fitting, func(a, b branch) int { return len(a.failures) - len(b.failures) })
	var out []Violation
	for i := range best.failures {
		out = append(out, x.violations(&best.failures[i])...)
	}
	chosen := several && len(fitting) == 1 // by its constant properties
	if others := alternatives(all, best); !chosen && others != "" && len(out) > 0 {
		out[0].Message += " (" + subject(f.at) + " may also be " + others + ")"
	}
	return out
}

// branches returns the alternatives of f; one that does nothing but offer
// alternatives itself is replaced by these.
func (x *explainer) branches(f *failure) []branch {
	subs := f.node.anyOf
	if f.keyword == "oneOf" {
		subs = f.node.oneOf
	}
	var out []branch
	for i, failures := range f.branches {
		x.spend(1 + len(failures))
		if len(failures) == 1 && failures[0].branches != nil && samePlace(failures[0].at, f.at) && failures[0].keyword != "propertyNames" {
			out = append(out, x.branches(&failures[0])...)
			continue
		}
		out = append(out, branch{subs[i], failures})
	}
	return out
}

func samePlace(a, b *place) bool {
	for a != b {
		if a == nil || b == nil || a.name != b.name {
			return false
		}
		a, b = a.parent, b.parent
	}
	return true
}

// wrongKind reports whether a branch fails for what the value is as a whole,
// not for something in it.
func wrongKind(b branch, at *place) bool {
	return slices.ContainsFunc(b.failures, func(f failure) bool {
		return samePlace(f.at, at) && (f.keyword == "type" || f.keyword == "const" || f.keyword == "enum" || f.keyword == "false")
	})
}

// expectAny says what each of the alternatives expects.
func (x *explainer) expectAny(f *failure, all []branch) Violation {
	v := Violation{Pointer: f.at.pointer(), Keyword: f.keyword}
	var texts []string
	var values []any
	merged := &node{}
	for _, b := range all {
		n := b.node.resolved()
		if set := n.values(); set != nil {
			values = append(values, set.values...)
		} else if text := describe(n); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		merged.kinds |= n.kinds
		if merged.array == nil {
			merged.array = n.array
		}
	}
	if values != nil {
		values = withoutDoubles(values)
		texts = slices.Insert(texts, 0, (&enumeration{values: values}).text(maxListed))
	}
	v.Message = "expected " + listed(texts, describeParts, "or") + f.because.words()
	if len(values) > 1 {
		v.Suggestion, v.Value = meantValue(f.value, values)
	}
	if v.Suggestion == "" && merged.kinds&kindOf(f.value) == 0 {
		v.Suggestion = x.advice(f, merged)
	}
	return v
}

// resolved returns what n refers to, when it does nothing else.
func (n *node) resolved() *node {
	for range maxAlternatives {
		if len(n.refs) != 1 || len(n.inPlace) != 1 || n.kinds != 0 || n.values() != nil {
			break
		}
		n = n.refs[0].target
	}
	return n
}

// needOneOf explains alternatives of which each lacks nothing but properties.
func (x *explainer) needOneOf(f *failure, fitting []branch) (Violation, bool) {
	var needs []string
	for _, b := range fitting {
		var names []string
		for i := range b.failures {
			if m := &b.failures[i]; m.keyword != "required" || !samePlace(m.at, f.at) {
				return Violation{}, false
			}
			names = append(names, quote(b.failures[i].name))
		}
		if need := strings.Join(names, " and "); !slices.Contains(needs, need) {
			needs = append(needs, need)
		}
	}
	if len(needs) < 2 {
		return Violation{}, false
	}
	return Violation{
		Pointer: f.at.pointer(), Keyword: f.keyword,
		Message:    "a required property is missing: add " + listed(needs, describeParts, "or") + f.because.words(),
		Suggestion: "add " + listed(needs, describeParts, "or"),
	}, true
}

// discriminate keeps the alternatives whose constant properties are as given. If there is none,
// and all look at the same property, then that property is wrong, and the returned violation says
// so.
func (x *explainer) discriminate(f *failure, fitting []branch) ([]branch, Violation) {
	var kept []branch
	var tags []*failure
	for _, b := range fitting {
		if tag := tagFailure(b, f.at); tag != nil {
			tags = append(tags, tag)
		} else {
			kept = append(kept, b)
		}
	}
	if len(kept) > 0 {
		return kept, Violation{}
	}
	var values []any
	for _, tag := range tags {
		if !samePlace(tag.subject(), tags[0].subject()) {
			return fitting, Violation{}
		}
		values = append(values, tag.tagValues()...)
	}
	values = withoutDoubles(values)
	v := Violation{Pointer: tags[0].subject().pointer(), Keyword: tags[0].keyword}
	v.Message = "expected " + (&enumeration{values: values}).text(maxListed) + f.because.words()
	if tags[0].keyword == "required" {
		v.Message = "required property is missing; " + v.Message
		v.Suggestion = "add " + quote(tags[0].name)
	} else {
		v.Suggestion, v.Value = meantValue(tags[0].value, values)
	}
	return fitting, v
}

// tagFailure returns the failure of a constant property of the value at the
// given place: it is wrong or missing.
func tagFailure(b branch, at *place) *failure {
	for i := range b.failures {
		f := &b.failures[i]
		if f.tagValues() == nil {
			continue
		}
		if f.keyword == "required" && samePlace(f.at, at) || f.keyword != "required" && f.at != nil && samePlace(f.at.parent, at) {
			return f
		}
	}
	return nil
}

// tagValues returns the allowed values of the property that f is about.
func (f *failure) tagValues() []any {
	n := f.node
	switch f.keyword {
	case "required":
		if n = f.node.object.props[f.name]; n == nil {
			return nil
		}
	case "const", "enum", "type":
	default:
		return nil
	}
	if set := n.resolved().values(); set != nil {
		return set.values
	}
	return nil
}

// common explains the failures that all alternatives share, but for those at
// the given pointer.
func (x *explainer) common(branches []branch, but string) []Violation {
	count := map[string]int{}
	for _, b := range branches {
		own := map[string]bool{}
		for i := range b.failures {
			f := &b.failures[i]
			if key := f.at.pointer() + "\x00" + f.keyword + "\x00" + f.name; !own[key] {
				own[key] = true
				count[key]++
			}
		}
	}
	var out []Violation
	for i := range branches[0].failures {
		f := &branches[0].failures[i]
		if count[f.at.pointer()+"\x00"+f.keyword+"\x00"+f.name] == len(branches) && f.subject().pointer() != but {
			out = append(out, x.violations(f)...)
		}
	}
	return out
}

// alternatives describes the branches other than best.
func alternatives(all []branch, best branch) string {
	var texts []string
	own := describe(best.node)
	for _, b := range all {
		text := describe(b.node)
		if b.node != best.node && text != own && text != anyValue && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return listed(texts, describeParts, "or")
}
