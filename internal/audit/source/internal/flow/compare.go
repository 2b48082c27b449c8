// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"slices"
	"strings"

	"github.com/toolvet/toolvet/internal/lazyregexp"
)

// compare is X S Y. Its condition carries the meaning for tainted values.
func (in *Interp) compare(e *Expr) Value {
	x, y := in.eval(e.X), in.eval(e.Y)
	v := in.comparison(e, x, y)
	v.caller = x.hangs() || y.hangs() || x.cond != nil || y.cond != nil
	return v
}

func (in *Interp) comparison(e *Expr, x, y Value) Value {
	if v, ok := counted(e.S, x, y); ok {
		return v
	}
	switch e.S {
	case "==", "is":
		return in.equal(x, y, e)
	case "!=", "is not":
		return unless(in.equal(x, y, e))
	case "in":
		return in.Contained(x, y)
	case "not in":
		return unless(in.Contained(x, y))
	}
	return Value{}
}

func (in *Interp) equal(x, y Value, e *Expr) Value {
	switch {
	case e.X.Op == Nil:
		return unless(y)
	case e.Y.Op == Nil || e.Y.Op == False:
		return unless(x)
	case e.Y.Op == True:
		return Value{truth: x.truth, cond: x.cond}
	}
	if y.tool || y.Tainted() && !x.Tainted() {
		x, y = y, x
	}
	if x.tool {
		return toolIs(y)
	}
	if a, ok := x.String(); ok {
		if b, ok := y.String(); ok {
			return boolean(a == b)
		}
	}
	if !x.Tainted() {
		return Value{}
	}
	yes, no := map[*node]Label{}, map[*node]Label{}
	text, known := y.String()
	same := in.Labelled(x, Realpath) || in.Labelled(y, Realpath)
	for _, n := range in.deep(x) {
		if has(in.deep(y), n.src) {
			if same { // a path equal to its resolved form has no .. and no link
				yes[n] = resolvedAsIs
			}
			continue
		}
		yes[n] = all
		if known && (text == ".." || text == ".") && (n.how == Word || n.how == Char || n.how == Baked) {
			no[n] = NoDotDot
		}
	}
	if same {
		for _, n := range in.deep(y) {
			yes[n] |= resolvedAsIs
		}
	}
	return Value{cond: &cond{yes: yes, no: no}}
}

const resolvedAsIs = NoDotDot | Normal | Realpath

func has(nodes []*node, src *Source) bool {
	for _, n := range nodes {
		if n.src == src {
			return true
		}
	}
	return false
}

func toolIs(v Value) Value {
	if names, ok := v.Strings(); ok {
		name := names[0]
		if len(names) > 1 {
			name = ""
		}
		return Value{cond: &cond{tool: name}}
	}
	return Value{}
}

// Contained is whether x is one of the elements of y, or a part of the text y.
func (in *Interp) Contained(x, y Value) Value {
	if x.tool {
		return in.toolIn(y)
	}
	yes, no := map[*node]Label{}, map[*node]Label{}
	if y.Tainted() {
		texts, known := x.Strings()
		for _, n := range in.deep(y) {
			if has(in.deep(x), n.src) {
				continue
			}
			if n.how == Ancestors {
				yes[n] = Chosen
			} else if known {
				no[n] = withoutAll(texts)
			}
		}
		return Value{cond: &cond{yes: yes, no: no}}
	}
	for _, n := range in.deep(x) {
		yes[n] = all
		if n.how == Address { // a list of refused networks
			no[n] = private
		}
		if in.lists(y, "..") {
			no[n] |= NoDotDot
		}
	}
	return Value{cond: &cond{yes: yes, no: no}}
}

// lists reports that a list has a text among its elements.
func (in *Interp) lists(v Value, s string) bool {
	elems, _ := in.Elems(v)
	for _, e := range elems {
		if got, ok := e.String(); ok && got == s {
			return true
		}
	}
	return false
}

func (in *Interp) toolIn(y Value) Value {
	elems, _ := in.Elems(y)
	if len(elems) == 1 {
		return toolIs(elems[0])
	}
	return Value{}
}

// withoutAll are the labels of a text without any of these. A list is looked through in turn.
func withoutAll(texts []string) Label {
	var out Label
	all := strings.Join(texts, "")
	for _, s := range texts {
		out |= without(s)
	}
	if out&MetaWeak != 0 && !strings.ContainsFunc(shellMeta, func(r rune) bool { return !strings.ContainsRune(all, r) }) {
		out |= NoMeta
	}
	return out
}

// without are the labels of a text without s.
func without(s string) Label {
	switch {
	case s == "/" || s == "\\":
		return Relative | NoDotDot
	case strings.HasPrefix(s, ".."):
		return NoDotDot
	case len(s) == 1 && strings.Contains(shellMeta, s), s == "&&", s == "||", s == "$(":
		return MetaWeak
	}
	return 0
}

// shellMeta are the characters that make a word of a shell more than a word.
const shellMeta = ";|&$`<>(){}\n"

// HasPrefix is whether x begins with one of these.
func (in *Interp) HasPrefix(x, prefix Value) Value {
	if elems, _ := in.Elems(prefix); len(elems) > 0 && !prefix.Tainted() {
		prefix = elems[0]
	}
	yes, no := map[*node]Label{}, map[*node]Label{}
	for _, n := range in.deep(x) {
		if !has(in.deep(prefix), n.src) {
			yes[n], no[n] = prefixLabels(prefix)
			no[n] |= denied(prefix)
		}
	}
	return Value{cond: &cond{yes: yes, no: no}, truth: begins(x, prefix)}
}

// denied is Denied, if the prefix in a failed check may be a directory.
func denied(prefix Value) Label {
	if s, known := prefix.String(); known && (len(s) < 2 || s[0] != '/' && s[0] != '~') {
		return 0
	}
	return Denied
}

// begins is whether x begins with a prefix, as far as the beginning of x is known.
func begins(x, prefix Value) truth {
	p, known := prefix.String()
	have := x.Prefix()
	_, all := x.String()
	switch {
	case !known || p == "":
		return maybe
	case strings.HasPrefix(have, p):
		return truthy
	case all || !strings.HasPrefix(p, have):
		return falsy
	}
	return maybe
}

func prefixLabels(prefix Value) (yes, no Label) {
	s, known := prefix.String()
	if !known {
		if end := prefix.Suffix(); strings.HasSuffix(end, "/") || strings.HasSuffix(end, `\`) {
			return PrefixSep | HostAllow, 0
		}
		return PrefixWeak | HostWeak, 0
	}
	_, rest, url := strings.Cut(s, "://")
	switch {
	case s == "/" || s == `\` || s == "~":
		return slash(s), Relative
	case s == "..":
		return 0, NoDotDot
	case strings.HasPrefix(s, "../") || strings.HasPrefix(s, `..\`):
		return 0, NoDotDot
	case s == "-" || s == "--":
		return 0, NoDash
	case s == "":
		return 0, 0
	case (url && rest == "" || strings.HasSuffix(s, ":")) && namesNoHost(s):
		return HostFixed | HostAllow | private | DNSChecked, 0
	case url && rest == "":
		return 0, 0
	case url && strings.Contains(rest, "/"):
		return HostAllow | NoDash, 0
	case url:
		return HostWeak | NoDash, 0
	case strings.HasSuffix(s, "/"):
		return PrefixSep | NoDash | slash(s), 0
	case strings.HasPrefix(s, "/"):
		return PrefixWeak | NoDash | slash(s), 0
	case strings.HasPrefix(s, "."):
		return 0, 0
	case strings.HasPrefix("https", s) || strings.HasPrefix("file:", s):
		return 0, 0
	}
	return HostWeak, 0
}

// slash is Slash, if a text begins with one.
func slash(s string) Label {
	if strings.HasPrefix(s, "/") {
		return Slash
	}
	return 0
}

var network = []string{"http", "https", "ftp", "ftps", "sftp", "ws", "wss", "file", "gopher", "dict", "ldap", "ldaps", "smb", "tftp", "telnet", "git", "ssh", "jar", "netdoc"}

var scheme = lazyregexp.New(`^([a-z][a-z0-9+.-]+):(//)?$`)

// namesNoHost reports that a prefix is a scheme without any request on the network: data:.
func namesNoHost(s string) bool {
	m := scheme.FindStringSubmatch(s)
	return m != nil && !slices.Contains(network, m[1])
}

// HasSuffix is whether x ends with y: for a host, ".example.com" is a list of names, and
// "example.com" is not.
func (in *Interp) HasSuffix(x, suffix Value) Value {
	if elems, _ := in.Elems(suffix); len(elems) > 0 && !suffix.Tainted() {
		suffix = elems[0]
	}
	yes := map[*node]Label{}
	s := suffix.Prefix()
	for _, n := range in.deep(x) {
		switch {
		case n.how != Host && !hostLike(n):
		case strings.HasPrefix(s, "."):
			yes[n] = HostAllow
		default:
			yes[n] = HostWeak
		}
	}
	return Value{cond: &cond{yes: yes}}
}

// hostLike reports that a node is the host of a URL, changed as a whole.
func hostLike(n *node) bool {
	for i := 0; i < 20 && n != nil; i++ {
		if n.how == Host {
			return true
		}
		if n.how != Whole && n.how != Baked || len(n.in) == 0 {
			return false
		}
		n = n.in[0]
	}
	return false
}

// Check is a condition about a value: if true, the value has the labels yes, and otherwise the labels no.
func (in *Interp) Check(v Value, yes, no Label) Value {
	if (yes|no)&private != 0 {
		in.look(v.nodes, 0)
	}
	y, n := map[*node]Label{}, map[*node]Label{}
	for _, node := range in.deep(v) {
		if yes != 0 {
			y[node] = yes
		}
		if no != 0 {
			n[node] = no
		}
	}
	return Value{cond: &cond{yes: y, no: n}}
}

// look notes for the origins of a value that an address was looked at on some way.
func (in *Interp) look(nodes []*node, depth int) {
	for _, n := range nodes {
		if depth < 40 {
			in.version++
			n.labels |= HostLooked
			in.look(n.in, depth+1)
		}
	}
}

// Ensure notes that a value has labels from here on, because anything without them raised an error. Nodes
// with the same source in except are left out.
func (in *Interp) Ensure(v Value, labels Label, except Value) {
	others := in.deep(except)
	for _, n := range in.deep(v) {
		if !has(others, n.src) {
			in.st.learn(n, labels, 0)
		}
	}
}

// checkExcept is Check, without nodes that have their source in except, too.
func (in *Interp) checkExcept(x, except Value, yes, no Label) Value {
	c := in.Check(x, yes, no)
	others := in.deep(except)
	for _, m := range []map[*node]Label{c.cond.yes, c.cond.no} {
		for n := range m {
			if has(others, n.src) {
				delete(m, n)
			}
		}
	}
	return c
}

// CheckBelow is a condition that is true for a path below a root.
func (in *Interp) CheckBelow(path, root Value) Value {
	return in.checkExcept(path, root, PrefixSep, denied(root))
}

// unless is a condition with the branches of another exchanged.
func unless(v Value) Value { return Value{truth: v.truth.not(), cond: v.cond.not()} }

// Labelled reports that each tainted part of a value has one of the labels.
func (in *Interp) Labelled(v Value, labels Label) bool {
	nodes := in.deep(v)
	for _, n := range nodes {
		if in.st.effective(n)&labels == 0 {
			return false
		}
	}
	return len(nodes) > 0
}

// WithCond is a value that is true, or nil, under another value's condition.
func WithCond(v, of Value) Value {
	v.cond, v.truth = of.cond, maybe
	return v
}

// Any is whether one of the elements of a comprehension is true; All is whether each of them is.
func (in *Interp) Any(v Value) Value {
	if v.cond == nil {
		return Value{}
	}
	return Value{cond: &cond{yes: outer(v.cond.yes), no: v.cond.no}}
}

// All is whether each of the elements of a comprehension is true.
func (in *Interp) All(v Value) Value {
	if v.cond == nil {
		return Value{}
	}
	return Value{cond: &cond{yes: v.cond.yes, no: outer(v.cond.no)}}
}

// outer are the facts that concern something other than an element.
func outer(facts map[*node]Label) map[*node]Label {
	out := map[*node]Label{}
	for n, l := range facts {
		if n.how != Word && n.how != Char && n.how != Address {
			out[n] = l
		}
	}
	return out
}
