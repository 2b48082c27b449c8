// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"encoding/json"
	"math"
	"strconv"
)

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
	if integer && len(text) < 300 {
		return d.numeral(text)
	}
	s := string(text)
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, d.fail(NumberRange, "is a number outside the range of a double (about ±1.8e308)")
	}
	if f == 0 && nonZero(s) {
		return nil, d.fail(NumberRange, "is a number too small for a double (about ±5e-324)")
	}
	return json.Number(s), d.spend(sizeText + len(s))
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
