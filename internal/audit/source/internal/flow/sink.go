// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// A hitKey identifies a hit: of those with the same key, only the worst is reported.
type hitKey struct {
	tool, param string
	class       audit.Class
	kind        string
}

type hit struct {
	rank int // the higher the worse
	fact audit.Fact
}

// judged is the verdict on one tainted part of a value at a sink.
type judged struct {
	verdict    audit.Verdict
	confidence audit.Confidence
	kind, why  string
}

func traced(kind, why string) judged {
	return judged{audit.Vulnerable, audit.Traced, kind, why}
}

func suspected(kind, why string) judged {
	return judged{audit.Vulnerable, audit.Suspected, kind, why}
}

func noted(kind, why string) judged {
	return judged{audit.Vulnerable, audit.Metadata, kind, why}
}

func guarded(kind, why string) judged { return judged{audit.Guarded, "", kind, why} }

const guardedRank = 3

func (j judged) rank() int {
	switch {
	case j.confidence == audit.Traced:
		return 5
	case j.confidence == audit.Suspected:
		return 4
	case j.confidence == audit.Metadata:
		return 2
	}
	return guardedRank
}

// report notes a value at a sink.
func (in *Interp) report(class audit.Class, n *node, j judged, pos Pos, what string) {
	if n.entry && class != audit.Path {
		return
	}
	tool := n.src.Tool
	if tool == "" {
		tool = in.st.tool
	}
	if in.st.effective(n)&Optional != 0 && (j.verdict == audit.Guarded || j.kind == "symlink") {
		j = noted("optional-guard", "there is a guard before SINK, if the server is set up so")
	}
	key := hitKey{tool, n.src.Param, class, j.kind}
	if old, ok := in.hits[key]; ok && old.rank >= j.rank() {
		return
	}
	in.hits[key] = &hit{rank: j.rank(), fact: audit.Fact{
		Cell:       audit.Cell{Tool: tool, Param: n.src.Param, Class: class},
		Method:     audit.Static,
		Verdict:    j.verdict,
		Confidence: j.confidence,
		Kind:       j.kind,
		Why:        strings.ReplaceAll(j.why, "SINK", what),
		Flow:       in.flow(n, pos, what),
	}}
}

const maxFlow = 12

// flow is the way of a value from the arguments to a sink.
func (in *Interp) flow(n *node, pos Pos, what string) []audit.Place {
	var back []audit.Place
	for at := n; at != nil; {
		if at.pos.Line > 0 && (len(at.in) == 0 || at.how != Baked) {
			back = append(back, place(at.pos, at.note))
		}
		if len(at.in) == 0 {
			break
		}
		at = at.in[0]
	}
	out := make([]audit.Place, 0, len(back)+1)
	for i := len(back) - 1; i >= 0; i-- {
		p := back[i]
		if k := len(out) - 1; k >= 0 && out[k].File == p.File && out[k].Line == p.Line {
			if out[k].Note == "" {
				out[k].Note = p.Note
			}
			continue
		}
		out = append(out, p)
	}
	if len(out) > maxFlow-1 {
		out = append(out[:1:1], out[len(out)-maxFlow+2:]...)
	}
	return append(out, place(pos, "passed to "+what))
}

func place(p Pos, note string) audit.Place {
	return audit.Place{File: p.File, Line: p.Line, Col: p.Col, Note: note}
}

// each calls f for every tainted part of a value, with its labels.
func (in *Interp) each(v Value, f func(n *node, l Label)) {
	for _, n := range in.deep(v) {
		in.step()
		f(n, in.st.effective(n))
	}
}

// PathSink is a function that reads, writes or lists the file a value names.
func (in *Interp) PathSink(pos Pos, what string, v Value) {
	in.each(v, func(n *node, l Label) {
		j := judgePath(l)
		if n.entry && j.confidence == audit.Traced {
			j = suspected("archive-entry", "the path is a name that the caller's archive holds, and nothing keeps it below a root before SINK")
		}
		in.report(audit.Path, n, j, pos, what)
	})
}

func judgePath(l Label) judged {
	switch {
	case l&Chosen != 0:
		return guarded("", "the path is one of a fixed list before SINK")
	case l&ContainReal != 0:
		return guarded("", "the path is resolved and compared with a root before SINK")
	case l&Contain != 0, l&NoDotDot != 0 && l&Relative != 0, l&PrefixSep != 0 && l&NoDotDot != 0:
		return noted("symlink", "the path is compared with a root before SINK, but symbolic links are not resolved first")
	case l&PrefixSep != 0:
		return suspected("not-normalised", "the path is compared with a root before SINK, but .. segments are not resolved first")
	case l&PrefixWeak != 0:
		return suspected("sibling-prefix", "the path is compared with the root as a mere prefix, so a sibling with the root's name as a prefix passes, before SINK")
	case l&NoDotDot != 0:
		return suspected("absolute", "the path is searched for .. only before SINK; an absolute path passes")
	case l&NoMeta != 0:
		return suspected("pattern", "the path is compared with a pattern before SINK that does not keep it below a root")
	}
	if l&Unseen != 0 {
		return noted("unseen-guard", "a function with the name of a check of the path, but without code here, is called before SINK")
	}
	if l&(Mangled|Answer) != 0 {
		return noted("through-library", "the path is what a library made of the caller's text; SINK")
	}
	if l&Refused != 0 || l&Denied != 0 && l&Normal != 0 {
		return noted("deny-list", "the path is resolved and refused below some directories before SINK; everything else is open")
	}
	return traced("traversal", "the path comes from the caller, and nothing keeps it below a root before SINK")
}

// URLSink is a function that makes a request to the address in a value.
func (in *Interp) URLSink(pos Pos, what string, v Value) {
	in.each(v, func(n *node, l Label) {
		if j, ok := judgeURL(l); ok {
			in.report(audit.URL, n, j, pos, what)
		}
	})
}

func judgeURL(l Label) (judged, bool) {
	switch {
	case l&HostFixed != 0:
		return judged{}, false
	case l&Chosen != 0, l&HostAllow != 0:
		return guarded("", "the host is one of a list before SINK"), true
	case l&DNSChecked != 0 && l&private == private:
		return guarded("", "the addresses of the host are checked before SINK"), true
	case l&private == private:
		return suspected("ssrf-dns", "the host is checked before SINK, but not what its name resolves to"), true
	case l&private != 0 && l&DNSChecked != 0:
		return suspected("ssrf-ranges", "the addresses of the host are checked before SINK, but not for loopback, private and link-local ones alike"), true
	case l&private != 0:
		return suspected("ssrf-ranges", "the host is checked before SINK, but not for loopback, private and link-local addresses alike"), true
	case l&(HostWeak|PrefixWeak|PrefixSep) != 0:
		return suspected("allow-list-prefix", "the host is compared in part only before SINK, so that a name that looks alike passes"), true
	}
	if l&HostLooked != 0 {
		return suspected("ssrf-unchecked-way", "an address is checked before SINK, but there is a way past the check"), true
	}
	if l&Unseen != 0 {
		return noted("unseen-guard", "a function with the name of a check of the URL, but without code here, is called before SINK"), true
	}
	if l&(Mangled|Answer) != 0 {
		return noted("through-library", "the URL is what a library made of the caller's text; SINK"), true
	}
	return traced("ssrf", "the host comes from the caller, and nothing checks it before SINK"), true
}
