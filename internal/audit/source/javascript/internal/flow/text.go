// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strconv"
	"strings"
)

// Texts: how they are put together and changed. Every function returns new parts, since many values
// may share a text.

// sameText reports whether two texts mean the same. The way of a value (hole.step) is left out:
// the older way wins where two meet.
func sameText(a, b []part) bool {
	return slices.EqualFunc(a, b, func(x, y part) bool {
		if x.hole != nil && y.hole != nil {
			return x.hole.origin == y.hole.origin && x.hole.form == y.hole.form && x.hole.split == y.hole.split && x.hole.safe == y.hole.safe && x.hole.rooted == y.hole.rooted && x.hole.normal == y.hole.normal && x.hole.lookup == y.hole.lookup && x.hole.wild == y.hole.wild && x.hole.parsed == y.hole.parsed
		}
		return x.s == y.s && x.unknown == y.unknown && x.hole == nil && y.hole == nil
	})
}

// tainted reports whether an argument stands in a text.
func tainted(text []part) bool {
	for i := range text {
		if text[i].hole != nil {
			return true
		}
	}
	return false
}

// holes returns the holes of a text, in order.
func holes(text []part) []*hole {
	var list []*hole
	for _, p := range text {
		if p.hole != nil {
			list = append(list, p.hole)
		}
	}
	return list
}

// parts returns an atom as the parts of a text, as String() would write it. Objects are unknown
// here; textOf asks them first.
func (a Atom) parts() []part {
	switch a.kind {
	case isText:
		return a.text
	case isNumber:
		return []part{{s: formatNumber(a.n)}}
	case isUndefined:
		return []part{{s: "undefined"}}
	case isNull:
		return []part{{s: "null"}}
	case isBool:
		return []part{{s: strconv.FormatBool(a.b)}}
	case isTruth:
		return []part{{unknown: true}}
	}
	return []part{{unknown: true}}
}

// concat joins two texts in all combinations of their alternatives. Combinations past maxAtoms
// are dropped; limit has put alternatives with holes in front of constants where a side was at
// its bound.
func concat(v, w Value) Value {
	out := make(Value, 0, min(len(v)*len(w), maxAtoms))
	for i := range v {
		for j := range w {
			if len(out) >= maxAtoms {
				return limit(out)
			}
			a, b := &v[i], &w[j]
			c := Atom{kind: isText, text: appendParts(a.parts(), b.parts()...), tool: a.tool, dep: a.dep || b.dep, under: a.under.and(b.under)}
			k := 0
			for k < len(out) && !out[k].same(&c) {
				k++
			}
			if k == len(out) {
				out = append(out, c)
			} else {
				out[k].under = out[k].under.or(c.under)
			}
		}
	}
	if len(out) == 0 {
		return unknown()
	}
	return out
}

// appendParts joins two texts and merges neighbours: two constants become one, two unknown parts
// become one. Past maxParts only holes are added, and none past twice that.
func appendParts(text []part, more ...part) []part {
	out := append(make([]part, 0, len(text)+len(more)), text...)
	for _, p := range more {
		if n := len(out); n > 0 && p.hole == nil && out[n-1].hole == nil {
			last := &out[n-1]
			if !p.unknown && !last.unknown && len(last.s)+len(p.s) <= maxText {
				last.s += p.s
				continue
			}
			if p.unknown && last.unknown {
				continue
			}
		}
		if len(out) >= maxParts && p.hole == nil {
			continue
		}
		if len(out) >= 2*maxParts {
			break
		}
		out = append(out, p)
	}
	return out
}

// reshape reduces each text to its holes, changed, and drops the constants around them. It is for
// functions that do not keep a text as it is: the host of "https://api." + name + "/v1" rests on
// name, but not in a way that its neighbours say anything about. At most four holes are kept.
func reshape(v Value, change func(h hole) hole) Value {
	var out Value
	for _, a := range v {
		list := holes(a.text)
		if len(list) == 0 {
			continue
		}
		var text []part
		for _, h := range list {
			n := change(*h)
			text = append(text, part{hole: &n})
		}
		if len(text) > 4 {
			text = text[:4]
		}
		out = join(out, Value{{kind: isText, text: text, under: a.under, dep: a.dep, tool: a.tool}})
	}
	if len(out) == 0 {
		return Value{{kind: isUnknown, dep: v.depends()}}
	}
	return out
}

// remap changes each hole of a value and keeps the text around it.
func remap(v Value, change func(h hole) hole) Value {
	out := slices.Clone(v)
	for i, a := range out {
		if !tainted(a.text) {
			continue
		}
		text := slices.Clone(a.text)
		for j, p := range text {
			if p.hole != nil {
				n := change(*p.hole)
				text[j].hole = &n
			}
		}
		out[i].text = text
	}
	return out
}

// prefix returns the constant text in front of the first hole or unknown part, and whether
// anything at all stands in front of the first hole. For `${dir}/${name}` that is "" and true: a
// folder stands there, but nobody knows which.
func prefix(text []part) (s string, something bool) {
	var b strings.Builder
	for i, p := range text {
		if p.hole != nil {
			return b.String(), i > 0
		}
		if p.unknown {
			return b.String(), true
		}
		b.WriteString(p.s)
	}
	return b.String(), true
}
