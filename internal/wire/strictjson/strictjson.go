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
// digit (json.Number); those outside the range of an IEEE 754 double are refused.
package strictjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

// Limits bound a text. A zero field means its default.
type Limits struct {
	Bytes  int // length of the text, in bytes; default 16 MiB
	Depth  int // nesting of objects and arrays; default 256
	Digits int // length of a number's text, in bytes; default 1024
}

// Defaults of [Limits].
const (
	DefaultBytes  = 16 << 20
	DefaultDepth  = 256
	defaultDigits = 1024
)

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

// Members reads one JSON object and returns its members. The object's own keys are read strictly.
// Deeper, only the syntax, the encoding and the limits are checked: use [Parse] on a member if its
// meaning matters. The error is an *[Error].
func Members(data []byte, limits Limits) ([]Member, error) {
	d := decoder{data: data, limits: limits.withDefaults()}
	var members []Member
	_, err := d.document(func() (any, *Error) {
		var err *Error
		members, err = d.members()
		return nil, err
	})
	return members, err
}

// Elements reads one JSON array and returns the texts of its elements, checked
// as [Members] checks. The error is an *[Error].
func Elements(data []byte, limits Limits) ([][]byte, error) {
	d := decoder{data: data, limits: limits.withDefaults()}
	var elements [][]byte
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
}

func (d *decoder) document(read func() (any, *Error)) (any, error) {
	if len(d.data) > d.limits.Bytes {
		return nil, d.fail(TooLarge, "is larger than %d bytes", d.limits.Bytes)
	}
	if err := d.encoding(); err != nil {
		return nil, err
	}
	d.space()
	v, err := read()
	if err != nil {
		return nil, err
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
	err := d.eachMember(func(key string) *Error {
		if _, dup := m[key]; dup {
			return d.fail(DuplicateKey, "is given twice")
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
		key, err := d.key(named)
		if err != nil {
			return err
		}
		if err := f(key); err != nil {
			if !named {
				return err
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

// key reads a member's name and the colon behind it. If the caller does not need the name, key skips it
// and returns "".
func (d *decoder) key(named bool) (string, *Error) {
	if d.pos >= len(d.data) || d.data[d.pos] != '"' {
		return "", d.fail(Syntax, "has %s where a key in double quotes is expected", d.here())
	}
	raw, plain, err := d.scanString()
	if err != nil {
		return "", err
	}
	key := ""
	if named {
		if key, err = d.unquote(raw, plain); err != nil {
			return "", err
		}
	}
	d.space()
	if !d.accept(':') {
		return "", d.fail(Syntax, "has %s where ':' is expected", d.here())
	}
	d.space()
	return key, nil
}

func (d *decoder) array() (any, *Error) {
	list := []any{}
	err := d.eachElement(func() *Error {
		v, err := d.value()
		if d.strict {
			list = append(list, v)
		}
		return err
	})
	if !d.strict {
		return nil, err
	}
	return list, err
}

func (d *decoder) elements() ([][]byte, *Error) {
	if d.pos >= len(d.data) || d.data[d.pos] != '[' {
		return nil, d.other(NotArray, "is not a JSON array")
	}
	var elements [][]byte
	err := d.eachElement(func() *Error {
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
	plain = true
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

func (d *decoder) number() (any, *Error) {
	start := d.pos
	d.accept('-')
	switch {
	case d.accept('0'):
	case d.digits() == 0:
		return nil, d.fail(Syntax, "has %s where a digit is expected", d.here())
	}
	exact := true
	if d.accept('.') {
		exact = false
		if d.digits() == 0 {
			return nil, d.fail(Syntax, "has %s where a digit is expected", d.here())
		}
	}
	if d.accept('e') || d.accept('E') {
		exact = false
		if !d.accept('+') {
			d.accept('-')
		}
		if d.digits() == 0 {
			return nil, d.fail(Syntax, "has %s where a digit is expected", d.here())
		}
	}
	return d.inRange(d.data[start:d.pos], exact)
}

func (d *decoder) digits() int {
	start := d.pos
	for d.pos < len(d.data) && d.data[d.pos] >= '0' && d.data[d.pos] <= '9' {
		d.pos++
	}
	return d.pos - start
}

// inRange refuses numbers that a double turns into infinity, or into zero although they are not.
// Readers with doubles would use another value than the judged one.
func (d *decoder) inRange(text []byte, integer bool) (any, *Error) {
	if len(text) > d.limits.Digits {
		return nil, d.fail(NumberRange, "has a number of more than %d characters", d.limits.Digits)
	}
	if !d.strict {
		return nil, nil
	}
	s := string(text)
	if integer && len(s) < 300 {
		return json.Number(s), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, d.fail(NumberRange, "is a number outside the range of a double (about ±1.8e308)")
	}
	if f == 0 && nonZero(s) {
		return nil, d.fail(NumberRange, "is a number too small for a double (about ±5e-324)")
	}
	return json.Number(s), nil
}

func nonZero(number string) bool {
	for _, c := range number {
		switch {
		case c == 'e' || c == 'E':
			return false
		case c >= '1' && c <= '9':
			return true
		}
	}
	return false
}
