// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

// Package strictjson reads only JSON that every reader understands in the same way.
//
// If two decoders disagree about a message, it can pass a check between them with another meaning:
// encoding/json lets the last of two equal keys win and matches keys in any case, JavaScript keeps
// unpaired surrogates and Go replaces them, and a number such as 1e999 is infinite to one and a parse
// error to the next. Text that this package accepts means the same to all of them; for other text it
// returns an [Error] with the fault and its place.
//
// It accepts RFC 8259 JSON restricted to I-JSON (RFC 7493): UTF-8 without a
// byte order mark, no duplicate keys, no unpaired surrogates. Numbers keep every
// digit (json.Number); those outside the range of an IEEE 754 double are refused. So are keys with
// U+0000 at any depth: readers in C end a string there, and take "name\u0000" for "name".
package strictjson

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// Limits bound a text. A zero field means its default.
type Limits struct {
	Bytes  int // length of the text, in bytes; default 16 MiB
	Depth  int // nesting of objects and arrays; default 256
	Digits int // length of a number's text, in bytes; default 1024
	Form   int // memory of the parsed form, in bytes; default and most: [FormBound]
}

// Defaults of [Limits].
const (
	DefaultBytes  = 16 << 20
	DefaultDepth  = 256
	defaultDigits = 1024
)

// Below returns the limits of a value that stands so many levels deep in a text with the limits l.
func (l Limits) Below(levels int) Limits {
	l = l.withDefaults()
	l.Depth = max(l.Depth-levels, 1)
	return l
}

func (l Limits) withDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth <= 0 {
		l.Depth = DefaultDepth
	}
	if l.Digits <= 0 {
		l.Digits = defaultDigits
	}
	return l
}

// A Member is one name/value pair of an object, in the order of the text.
type Member struct {
	Key    string
	Raw    []byte // the value's text without surrounding white space, a part of the input
	Offset int    // of Raw in the input, in bytes
}

// Parse reads one JSON value strictly at every depth. The result is built of
// map[string]any, []any, string, json.Number, bool and nil, and shares no memory
// with data. The error is an *[Error].
func Parse(data []byte, limits Limits) (any, error) {
	d := decoder{data: data, limits: limits.withDefaults(), strict: true}
	return d.document(d.value)
}

// MaxMembers is the most members that [Members] and [Outline] return. They read the outer objects of messages, which have few, before
// anybody has lent memory for them. [Parse] takes as many as its form may hold.
const MaxMembers = 10_000

// Members reads one JSON object and returns its members, [MaxMembers] at most. The object's own keys are read strictly.
// Deeper, only the syntax, the encoding, the limits and U+0000 in keys are checked: use [Parse] on a
// member if its meaning matters. The error is an *[Error].
func Members(data []byte, limits Limits) ([]Member, error) {
	d := decoder{data: data, limits: limits.withDefaults()}
	return d.membersOnly()
}

func (d *decoder) membersOnly() (members []Member, _ error) {
	_, err := d.document(func() (any, *Error) {
		var err *Error
		members, err = d.members()
		return nil, err
	})
	return members, err
}

// Find reads one JSON object and returns the member with a key; false if there is none, if there are two, or if
// the text is no object. It checks as [Members] does, but not other keys for repetition, and takes no memory for
// other members: a large text may be searched before anybody has lent memory for its parts.
func Find(data []byte, limits Limits, key string) (found Member, ok bool) {
	d := decoder{data: data, limits: limits.withDefaults()}
	_, err := d.document(func() (any, *Error) {
		if d.pos >= len(d.data) || d.data[d.pos] != '{' {
			return nil, d.other(NotObject, "is not a JSON object")
		}
		return nil, d.eachMember(func(name string) *Error {
			if name == key && ok {
				return d.fail(DuplicateKey, "is given twice")
			}
			start := d.pos
			_, err := d.value()
			if name == key {
				found, ok = Member{Key: key, Raw: d.data[start:d.pos:d.pos], Offset: start}, true
			}
			return err
		})
	})
	if err != nil {
		return Member{}, false
	}
	return found, ok
}

// Elements reads one JSON array and returns the texts of its elements, checked
// as [Members] checks. The error is an *[Error].
func Elements(data []byte, limits Limits) ([][]byte, error) {
	d := decoder{data: data, limits: limits.withDefaults()}
	return d.elementsOnly()
}

func (d *decoder) elementsOnly() (elements [][]byte, _ error) {
	_, err := d.document(func() (any, *Error) {
		var err *Error
		elements, err = d.elements()
		return nil, err
	})
	return elements, err
}

// decoder is a recursive descent parser; recursion is bounded by limits.Depth.
// With strict unset, nested values are skipped rather than built.
type decoder struct {
	data   []byte
	pos    int
	depth  int
	limits Limits
	strict bool
	nul    bool // the last string has an escaped U+0000

	outline bool // values are skipped, whatever is in them

	form, formLimit int     // bytes of what has been built, and the most of them
	memory          *memory // nil until the form is large
}

func (d *decoder) document(read func() (any, *Error)) (any, error) {
	if len(d.data) > d.limits.Bytes {
		return nil, d.fail(TooLarge, "is larger than %d bytes", d.limits.Bytes)
	}
	if err := d.encoding(); err != nil {
		return nil, err
	}
	d.formLimit = FormBound(len(d.data))
	if d.limits.Form > 0 {
		d.formLimit = min(d.formLimit, d.limits.Form)
	}
	d.space()
	v, err := read()
	if err != nil {
		return nil, err.placed()
	}
	d.space()
	if d.pos < len(d.data) {
		return nil, d.fail(TrailingData, "has data after the end of the JSON value")
	}
	return v, nil
}

// encoding names the encodings that senders most often mistake for UTF-8.
func (d *decoder) encoding() error {
	switch {
	case bytes.HasPrefix(d.data, []byte("\xef\xbb\xbf")):
		return d.fail(InvalidUTF8, "starts with a byte order mark: send UTF-8 without one")
	case bytes.HasPrefix(d.data, []byte("\xff\xfe")), bytes.HasPrefix(d.data, []byte("\xfe\xff")),
		len(d.data) > 1 && (d.data[0] == 0 || d.data[1] == 0):
		return d.fail(InvalidUTF8, "is not UTF-8 (it looks like UTF-16 or UTF-32): send UTF-8")
	}
	return nil
}

func (d *decoder) space() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) value() (any, *Error) {
	if d.pos >= len(d.data) {
		return nil, d.fail(Syntax, "ends where a value is expected")
	}
	if d.outline {
		return nil, d.skip()
	}
	switch c := d.data[d.pos]; {
	case c == '{':
		return d.object()
	case c == '[':
		return d.array()
	case c == '"':
		raw, plain, err := d.scanString()
		if err != nil || !d.strict {
			return nil, err
		}
		if plain {
			return d.text(raw)
		}
		if err := d.spend(len(raw) + sizeText); err != nil {
			return nil, err
		}
		return d.unquote(raw, plain)
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	default:
		return d.literal()
	}
}

func (d *decoder) literal() (any, *Error) {
	for _, l := range literals {
		if bytes.HasPrefix(d.data[d.pos:], l.text) {
			d.pos += len(l.text)
			return l.value, nil
		}
	}
	return nil, d.fail(Syntax, "has %s where a value is expected", d.here())
}

var literals = []struct {
	text  []byte
	value any
}{{[]byte("true"), true}, {[]byte("false"), false}, {[]byte("null"), nil}}

func (d *decoder) enter() *Error {
	d.depth++
	if d.depth > d.limits.Depth {
		return d.fail(TooDeep, "nests deeper than %d levels", d.limits.Depth)
	}
	d.pos++
	d.space()
	return nil
}

func (d *decoder) object() (any, *Error) {
	if !d.strict {
		return nil, d.eachMember(func(string) *Error {
			_, err := d.value()
			return err
		})
	}
	m := map[string]any{}
	if err := d.spend(sizeMap); err != nil {
		return nil, err
	}
	err := d.eachMember(func(key string) *Error {
		if _, dup := m[key]; dup {
			return d.fail(DuplicateKey, "is given twice")
		}
		if err := d.spendMember(len(m)+1, key); err != nil {
			return err
		}
		v, err := d.value()
		m[key] = v
		return err
	})
	return m, err
}

func (d *decoder) members() ([]Member, *Error) {
	if d.pos >= len(d.data) || d.data[d.pos] != '{' {
		return nil, d.other(NotObject, "is not a JSON object")
	}
	members := make([]Member, 0, 8)
	seen := map[string]bool(nil)
	err := d.eachMember(func(key string) *Error {
		if duplicate(members, &seen, key) {
			return d.fail(DuplicateKey, "is given twice")
		}
		if len(members) == MaxMembers {
			return d.fail(TooLarge, "stands behind %d others in one object: send less at once", MaxMembers)
		}
		if err := d.spend(sizeMember + len(key)); err != nil {
			return err
		}
		start := d.pos
		_, err := d.value()
		members = append(members, Member{Key: key, Raw: d.data[start:d.pos:d.pos], Offset: start})
		return err
	})
	return members, err
}

// other returns the error for a value of another kind, or for text that is no value.
func (d *decoder) other(kind Kind, rule string) *Error {
	start := d.pos
	if _, err := d.value(); err != nil {
		return err
	}
	d.pos = start
	return d.fail(kind, "%s", rule)
}

// duplicate looks key up among members: one by one while they are few, and in a map once they are many,
// which keeps the time linear.
func duplicate(members []Member, seen *map[string]bool, key string) bool {
	const few = 16
	if len(members) < few {
		for _, m := range members {
			if m.Key == key {
				return true
			}
		}
		return false
	}
	if *seen == nil {
		*seen = make(map[string]bool, 2*few)
		for _, m := range members {
			(*seen)[m.Key] = true
		}
	}
	if (*seen)[key] {
		return true
	}
	(*seen)[key] = true
	return false
}

// eachMember reads an object and calls f at the start of each value.
func (d *decoder) eachMember(f func(key string) *Error) *Error {
	if err := d.enter(); err != nil {
		return err
	}
	if d.accept('}') {
		d.depth--
		return nil
	}
	named := d.strict || d.depth == 1
	for {
		key, raw, err := d.key(named)
		if err != nil {
			return err
		}
		if err := f(key); err != nil {
			if !named {
				key = d.name(raw)
			}
			return err.in(key)
		}
		d.space()
		if d.accept('}') {
			d.depth--
			return nil
		}
		if !d.accept(',') {
			return d.fail(Syntax, "has %s where ',' or '}' is expected", d.here())
		}
		d.space()
	}
}

// key reads a member's name and the colon behind it. If the caller does not need the name, key returns
// "" beside its text.
func (d *decoder) key(named bool) (key string, raw []byte, _ *Error) {
	if d.pos >= len(d.data) || d.data[d.pos] != '"' {
		return "", nil, d.fail(Syntax, "has %s where a key in double quotes is expected", d.here())
	}
	raw, plain, err := d.scanString()
	if err != nil {
		return "", nil, err
	}
	if d.nul {
		return "", nil, d.fail(NULKey, "has a key with U+0000: readers in C end the key there")
	}
	if named {
		if key, err = d.unquote(raw, plain); err != nil {
			return "", nil, err
		}
	}
	d.space()
	if !d.accept(':') {
		return "", nil, d.fail(Syntax, "has %s where ':' is expected", d.here())
	}
	d.space()
	return key, raw, nil
}

// name is the key with this text, for a place.
func (d *decoder) name(raw []byte) string {
	if key, err := d.unquote(raw, false); err == nil {
		return key
	}
	return string(raw)
}

func (d *decoder) array() (any, *Error) {
	if !d.strict {
		return nil, d.eachElement(func() *Error {
			_, err := d.value()
			return err
		})
	}
	list := []any{}
	if err := d.spend(sizeSlice); err != nil {
		return nil, err
	}
	err := d.eachElement(func() *Error {
		if err := d.spend(sizeElement); err != nil {
			return err
		}
		v, err := d.value()
		list = append(list, v)
		return err
	})
	return list, err
}

func (d *decoder) elements() ([][]byte, *Error) {
	if d.pos >= len(d.data) || d.data[d.pos] != '[' {
		return nil, d.other(NotArray, "is not a JSON array")
	}
	var elements [][]byte
	err := d.eachElement(func() *Error {
		if err := d.spend(sizePart); err != nil {
			return err
		}
		start := d.pos
		_, err := d.value()
		elements = append(elements, d.data[start:d.pos:d.pos])
		return err
	})
	return elements, err
}

func (d *decoder) eachElement(f func() *Error) *Error {
	if err := d.enter(); err != nil {
		return err
	}
	if d.accept(']') {
		d.depth--
		return nil
	}
	for i := 0; ; i++ {
		if err := f(); err != nil {
			return err.in(strconv.Itoa(i))
		}
		d.space()
		if d.accept(']') {
			d.depth--
			return nil
		}
		if !d.accept(',') {
			return d.fail(Syntax, "has %s where ',' or ']' is expected", d.here())
		}
		d.space()
	}
}

func (d *decoder) accept(c byte) bool {
	if d.pos < len(d.data) && d.data[d.pos] == c {
		d.pos++
		return true
	}
	return false
}

// scanString moves past a string and returns the text between its quotes, and whether it has no
// escapes.
func (d *decoder) scanString() (raw []byte, plain bool, err *Error) {
	d.pos++
	start := d.pos
	plain, d.nul = true, false
	for {
		d.pos += ordinary(d.data[d.pos:])
		if d.pos >= len(d.data) {
			return nil, false, d.fail(Syntax, "ends inside a string")
		}
		switch c := d.data[d.pos]; {
		case c == '"':
			d.pos++
			return d.data[start : d.pos-1], plain, nil
		case c == '\\':
			plain = false
			n := escapeLen(d.data[d.pos:])
			if n == 0 {
				return nil, false, d.fail(Syntax, badEscape)
			}
			d.nul = d.nul || bytes.HasPrefix(d.data[d.pos:], nulEscape)
			d.pos += n
		case c < 0x20:
			return nil, false, d.fail(Syntax, "has an unescaped control character (U+%04X) inside a string", c)
		default:
			r, n := utf8.DecodeRune(d.data[d.pos:])
			if r == utf8.RuneError && n <= 1 {
				return nil, false, d.fail(InvalidUTF8, "has bytes that are not valid UTF-8")
			}
			d.pos += n
		}
	}
}

// nulEscape is the only spelling of U+0000 in a JSON string.
var nulEscape = []byte(`\u0000`)

// ordinary counts the leading bytes of b that are ASCII and neither a quote, a
// backslash nor a control character: 32 at a time, then 8, then one.
func ordinary(b []byte) int {
	n := 0
	for ; n+32 <= len(b); n += 32 {
		c := b[n : n+32 : n+32]
		if (special(c[0:])|special(c[8:])|special(c[16:])|special(c[24:]))&high != 0 {
			break
		}
	}
	for ; n+8 <= len(b) && special(b[n:])&high == 0; n += 8 {
	}
	for n < len(b) && b[n] >= 0x20 && b[n] < utf8.RuneSelf && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

const ones, high = 0x0101010101010101, 0x8080808080808080

// special sets the highest bit of some byte of its result if there is a byte among the
// first eight of b that is not ordinary.
func special(b []byte) uint64 {
	w := binary.LittleEndian.Uint64(b)
	return w | (w - 0x20*ones) | ((w ^ '"'*ones) - ones) | ((w ^ '\\'*ones) - ones)
}
