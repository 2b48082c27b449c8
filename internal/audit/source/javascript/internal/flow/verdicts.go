// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"math/bits"
	"strings"

	"github.com/toolvet/toolvet/internal/audit"
)

// Verdicts: from families that are excluded to sentences in the report.

// A judgement is the verdict on one argument at one sink.
type judgement struct {
	verdict    audit.Verdict
	confidence audit.Confidence
	kind       string
	why        string
}

// words name the families in the report.
var words = map[Bits]string{
	bitDots: `".."`, bitAbs: "paths elsewhere", bitSibling: "siblings of the allowed folder with its name as a prefix", bitSemi: `";"`, bitDollar: `"$"`, bitTick: "backticks",
	bitPipe: `"|"`, bitAmp: `"&"`, bitNewline: "line ends", bitQuote: "double quotes", bitSingle: "single quotes", bitSpace: "blanks", bitDash: "a leading dash",
	bitLocalhost: "localhost", bitLoopback: "127.0.0.0/8", bitTen: "10.0.0.0/8", bitOneSevenTwo: "172.16.0.0/12", bitOneNineTwo: "192.168.0.0/16",
	bitLinkLocal: "169.254.0.0/16", bitZero: "0.0.0.0", bitLoopback6: "::1", bitMapped6: "IPv4-mapped IPv6 addresses",
}

// list names families, in the order of their bits.
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

// verdictOfPath compares the excluded families with those a path's sink needs. need is less where
// a folder stands in front: an absolute path cannot leave it then.
func verdictOfPath(have, need Bits) judgement {
	missing := need &^ have
	switch {
	case missing == 0 && (have&bitReal != 0):
		return judgement{verdict: audit.Guarded, kind: "containment", why: "the path is held within a folder, and symbolic links are resolved before"}
	case missing == 0:
		return judgement{verdict: audit.NoEvidence, kind: "containment", why: "the path is held within a folder by its name; symbolic links are not resolved before"}
	case missing == bitSibling:
		return judgement{audit.Vulnerable, audit.Suspected, "sibling-prefix", "the path is compared with a folder by its beginning alone: a sibling with its name as a prefix passes"}
	case have&need&^bitSibling != 0:
		return judgement{audit.Vulnerable, audit.Suspected, "traversal", "a check is on the way, but lets through " + list(missing)}
	}
	return judgement{audit.Vulnerable, audit.Traced, "traversal", "the caller's path reaches the file system, and nothing holds it within a folder"}
}

// verdictOfURL judges the host of a request. An allow list excludes all public hosts; a deny list
// has to exclude the internal ranges, and also names that resolve to them.
//
//	bitPublic without bitHostPrefix     // an allow list by startsWith or endsWith
//	some private, but not bitsCore      // a deny list with gaps
//	bitsCore, but not shifted           // the name can resolve to 127.0.0.1
func verdictOfURL(have Bits) judgement {
	private := have & bitsPrivate
	switch {
	case have&bitPublic != 0 && have&bitHostPrefix == 0:
		return judgement{audit.Vulnerable, audit.Suspected, "allow-list-prefix", "the address is compared with an allowed one by its beginning or end alone: a host of another can begin or end the same"}
	case have&bitPublic != 0:
		return judgement{verdict: audit.Guarded, kind: "allow-list", why: "the host is one of a known set"}
	case private == 0 && have&bitCheckedAtConnect == 0:
		return judgement{audit.Vulnerable, audit.Traced, "ssrf", "the caller chooses the host of a request, and nothing excludes internal addresses"}
	case bitsCore&^have != 0 && have&bitCheckedAtConnect == 0:
		return judgement{audit.Vulnerable, audit.Suspected, "ssrf-ranges", "internal addresses are excluded, but not " + list(bitsCore&^have)}
	case have&bitCheckedAtConnect == 0 && have>>dnsShift&(bitLoopback|bitTen|bitOneNineTwo|bitLinkLocal) != bitLoopback|bitTen|bitOneNineTwo|bitLinkLocal:
		return judgement{audit.Vulnerable, audit.Suspected, "ssrf-dns", "internal addresses are excluded as they are written, but not names that resolve to them"}
	}
	return judgement{verdict: audit.Guarded, kind: "private-addresses", why: "internal addresses are excluded, also where a name resolves to one"}
}

// verdictOfShell judges a text within a line for a shell, by the quotes around it: single quotes
// need no more than that the text cannot end them.
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
		return judgement{verdict: audit.Guarded, kind: "shell", why: "everything that a shell would read as more than a word is excluded"}
	case bits.OnesCount64(uint64(missing)) < bits.OnesCount64(uint64(need)):
		return judgement{audit.Vulnerable, audit.Suspected, "shell", "a check is on the way of the caller's text to a shell, but lets through " + list(missing)}
	}
	return judgement{audit.Vulnerable, audit.Traced, "shell", "the caller's text becomes a part of a line that a shell runs"}
}

// An Arrival is an argument at a sink: the verdict on it, and the way of the value. A parameter
// that reaches nothing of a class has an arrival, too, with the kind "nothing".
type Arrival struct {
	Cell       audit.Cell
	Verdict    audit.Verdict
	Confidence audit.Confidence
	Kind, Why  string
	Steps      []Step
}

// A Step is a place on the way of a value. Line and Col count from 1.
type Step struct {
	File      string
	Line, Col int
	Note      string
}

// arrivals hold the worst judgement of each argument at each sink.
type arrivals struct {
	byKey map[arrivalKey]*arrival
}

// An arrivalKey tells arrivals apart. at is the place of the sink.
type arrivalKey struct {
	cell audit.Cell
	kind string
	at   position
}

// An arrival is an argument at a sink.
type arrival struct {
	judgement
	key   arrivalKey
	steps *step
	sink  string
	// raw: nothing looked at the types of the arguments before
	raw bool
}

// rank orders judgements, the worst first.
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

// maxArrivals bounds the size that one program can give the report.
const maxArrivals = 5000

// judge notes a judgement, if it is worse than others at the same place. A weakness without a
// tool and a parameter is a remark: nobody could act on it.
func (sk *sinks) judge(j judgement, class audit.Class, sink string, h *hole, at position) {
	if toolOrigin(h.origin) || sk.turn.handler == nil {
		return
	}
	if sk.report.found.byKey == nil {
		sk.report.found.byKey = map[arrivalKey]*arrival{}
	}
	key := arrivalKey{audit.Cell{Tool: sk.turn.toolName(), Param: h.origin.pointer, Class: class}, j.kind, at}
	if key.cell.Tool == "" && key.cell.Param == "" && j.verdict == audit.Vulnerable {
		j.confidence, j.why = audit.Metadata, j.why+"; which tool and which parameter is not known"
	}
	old := sk.report.found.byKey[key]
	if old == nil && len(sk.report.found.byKey) >= maxArrivals {
		return
	}
	raw := sk.turn.handler.low && !h.parsed && sk.state.facts.of(h.origin.id)&bitTyped == 0
	if old == nil || j.rank() < old.rank() {
		sk.report.found.byKey[key] = &arrival{j, key, h.step, sink, raw}
	}
}

// step is a position for the report.
func (p position) step(note string) Step {
	line, col := p.unit.file.Place(p.idx)
	return Step{p.unit.file.Name, line, col, note}
}
