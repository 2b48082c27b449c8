// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

import "encoding/json"

// Bounds of the parsed form of a text. A Go map takes 336 bytes even for {"":0}, so some texts would
// take fifty times their own size.
const (
	formFactor = 10       // bytes of the form for a byte of the text
	formLeast  = 8 << 20  // any text may have a form of so many bytes
	formMost   = 64 << 20 // no text may have a larger one
	formDense  = 64       // no form is larger than so many times its text, and that many bytes
)

// FormBound returns the most memory, in bytes, that [Parse] takes for the value in a text of n bytes:
// ten times the text, but at least 8 MiB and at most 64 MiB. Parse refuses a text whose value takes
// more. Small texts need less than 8 MiB in any case.
func FormBound(n int) int {
	return min(formDense*(n+1), max(formFactor*n, formLeast), formMost)
}

// Sizes of the parts of a form, in bytes, on machines of 64 bits.
const (
	sizeMap     = 48
	sizeGroup   = 288 // of the first eight entries of a map
	sizeEntry   = 80  // of each further entry, with those that are free
	sizeSlice   = 24
	sizeElement = 20 // of a slice, with those that are free
	sizeText    = 24 // of a string or number beside its characters
	sizeMember  = 144
	sizePart    = 32 // of an element of Elements
)

// spend counts memory that the form takes, and refuses to take too much.
func (d *decoder) spend(bytes int) *Error {
	if d.form += bytes; d.form > d.formLimit {
		return d.fail(TooLarge, "holds more values than are read at once: they would take too much memory. Send less at once")
	}
	return nil
}

// spendMember counts the n-th member of a map.
func (d *decoder) spendMember(n int, key string) *Error {
	size := len(key) + sizeText
	switch {
	case n == 1:
		size += sizeGroup
	case n == 9:
		size += sizeGroup + sizeEntry
	case n > 9:
		size += sizeEntry
	}
	return d.spend(size)
}

// remembered is the number of short numbers and strings each that a decoder remembers. Long lists mostly
// repeat them.
const remembered = 64

// A memory holds short values of before.
type memory struct{ numbers, strings [remembered]any }

// Bounds of what is remembered: values of so many bytes, once the form is so large.
const (
	maxShort  = 4
	manyShort = 64 << 10
)

func (d *decoder) remembers(text []byte) bool {
	if len(text) > maxShort || d.form < manyShort {
		return false
	}
	if d.memory == nil {
		d.memory = new(memory)
	}
	return true
}

func slotOf(text []byte) int {
	hash := 0
	for _, c := range text {
		hash = hash*31 + int(c)
	}
	return hash % remembered
}

// numeral returns the number of a text. Equal short numbers share their memory.
func (d *decoder) numeral(text []byte) (any, *Error) {
	if !d.remembers(text) {
		return json.Number(text), d.spend(sizeText + len(text))
	}
	slot := &d.memory.numbers[slotOf(text)]
	if have, ok := (*slot).(json.Number); ok && string(have) == string(text) {
		return *slot, nil
	}
	*slot = json.Number(text)
	return *slot, d.spend(sizeText + len(text))
}

// text returns the string of a text without escapes. Equal short strings share their memory.
func (d *decoder) text(text []byte) (any, *Error) {
	if !d.remembers(text) {
		return string(text), d.spend(sizeText + len(text))
	}
	slot := &d.memory.strings[slotOf(text)]
	if have, ok := (*slot).(string); ok && have == string(text) {
		return *slot, nil
	}
	*slot = string(text)
	return *slot, d.spend(sizeText + len(text))
}

// FormOf returns the memory, in bytes, that the form of a value takes, as [Parse] counts it.
func FormOf(v any) int {
	switch v := v.(type) {
	case string:
		return sizeText + len(v)
	case json.Number:
		return sizeText + len(v)
	case []any:
		n := sizeSlice
		for _, e := range v {
			n += sizeElement + FormOf(e)
		}
		return n
	case map[string]any:
		n := sizeMap
		if len(v) > 0 {
			n += sizeGroup
		}
		if len(v) > 8 {
			n += sizeGroup + (len(v)-8)*sizeEntry
		}
		for key, e := range v {
			n += sizeText + len(key) + FormOf(e)
		}
		return n
	}
	return 0
}
