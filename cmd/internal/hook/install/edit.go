// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolvet/toolvet/cmd/internal/clientconfig"
	"github.com/toolvet/toolvet/internal/wire/strictjson"
)

// maxBytes bounds a configuration file.
const maxBytes = 4 << 20

var limits = strictjson.Limits{Bytes: maxBytes}

// A span is a value within a text: text[start:end].
type span struct{ start, end int }

// A member is a member of an object; from is where its key begins.
type member struct {
	key   string
	from  int
	value span
}

// A doc is JSON with comments. Edits change as few bytes as they can.
type doc struct {
	text  []byte // as it is
	plain []byte // without comments and trailing commas; each other byte in its place
	root  span
}

// A Malformed error gives the place of a fault in a text.
type Malformed struct {
	Line, Column int // from 1; the column in characters
	Fault        string
}

func (e *Malformed) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Fault)
}

func malformed(text []byte, at int, fault string) *Malformed {
	line, column := clientconfig.Position(text, at)
	return &Malformed{line, column, fault}
}

// parse reads a text strictly: a key that is given twice could mean two things.
func parse(text []byte) (*doc, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxBytes>>20)
	}
	d := &doc{text: text, plain: clientconfig.Plain(text)}
	if _, err := strictjson.Parse(d.plain, limits); err != nil {
		var e *strictjson.Error
		if errors.As(err, &e) {
			place := "the JSON text"
			if e.Pointer != "" {
				place = fmt.Sprintf("%q", e.Pointer)
			}
			return nil, malformed(text, e.Offset, place+" "+e.Rule)
		}
		return nil, err
	}
	d.root.start = d.skip(0)
	d.root.end = len(bytes.TrimRight(d.plain, " \t\r\n"))
	if d.plain[d.root.start] != '{' {
		return nil, malformed(text, d.root.start, "the JSON text is no object")
	}
	return d, nil
}

// skip returns the place of the next byte of plain text that is no white space.
func (d *doc) skip(i int) int {
	for i < len(d.plain) && isSpace(d.plain[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (d *doc) raw(s span) []byte { return d.plain[s.start:s.end] }

func (d *doc) kind(s span) byte { return d.plain[s.start] }

// value decodes a value. The text is known to be valid.
func (d *doc) value(s span) any {
	v, err := strictjson.Parse(d.raw(s), limits)
	if err != nil {
		return nil
	}
	return v
}

// members returns the members of an object, none of any other value.
func (d *doc) members(s span) []member {
	if d.kind(s) != '{' {
		return nil
	}
	list, err := strictjson.Members(d.raw(s), limits)
	if err != nil {
		return nil
	}
	out := make([]member, len(list))
	at := s.start + 1
	for i, m := range list {
		start := s.start + m.Offset
		out[i] = member{m.Key, d.skip(at), span{start, start + len(m.Raw)}}
		at = d.skip(out[i].value.end)
		if at < s.end && d.plain[at] == ',' {
			at++
		}
	}
	return out
}

func (d *doc) get(s span, key string) (span, bool) {
	for _, m := range d.members(s) {
		if m.key == key {
			return m.value, true
		}
	}
	return span{}, false
}

// at follows keys from the root.
func (d *doc) at(path ...string) (span, bool) {
	s, ok := d.root, true
	for _, key := range path {
		if s, ok = d.get(s, key); !ok {
			return span{}, false
		}
	}
	return s, true
}

// items returns the elements of an array, none of any other value.
func (d *doc) items(s span) []span {
	if d.kind(s) != '[' {
		return nil
	}
	list, err := strictjson.Elements(d.raw(s), limits)
	if err != nil {
		return nil
	}
	out := make([]span, len(list))
	at := s.start + 1
	for i, raw := range list {
		at = d.skip(at)
		out[i] = span{at, at + len(raw)}
		if at = d.skip(out[i].end); at < s.end && d.plain[at] == ',' {
			at++
		}
	}
	return out
}

// children returns the members or elements of a container, each with its key.
func (d *doc) children(s span) []span {
	if d.kind(s) == '[' {
		return d.items(s)
	}
	var out []span
	for _, m := range d.members(s) {
		out = append(out, span{m.from, m.value.end})
	}
	return out
}

// comma returns the place of the comma behind a value, perhaps a trailing one, and -1 if there is none.
func (d *doc) comma(i int) int {
	for i < len(d.text) {
		switch {
		case isSpace(d.text[i]):
			i++
		case d.text[i] == ',':
			return i
		case d.text[i] == '/' && isSpace(d.plain[i]):
			i = endOfComment(d.text, i)
		default:
			return -1
		}
	}
	return -1
}

// endOfComment returns the place behind the comment at i.
func endOfComment(text []byte, i int) int {
	rest, end := text[i:], -1
	if bytes.HasPrefix(rest, []byte("//")) {
		end = bytes.IndexAny(rest, "\r\n")
	} else if end = bytes.Index(rest, []byte("*/")); end >= 0 {
		end += 2
	}
	if end < 0 {
		return len(text)
	}
	return i + end
}

// behind returns the place behind the last byte before i that is no white space; comments count.
func (d *doc) behind(i int) int {
	for i > 0 && isSpace(d.text[i-1]) {
		i--
	}
	return i
}

// newline is how the text ends its lines.
func (d *doc) newline() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indent returns the white space at the beginning of the line of i, and whether i is the first other byte of its line.
func (d *doc) indent(i int) (white string, first bool) {
	start := bytes.LastIndexByte(d.text[:i], '\n') + 1
	end := start
	for end < len(d.text) && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[start:end]), end == i && start > 0
}

// unit is one step of the text's indentation; two spaces if it has none.
func (d *doc) unit() string {
	for _, c := range d.children(d.root) {
		base, _ := d.indent(d.root.start)
		if white, first := d.indent(c.start); first && len(white) > len(base) && strings.HasPrefix(white, base) {
			return white[len(base):]
		}
	}
	return "  "
}

// An edit replaces a part of a text.
type edit struct {
	span
	with string
}

// edited returns the text with edits that do not overlap. Insertions at the same place keep their order.
func edited(text []byte, edits ...edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.start]...)
		out = append(out, e.with...)
		at = e.end
	}
	return append(out, text[at:]...)
}

func insertion(at int, text string) edit { return edit{span{at, at}, text} }

// insert adds a child to a container: the last one, or the first one. key is "" in an array.
func (d *doc) insert(s span, key string, value []byte, front bool) ([]byte, error) {
	newline, unit := d.newline(), d.unit()
	base, _ := d.indent(s.start)
	white := base + unit
	children := d.children(s)
	if len(children) > 0 {
		if own, first := d.indent(children[0].start); first {
			white = own
		}
	}
	item := newline + white
	if key != "" {
		item += string(encode(key)) + ": "
	}
	item += pretty(value, newline+white, unit)
	closing := s.end - 1
	if front && len(children) > 0 {
		return edited(d.text, insertion(s.start+1, item+",")), nil
	}
	end := d.behind(closing)
	if !bytes.Contains(d.text[end:closing], []byte("\n")) {
		item += newline + base
	}
	var edits []edit
	if n := len(children); n > 0 {
		if last := children[n-1].end; d.comma(last) < 0 {
			edits = append(edits, insertion(last, ","))
		}
	}
	return edited(d.text, append(edits, insertion(end, item))...), nil
}

// pretty lays out valid JSON. A value without objects stands on one line.
func pretty(value []byte, newline, unit string) string {
	open, end := string(value[:1]), string(value[len(value)-1:])
	var items []string
	switch open {
	case "{":
		members, _ := strictjson.Members(value, limits)
		for _, m := range members {
			items = append(items, string(encode(m.Key))+": "+pretty(m.Raw, newline+unit, unit))
		}
	case "[":
		elements, _ := strictjson.Elements(value, limits)
		for _, raw := range elements {
			items = append(items, pretty(raw, newline+unit, unit))
		}
	default:
		return string(value)
	}
	if !bytes.ContainsRune(value[1:], '{') {
		return open + strings.Join(items, ", ") + end
	}
	return open + newline + unit + strings.Join(items, ","+newline+unit) + newline + end
}

// remove takes the child i out of a container. Comments stay.
func (d *doc) remove(s span, i int) []byte {
	children := d.children(s)
	c := children[i]
	from, to := d.behind(c.start), c.end
	next := d.comma(c.end)
	if next >= 0 {
		to = next + 1
	}
	switch {
	case len(children) == 1:
		if closing := s.end - 1; d.behind(from) == s.start+1 && d.behind(closing) <= to {
			return edited(d.text, edit{span{s.start + 1, closing}, ""})
		}
	case i == len(children)-1 && next < 0:
		if before := d.comma(children[i-1].end); before >= 0 {
			if from <= before+1 { // nothing but white space between them
				return edited(d.text, edit{span{before, to}, ""})
			}
			return edited(d.text, edit{span{before, before + 1}, ""}, edit{span{from, to}, ""})
		}
	}
	if next >= 0 { // what stood between the value and its comma stays
		return edited(d.text, edit{span{from, c.end}, ""}, edit{span{next, next + 1}, ""})
	}
	return edited(d.text, edit{span{from, to}, ""})
}

// appendAt adds an element to the array at a path of keys, and makes what is missing on the way.
func appendAt(text []byte, path []string, value []byte, front bool) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	s := d.root
	for i, key := range path {
		next, ok := d.get(s, key)
		if !ok {
			value = slices.Concat([]byte("["), value, []byte("]"))
			for _, k := range slices.Backward(path[i+1:]) {
				value = slices.Concat([]byte("{"), encode(k), []byte(":"), value, []byte("}"))
			}
			return d.insert(s, key, value, false)
		}
		want, name := byte('{'), "an object"
		if i == len(path)-1 {
			want, name = '[', "a list"
		}
		if d.kind(next) != want {
			return nil, malformed(text, next.start, fmt.Sprintf("%q has to be %s", strictjson.Printable(key, 64), name))
		}
		s = next
	}
	return d.insert(s, "", value, front)
}

// encode writes a value as JSON on one line, with the characters of HTML as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts, numbers and structures of them: nothing that could fail
	return bytes.TrimSpace(b.Bytes())
}
