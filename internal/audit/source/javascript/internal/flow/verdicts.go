// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"math/bits"
	"sort"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// A judgement is what is said of one argument at one sink.
type judgement struct {
	verdict    audit.Verdict
	confidence audit.Confidence
	rule       string
	why        string
}

// words name the families in sentences.
var words = map[Bits]string{
	bitDots: `".."`, bitAbs: "paths elsewhere", bitSibling: "folders whose name begins as the allowed one's", bitSemi: `";"`, bitDollar: `"$"`, bitTick: "backticks",
	bitPipe: `"|"`, bitAmp: `"&"`, bitNewline: "line ends", bitQuote: "double quotes", bitSingle: "single quotes", bitSpace: "blanks", bitDash: "a leading dash",
	bitLocalhost: "localhost", bitLoopback: "127.0.0.0/8", bitTen: "10.0.0.0/8", bitOneSevenTwo: "172.16.0.0/12", bitOneNineTwo: "192.168.0.0/16",
	bitLinkLocal: "169.254.0.0/16", bitZero: "0.0.0.0", bitLoopback6: "::1", bitMapped6: "IPv4-mapped IPv6 addresses",
}

// list names families.
func list(b Bits) string {
	var names []string
	for b != 0 {
		bit := b & -b
		if w, ok := words[bit]; ok {
			names = append(names, w)
		}
		b &^= bit
	}
	return strings.Join(names, ", ")
}

func verdictOfPath(have, need Bits) judgement {
	missing := need &^ have
	switch {
	case missing == 0 && (have&bitReal != 0):
		return judgement{verdict: audit.Guarded, rule: "containment", why: "the path is held within a folder, and symbolic links are resolved before"}
	case missing == 0:
		return judgement{verdict: audit.NoEvidence, rule: "containment", why: "the path is held within a folder by its name; symbolic links are not resolved before"}
	case missing == bitSibling:
		return judgement{audit.Vulnerable, audit.Suspected, "sibling-prefix", "the path is compared with a folder by its beginning alone: a folder beside it whose name begins the same passes"}
	case have&need&^bitSibling != 0:
		return judgement{audit.Vulnerable, audit.Suspected, "traversal", "a check is on the way, but lets through " + list(missing)}
	}
	return judgement{audit.Vulnerable, audit.Traced, "traversal", "the caller's path reaches the file system, and nothing holds it within a folder"}
}

func verdictOfURL(have Bits) judgement {
	private := have & bitsPrivate
	switch {
	case have&bitPublic != 0 && have&bitHostPrefix == 0:
		return judgement{audit.Vulnerable, audit.Suspected, "allow-list-prefix", "the address is compared with an allowed one by its beginning or end alone: a host of another can begin or end the same"}
	case have&bitPublic != 0:
		return judgement{verdict: audit.Guarded, rule: "allow-list", why: "the host is one of a known set"}
	case private == 0 && have&bitCheckedAtConnect == 0:
		return judgement{audit.Vulnerable, audit.Traced, "ssrf", "the caller chooses the host of a request, and nothing excludes internal addresses"}
	case bitsCore&^have != 0 && have&bitCheckedAtConnect == 0:
		return judgement{audit.Vulnerable, audit.Suspected, "ssrf-ranges", "internal addresses are excluded, but not " + list(bitsCore&^have)}
	case have&bitCheckedAtConnect == 0 && have>>dnsShift&(bitLoopback|bitTen|bitOneNineTwo|bitLinkLocal) != bitLoopback|bitTen|bitOneNineTwo|bitLinkLocal:
		return judgement{audit.Vulnerable, audit.Suspected, "ssrf-dns", "internal addresses are excluded as they are written, but not names that resolve to them"}
	}
	return judgement{verdict: audit.Guarded, rule: "private-addresses", why: "internal addresses are excluded, also where a name resolves to one"}
}

func verdictOfShell(have Bits, quote byte) judgement {
	need := bitsShell
	switch quote {
	case '\'':
		need = bitSingle
	case '"':
		need = bitDollar | bitTick | bitQuote
	}
	missing := need &^ have
	switch {
	case missing == 0:
		return judgement{verdict: audit.Guarded, rule: "shell", why: "what a shell would read as more than a word is excluded"}
	case bits.OnesCount64(uint64(missing)) < bits.OnesCount64(uint64(need)):
		return judgement{audit.Vulnerable, audit.Suspected, "shell", "a check is on the way of the caller's text to a shell, but lets through " + list(missing)}
	}
	return judgement{audit.Vulnerable, audit.Traced, "shell", "the caller's text becomes a part of a line that a shell runs"}
}

// A Finding is what was judged, with the way of the value.
type Finding struct {
	Cell       audit.Cell
	Verdict    audit.Verdict
	Confidence audit.Confidence
	Rule, Why  string
	Steps      []Step
}

// A Step is a place on the way of a value. Line and Col count from 1.
type Step struct {
	File      string
	Line, Col int
	Note      string
}

// findings are the worst judgement of each argument at each sink.
type findings struct {
	byKey map[findingKey]*found
}

type findingKey struct {
	cell audit.Cell
	rule string
	at   position
}

type found struct {
	judgement
	key   findingKey
	steps *step
	sink  string
	raw   bool
}

// rank orders judgements: the worst first.
func (j judgement) rank() int {
	switch {
	case j.verdict == audit.Vulnerable && j.confidence == audit.Traced:
		return 0
	case j.verdict == audit.Vulnerable && j.confidence == audit.Suspected:
		return 1
	case j.verdict == audit.Vulnerable:
		return 2
	case j.verdict == audit.NoEvidence:
		return 3
	}
	return 4
}

// maxFindings bounds what one program may make the report.
const maxFindings = 5000

func (in *interp) judge(j judgement, class audit.Class, sink string, h *hole, at position) {
	if in.toolOrigin(h.origin) || in.current == nil {
		return
	}
	if in.found.byKey == nil {
		in.found.byKey = map[findingKey]*found{}
	}
	key := findingKey{audit.Cell{Tool: in.toolName(), Param: h.origin.pointer, Class: class}, j.rule, at}
	if key.cell.Tool == "" && key.cell.Param == "" && j.verdict == audit.Vulnerable {
		j.confidence, j.why = audit.Metadata, j.why+"; which tool and which parameter is not known"
	}
	old := in.found.byKey[key]
	if old == nil && len(in.found.byKey) >= maxFindings {
		return
	}
	raw := in.current.low && !h.parsed && in.facts.of(h.origin.id)&bitTyped == 0
	if old == nil || j.rank() < old.rank() {
		in.found.byKey[key] = &found{j, key, h.step, sink, raw}
	}
}

// report is one finding for each argument and rule, the worst; what is safe is told only where
// nothing is wrong.
func (in *interp) report(tools []Tool) []Finding {
	var all []*found
	for _, f := range in.found.byKey {
		all = append(all, f)
	}
	sort.Slice(all, func(i, j int) bool { return before(all[i], all[j]) })
	var out []Finding
	worst := map[audit.Cell]int{}
	seen := map[string]bool{}
	for _, f := range all {
		cell := f.key.cell
		w, known := worst[cell]
		if !known {
			worst[cell] = f.rank()
			w = f.rank()
		}
		id := cell.Tool + "\x00" + cell.Param + "\x00" + string(cell.Class) + "\x00" + f.rule
		if seen[id] || f.rank() > 2 && w < f.rank() || f.rank() == 2 && w < 2 {
			continue
		}
		seen[id] = true
		out = append(out, in.finding(f))
	}
	out = append(out, in.rawFindings(all)...)
	return append(out, in.rest(tools, worst)...)
}

// rest is what is told of the parameters that reach nothing, and of those of handlers that were not
// run to their end.
func (in *interp) rest(tools []Tool, known map[audit.Cell]int) []Finding {
	cut := map[string]bool{}
	for _, h := range in.unfinished {
		cut[h.tool] = true
		if h.low && h.tool == "" {
			for _, t := range tools {
				cut[t.Name] = true
			}
		}
	}
	var out []Finding
	for _, t := range tools {
		params := t.Params
		if len(params) == 0 && cut[t.Name] {
			params = []string{""}
		}
		for _, p := range params {
			for _, class := range []audit.Class{audit.Path, audit.URL, audit.Command} {
				cell := audit.Cell{Tool: t.Name, Param: p, Class: class}
				if _, ok := known[cell]; ok {
					continue
				}
				f := Finding{Cell: cell, Verdict: audit.NoEvidence, Rule: "nothing", Why: "the parameter reaches nothing of this kind that is known here"}
				if cut[t.Name] {
					f.Verdict, f.Rule, f.Why = audit.Inconclusive, "budget", "the handler was not analysed to its end: budget"
				}
				out = append(out, f)
			}
		}
	}
	return out
}

func before(a, b *found) bool {
	if a.rank() != b.rank() {
		return a.rank() < b.rank()
	}
	x, y := a.key, b.key
	switch {
	case x.cell != y.cell:
		return x.cell.Tool+"\x00"+x.cell.Param+"\x00"+string(x.cell.Class) < y.cell.Tool+"\x00"+y.cell.Param+"\x00"+string(y.cell.Class)
	case x.at.unit != nil && y.at.unit != nil && x.at.unit.file != y.at.unit.file:
		return x.at.unit.file.Name < y.at.unit.file.Name
	case x.at.idx != y.at.idx:
		return x.at.idx < y.at.idx
	case x.rule != y.rule:
		return x.rule < y.rule
	}
	return a.sink < b.sink
}

func (in *interp) finding(f *found) Finding {
	out := Finding{Cell: f.key.cell, Verdict: f.verdict, Confidence: f.confidence, Rule: f.rule, Why: f.why}
	var list []*step
	for s := f.steps; s != nil && len(list) < 2*maxSteps; s = s.prev {
		list = append(list, s)
	}
	for i := len(list) - 1; i >= 0; i-- {
		out.Steps = append(out.Steps, list[i].at.step(list[i].note))
	}
	if f.key.at.unit != nil {
		out.Steps = append(out.Steps, f.key.at.step("passed to "+clip(f.sink)))
	}
	return out
}

func (p position) step(note string) Step {
	line, col := p.unit.file.Place(p.idx)
	return Step{p.unit.file.Name, line, col, note}
}

// rawFindings tell of tools whose arguments reach a sink as they were sent, and whose schema nobody
// looks at. They are suspected where the sink is reached without a guard, and for information else.
func (in *interp) rawFindings(all []*found) []Finding {
	var out []Finding
	seen := map[string]bool{}
	for _, f := range all {
		tool := f.key.cell.Tool
		if !f.raw || seen[tool] || f.verdict != audit.Vulnerable {
			continue
		}
		seen[tool] = true
		g := in.finding(f)
		g.Cell = audit.Cell{Tool: tool, Class: audit.Schema}
		g.Verdict, g.Rule = audit.Vulnerable, "raw-arguments"
		g.Confidence = audit.Metadata
		if f.rank() < 2 {
			g.Confidence = audit.Suspected
		}
		g.Why = "the arguments are used as they were sent: neither a parser nor a check of types is on the way"
		out = append(out, g)
	}
	return out
}
