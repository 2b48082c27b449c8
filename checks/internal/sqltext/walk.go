// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package sqltext

import (
	"bytes"

	"github.com/toolvet/toolvet/internal/wordset"
)

// A walk follows a fragment as SQL for as long as it is grammatical. Prose soon is not: "O'Brien"
// is a string and a name, which cannot follow each other. SQL has to be.
type walk struct {
	*fragment
	i       int  // the token that comes next
	level   int  // brackets that are open
	depth   int  // operands within operands, and statements behind statements
	outside bool // behind a bracket that was open before the value
	queries int  // SELECTs before
	broken  bool // it is no SQL from here on
	deep    bool // it goes deeper than is looked

	// The tokens seen so far.
	operators int  // operators, commas and closing brackets
	serious   bool // marks that are rare in texts: a comparison, AND, a query
	condition bool // AND, OR … and a comparison that is no mere pair of names
	constant  bool // AND, OR … and a constant
	clause    bool // ORDER BY and the like with a constant
	query     bool // a query that is no prose
	union     bool
	stacked   bool
	call      bool

	part part
}

// A part is what stands between two of AND, OR and the like.
type part struct {
	joined   bool // it stands behind AND, OR …
	first    bool // and they begin the value
	compares bool
	solid    bool // holds a constant, a call, a query or a variable
	nested   bool // holds a query
	calls    int
	name     string // the last name
}

// maxDepth bounds how deep operands may be nested.
const maxDepth = 200

func (w *walk) start(behind bool) {
	if !behind && w.begins(w.i) != "" {
		if i := w.semicolon(); i > 0 && kindOf()[w.low(i+1)] != "" {
			w.stacked = true
		}
	}
	if !behind {
		w.operand()
	}
	for behind && w.quote != 0 && w.i < len(w.tokens) && w.tokens[w.i].kind == stringToken && !w.tokens[w.i].open {
		w.i++ // strings that follow each other are one
	}
	w.tail()
	w.endPart()
}

// semicolon is the place of the first semicolon, or 0.
func (w *walk) semicolon() int {
	for i := range w.tokens {
		if w.low(i) == ";" {
			return i
		}
	}
	return 0
}

// operand walks over one operand.
func (w *walk) operand() {
	if w.i >= len(w.tokens) {
		w.broken = w.low(w.i-1) != "," || !w.commentEnds()
		return
	}
	if w.depth >= maxDepth {
		w.deep, w.broken = true, true
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	t := w.tokens[w.i]
	switch t.kind {
	case numberToken:
		if w.constantly(); w.i < len(w.tokens) && w.tokens[w.i].kind == wordToken && w.low(w.i) == "" && w.tokens[w.i].start == t.end {
			w.i++ // a name that begins with digits
		}
	case stringToken:
		for w.constantly(); w.i < len(w.tokens) && w.tokens[w.i].kind == stringToken; w.i++ {
		} // strings that follow each other are one
	case symbolToken:
		w.mark(t.low)
	case nameToken:
		w.name()
	default:
		w.word(t.low)
	}
}

func (w *walk) constantly() {
	w.i++
	w.part.solid = true
}

func (w *walk) mark(symbol string) {
	switch symbol {
	case "(":
		before := w.part.solid
		w.part.solid = false
		w.group()
		w.serious = w.serious || w.part.solid
		w.part.solid = w.part.solid || before
	case "-", "+", "~", "!", "@":
		w.i++
		w.operand()
	case "*":
		w.i++
	case "?", "\\":
		w.constantly()
	case ":", "$":
		w.i++
		w.name()
	default:
		w.broken = true
	}
}

// group walks over what is in brackets: a list of operands, or a query. A bracket that
// is not closed ends with the text.
func (w *walk) group() {
	outer := w.part
	w.part = part{}
	w.i++
	w.level++
	if w.low(w.i) != ")" {
		w.operand()
		if !w.broken {
			w.tail()
		}
	}
	w.level--
	inner := w.part
	w.endPart()
	w.part = outer
	w.part.solid = outer.solid || inner.solid
	w.part.nested = outer.nested || inner.nested
	w.part.compares = outer.compares || inner.compares
	if w.low(w.i) == ")" {
		w.i++
	}
}

func (w *walk) word(low string) {
	called := w.low(w.i+1) == "("
	switch {
	case low == "binary" || low == "exists":
		w.serious = true
		w.i++
		w.operand()
	case low == "select":
		w.selects()
	case low == "case":
		w.cases()
	case prefixes.Has(low):
		w.i++
		w.operand()
	case low == "null" || low == "true" || low == "false" || low == "default" || low == "unknown":
		w.constantly()
	case reserved.Has(low) && !(called && callable.Has(low)):
		w.broken = true
	default:
		w.name()
	}
}

// prefixes are words before an operand, reserved are words other than operands, and callable are
// reserved words that are functions with brackets.
var (
	prefixes = wordset.New("not distinct all any some array row interval")
	reserved = wordset.New(`and or xor from where then else when end union except intersect order group by having in is like between
		as on join set into limit for with to using of div create drop alter insert update delete table`)
	callable = wordset.New("like in insert")
)

// cases walks over CASE … END.
func (w *walk) cases() {
	if next := w.low(w.i + 1); next != "when" && next != "(" && !w.names(w.i+1) {
		w.broken = true
		return
	}
	for ; w.i < len(w.tokens); w.i++ {
		if w.low(w.i) == "end" {
			w.constantly()
			return
		}
	}
	w.broken = true
}

// name walks over a name, a call or a typed constant.
func (w *walk) name() {
	if !w.names(w.i) {
		w.broken = true
		return
	}
	start := w.i
	if raw := w.raw(start); raw == "``" { // no column has this name
		w.broken = true
		return
	}
	for w.i++; (w.low(w.i) == "." || w.low(w.i) == "..") && (w.names(w.i+1) || w.low(w.i+1) == "*"); w.i += 2 {
	}
	name := lower(w.text[w.tokens[start].start:w.tokens[w.i-1].end])
	switch {
	case w.low(w.i) == "(":
		w.called(w.i - 1)
	case w.i < len(w.tokens) && w.tokens[w.i].kind == stringToken && (typeNames.Has(name) || name[0] == '_'):
		w.constantly()
	case name[0] == '@':
		w.part.solid = true
	default:
		w.call = w.call || packaged([]byte(name))
		if w.part.compares && w.part.name == name {
			w.part.solid = true // a name compared with itself
		}
		w.part.name = name
	}
}

// typeNames are what may stand before a string: types, and character sets.
var typeNames = wordset.New("date time timestamp _utf8 _utf8mb4 _latin1 _binary")

// called walks over the arguments of a call.
func (w *walk) called(i int) {
	name := w.callee(i, nil)
	last := w.appendName(nil, i)
	w.group()
	if w.broken && w.part.joined && w.statement.closing(i+1) < len(w.tokens)-1 {
		w.i, w.broken = w.statement.closing(i+1)+1, false // the text in the brackets is not SQL, but a call it is
	}
	w.part.solid = true
	w.part.calls++
	if !w.broken && (alwaysDenied().reason(name) != "" || !programs(name, last) && (alwaysDenied().reason(last) != "" || channels.Has(string(last)))) {
		w.call = true
	}
}

// channels are functions that are used to leak data through their error messages, or to
// keep a database busy.
var channels = wordset.New("extractvalue updatexml randomblob gtid_subset gtid_subtract")

// programs reports whether a qualified name is one of a program, such as time.sleep, and no function of a database: those of
// extensions may stand in any schema, and have names such as http_get.
func programs(name, last []byte) bool {
	return len(name) > len(last) && !systemNames.Has(string(name[:len(name)-len(last)])) && !bytes.Contains(last, []byte("_")) && string(last) != "dblink"
}

// systemNames are prefixes of functions that come with a database.
var systemNames = wordset.New("pg_catalog. sys. mysql. dbo. master. public.")

// packaged reports whether a qualified name is a function in one of Oracle's packages, which need
// no brackets.
func packaged(name []byte) bool { return bytes.HasPrefix(name, []byte("utl_")) }
