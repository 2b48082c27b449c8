// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// list is the member with the definitions of a list; "" for other results.
func (r *Result) list() string {
	switch r.Method {
	case "tools/list":
		return "tools"
	case "prompts/list":
		return "prompts"
	case "resources/list":
		return "resources"
	case "resources/templates/list":
		return "resourceTemplates"
	}
	return ""
}

// greetings are the texts of a handshake that people or models read, and programs do not need.
var greetings = [...]string{instructions, "/serverInfo/title", "/serverInfo/description"}

// instructions have the note about the other texts of a handshake, such as the server's name: a note there would break them.
const instructions = "/instructions"

// Defines reports whether r says what a server offers: a list of tools, prompts or resources, or a handshake. Models read
// such texts beside those of their users.
func (r *Result) Defines() bool { return r.list() != "" || r.greets() }

func (r *Result) greets() bool { return r.Method == "initialize" || r.Method == "server/discover" }

// described is the name of the text for models in an entry of a list.
const described = "description"

// Definitions are the definitions of a list, in order, or the texts of a handshake. They are found in one walk.
type Definitions struct {
	list   []definition
	astray []span // tokens that a lenient reader may take for a part of a definition
	greets bool
}

type span struct{ start, end int } // in Raw

// A definition is an entry of a list, or a text of a handshake.
type definition struct {
	span
	pointer string
	text    int  // where the text for models begins, behind its quote; 0: there is none
	first   int  // where the first name in the definition begins; 0: there is none
	flaw    bool // clients may read another text than the one at text

	named, texts int  // names and strings for the text
	variant      bool // of them, one is spelt otherwise
}

// Definitions finds the definitions of r. There are none if r defines nothing.
func (r *Result) Definitions() *Definitions {
	d := &Definitions{greets: r.greets()}
	if !r.Defines() {
		return d
	}
	w := walker{raw: r.Raw}
	member, now, lost := r.list(), new(definition), false
	w.visit = func(t Token) bool {
		before := lost
		if d.greets {
			now.learn(w.path, t, instructions[1:])
			lost = d.greet(&w, t)
		} else {
			lost = d.visit(&w, t, member, now)
		}
		switch n := len(d.astray); {
		case lost && before:
			d.astray[n-1].end = t.End // a hostile list can have millions
		case lost:
			d.astray = append(d.astray, span{t.Start, t.End})
		}
		return true
	}
	w.element = func(start int) {
		if d.greets || !w.at(member, anyIndex) {
			return
		}
		now.span, now.pointer = span{start, w.pos}, w.pointer()
		now.flaw = r.Raw[start] != '{' || now.doubtful()
		d.list = append(d.list, *now)
		*now = definition{}
	}
	_ = w.run() // Read has done so before
	if d.greets {
		now.flaw, now.pointer = now.doubtful(), instructions
		d.instruct(*now)
	}
	return d
}

// instruct completes the instructions of a handshake by what was learned of them.
func (d *Definitions) instruct(learned definition) {
	if learned.text == 0 {
		d.list = append([]definition{learned}, d.list...)
	}
	for i := range d.list {
		if e := &d.list[i]; e.pointer == instructions {
			e.flaw = learned.flaw
		}
	}
}

// visit learns from a token of a list. Now is the entry that the walker is in. Visit reports whether the token is astray.
func (d *Definitions) visit(w *walker, t Token, member string, now *definition) (astray bool) {
	switch path := w.path; {
	case len(path) == 0 || path[0].key == nil || !strings.EqualFold(Unquote(path[0].key), member):
	case Unquote(path[0].key) != member || len(path) > 1 && path[1].key != nil || len(path) == 1 && t.Kind != Key:
		return true
	case len(path) > 2:
		now.learn(path[2:], t, described)
	}
	return false
}

// learn learns from a token of an object whether it has one text of a name. Path leads to the token from the object.
func (e *definition) learn(path []step, t Token, text string) {
	switch {
	case len(path) != 1 || path[0].key == nil:
	case t.Kind == Key:
		if e.first == 0 {
			e.first = t.Start
		}
		if name := Unquote(path[0].key); strings.EqualFold(name, text) {
			e.named++
			e.variant = e.variant || name != text
		}
	case t.Kind == String && Unquote(path[0].key) == text:
		e.texts++
		e.text = t.Start + 1
	}
}

// doubtful reports whether clients may read another text than the one learned.
func (e *definition) doubtful() bool { return e.variant || e.named > 1 || e.named != e.texts }

// greet learns from a token of a handshake, and reports whether it is astray.
func (d *Definitions) greet(w *walker, t Token) (astray bool) {
	at := w.pointer()
	for _, place := range greetings {
		switch {
		case at == place && t.Kind == String:
			d.list = append(d.list, definition{span: span{t.Start, t.End}, pointer: place, text: t.Start + 1})
			return false
		case at == place && t.Kind == Key:
			return false
		case at == "", len(at) >= len(place) && strings.EqualFold(at[:len(place)], place) && (len(at) == len(place) || at[len(place)] == '/'):
			return true // spelt otherwise, or no string
		}
	}
	return false
}

// Of returns the pointer of the definition in which a token of the result lies, "" for one outside of the definitions that a
// client may take for a part of them. The other tokens of a handshake belong to its instructions. False says that it lies
// in none.
func (d *Definitions) Of(t Token) (whole string, ok bool) {
	if i := at(d.list, t, func(e definition) span { return e.span }); i >= 0 {
		return d.list[i].pointer, true
	}
	if at(d.astray, t, func(s span) span { return s }) >= 0 {
		return "", true
	}
	if d.greets {
		return instructions, true
	}
	return "", false
}

// at returns the index of the span in a sorted list in which a token lies, or -1.
func at[E any](list []E, t Token, of func(E) span) int {
	i, _ := slices.BinarySearchFunc(list, t, func(e E, t Token) int { return cmp.Compare(of(e).end, t.End) })
	if i == len(list) || of(list[i]).start > t.Start {
		return -1
	}
	return i
}

// Bounds are the places in Raw where a definition, or what may be taken for a part of one, begins or ends, in order.
func (d *Definitions) Bounds() []int {
	bounds := make([]int, 0, 2*(len(d.list)+len(d.astray)))
	for _, e := range d.list {
		bounds = append(bounds, e.start, e.end)
	}
	for _, s := range d.astray {
		bounds = append(bounds, s.start, s.end)
	}
	slices.Sort(bounds)
	return bounds
}

// Marks returns edits that put notes in front of the texts of definitions, by their pointers, and those of them that cannot
// be marked: what is no object, has no text, or has one that readers could read in two ways. The notes must need no escapes.
func (d *Definitions) Marks(notes map[string]string) (edits []Edit, without []string) {
	name := described
	if d.greets {
		name = instructions[1:]
	}
	marked := map[string]bool{}
	for _, e := range d.list {
		note, ok := notes[e.pointer]
		switch {
		case !ok:
			continue
		case e.flaw || e.text == 0 && e.first == 0:
			without = append(without, e.pointer)
		case e.text > 0:
			edits = append(edits, Edit{e.text, e.text, note + " "})
		default:
			edits = append(edits, Edit{e.first, e.first, `"` + name + `":"` + note + `",`})
		}
		marked[e.pointer] = true
	}
	for whole := range notes {
		if !marked[whole] {
			without = append(without, whole)
		}
	}
	slices.Sort(without)
	return edits, slices.Compact(without)
}

// definitionOf returns the pointer of the definition of a list in which a place lies. False says that it lies in none.
func (r *Result) definitionOf(place string) (whole string, ok bool) {
	member := r.list()
	rest, ok := strings.CutPrefix(place, "/"+member+"/")
	if member == "" || !ok {
		return "", false
	}
	index, _, _ := strings.Cut(rest, "/")
	if _, err := strconv.Atoi(index); err != nil {
		return "", false
	}
	return "/" + member + "/" + index, true
}

// Without returns the text of r without the definitions in which places lie. False says that one lies in none, so nothing
// less than r can be left out. Texts of a handshake become empty.
func (r *Result) Without(places []string) (json.RawMessage, bool) {
	if len(places) == 0 || !r.Defines() {
		return nil, false
	}
	var raw json.RawMessage
	var err error
	if r.greets() {
		raw, err = r.silenced(places)
	} else {
		raw, err = r.shortened(places)
	}
	return raw, err == nil && raw != nil
}

func (r *Result) silenced(places []string) (json.RawMessage, error) {
	var edits []Edit
	for i, place := range r.Places(r.tokens) {
		if t := r.tokens[i]; t.Kind == String && slices.Contains(places, place) && slices.Contains(greetings[:], place) {
			edits = append(edits, Edit{t.Start, t.End, `""`})
		}
	}
	if slices.ContainsFunc(places, func(p string) bool { return !slices.Contains(greetings[:], p) }) || len(edits) == 0 {
		return nil, nil
	}
	return r.Apply(edits)
}

func (r *Result) shortened(places []string) (json.RawMessage, error) {
	left := map[string]bool{}
	for _, p := range places {
		whole, ok := r.definitionOf(p)
		if !ok {
			return nil, nil
		}
		left[whole] = true
	}
	d := r.Definitions()
	var edits []Edit // one for each array: a list may be given twice
	var kept []string
	start := 0
	for i, e := range d.list {
		if !left[e.pointer] {
			kept = append(kept, string(r.Raw[e.start:e.end]))
		}
		if strings.HasSuffix(e.pointer, "/0") {
			start = e.start
		}
		if i+1 == len(d.list) || strings.HasSuffix(d.list[i+1].pointer, "/0") {
			edits, kept = append(edits, Edit{start, e.end, strings.Join(kept, ",")}), nil
		}
	}
	if len(edits) == 0 {
		return nil, nil
	}
	return r.Apply(edits)
}
