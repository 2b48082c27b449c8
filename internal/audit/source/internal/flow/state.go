// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import "slices"

// An addr is a place of the store: a variable or a field.
type addr int

// A cond has two sets of facts: one holds if its value is true, or not nil, and the other if it is not.
type cond struct {
	yes, no map[*node]Label
	tool    string // if it is true, the tool has this name
}

// condition is the cond of a value. The cond of a text says that it is empty where it is false.
func (v Value) condition() *cond {
	if v.cond != nil || len(v.nodes) == 0 || len(v.objs) > 0 {
		return v.cond
	}
	no := map[*node]Label{}
	for _, n := range v.nodes {
		if n.how == FromArgs || n.how == Whole || n.how == Baked {
			no[n] = Closed
		}
	}
	return &cond{no: no}
}

func (c *cond) not() *cond {
	if c == nil {
		return nil
	}
	return &cond{yes: c.no, no: c.yes}
}

// both are the facts of a and b together.
func both(a, b map[*node]Label) map[*node]Label {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make(map[*node]Label, len(a)+len(b))
	for n, l := range a {
		out[n] = l
	}
	for n, l := range b {
		out[n] |= l
	}
	return out
}

// shared are the facts that hold in both a and b.
func shared(a, b map[*node]Label) map[*node]Label {
	out := map[*node]Label{}
	for n, l := range a {
		if l &= b[n]; l != 0 {
			out[n] = l
		}
	}
	return out
}

// A layer holds the changes since its parent: a branch is a layer. The store is a stack of them.
type layer struct {
	in     *Interp
	parent *layer
	vals   map[addr]Value
	labels map[*node]Label
	tool   string // that is called, if the branch knows it
	config int    // how many turns of this way the configuration decided
	dead   bool   // nothing comes after: returned, raised, left the loop

	expanded map[*node]Label // see facts
	known    map[*node]Label // see effective; valid for one version of the facts
	version  int
}

func newLayer(parent *layer) *layer {
	l := &layer{parent: parent, vals: map[addr]Value{}, labels: map[*node]Label{}}
	if parent != nil {
		l.tool, l.in, l.config = parent.tool, parent.in, parent.config
		l.in.step()
	}
	return l
}

// chosen notes that the configuration of the server decided on this way, if it did.
func (l *layer) chosen(by bool) {
	if by {
		l.config++
	}
}

func (l *layer) get(a addr) (Value, bool) {
	for ; l != nil; l = l.parent {
		if v, ok := l.vals[a]; ok {
			return v, true
		}
	}
	return Value{}, false
}

func (l *layer) label(n *node) Label {
	var out Label
	for ; l != nil; l = l.parent {
		out |= l.labels[n]
	}
	return out
}

// effective are the labels of a node, with those of its origins.
func (l *layer) effective(n *node) Label {
	if len(n.in) == 0 {
		return n.labels | l.label(n)
	}
	if l.known == nil || l.version != l.in.version {
		l.known, l.version = map[*node]Label{}, l.in.version
	}
	return l.effectiveWithin(n, l.known)
}

func (l *layer) effectiveWithin(n *node, known map[*node]Label) Label {
	if got, ok := known[n]; ok {
		return got
	}
	l.in.step()
	own := n.labels | l.label(n)
	if len(n.in) > 0 {
		inherited := ^Label(0)
		for _, p := range n.in {
			inherited &= l.effectiveWithin(p, known)
		}
		own |= n.down(inherited)
	}
	known[n] = own
	return own
}

// learn notes labels of a node, and their consequences for its origins.
func (l *layer) learn(n *node, labels Label, depth int) {
	l.spread(l.labels, n, labels, depth)
}

// spread adds to facts that a node has labels, and the consequences.
func (l *layer) spread(facts map[*node]Label, n *node, labels Label, depth int) {
	if labels == 0 || depth > 64 {
		return
	}
	l.in.step()
	have := l.effective(n)
	if labels&PrefixSep != 0 && have&Normal != 0 {
		labels |= Contain
	}
	if labels&NoDotDot != 0 && have&RelOf != 0 {
		labels |= Contain
	}
	if labels&Denied != 0 && have&Normal != 0 {
		labels |= Refused
	}
	if labels&Contain != 0 && have&Realpath != 0 {
		labels |= ContainReal
	}
	if labels&private != 0 && have&Resolved != 0 {
		labels |= DNSChecked
	}
	if labels&^facts[n] != 0 {
		facts[n] |= labels
		l.in.version++
	}
	up := n.up(labels)
	for _, p := range n.in {
		l.spread(facts, p, up, depth+1)
	}
}

// expand are facts with their consequences.
func (l *layer) expand(facts map[*node]Label) map[*node]Label {
	out := make(map[*node]Label, len(facts))
	for n, labels := range facts {
		l.spread(out, n, labels, 0)
	}
	return out
}

func (l *layer) assume(facts map[*node]Label) {
	for n, labels := range facts {
		l.learn(n, labels, 0)
	}
}

// since is all changes between a base and this layer, as one layer upon the base.
func (l *layer) since(base *layer) *layer {
	out := newLayer(base)
	out.tool, out.config = l.tool, l.config
	for at := l; at != nil && at != base; at = at.parent {
		l.in.cost(len(at.vals) + len(at.labels))
		for a, v := range at.vals {
			if _, ok := out.vals[a]; !ok {
				out.vals[a] = v
			}
		}
		for n, labels := range at.labels {
			out.labels[n] |= labels
		}
	}
	return out
}

// join combines alternative branches, each a layer upon base, into the state behind them.
func (in *Interp) join(base *layer, branches []*layer) {
	if len(branches) == 0 {
		base.dead = true
		return
	}
	if len(branches) == 1 {
		commit(base, branches[0])
		return
	}
	var facts factGroups
	tool := branches[0].tool
	for _, b := range branches {
		facts.add(b.labels, b.config > base.config)
		if b.tool != tool {
			tool = base.tool
		}
	}
	merged := newLayer(base)
	merged.labels = facts.merged()
	changed := map[addr]bool{}
	for _, b := range branches {
		for a := range b.vals {
			changed[a] = true
		}
	}
	in.cost(len(changed) * len(branches))
	for a := range changed {
		in.joinOne(base, merged, branches, a)
	}
	commit(base, merged)
	base.tool = tool
}

// joinOne joins the values of the branches in one place.
func (in *Interp) joinOne(base, merged *layer, branches []*layer, a addr) {
	var out Value
	vals := make([]Value, 0, len(branches))
	from := make([]*layer, 0, len(branches))
	for _, b := range branches {
		v, ok := b.vals[a]
		if !ok {
			if v, ok = base.get(a); !ok {
				continue
			}
		}
		vals, from = append(vals, v), append(from, b)
	}
	settings := slices.ContainsFunc(branches, func(b *layer) bool { return b.config > base.config })
	if settings {
		in.optional(base, from, vals)
	}
	for i, v := range vals {
		v = in.bake(from[i], merged, v)
		if i == 0 {
			out = v
			continue
		}
		hangs := out.truth != v.truth || len(out.consts) != len(v.consts)
		out = either(out, v)
		out.caller = out.caller || hangs && !settings
	}
	out.cond = nil
	if tells(vals) {
		out.cond = in.joinedCond(base, vals, from)
	}
	merged.vals[a] = out
}

// optional marks the guard of a value as dependent on the configuration, if one way passes it and another one
// returns the value as it came.
func (in *Interp) optional(base *layer, from []*layer, vals []Value) {
	var kept [2]map[*Source]Label
	for i, v := range vals {
		k := b2i(from[i].config > base.config)
		if kept[k] == nil {
			kept[k] = map[*Source]Label{}
		}
		for _, n := range v.nodes {
			l := from[i].effective(n) & (guards | PrefixWeak)
			if old, ok := kept[k][n.src]; ok {
				l &= old
			}
			kept[k][n.src] = l
		}
	}
	for i, v := range vals {
		other := kept[1-b2i(from[i].config > base.config)]
		for j, n := range v.nodes {
			if l := other[n.src]; l != 0 && from[i].effective(n)&(guards|PrefixWeak) == 0 {
				v.nodes = slices.Clone(v.nodes)
				v.nodes[j] = in.newNode(n.src, Baked, []*node{n}, l|Optional, n.pos, "")
			}
		}
		vals[i] = v
	}
}

// tells reports whether the truth of a joined value identifies the branch.
func tells(vals []Value) bool {
	for _, v := range vals {
		if v.cond != nil || v.truth != vals[0].truth || v.there != vals[0].there {
			return true
		}
	}
	return false
}

// joinedCond is the condition of a joined value: its facts hold in every branch in which the value may be
// true.
func (in *Interp) joinedCond(base *layer, vals []Value, from []*layer) *cond {
	var yes, no factGroups
	for i, v := range vals {
		b := from[i]
		y, n := b.facts(), b.facts()
		if v.cond != nil {
			y, n = both(y, b.expand(v.cond.yes)), both(n, b.expand(v.cond.no))
		}
		config := b.config > base.config
		if v.truth != falsy {
			yes.add(y, config)
		}
		if v.truth == falsy || v.truth == maybe && !v.there {
			no.add(n, config)
		}
	}
	y, n := yes.merged(), no.merged()
	if len(y) == 0 && len(n) == 0 {
		return nil
	}
	return &cond{yes: y, no: n}
}

// facts are the labels of a branch that ended, with their consequences.
func (l *layer) facts() map[*node]Label {
	if l.expanded == nil {
		l.expanded = l.expand(l.labels)
	}
	return l.expanded
}

// factGroups are the facts of branches, in two groups: branches that the configuration of the server chose,
// and the others. A guard in one group only is optional.
type factGroups struct{ config, other []map[*node]Label }

func (g *factGroups) add(facts map[*node]Label, config bool) {
	if config {
		g.config = append(g.config, facts)
	} else {
		g.other = append(g.other, facts)
	}
}

func (g *factGroups) merged() map[*node]Label {
	c, o := allShare(g.config), allShare(g.other)
	if len(g.config) == 0 {
		return o
	}
	if len(g.other) == 0 {
		return c
	}
	out := shared(c, o)
	for n, l := range both(c, o) {
		if l&^out[n]&guards != 0 {
			out[n] |= l | Optional
		}
	}
	return out
}

func allShare(list []map[*node]Label) map[*node]Label {
	if len(list) == 0 {
		return nil
	}
	out := list[0]
	for _, f := range list[1:] {
		out = shared(out, f)
	}
	return out
}

// bake writes labels of a branch into a value, since they do not hold behind the branch.
func (in *Interp) bake(branch, merged *layer, v Value) Value {
	var out []*node
	for i, n := range v.nodes {
		l := branch.effective(n)
		if l == merged.effective(n) {
			if out != nil {
				out = append(out, n)
			}
			continue
		}
		if out == nil {
			out = append(out, v.nodes[:i]...)
		}
		out = append(out, in.newNode(n.src, Baked, []*node{n}, l, n.pos, ""))
	}
	if out != nil {
		v.nodes = out
	}
	return v
}

func commit(base, branch *layer) {
	base.in.cost((len(branch.vals) + len(branch.labels)) / 8)
	for a, v := range branch.vals {
		base.vals[a] = v
	}
	for n, l := range branch.labels {
		base.labels[n] |= l
	}
	base.in.version++
	base.tool = branch.tool
}
