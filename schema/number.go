// Copyright 2026 The toolvet authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// A decimal is the exact value of a JSON number. It refers to the digits where
// they stand in the text, so 1e999999999 costs no more than 1.
type decimal struct {
	neg    bool
	whole  string // digits before the point
	frac   string // digits after it
	lead   int    // index of the first significant digit in whole+frac
	digits int    // number of significant digits; 0 is the number zero
	exp    int64  // the first significant digit stands for d × 10^exp
}

// maxExponentDigits keeps exponents within int64 with room to add to.
const maxExponentDigits = 15

// parseDecimal reads a JSON number. It fails on other texts, and on exponents
// of more than maxExponentDigits digits.
func parseDecimal(n json.Number) (decimal, bool) {
	s := string(n)
	var d decimal
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		d.neg, s = true, rest
	}
	var exp int64
	mantissa := s
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		var ok bool
		if exp, ok = parseExponent(s[i+1:]); !ok {
			return decimal{}, false
		}
		mantissa = s[:i]
	}
	d.whole, d.frac, _ = strings.Cut(mantissa, ".")
	if d.whole == "" || !allDigits(d.whole) || !allDigits(d.frac) {
		return decimal{}, false
	}
	d.normalize(exp)
	return d, true
}

func parseExponent(s string) (int64, bool) {
	digits := strings.TrimLeft(strings.TrimLeft(s, "+-"), "0")
	if len(digits) > maxExponentDigits {
		return 0, false
	}
	exp, err := strconv.ParseInt(s, 10, 64)
	return exp, err == nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// normalize finds the significant digits.
func (d *decimal) normalize(exp int64) {
	end := len(d.whole) + len(d.frac)
	for end > 0 && d.raw(end-1) == '0' {
		end--
	}
	if end == 0 {
		*d = decimal{}
		return
	}
	for d.raw(d.lead) == '0' {
		d.lead++
	}
	d.digits = end - d.lead
	d.exp = exp + int64(len(d.whole)-1-d.lead)
}

func (d *decimal) raw(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	return d.frac[i-len(d.whole)]
}

// digit returns the i-th significant digit, '0' beyond the last.
func (d *decimal) digit(i int) byte {
	if i >= d.digits {
		return '0'
	}
	return d.raw(d.lead + i)
}

func (d *decimal) isInteger() bool { return d.digits == 0 || int64(d.digits) <= d.exp+1 }

func (d *decimal) sign() int {
	switch {
	case d.digits == 0:
		return 0
	case d.neg:
		return -1
	default:
		return 1
	}
}

// compare returns -1, 0 or 1 as d is less than, equal to or greater than o.
func (d *decimal) compare(o *decimal) int {
	if c := cmp.Compare(d.sign(), o.sign()); c != 0 || d.digits == 0 {
		return c
	}
	c := cmp.Compare(d.exp, o.exp)
	for i := 0; c == 0 && i < max(d.digits, o.digits); i++ {
		c = cmp.Compare(d.digit(i), o.digit(i))
	}
	return c * d.sign()
}

// appendKey appends a text that equal numbers, and only they, have in common.
func (d *decimal) appendKey(b []byte) []byte {
	if d.digits == 0 {
		return append(b, '0')
	}
	if d.neg {
		b = append(b, '-')
	}
	for i := range d.digits {
		b = append(b, d.digit(i))
	}
	b = append(b, 'e')
	return strconv.AppendInt(b, d.exp, 10)
}

// mantissa returns the significant digits as an integer.
func (d *decimal) mantissa() *big.Int {
	b := make([]byte, d.digits)
	for i := range b {
		b[i] = d.digit(i)
	}
	n, _ := new(big.Int).SetString(string(b), 10)
	return n
}

// multipleOf reports whether d is m times an integer; m is not zero. With
// d = a×10^p and m = b×10^q, where a does not end in 0, that is: b divides
// a×10^(p-q). The power is taken modulo b, so its size does not matter.
func (d *decimal) multipleOf(m *decimal) bool {
	if d.digits == 0 {
		return true
	}
	shift := (d.exp - int64(d.digits)) - (m.exp - int64(m.digits))
	if shift < 0 {
		return false
	}
	b := m.mantissa()
	r := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), b)
	r.Mul(r, d.mantissa())
	return r.Mod(r, b).Sign() == 0
}

// smallInt returns the value of a number that is written as an integer of at
// most 18 digits: nearly every number in a call, and fast to compare.
func smallInt(n json.Number) (int64, bool) {
	digits := n
	neg := len(n) > 0 && n[0] == '-'
	if neg {
		digits = n[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	var v int64
	for i := range len(digits) {
		c := digits[i] - '0'
		if c > 9 {
			return 0, false
		}
		v = v*10 + int64(c)
	}
	if neg {
		v = -v
	}
	return v, true
}
