// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

// Outline is Members for a text that [Members] or [Parse] refuses: it finds the members whose values are
// at fault, so that the reader of a value can tell what is wrong with it. The object's own keys are read
// strictly. Of the values only the strings and the brackets are looked at, so nobody may act on them.
// The error is an *[Error], if the members cannot be told apart.
func Outline(data []byte, limits Limits) ([]Member, error) {
	d := decoder{data: data, limits: limits.withDefaults(), outline: true}
	return d.membersOnly()
}

// OutlineElements is [Outline] for an array.
func OutlineElements(data []byte, limits Limits) ([][]byte, error) {
	d := decoder{data: data, limits: limits.withDefaults(), outline: true}
	return d.elementsOnly()
}

// skip moves past a value for an outline. It does not recurse, since nothing bounds the nesting.
func (d *decoder) skip() *Error {
	start, open := d.pos, 0
	for ; d.pos < len(d.data); d.pos++ {
		switch c := d.data[d.pos]; c {
		case '"':
			for d.pos++; d.pos < len(d.data) && d.data[d.pos] != '"'; d.pos++ {
				if d.data[d.pos] == '\\' {
					d.pos++
				}
			}
			if d.pos >= len(d.data) {
				d.pos = len(d.data)
				return d.fail(Syntax, "ends inside a string")
			}
		case '{', '[':
			open++
			continue
		case '}', ']':
			if open == 0 { // behind a number or a literal
				return d.skipped(start)
			}
			open--
		case ',', ' ', '\t', '\n', '\r':
			if open == 0 {
				return d.skipped(start)
			}
			continue
		default:
			continue
		}
		if open == 0 {
			d.pos++
			return nil
		}
	}
	if open > 0 {
		return d.fail(Syntax, "ends inside a value")
	}
	return d.skipped(start)
}

func (d *decoder) skipped(start int) *Error {
	if d.pos == start {
		return d.fail(Syntax, "has %s where a value is expected", d.here())
	}
	return nil
}
