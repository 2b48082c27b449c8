// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"
)

// Concat is texts one behind the other.
func (in *Interp) Concat(pos Pos, parts ...Value) Value {
	if len(parts) == 1 && parts[0].Tainted() {
		return parts[0]
	}
	if s, ok := constants(parts); ok {
		return ConstStr(s)
	}
	var out Value
	before, fixed, lead := "", false, true
	sources := map[*Source][]*node{}
	var order []*Source
	for _, p := range parts {
		for _, n := range in.deep(p) {
			if _, ok := sources[n.src]; !ok {
				order = append(order, n.src)
			}
			sources[n.src] = append(sources[n.src], in.newNode(n.src, Whole, []*node{n}, in.textLabel(before, fixed, p, n), pos, ""))
		}
		if s, ok := p.String(); ok {
			before += s
		} else {
			before += p.pre
			if !p.Tainted() {
				fixed = true
			} else {
				before += p.suf
			}
			if lead {
				out.pre = before[:len(before)-len(p.suf)*b2i(p.Tainted())]
			}
			lead = false
		}
	}
	for _, s := range order {
		if len(out.nodes) < maxNodes {
			ns := sources[s]
			n := ns[0]
			if len(ns) > 1 {
				begins := Slash
				for _, n := range ns {
					begins &= n.labels
				}
				n = in.newNode(s, Whole, ns, begins, pos, "")
			}
			out.nodes = append(out.nodes, n)
		}
	}
	out.suf = suffix(parts)
	if len(before) > 0 {
		out.truth = truthy
	}
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func constants(parts []Value) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		s, ok := p.String()
		if !ok {
			return "", false
		}
		b.WriteString(s)
	}
	return b.String(), true
}

func suffix(parts []Value) string {
	out := ""
	for i := len(parts) - 1; i >= 0; i-- {
		s, ok := parts[i].String()
		if !ok {
			return parts[i].suf + out
		}
		out = s + out
	}
	return out
}

// textLabel says what the text in front of a part makes of the whole: see hostLabel. A part that surely begins with a slash ends a
// host in front of it.
func (in *Interp) textLabel(before string, fixed bool, part Value, n *node) Label {
	label, first := hostLabel(before, fixed, part), before+part.pre
	switch begins := in.st.effective(n)&Slash != 0; {
	case label == HostWeak && begins:
		return HostFixed
	case first == "" && !fixed && begins, strings.HasPrefix(first, "/"):
		return label | Slash
	}
	return label
}

// hostLabel says whether the text in front of a part of a URL fixes the host.
func hostLabel(before string, fixed bool, part Value) Label {
	before += part.pre
	if fixed {
		return HostFixed
	}
	_, rest, ok := strings.Cut(before, "://")
	switch {
	case before == "":
		return 0
	case !ok: // "/v1/" or "query: "
		return HostFixed
	case rest == "" || strings.HasSuffix(rest, "@") && !strings.Contains(rest, "/"):
		return 0
	case strings.ContainsAny(rest, "/?#") || strings.HasSuffix(rest, ":"):
		return HostFixed
	}
	return HostWeak
}

func characters(s string) []string {
	var out []string
	for _, r := range s {
		if len(out) < maxConsts {
			out = append(out, string(r))
		}
	}
	return out
}
